"""The columns of the table of cells: names, types, units and meanings.

`docs/cells.md` is made from this list.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparserepro.data.rows import PROBLEMS


@dataclass(frozen=True)
class Column:
    name: str
    kind: str
    """Type in pandas: string, Int64, Float64 or boolean; all of them know missing values."""
    unit: str
    meaning: str


_TEXT, _WHOLE, _REAL, _YES = "string", "Int64", "Float64", "boolean"

GROUPS: dict[str, tuple[Column, ...]] = {
    "What was measured": (
        Column("id", _TEXT, "", "the record: first 8 hexadecimal digits of its SHA-256"),
        Column("set", _TEXT, "", "measurement set of the record; missing: this run's own"),
        Column("machine", _TEXT, "", "id of the machine"),
        Column("problem", _TEXT, "", f"{', '.join(PROBLEMS[:-1])} or {PROBLEMS[-1]}"),
        Column("matrix", _TEXT, "", "id of the matrix; for primitives the name of the array"),
        Column("class", _TEXT, "", "class of the matrix in config/matrices.yaml"),
        Column("rows", _WHOLE, "", "rows of the matrix"),
        Column("columns", _WHOLE, "", "columns of the matrix"),
        Column("entries", _WHOLE, "", "stored entries"),
        Column("instance", _TEXT, "", "parameters of the instance, name=value joined by commas"),
        Column("k", _WHOLE, "columns", "of X in SpMM"),
        Column("value_type", _TEXT, "", "fp32, fp64 or pattern"),
        Column("algorithm", _TEXT, "", "name of the algorithm"),
        Column("backend", _TEXT, "", "serial, omp or cuda"),
        Column("side", _TEXT, "", "host or device"),
        Column("peer", _YES, "", "the algorithm wraps a third-party library"),
        Column("library", _TEXT, "", "that library"),
        Column("version", _TEXT, "", "its version"),
        Column("parameters", _TEXT, "", "parameters of the algorithm, name=value joined by commas"),
        Column("threads", _WHOLE, "", "OpenMP threads"),
        Column("cache", _TEXT, "", "warm or flushed before each sample"),
        Column("role", _TEXT, "", "compared; older: the row has a newer version of the library; "
               "repeat: measured again to see how runs differ"),
        Column("status", _TEXT, "", "ok or skipped"),
        Column("reason", _TEXT, "", "why the cell was skipped"),
    ),
    "Times, of all samples": (
        Column("samples", _WHOLE, "", "how many samples of one execution there are"),
        Column("stop", _TEXT, "", "what ended the sampling: precision, repetitions or time_cap"),
        Column("median_s", _REAL, "s", "median of one execution"),
        Column("low_s", _REAL, "s", "lower end of the 95 % interval of that median"),
        Column("high_s", _REAL, "s", "upper end"),
        Column("preparation_s", _REAL, "s", "median of one preparation; 0 without any"),
        Column("end_to_end_s", _REAL, "s", "median of allocation, transfers, preparation and one "
               "execution together"),
        Column("transfers", _TEXT, "", "host memory of these transfers: pageable, pinned or none"),
    ),
    "What the report shows": (
        Column("chosen", _YES, "", "the fastest setting of its algorithm on this row"),
        Column("headline_s", _REAL, "s", "time that the report states: of one execution, in "
               "triangle counting with one preparation. A cell chosen among several states the "
               "half of its samples that did not choose it"),
        Column("headline_low_s", _REAL, "s", "lower end of its 95 % interval"),
        Column("headline_high_s", _REAL, "s", "upper end"),
    ),
    "Against lower bounds": (
        Column("model_bytes", _REAL, "B", "least traffic of an execution"),
        Column("model_flops", _REAL, "flop", "floating-point operations of an execution"),
        Column("copy_bound_s", _REAL, "s", "minimum traffic at the highest streaming rate of this "
               "run's machine (or device)"),
        Column("second_bound", _TEXT, "", "two_passes or gather, where the problem has such a "
               "bound"),
        Column("second_bound_s", _REAL, "s", "that bound"),
        Column("share_of_bound", _REAL, "1", "copy_bound_s / headline_s"),
    ),
    "Against the serial baseline": (
        Column("baseline", _TEXT, "", "serial algorithm that the catalogue names"),
        Column("baseline_id", _TEXT, "", "its record"),
        Column("speedup_1", _REAL, "1", "baseline's time over this cell's, for 1 call with its "
               "preparation; of a chosen cell with its algorithm's best setting for that number"),
        Column("speedup_10", _REAL, "1", "for one preparation and 10 calls"),
        Column("speedup_100", _REAL, "1", "for one preparation and 100 calls"),
        Column("speedup_inf", _REAL, "1", "without preparation"),
        Column("speedup", _REAL, "1", "of the headline times"),
        Column("speedup_low", _REAL, "1", "lower end of its 95 % interval: of the median quotient "
               "of a round where a run has both cells and no preparation counts"),
        Column("speedup_high", _REAL, "1", "upper end"),
        Column("verdict", _TEXT, "", "faster, same, slower or unclear: this cell against the "
               "baseline"),
    ),
    "Against the fastest library": (
        Column("best_own", _YES, "", "the project's own algorithm that is set against libraries: "
               "one for a machine, problem and side (in primitives for a procedure)"),
        Column("library_id", _TEXT, "", "record of the fastest setting of all libraries on this "
               "row and side"),
        Column("library_id_1", _TEXT, "", "the same for 1 call with its preparation"),
        Column("library_id_10", _TEXT, "", "for 10 calls"),
        Column("library_id_100", _TEXT, "", "for 100 calls"),
        Column("library_id_inf", _TEXT, "", "without preparation"),
        Column("library_ratio_1", _REAL, "1", "the libraries' least time over this cell's, for 1 "
               "call with its preparation; of a chosen cell as above"),
        Column("library_ratio_10", _REAL, "1", "for 10 calls"),
        Column("library_ratio_100", _REAL, "1", "for 100 calls"),
        Column("library_ratio_inf", _REAL, "1", "without preparation"),
        Column("library_ratio", _REAL, "1", "of the headline times"),
        Column("library_ratio_low", _REAL, "1", "lower end of its interval, as of the speedup"),
        Column("library_ratio_high", _REAL, "1", "upper end"),
        Column("library_verdict", _TEXT, "", "faster, same, slower or unclear: this cell against "
               "that library"),
    ),
    "Where it comes from": (
        Column("error", _REAL, "", "of the answer over what rounding allows; 0 is exact, 1 the "
               "limit"),
        Column("max_relative_error", _REAL, "", "of an entry of the answer against the reference, "
               "in SpMM"),
        Column("workspace_bytes", _WHOLE, "B", "workspace of the algorithm"),
        Column("gpus", _WHOLE, "", "GPUs that the cell used; 0 on the host"),
        Column("run", _TEXT, "", "id of the driver process; cells of one id were sampled side by "
               "side"),
        Column("repeat", _WHOLE, "", "0, or which repeat of the job"),
        Column("started_utc", _TEXT, "", "when the driver began"),
        Column("commit", _TEXT, "", "of the sources that were built"),
        Column("dirty", _YES, "", "these sources had changes that were not committed"),
        Column("cpu", _TEXT, "", "processor"),
        Column("gpu", _TEXT, "", "device"),
        Column("command", _TEXT, "", "the driver's command line"),
    ),
}  # fmt: skip
"""What the explorer shows."""


def _interval(name: str, what: str) -> tuple[Column, ...]:
    """A median, its interval and the number of samples."""
    return (
        Column(f"{name}_samples", _WHOLE, "", f"samples of {what}"),
        Column(f"{name}_s", _REAL, "s", f"median of {what}"),
        Column(f"{name}_low_s", _REAL, "s", "lower end of its 95 % interval"),
        Column(f"{name}_high_s", _REAL, "s", "upper end"),
    )


def _without(columns: tuple[Column, ...], name: str) -> tuple[Column, ...]:
    return tuple(column for column in columns if column.name != name)


DETAILS: dict[str, tuple[Column, ...]] = {
    "More of the times": (
        Column("warmup", _WHOLE, "", "untimed executions before the samples"),
        Column("throttled", _WHOLE, "", "samples dropped since the device's clock was low"),
        Column("disturbed", _WHOLE, "", "samples on the host during which a thread waited for a "
               "processor for more than 5 % of the time; missing in older records"),
        Column("attempts", _WHOLE, "", "2 if the job took all samples once more, since most were "
               "disturbed"),
        Column("others", _REAL, "1", "share of the processors' time that other programs used "
               "while the job was sampled"),
        Column("device_processes", _WHOLE, "", "other processes that computed on the device"),
        Column("queued", _YES, "", "all work of each sample was queued before the device began it; "
               "missing on the host"),
        Column("prepares", _YES, "", "there is a preparation that takes time"),
        *_without(_interval("preparation", "the preparation"), "preparation_s"),
        *_without(_interval("end_to_end", "the end-to-end time"), "end_to_end_s"),
        Column("allocation_s", _REAL, "s", "median of the allocation within the end-to-end time"),
        Column("transfer_s", _REAL, "s", "of the transfers within it"),
        Column("execution_s", _REAL, "s", "of preparation and execution within it"),
        Column("pinned_end_to_end_s", _REAL, "s", "median end-to-end time with transfers from "
               "pinned memory"),
        Column("pinned_allocation_s", _REAL, "s", "of the allocation within it"),
        Column("pinned_transfer_s", _REAL, "s", "of the transfers within it"),
        Column("pinned_execution_s", _REAL, "s", "of preparation and execution within it"),
    ),
    "Choosing among settings": (
        Column("choosing_s", _REAL, "s", "median execution of the samples that choose"),
        Column("choosing_preparation_s", _REAL, "s", "median preparation of these"),
        *_interval("reported", "an execution that do not choose"),
        *_interval("reported_preparation", "a preparation that do not choose"),
    ),
    "The answer": (
        Column("check", _TEXT, "", "exact or componentwise_bound"),
        Column("error_bound", _REAL, "", "what error may be at most"),
        Column("omega", _REAL, "", "error over the componentwise bound, in SpMM"),
        Column("mean_relative_error", _REAL, "", "over the entries of the answer, in SpMM"),
        Column("triangles", _WHOLE, "", "of the graph"),
        Column("edges", _WHOLE, "", "undirected edges of the graph"),
        Column("max_degree", _WHOLE, "", "largest degree of the graph"),
        Column("products", _WHOLE, "", "multiplications of the square of the adjacency matrix"),
        Column("loops_dropped", _WHOLE, "", "loops of the matrix that the graph has not"),
        Column("duplicates_dropped", _WHOLE, "", "duplicate entries that the graph has not"),
        Column("edges_mirrored", _WHOLE, "", "edges that the matrix stores in one direction only"),
    ),
    "The machine and the build": (
        Column("source", _TEXT, "", "what generates the matrix again, or its file"),
        Column("copy_bytes_per_s", _REAL, "B/s", "highest rate of copying, reading or writing "
               "memory, by the cell's threads or its device"),
        Column("load_before", _REAL, "", "load of the machine before the samples"),
        Column("cores", _WHOLE, "", "processors that the driver may use"),
        Column("memory_bytes", _WHOLE, "B", "memory of the host"),
        Column("last_level_cache_bytes", _WHOLE, "B", "last-level cache of the host"),
        Column("os", _TEXT, "", "operating system"),
        Column("sockets", _WHOLE, "", "processor packages"),
        Column("numa_nodes", _WHOLE, "", "memory nodes"),
        Column("smt", _YES, "", "simultaneous multithreading is on"),
        Column("governor", _TEXT, "", "clock governor"),
        Column("huge_pages", _TEXT, "", "mode of transparent huge pages"),
        Column("huge_operands", _YES, "", "operands ask for huge pages"),
        Column("allocator", _TEXT, "", "allocator and its settings"),
        Column("compute_capability", _TEXT, "", "of the device"),
        Column("multiprocessors", _WHOLE, "", "of the device"),
        Column("gpu_memory_bytes", _WHOLE, "B", "memory of the device"),
        Column("gpu_l2_bytes", _WHOLE, "B", "second-level cache of the device"),
        Column("gpu_clock_mhz", _WHOLE, "MHz", "highest clock of the device"),
        Column("gpu_driver", _TEXT, "", "CUDA version of the device's driver"),
        Column("project_version", _TEXT, "", "version of this project"),
        Column("build_type", _TEXT, "", "CMake's build type"),
        Column("compiler", _TEXT, "", "compiler of the host's code"),
        Column("flags", _TEXT, "", "its flags"),
        Column("cuda", _TEXT, "", "version of the CUDA compiler"),
        Column("libraries", _TEXT, "", "libraries that were built in"),
        Column("vectors", _TEXT, "", "instruction set that own code picks at run time"),
        Column("library_vectors", _TEXT, "", "instruction set that libraries are compiled for"),
    ),
}  # fmt: skip
"""What tables need besides."""

EXPLORED: tuple[Column, ...] = tuple(column for group in GROUPS.values() for column in group)
COLUMNS = (*EXPLORED, *(column for group in DETAILS.values() for column in group))


def documentation() -> str:
    """The text of docs/cells.md."""
    lines = [
        "# The table of cells",
        "",
        "A row is a cell: one algorithm with its parameters on one instance of a problem. Each row",
        "comes from one record. `results/<name>/cells.parquet` holds the table with its types, and",
        "`cells.csv` the same as text. In Python:",
        "",
        "```python",
        "from sparserepro import load_cells",
        "",
        'cells = load_cells("tour")  # a run, a measurement set such as "h200", or a file',
        'fast = cells[cells["chosen"] & (cells["problem"] == "spmm")]',
        "```",
        "",
        "A *row* of the report, in the text below, is one machine, matrix and instance: what",
        "algorithms are compared on. A missing value means that the quantity does not exist or was",
        "not measured.",
    ]
    for title, columns in (GROUPS | DETAILS).items():
        lines += [
            "",
            f"## {title}",
            "",
            "| column | type | unit | meaning |",
            "| --- | --- | --- | --- |",
        ]
        lines += [f"| `{c.name}` | {c.kind} | {c.unit} | {c.meaning} |" for c in columns]
    return "\n".join(lines) + "\n"
