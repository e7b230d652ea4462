"""What a run would do, and how long that may take, in words."""

import json
import math
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

from build_facts import driver_sources
from grid import ARRAY, Job

# Where no catalogue tells: about as many algorithms as a problem has.
_ASSUMED_ALGORITHMS = 8
# Of one source on one core, in seconds: the means of a build on two cores of an AMD EPYC.
_HOST_COMPILATION_S = 4
_CUDA_COMPILATION_S = 20


def recorded_seconds(path: Path) -> float | None:
    """Time that the samples of an earlier run of a job took, the untimed executions before warm
    ones included, or None without such records."""
    if not path.exists():
        return None
    seconds = 0.0
    for line in path.read_text().splitlines():
        timing = json.loads(line)["timing"]
        if timing is not None:
            untimed = len(timing["kernel_s"]) if timing["cache"] == "warm" else 0
            kernel_s = timing["kernel_s"]
            seconds += sum(kernel_s) * timing["batch"] + untimed * statistics.median(kernel_s)
            seconds += sum(timing["warmup_s"]) + sum(timing["preprocess_s"])
            seconds += sum(sum(kind["total_s"]) for kind in timing["end_to_end"])
    return seconds


def cells(job: Job, catalogue: dict[str, Any] | None) -> int:
    """Cells of a job; an assumption before the first build."""
    given = {name: len(values) for name, values in (job.parameters | job.cuda_parameters).items()}
    if catalogue is None:
        count = _ASSUMED_ALGORITHMS if "all" in job.algorithms else len(job.algorithms)
        return count * math.prod(given.values())
    return sum(
        math.prod(given.get(parameter["name"], 1) for parameter in algorithm["parameters"])
        for algorithm in catalogue["algorithms"]
        if algorithm["unavailable"] is None
        and ("all" in job.algorithms or algorithm["name"] in job.algorithms)
    )


def upper_seconds(job: Job, catalogue: dict[str, Any] | None) -> float:
    """Kernel samples, the untimed executions before them, and cycles from and to pinned and
    pageable memory each end at the time cap."""
    return cells(job, catalogue) * 4 * float(job.timing["time_cap_s"])


def build(drivers: list[str], cuda: bool, cores: int) -> str:
    """What the build of these drivers costs, by the number of their sources."""
    sources = {path for driver in drivers for path in driver_sources(Path(), driver)}
    host = sum(path.suffix == ".cpp" for path in sources)
    device = sum(path.suffix == ".cu" for path in sources) if cuda else 0
    minutes = (host * _HOST_COMPILATION_S + device * _CUDA_COMPILATION_S) / 60 / cores
    text = f"Build: {', '.join(drivers)}; about {math.ceil(minutes)} minutes"
    if device:
        share = device * _CUDA_COMPILATION_S / 60 / cores
        text += f", {math.ceil(share)} of them for CUDA, which cuda=false leaves out"
    return text


def absent(files: list[str], jobs: int) -> str:
    """What is not there of `jobs` files of records, by problem and matrix."""
    if not files:
        return f"The records of all {jobs} jobs are there."
    found: dict[str, list[str]] = {}
    for file in files:
        problem, matrix, _ = Path(file).parts[-3:]
        found.setdefault(problem, []).append(matrix)
    lines = [f"Without records, and so not in the report: {len(files)} of {jobs} jobs"]
    for problem, matrices in found.items():
        names = [f"{m} ({n})" if n > 1 else m for m, n in Counter(matrices).items()]
        lines.append(f"  {problem}: {', '.join(names)}")
    return "\n".join(lines)


def describe(jobs: list[Job], results: Path) -> str:
    """The plan of a run as a few lines of text."""
    if not jobs:
        return "Plan: nothing is measured."
    catalogues: dict[str, dict[str, Any] | None] = {}
    for problem in {job.problem for job in jobs}:
        path = results / "catalogue" / f"{problem}.json"
        catalogues[problem] = json.loads(path.read_text()) if path.exists() else None
    known, unknown, new = 0.0, 0.0, 0
    for job in jobs:
        seconds = recorded_seconds(
            results / "records" / job.problem / job.matrix / f"{job.name}.jsonl"
        )
        if seconds is None:
            new += 1
            unknown += upper_seconds(job, catalogues[job.problem])
        else:
            known += seconds
    matrices = {job.matrix for job in jobs} - {ARRAY}
    counts = Counter(job.problem for job in jobs)
    total = sum(cells(job, catalogues[job.problem]) for job in jobs)
    guess = "" if all(catalogues.values()) else ", supposed before the first build"
    lines = [
        f"Plan: {len(jobs)} measuring jobs on {len(matrices)} matrices: "
        + ", ".join(f"{problem} {count}" for problem, count in counts.items()),
        f"  {total} cells{guess}",
    ]
    if new:
        lines.append(
            f"  {new} jobs have no records yet: at most {_minutes(unknown)} of sampling, by the "
            "time cap of each cell"
        )
    if new < len(jobs):
        lines.append(f"  {len(jobs) - new} jobs have records: sampling took {_minutes(known)}")
    return "\n".join(lines)


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
