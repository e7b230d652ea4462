"""The matrices of a configuration that are files, for the commands that handle them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparserepro.config.check import ConfigError, check_config, nearest, seeded
from sparserepro.config.file import load_config_file
from sparserepro.config.grid import ARRAY, Job, make_jobs
from sparserepro.config.matrix_list import MatrixEntry, MatrixList, matrices_of
from sparserepro.paths import MATRIX_LIST

RESOURCES = Path("resources/matrices")
"""Where the workflow puts downloads, too."""


@dataclass(frozen=True)
class Planned:
    """A checked configuration, its jobs, and the matrices that it can name."""

    config: dict[str, Any]
    jobs: list[Job]
    listed: MatrixList

    @property
    def files(self) -> list[MatrixEntry]:
        """The matrices that are no generated ones, each once."""
        ids = dict.fromkeys(job.matrix for job in self.jobs if job.matrix != ARRAY)
        return [self.listed.entries[id_] for id_ in ids if self.listed.entries[id_].spec is None]


def planned(configfile: Path, cores: int | None = None, seed: int | None = None) -> Planned:
    """For a machine of so many cores, or for this one. The seed is of what is drawn. Raises
    ConfigError."""
    config = check_config(seeded(load_config_file(configfile), seed), str(configfile))
    listed = matrices_of(config, MATRIX_LIST)
    return Planned(config, make_jobs(config, listed, cores), listed)


def chosen(entries: list[MatrixEntry], ids: list[str]) -> list[MatrixEntry]:
    """Those with these ids, or all without ids. Raises ConfigError."""
    known = {entry.id: entry for entry in entries}
    for id_ in ids:
        if id_ not in known:
            raise ConfigError(f"--matrix {id_}: no such file to fetch{nearest(id_, known)}")
    return [known[id_] for id_ in ids] or entries
