"""`sparserepro cost`: what a configuration takes, before it runs on a cluster.

Seconds of a job are those of its records, or a forecast by sizes (cost.py). Nothing is built,
fetched or measured.
"""

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparserepro.config.grid import ARRAY, Job
from sparserepro.fetch.download import Source
from sparserepro.fetch.fetching import present
from sparserepro.fetch.forecast import forecast
from sparserepro.fetch.wanted import RESOURCES, Planned, planned
from sparserepro.paths import MEASUREMENTS
from sparserepro.run import cost, plan

_CATALOGUES = Path("results/shared/catalogue")
Catalogue = dict[str, Any]


@dataclass
class Total:
    """Of the jobs of a problem."""

    jobs: int = 0
    recorded: int = 0
    capped: int = 0
    """Jobs without a catalogue, whose cells are supposed to take the time cap each."""
    host_s: float = 0.0
    device_s: float = 0.0

    def add(self, other: "Total") -> None:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def catalogue_of(problem: str) -> Catalogue | None:
    """Of the build in this folder, or of an archived machine."""
    for path in (
        _CATALOGUES / f"{problem}.json",
        *MEASUREMENTS.glob(f"*/catalogue/{problem}.json"),
    ):
        if path.exists():
            found: Catalogue = json.loads(path.read_text())
            return found
    return None


def _of_backend(catalogue: Catalogue, device: bool) -> Catalogue:
    kept = [a for a in catalogue["algorithms"] if (a["backend"] == "cuda") == device]
    return catalogue | {"algorithms": kept}


def of_job(job: Job, made: Planned, catalogue: Catalogue | None) -> Total:
    """The start of the process and the matrix count as time of the host."""
    entry = None if job.matrix == ARRAY else made.listed.entries[job.matrix]
    records = plan.file_of(job, Path("results") / made.config["name"] / "records")
    host, device = (plan.recorded_seconds(records, of_device) for of_device in (False, True))
    around = cost.START_S["host"] + (cost.sizes(entry)[2] / cost.MADE_PER_S if entry else 0.0)
    if host is not None and device is not None:
        return Total(jobs=1, recorded=1, host_s=host + around, device_s=device)
    if catalogue is None:
        return Total(jobs=1, capped=1, host_s=plan.upper_seconds(job, None) + around)
    host = cost.job_seconds(job, entry, _of_backend(catalogue, device=False)) + around
    device = 0.0
    if made.config["cuda"] is not False:
        device = cost.job_seconds(job, entry, _of_backend(catalogue, device=True))
    return Total(jobs=1, host_s=host, device_s=device)


def totals(made: Planned) -> dict[str, Total]:
    """By problem."""
    catalogues = {problem: catalogue_of(problem) for problem in {j.problem for j in made.jobs}}
    found: dict[str, Total] = {}
    for job in made.jobs:
        found.setdefault(job.problem, Total()).add(of_job(job, made, catalogues[job.problem]))
    return found


def _table(rows: Iterable[tuple[str, Total]]) -> list[str]:
    lines = [f"  {'':<12}{'jobs':>6}{'CPU minutes':>14}{'GPU minutes':>14}"]
    for name, of in rows:
        minutes = f"{of.host_s / 60:>14.1f}{of.device_s / 60:>14.1f}"
        lines.append(f"  {name:<12}{of.jobs:>6}{minutes}")
    return lines


def _assumed(all_of: Total, found: dict[str, Total]) -> list[str]:
    lines = []
    if all_of.recorded:
        lines.append(f"{all_of.recorded} jobs take what the samples of their records took")
    if forecast_jobs := all_of.jobs - all_of.recorded - all_of.capped:
        lines.append(
            f"{forecast_jobs} jobs have no records: by sizes, for a server with 16 cores and a "
            "GPU, to a factor of two or so"
        )
        lines.append("CUDA algorithms count unless the configuration has cuda: false")
    if capped := [problem for problem, of in found.items() if of.capped]:
        lines.append(f"of {', '.join(capped)} no catalogue is there: each cell at its time cap")
    return lines


def command(options: argparse.Namespace) -> int:
    """Raises ConfigError."""
    made = planned(options.configfile, options.cores, options.seed)
    found = totals(made)
    all_of = Total()
    for of in found.values():
        all_of.add(of)
    source = Source(**made.config["download"])
    staging = [*options.staging, *made.config["staging"]]
    absent = [entry for entry in made.files if present(entry, staging, source) is None]
    cost_of = forecast(absent, RESOURCES)
    matrices = {job.matrix for job in made.jobs} - {ARRAY}
    print(f"{options.configfile}: {all_of.jobs} jobs on {len(matrices)} matrices")
    print("\n".join(_table([*found.items(), ("all", all_of)])))
    print(f"  downloads: {cost_of}" if absent else "  downloads: none")
    assumed = _assumed(all_of, found) + ([f"downloads: {cost_of.assumed}"] if absent else [])
    print("\n".join(["Assumed:", *(f"  {line}" for line in assumed)]))
    return 0
