"""How long a driver run may take: a rough forecast from sizes, for plans and budgets.

The constants describe a server with 16 cores and a GPU of its own, to a factor of two or so;
whoever runs the jobs corrects them by what those before took.
"""

import math
from typing import Any

from sparserepro.config.grid import Job
from sparserepro.config.matrix_list import MatrixEntry
from sparserepro.run import untimed

START_S = {"device": 2.0, "host": 1.5}
"""Process start, the copy bandwidth, the context of the device and its libraries."""
MADE_PER_S = 30e6
"""Entries of a matrix that are generated or read in a second."""
CHECKED_BYTES_PER_S = 2e9
"""Operands uploaded, and answers downloaded and checked three times, of one cell."""
DEVICE_BYTES_PER_S = 1e12
HOST_BYTES_PER_S = 2.5e9
"""Least traffic that a typical kernel moves, on a device and by one thread."""

DEFAULTS: dict[str, dict[str, float]] = {
    "banded": {"rows": 1_000_000, "diagonals": 27, "fill": 1},
    "bipartite": {"left": 300, "right": 400},
    "circuit": {"rows": 680_000, "per_row": 5},
    "complete": {"vertices": 500},
    "empty_rows": {"rows": 500_000, "cols": 500_000, "nnz": 10_000_000},
    "fem": {"stencil": 27, "nx": 40, "ny": 40, "nz": 40, "dofs": 3},
    "friendship": {"triangles": 1000},
    "mesh": {"width": 1000, "height": 1000},
    "powerlaw": {"rows": 300_000, "cols": 300_000},
    "rmat": {"scale": 18, "edge_factor": 16, "symmetric": 1},
    "road": {"width": 1000, "height": 1000},
    "short_rows": {"rows": 500_000, "cols": 500_000, "per_row": 3},
    "star": {"leaves": 1000},
    "uniform": {"rows": 500_000, "cols": 500_000, "nnz": 10_000_000},
    "wheel": {"rim": 1000},
}
"""What the generators of kernels/generate take where a spec does not say; of the parameters that
sizes follow from."""


def _graph(family: str, v: dict[str, float]) -> tuple[float, float] | None:
    """Vertices and entries of a graph with a closed form; None for another family."""
    if family == "complete":
        return v["vertices"], v["vertices"] * (v["vertices"] - 1)
    if family == "bipartite":
        return v["left"] + v["right"], 2 * v["left"] * v["right"]
    if family == "friendship":
        return 2 * v["triangles"] + 1, 6 * v["triangles"]
    if family == "star":
        return v["leaves"] + 1, 2 * v["leaves"]
    return (v["rim"] + 1, 4 * v["rim"]) if family == "wheel" else None


def sizes(entry: MatrixEntry) -> tuple[float, float, float]:
    """Rows, columns and entries of a listed matrix: as its spec or its line says, or nearly."""
    if entry.spec is None:
        rows = float(entry.rows or 1e5)
        return rows, float(entry.cols or rows), float(entry.stored or entry.entries or 20 * rows)
    family, _, text = entry.spec.partition(":")
    given: dict[str, float] = {k: float(v) for k, v in (p.split("=") for p in text.split(",") if p)}
    v = DEFAULTS.get(family, {}) | given
    if (graph := _graph(family, v)) is not None:
        return graph[0], *graph
    rows = v.get("rows", v.get("width", 1e3) * v.get("height", 1e3))
    if family == "rmat":
        rows = 2.0 ** v["scale"]
        return rows, rows, rows * v["edge_factor"] * (1 + v["symmetric"])
    if family == "fem":
        rows = v["nx"] * v["ny"] * v["nz"] * v["dofs"]
        return rows, rows, rows * v["stencil"] * v["dofs"]
    per_row = {"mesh": 6.0, "road": 2.5}.get(family, 8.0)
    if family == "banded":
        per_row = v["diagonals"] * v["fill"]
    elif family in ("circuit", "short_rows"):
        per_row = v["per_row"] + (family == "circuit")
    return rows, v.get("cols", rows), v.get("nnz", per_row * rows)


def applies(job: Job, name: str) -> bool:
    """Whether the instance is one of the algorithm's: its procedure, a vector for SpMV."""
    if job.problem == "primitives":
        return str(job.instance.get("procedure")) in name
    return not name.startswith("cusparse_spmv") or job.instance.get("k") == 1


def cell_counts(job: Job, catalogue: dict[str, Any]) -> dict[str, float]:
    """Cells of a job by backend, whether or not this build has them."""
    given = {name: len(values) for name, values in (job.parameters | job.cuda_parameters).items()}
    counts: dict[str, float] = {}
    for algorithm in catalogue["algorithms"]:
        name, backend = algorithm["name"], algorithm["backend"]
        if ("all" in job.algorithms or name in job.algorithms) and applies(job, name):
            cells = float(math.prod(given.get(p["name"], 1) for p in algorithm["parameters"]))
            if any(p["name"] == "preprocess" for p in algorithm["parameters"]):
                cells *= 3 / 4  # half of the library's algorithms have no analysis
            counts[backend] = counts.get(backend, 0) + cells
    return counts


def operand_bytes(job: Job, entry: MatrixEntry | None) -> float:
    """About the bytes of the operands and of the answer."""
    if entry is None:
        return 16.0 * float(job.instance.get("length", 1_000_000))
    rows, cols, entries = sizes(entry)
    if job.problem == "spmm":
        return 12 * entries + 8 * float(job.instance.get("k", 8)) * (rows + cols)
    if job.problem == "transpose":
        each = {"fp32": 8, "pattern": 4}.get(str(job.instance.get("value_type")), 12)
        return 2 * each * entries + 4 * (rows + cols)
    return 8 * entries + 8 * rows


def job_seconds(job: Job, entry: MatrixEntry | None, catalogue: dict[str, Any]) -> float:
    """Forecast of one instance, without the start of the process and the matrix."""
    moved, timing = operand_bytes(job, entry), job.timing
    counts = cell_counts(job, catalogue)
    cells = sum(counts.values())
    check = cells * moved / CHECKED_BYTES_PER_S
    threads = [int(t) for t in job.parameters.get("threads", [16])]
    sampled = 0.0
    for backend, count in counts.items():
        rates = [DEVICE_BYTES_PER_S] if backend == "cuda" else [HOST_BYTES_PER_S * t**0.7
                                                                for t in threads]  # fmt: skip
        rates = [HOST_BYTES_PER_S] if backend == "serial" else rates
        for rate in rates:
            once = max(moved / rate, 1e-3)
            enough = max(timing["min_repetitions"] * once,
                         min(timing["time_cap_s"], timing["repetitions"] * once))  # fmt: skip
            # Untimed executions before each sample, three verified ones.
            executions = 1 + untimed.executions(once, on_device=backend == "cuda")
            sampled += count / len(rates) * (executions * enough + (3 + timing["warmup"]) * once)
            sampled += count / len(rates) * timing["end_to_end"] * moved / CHECKED_BYTES_PER_S
    return check + sampled


def run_seconds(jobs: list[Job], entry: MatrixEntry | None, catalogue: dict[str, Any]) -> float:
    """Forecast of a driver run that measures several instances of one matrix."""
    on_device = "cuda" in cell_counts(jobs[0], catalogue)
    made = sizes(entry)[2] / MADE_PER_S if entry else 0.5
    each = sum(job_seconds(job, entry, catalogue) for job in jobs)
    return START_S["device" if on_device else "host"] + made + each
