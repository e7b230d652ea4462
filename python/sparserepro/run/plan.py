"""What a run would do, and how long that may take, in words."""

import itertools
import math
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.build.catalogue import cuda_options
from sparserepro.build.facts import driver_sources
from sparserepro.config.grid import ARRAY, AUTO, Job
from sparserepro.data.rows import PROBLEMS
from sparserepro.run import untimed
from sparserepro.run.expression import PARAMETER
from sparserepro.run.expression import catalogue as expression

# Where no catalogue tells: about as many algorithms as a problem has.
_ASSUMED_ALGORITHMS = 8
# Of one source on one core, in seconds: the means of a build on two cores of an AMD EPYC.
_HOST_COMPILATION_S = 4
_CUDA_COMPILATION_S = 20
_YES_NO = {True: "yes", False: "no"}


def _records(path: Path) -> list[dict[str, Any]]:
    """Raises FileError with what to do, where a line is no record."""
    found = []
    for number, line in program.json_lines(program.read_text(path)):
        try:
            record = program.json_of(line)
            record["timing"], record["argv"][0]
        except (ValueError, TypeError, LookupError):
            raise program.FileError(
                f"{path}:{number}: no record; delete the file to have its job measured again"
            ) from None
        found.append(record)
    return found


def recorded_seconds(path: Path, of_device: bool | None = None) -> float | None:
    """Time that the samples of an earlier run of a job took, the untimed executions before warm
    ones included, or None without such records; `of_device` has those of CUDA algorithms alone, or
    of the others."""
    if not path.exists():
        return None
    seconds = 0.0
    for record in _records(path):
        timing = record["timing"]
        counts = of_device is None or of_device == (record["backend"] == "cuda")
        if timing is not None and counts:
            kernel_s = timing["kernel_s"]
            seconds += sum(kernel_s) * timing["batch"]
            if timing["cache"] == "warm":
                once = statistics.median(kernel_s)
                before = untimed.executions(once, on_device=record["backend"] == "cuda")
                seconds += len(kernel_s) * before * once
            seconds += sum(timing["warmup_s"]) + sum(timing["preprocess_s"])
            seconds += sum(sum(kind["total_s"]) for kind in timing["end_to_end"])
    return seconds


def cells(job: Job, catalogue: dict[str, Any] | None, of_device: bool | None = None) -> int:
    """Cells of a job; an assumption before the first build, of the host alone. `of_device` as in
    `recorded_seconds`."""
    given = {name: len(values) for name, values in (job.parameters | job.cuda_parameters).items()}
    if catalogue is None:
        # An algorithm has few of a grid's parameters; threads are those of most.
        count = _ASSUMED_ALGORITHMS if "all" in job.algorithms else len(job.algorithms)
        return 0 if of_device else count * given.get("threads", 1)
    return sum(
        math.prod(given.get(parameter["name"], 1) for parameter in algorithm["parameters"])
        for algorithm in catalogue["algorithms"]
        if algorithm["unavailable"] is None
        and of_device in (None, algorithm["backend"] == "cuda")
        and ("all" in job.algorithms or algorithm["name"] in job.algorithms)
    )


def upper_seconds(job: Job, catalogue: dict[str, Any] | None) -> float:
    """Kernel samples, and cycles from and to pinned and pageable memory, each end at the time cap.
    Each untimed execution before a sample takes no longer than this. Samples and untimed executions
    come twice where most are disturbed."""
    attempts = 2 if job.timing["again"] < 1 else 1
    capped = sum(
        cells(job, catalogue, of_device) * ((1 + before) * attempts + 2)
        for of_device, before in ((False, untimed.ON_HOST), (True, untimed.ON_DEVICE))
    )
    return capped * float(job.timing["time_cap_s"])


def build(root: Path, drivers: list[str], cuda: bool, cores: int) -> str:
    """What the build of these drivers costs, by the number of their sources."""
    sources = {path for driver in drivers for path in driver_sources(root, driver)}
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


def outdated(facts: list[dict[str, Any]], shared: Path) -> list[str]:
    """Why drivers that were built before are built again, a line each."""
    lines = []
    for wanted in facts:
        written = shared / "build" / f"{wanted['driver']}.json"
        try:
            old = program.read_json(written)
        except program.FileError:  # not there, or damaged
            continue
        was, now = old["toolchain"], wanted["toolchain"]
        why = ["its sources changed"] if old["sources_sha256"] != wanted["sources_sha256"] else []
        why += [
            f"{name}: {was.get(name) or 'none'} -> {now.get(name) or 'none'}"
            for name in sorted(was.keys() | now.keys())
            if was.get(name) != now.get(name)
        ]
        again = ", and all its jobs are measured again" if wanted["driver"] in PROBLEMS else ""
        lines.append(f"  {wanted['driver']}: {'; '.join(why) or 'its catalogue is gone'}{again}")
    return lines


def options_of(argv: list[str]) -> dict[str, str]:
    """The options of a driver's command line, each with its value."""
    return {
        name: value
        for name, value in itertools.pairwise(argv)
        if name.startswith("--")
        and not value.startswith("--")
        and name not in ("--json", "--matrix-name")
    }


def difference(option: str, before: str | None, after: str | None) -> str:
    """How a value of a driver's option changed: what came and went of a list."""
    old, new = ((text or "").split(",") for text in (before, after))
    if before and after and (len(old) > 1 or len(new) > 1):
        came = [f"+{value}" for value in new if value not in old]
        went = [f"-{value}" for value in old if value not in new]
        return f"{option} {' '.join([*came, *went]) or 'in another order'}"
    return f"{option} {before or 'none'} -> {after or 'none'}"


def changed(job: Job, catalogue: dict[str, Any], records: Path, on_node: bool = False) -> str:
    """What a job's settings differ in from those that its records were measured by, or "". With
    `on_node` without what the node decides that measures."""
    found = _records(records) if records.exists() else []
    if not found:
        return ""
    first, last = found[0], found[-1]
    own = expression.driver_job(job)
    before, after = options_of(first["argv"]), options_of(own.driver_options())
    after |= options_of(cuda_options(catalogue, own))
    # The records of the matrix expression come last; its own command line has its parameter.
    had, wanted = last["argv"][0] == "sparserepro", expression.is_wanted(job)
    if had != wanted:
        before["matrix expression"], after["matrix expression"] = _YES_NO[had], _YES_NO[wanted]
    elif wanted:
        tool = f"--{PARAMETER}"
        before |= {n: v for n, v in options_of(last["argv"]).items() if n == tool}
        after |= {n: v for n, v in options_of(expression.options(job)).items() if n == tool}
    decided = {"--machine-id"} if on_node else set()
    decided |= {"--threads"} if AUTO in job.parameters.get("threads", []) else set()
    return ", ".join(
        difference(name.removeprefix("--"), before.get(name), after.get(name))
        for name in dict.fromkeys([*after, *before])
        if before.get(name) != after.get(name) and name not in decided
    )


def again(
    jobs: list[Job], catalogues: dict[str, dict[str, Any] | None], records: Path, on_node: bool
) -> str:
    """Which jobs are measured again for other settings, and why whole."""
    found: Counter[tuple[str, str]] = Counter()
    for job in jobs:
        catalogue = catalogues[job.problem]
        if catalogue and (what := changed(job, catalogue, file_of(job, records), on_node)):
            found[job.problem, what] += 1
    if not found:
        return ""
    lines = [f"    {problem}, {count} jobs: {what}" for (problem, what), count in found.items()]
    return "\n".join(
        [
            f"  {found.total()} jobs have records by other settings and are measured again, each"
            " with all of its",
            "  algorithms, since these are compared with one another and so come from one driver"
            " run:",
            *lines,
        ]
    )


def file_of(job: Job, records: Path) -> Path:
    return records / job.problem / job.matrix / f"{job.name}.jsonl"


def describe(jobs: list[Job], records: Path, catalogue_folder: Path, on_node: bool = False) -> str:
    """The plan of a run as a few lines of text; `on_node` as in `changed`."""
    if not jobs:
        return "Plan: nothing is measured."
    catalogues: dict[str, dict[str, Any] | None] = {}
    for problem in {job.problem for job in jobs}:
        path = catalogue_folder / f"{problem}.json"
        try:
            catalogues[problem] = program.read_json(path)
        except program.FileError:  # not there, or damaged
            catalogues[problem] = None
    known, unknown, new = 0.0, 0.0, 0
    for job in jobs:
        seconds = recorded_seconds(file_of(job, records))
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
    return "\n".join(filter(None, [*lines, again(jobs, catalogues, records, on_node)]))


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
