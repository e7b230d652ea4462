"""What readers of records rely on, checked by plain Python: an installed package has no schema, and
the schema's validator takes some milliseconds a record. Files of the archive and of a run are
held to the whole schema (data/records.py)."""

import math
from collections.abc import Callable
from typing import Any

from sparserepro.data.rows import PROBLEMS

SCHEMA = 2
Check = Callable[[Any], bool]


def _is(*kinds: type) -> Check:
    return lambda value: type(value) in kinds


def _one_of(*values: str) -> Check:
    return lambda value: type(value) is str and value in values


def _number(value: Any) -> bool:
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:  # an integer beyond the doubles
        return False


def _times(least: int) -> Check:
    """At least so many seconds; of measured samples none is 0."""

    def check(value: Any) -> bool:
        return (
            type(value) is list
            and len(value) >= least
            and all(map(_number, value))
            and (not value or (min(value) > 0 if least else min(value) >= 0))
        )

    return check


def _parameters(value: Any) -> bool:
    return type(value) is dict and all(type(v) in (int, str) for v in value.values())


_NONE = type(None)
_COUNT = _is(int, _NONE)
_TEXT = _is(str)
_TEXT_OR_NONE = _is(str, _NONE)
_SHAPE: dict[str, Any] = {
    "problem": _one_of(*PROBLEMS),
    "algorithm": _TEXT,
    "backend": _one_of("serial", "omp", "cuda"),
    "peer": _is(bool),
    "library": _TEXT_OR_NONE,
    "run": {"id": _TEXT, "repeat": _is(int)},
    "matrix": {
        "name": _TEXT, "source": _TEXT, "origin": _TEXT, "sha256": _TEXT_OR_NONE,
        "rows": _COUNT, "cols": _COUNT, "nnz": _COUNT, "stored": _COUNT,
    },
    "parameters": _parameters,
    "status": _one_of("ok", "skipped"),
    "reason": _TEXT_OR_NONE,
    "measures": _is(dict),
    "machine": {
        "id": _TEXT, "cpu": _TEXT, "cores_available": _is(int), "os": _TEXT,
        "governor": _TEXT_OR_NONE, "huge_pages": {"operands": _is(bool)}, "allocator": _TEXT,
        "memory_bytes": _is(int), "gpu": _is(dict, _NONE),
    },
    "build": {
        "commit": _TEXT, "dirty": _is(bool), "compiler": _TEXT, "flags": _TEXT,
        "cuda": _TEXT_OR_NONE, "instruction_sets": _is(dict),
    },
    "argv": _is(list),
    "started_utc": _TEXT,
}  # fmt: skip
_TIMING = {
    "cache": _one_of("warm", "flushed"),
    "kernel_s": _times(1),
    "preprocess_s": _times(0),
}


def _fault(value: Any, shape: Any, where: str) -> str:
    if callable(shape):
        return "" if shape(value) else where
    if type(value) is not dict:
        return where
    prefix = f"{where}." if where else ""
    for name, part in shape.items():
        if name not in value:
            return f"{prefix}{name} is missing"
        if fault := _fault(value[name], part, prefix + name):
            return fault
    return ""


def _status_fault(record: Any) -> str:
    """Where a record is measured and has no times, or skipped and has some or no reason."""
    if "timing" not in record:
        return "timing is missing"
    if record["status"] == "ok":
        return _fault(record["timing"], _TIMING, "timing")
    if record["timing"] is not None:
        return "timing of a skipped cell"
    return "" if record["reason"] else "reason"


def objection(record: Any) -> str:
    """Why this is no record that can be read, in some words; "" for one that can."""
    if type(record) is not dict or "algorithm" not in record:
        return "not a record"
    if (schema := record.get("schema")) != SCHEMA or type(schema) is not int:
        told = f"has schema {schema}" if "schema" in record else "names no schema"
        return f"the record {told}; this version reads schema {SCHEMA} alone"
    fault = _fault(record, _SHAPE, "")
    fault = fault or _status_fault(record)
    if not fault:
        return ""
    return f"not a record: {fault}" if " " in fault else f"not a record: {fault} is not right"
