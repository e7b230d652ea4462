"""What a record says, as a line of the table of cells: medians, intervals, counts and facts.

Each time has two sets of figures: of all samples, and of those that are reported where others chose
among several settings (`stats.divided`). columns.py describes the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparserepro.data.rows import params_text
from sparserepro.data.versions import name_of
from sparserepro.records import identity, parameters
from sparserepro.stats import Summary, divided, median, summarise

Line = dict[str, Any]
Record = dict[str, Any]

CHECKS = ("omega", "max_relative_error", "mean_relative_error")
"""Further measures of an answer's error."""
COUNTS = ("triangles", "edges", "max_degree", "products", "loops_dropped", "duplicates_dropped",
          "edges_mirrored")  # fmt: skip
"""Measures of a graph."""
WAYS = ("none", "pageable", "pinned")
"""Kinds of transfers of an end-to-end time: none on the host; a cell states the first that it
has."""
PARTS = {"total_s": "end_to_end_s", "allocation_s": "allocation_s", "transfer_s": "transfer_s",
         "kernel_s": "execution_s"}  # fmt: skip
"""Parts of an end-to-end time in records, and their columns."""


def ends(name: str) -> tuple[str, str]:
    """Columns of the interval of a median; those of all samples have no name before them."""
    before = "" if name == "median" else f"{name}_"
    return f"{before}low_s", f"{before}high_s"


def count(name: str) -> str:
    """The column of the number of samples."""
    return "samples" if name == "median" else f"{name}_samples"


def summary(name: str, samples: list[float]) -> Line:
    """The columns of these samples."""
    if not samples:
        return {count(name): 0}
    found = summarise(samples)
    low, high = ends(name)
    return {count(name): found.n, f"{name}_s": found.median, low: found.low, high: found.high}


def summary_of(line: Line, name: str) -> Summary | None:
    """What `summary` wrote; None without samples."""
    samples = line.get(count(name))
    if not samples:
        return None
    low, high = ends(name)
    return Summary(samples, line[f"{name}_s"], line.get(low), line.get(high))


def end_to_end(cycles: list[dict[str, Any]]) -> Line:
    """Of the first kind of transfers that was measured, and of pinned memory."""
    measured = {c["transfers"]: c for c in cycles if c["total_s"]}
    line: Line = {"end_to_end_samples": 0}
    if way := next((way for way in WAYS if way in measured), None):
        line |= {"transfers": way} | summary("end_to_end", measured[way]["total_s"])
        line |= {column: median(measured[way][part]) for part, column in PARTS.items()}
    if "pinned" in measured:
        own = measured["pinned"]
        line |= {f"pinned_{column}": median(own[part]) for part, column in PARTS.items()}
    return line


def disturbance(found: dict[str, Any] | None) -> Line:
    """Nothing where the record does not tell; of a cell on a device no number of samples."""
    if found is None:
        return {}
    told = any(share is not None for share in found["waited"])
    return {
        "disturbed": found["disturbed"] if told else None,
        "attempts": len(found["attempts"]),
        "others": found["others"],
        "device_processes": found["device_processes"],
    }


def times(record: Record) -> Line:
    timing = record["timing"]
    executions, preparations = timing["kernel_s"], timing["preprocess_s"]
    choosing, reported = divided(executions)
    choosing_before, reported_before = divided(preparations)
    return {
        "cache": timing["cache"],
        "warmup": timing["warmup"],
        "stop": timing["stop"],
        "throttled": timing["throttled"],
        **disturbance(timing.get("disturbance")),
        "queued": timing["queued"],
        # Sample i is of round i of the run, unless one was dropped. No column has them.
        "rounds": executions if timing["throttled"] == 0 else [],
        "choosing_s": median(choosing),
        "choosing_preparation_s": median(choosing_before) if choosing_before else 0.0,
        **summary("median", executions),
        "prepares": any(preparations),
        "preparation_s": 0.0,
        **summary("preparation", preparations),
        **summary("reported", reported),
        **summary("reported_preparation", reported_before),
        **end_to_end(timing["end_to_end"]),
    }


def checks(record: Record) -> Line:
    check = record["check"]
    measures = {name: check["measures"].get(name) for name in CHECKS}
    found = {"check": check["method"], "error": check["error"], "error_bound": check["bound"]}
    return found | measures


def host(record: Record) -> Line:
    """Facts of the machine, and of its GPU."""
    facts = record["machine"]
    gpu = facts["gpu"] or {}
    return {
        "cpu": facts["cpu"],
        "cores": facts["cores_available"],
        "memory_bytes": facts["memory_bytes"],
        "last_level_cache_bytes": facts["last_level_cache_bytes"],
        "os": facts["os"],
        "sockets": facts["sockets"],
        "numa_nodes": facts["numa_nodes"],
        "smt": facts["smt"],
        "governor": facts["governor"],
        "huge_pages": facts["huge_pages"]["mode"],
        "huge_operands": facts["huge_pages"]["operands"],
        "allocator": facts["allocator"],
        "gpu": gpu.get("name"),
        "compute_capability": gpu.get("compute_capability"),
        "multiprocessors": gpu.get("multiprocessors"),
        "gpu_memory_bytes": gpu.get("memory_bytes"),
        "gpu_l2_bytes": gpu.get("l2_bytes"),
        "gpu_clock_mhz": gpu.get("clock_mhz"),
        "gpu_driver": gpu.get("driver"),
    }


def build(record: Record) -> Line:
    facts = record["build"]
    return {
        "commit": facts["commit"],
        "dirty": facts["dirty"],
        "project_version": facts["version"],
        "build_type": facts["build_type"],
        "compiler": facts["compiler"],
        "flags": facts["flags"],
        "cuda": facts["cuda"],
        "libraries": facts.get("peers"),
        "vectors": facts["instruction_sets"]["own"],
        "library_vectors": facts["instruction_sets"]["peers"],
    }


def key(record: Record, instance_parameters: Sequence[str]) -> Line:
    """What tells the cell from others. The parameters are those of the instance, which the
    catalogue names, and those of the algorithm."""
    given = parameters(record)
    instance = tuple((name, given[name]) for name in instance_parameters if name in given)
    own = sorted((name, value) for name, value in given.items() if name not in instance_parameters)
    return {
        "id": identity(record),
        "machine": record["machine"]["id"],
        "problem": record["problem"],
        "matrix": record["matrix"]["name"],
        "instance": params_text(instance),
        "k": dict(instance).get("k"),
        "value_type": dict(instance).get("value_type"),
        "algorithm": record["algorithm"],
        "backend": record["backend"],
        "side": "device" if record["backend"] == "cuda" else "host",
        "peer": record["peer"],
        "parameters": params_text(tuple(own)),
        "threads": dict(own).get("threads"),
    }


def of_record(record: Record, instance_parameters: Sequence[str]) -> Line:
    """All that the table has of a record, but for what comes of comparisons."""
    matrix, model, library = record["matrix"], record["model"] or {}, record["library"] or ""
    second = record["bounds"]["second"] or {}
    line: Line = {
        **key(record, instance_parameters),
        "rows": matrix["rows"],
        "columns": matrix["cols"],
        "entries": matrix["stored"],
        "source": matrix["source"],
        "library": name_of(library) or None,
        "version": library.removeprefix(name_of(library)).strip() or None,
        "status": record["status"],
        "reason": record["reason"],
        "run": record["run"]["id"],
        "repeat": record["run"]["repeat"],
        "started_utc": record["started_utc"],
        "command": " ".join(record["argv"]),
        "workspace_bytes": record["workspace_bytes"],
        # Records from before the field are of one GPU at most.
        "gpus": len(record.get("devices", ["one"] * (record["backend"] == "cuda"))),
        **host(record),
        **build(record),
    }
    if record["status"] != "ok":
        return line
    return {
        **line,
        **times(record),
        **checks(record),
        **{name: record["measures"].get(name) for name in COUNTS},
        "model_bytes": model.get("bytes"),
        "model_flops": model.get("flops"),
        "copy_bound_s": record["bounds"]["copy_s"],
        "copy_bytes_per_s": record["copy_bytes_per_s"],
        "load_before": record["machine"]["load_before"],
        "second_bound": second.get("name"),
        "second_bound_s": second.get("seconds"),
    }
