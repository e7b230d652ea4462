"""Writes a bundle: one file with all that a machine without a network needs to measure.

The same commit, configuration, matrices and headers give the same bytes.
"""

import argparse
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparserepro.bundle import headers, jobs, matrices, sources, wheels
from sparserepro.bundle.errors import BundleError
from sparserepro.config.check import ConfigError, check_config, seeded
from sparserepro.config.file import load_config_file
from sparserepro.config.grid import ARRAY, make_jobs
from sparserepro.config.matrix_list import MatrixEntry, matrices_of
from sparserepro.offline import launcher
from sparserepro.offline.packing import FORMAT, MANIFEST, Member, entries, write_archive
from sparserepro.run.expression.catalogue import driver_job


def planned(
    options: argparse.Namespace, root: Path
) -> tuple[dict[str, Any], list[dict[str, Any]], list[MatrixEntry]]:
    """The checked configuration, its jobs, and the matrices of files. Raises ConfigError."""
    given = seeded(load_config_file(options.configfile), options.seed)
    config = check_config(given, str(options.configfile))
    known = matrices_of(config, root / "config" / "matrices.yaml")
    # The other machine has no SciPy: its jobs are those of the drivers.
    made = [driver_job(job) for job in make_jobs(config, known, options.cores)]
    problems = dict.fromkeys(job.problem for job in made)
    catalogues = jobs.catalogues_of(options.build / "bin", problems)
    jobs.check_all(made, catalogues)
    ids = dict.fromkeys(job.matrix for job in made if job.matrix != ARRAY)
    files = [known.entries[id_] for id_ in ids if known.entries[id_].spec is None]
    return config, jobs.exported(made, known, catalogues, config["job_limit_s"]), files


@dataclass(frozen=True)
class Bundle:
    """What is packed, without the manifest."""

    members: list[Member]
    jobs: list[dict[str, Any]]
    about: dict[str, Any]
    """What the manifest says beside the hashes."""

    def manifest(self) -> Member:
        content = {**self.about, "files": entries(self.members)}
        return Member(MANIFEST, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())


def gather(options: argparse.Namespace, root: Path, scratch: Path) -> Bundle:
    """Raises BundleError or ConfigError."""
    config, listed, files = planned(options, root)
    drawn = f"-{config['seed']}" if config["seed"] is not None else ""
    label = f"{options.configfile.stem}{drawn}"
    sources.check_clean(root)
    sources.check_built(root, options.build)
    commit = sources.head(root)
    content = {"configuration": f"{label}{options.configfile.suffix}", "jobs": listed}
    packed: list[Member] = []
    unavailable = {entry.id: "matrices were left out" for entry in files}
    if options.matrices:
        packed, unavailable = matrices.members(
            files, config, options.staging, root / "resources" / "matrices"
        )
    included, versions = headers.members(options.build)
    members = [
        *sources.members(root, commit),
        Member("measure", Path(launcher.__file__).read_bytes(), executable=True),
        Member(f"jobs/{options.configfile.name}", options.configfile),
        Member("jobs/jobs.json", (json.dumps(content, indent=1) + "\n").encode()),
        *packed,
        *included,
        *(wheels.members(root, scratch) if options.wheels else []),
    ]
    about = {
        "format": FORMAT,
        "name": f"sparserepro-{label}-{commit[:10]}",
        "commit": commit,
        "configuration": content["configuration"],
        "unavailable": unavailable,
        "headers": versions,
    }
    return Bundle(members, listed, about)


def told(bundle: Bundle) -> list[str]:
    """What is in the bundle, and what is missing."""
    packed = sum(member.name.startswith("matrices/") for member in bundle.members)
    versions = bundle.about["headers"]
    found = ", ".join(f"{name} {version}" for name, version in versions.items())
    lacking = [library.name for library in headers.LIBRARIES if library.name not in versions]
    return [
        jobs.summary(bundle.jobs),
        f"Files of matrices: {packed}",
        *(f"  without {id_}: {why}" for id_, why in bundle.about["unavailable"].items()),
        f"Headers: {found or 'none'}",
        *(f"  without {name}, which the other machine has to have" for name in lacking),
    ]


def command(options: argparse.Namespace, root: Path) -> int:
    """`sparserepro export`. Raises BundleError."""
    name = options.output.name
    if not name.endswith((".tar", ".tar.gz", ".tgz")):
        raise BundleError(f"--output {options.output}: name a file that ends with .tar or .tar.gz")
    try:
        with tempfile.TemporaryDirectory() as scratch:
            bundle = gather(options, root, Path(scratch))
            every = [*bundle.members, bundle.manifest()]
            write_archive(options.output, bundle.about["name"], every)
    except (ConfigError, OSError) as error:
        raise BundleError(str(error)) from None
    print("\n".join(told(bundle)))
    print(f"{options.output}: {options.output.stat().st_size / 1e6:.1f} MB. On the other machine:")
    print(f"  tar xf {name}; cd {bundle.about['name']}; ./measure --machine-id NAME")
    return 0
