"""Writes the jobs of a configuration for a machine that cannot run the workflow.

Jobs that differ in instance parameters alone become one driver run, so that each matrix is made and
read once and the cells of an instance still come from one run.
"""

import itertools
import json
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sparserepro.build.catalogue import check_names, distinct_names
from sparserepro.bundle.recorded import listed
from sparserepro.config.check import ConfigError
from sparserepro.config.grid import ARRAY, Job, Value, join, option
from sparserepro.config.matrix_list import MatrixEntry, MatrixList
from sparserepro.offline.runner import duration
from sparserepro.run import cost


def grouped(jobs: list[Job]) -> list[list[Job]]:
    """Jobs that differ in nothing but the values of their instances, in the order of the first of
    each."""
    found: dict[str, list[Job]] = {}
    for job in jobs:
        names = dict.fromkeys(sorted(job.instance), "")
        same = Job(**{**job.__dict__, "instance": names}).to_json()
        found.setdefault(same, []).append(job)
    return list(found.values())


def instance_options(instances: list[dict[str, Value]]) -> list[str] | None:
    """The options that make one command of the instances, or None when they are not all
    combinations of their values."""
    names = list(dict.fromkeys(name for instance in instances for name in instance))
    values = {n: list(dict.fromkeys(i[n] for i in instances if n in i)) for n in names}
    product = [dict(zip(names, v, strict=True)) for v in itertools.product(*values.values())]
    if len(product) != len(instances) or not all(one in instances for one in product):
        return None
    return [text for n in names for text in (option(n), join(values[n]))]


def runs(jobs: list[Job]) -> list[tuple[list[Job], list[str]]]:
    """Driver runs: the jobs of each and the options of their instances."""
    made = []
    for group in grouped(jobs):
        options = instance_options([job.instance for job in group])
        if options is not None:
            made.append((group, options))
            continue
        for job in group:
            made.append(([job], instance_options([job.instance]) or []))
    return sorted(made, key=lambda run: run[0][0].repeat)  # repeats later: sittings differ by time


def named(job: Job, catalogue: dict[str, Any]) -> list[str]:
    """The algorithms of a job by name, so that the runner can leave some out."""
    if "all" in job.algorithms:
        return [algorithm["name"] for algorithm in catalogue["algorithms"]]
    return list(job.algorithms)


def file_names(entry: MatrixEntry) -> list[str]:
    """Where the matrix is looked for in a folder: there, and below it by group."""
    places = ["", f"{entry.group}/"] if entry.group else [""]
    return [f"{place}{entry.name}{suffix}" for place in places for suffix in (".mtx", ".mtx.gz")]


def exported(
    jobs: list[Job], matrices: MatrixList, catalogues: dict[str, dict[str, Any]], limit_s: float
) -> list[dict[str, Any]]:
    """The jobs as `./measure` reads them; `limit_s` is what one instance may take."""
    numbers: dict[str, int] = defaultdict(int)
    out = []
    for group, instances in runs(jobs):
        first = group[0]
        entry = None if first.matrix == ARRAY else matrices.entries[first.matrix]
        stem = ".".join([first.matrix, *([first.part] if first.part else [])])
        numbers[f"{first.problem}/{stem}"] += 1
        name = f"{first.problem}/{stem}.{numbers[f'{first.problem}/{stem}']}.jsonl"
        options = Job(**{**first.__dict__, "instance": {}}).driver_options()[2:]
        cuda = [t for n, v in first.cuda_parameters.items() for t in (option(n), join(v))]
        out.append(
            {
                "problem": first.problem,
                "part": first.part,
                "matrix": first.matrix,
                "repeat": first.repeat,
                "output": name,
                "spec": entry.spec if entry else None,
                "files": file_names(entry) if entry and entry.spec is None else None,
                "listed": listed(entry) if entry else None,
                "algorithms": named(first, catalogues[first.problem]),
                "options": [*instances, *options, *cuda],
                "limit_s": limit_s * len(group),
                "expected_s": round(cost.run_seconds(group, entry, catalogues[first.problem]), 1),
            }
        )
    return out


def catalogues_of(drivers: Path, problems: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What the drivers list, by problem. Raises ConfigError."""
    return {problem: catalogue(drivers, problem) for problem in problems}


def catalogue(drivers: Path, problem: str) -> dict[str, Any]:
    """What a driver of this machine lists. Raises ConfigError without the driver."""
    driver = drivers / problem
    if not driver.exists():
        raise ConfigError(f"{driver} is not built; --build names the build tree of the drivers")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "catalogue.json"
        subprocess.run([driver, "--list", "--json", out], check=True, stdout=subprocess.DEVNULL)
        found: dict[str, Any] = json.loads(out.read_text())
        return found


def check_all(jobs: list[Job], catalogues: dict[str, dict[str, Any]]) -> None:
    """Raises ConfigError for a name, or a value of an instance, that no driver has."""
    for job in distinct_names(jobs):
        check_names(catalogues[job.problem], job)


def summary(jobs: list[dict[str, Any]]) -> str:
    seconds: dict[tuple[str, str], float] = defaultdict(float)
    for job in jobs:
        seconds[job["problem"], job["part"]] += job["expected_s"]
    lines = [f"  {' '.join(key).strip()}: about {duration(s)}" for key, s in seconds.items()]
    total = duration(sum(seconds.values()))
    return "\n".join([f"{len(jobs)} driver runs, about {total} of measuring:", *lines])
