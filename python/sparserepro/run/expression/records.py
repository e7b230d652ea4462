"""Records of the matrix expression, made of the driver's record of `serial` of the same job.

Machine, build, matrix, model and rate of copying are the driver's; `run`, `argv` and the start tell
that another process took the times.
"""

from __future__ import annotations

import copy
import math
import os
import time
from collections.abc import Sequence
from pathlib import Path

from sparserepro.records import Record, RecordsError, read
from sparserepro.run.expression import NAME, PARAMETER, PROBLEM, REFERENCE, tools
from sparserepro.run.expression.timing import Samples, Settings
from sparserepro.stats import median

MOST_PRODUCTS = 2**29
"""Seconds of work, and at most 8 GiB for A*A with 8-byte columns and values."""
BYTES_PER_PRODUCT = 16


def references(records: Path) -> list[Record]:
    """The driver's records of one matrix by `serial`, one for each instance. Raises
    RecordsError."""
    found = [
        record
        for record in read(records)
        if (record["problem"], record["algorithm"], record["status"]) == (PROBLEM, REFERENCE, "ok")
    ]
    if not found:
        raise RecordsError(f"{records} has no measured record of {REFERENCE} of {PROBLEM}")
    if len({record["matrix"]["sha256"] for record in found}) > 1:
        raise RecordsError(f"{records} has records of several matrices")
    for record in found:
        told, measures = record["matrix"]["rows"], record["measures"]
        if told is None or not all(
            type(measures.get(name)) in (int, float) and 0 <= measures[name] < math.inf
            for name in ("products", "edges", "triangles")
        ):
            raise RecordsError(f"{records}: rows, products, edges or triangles are not told")
    return found


def product_entries(reference: Record) -> int:
    """Entries that A*A can have at most."""
    return int(min(reference["matrix"]["rows"] ** 2, reference["measures"]["products"]))


def refusal(tool: str, cache: str, reference: Record) -> str:
    """Why a tool cannot run here, or ""."""
    if reason := tools.missing(tool):
        return reason
    if cache != "warm":
        return "it is timed warm alone: only the drivers empty all caches"
    products = int(reference["measures"]["products"])
    if products > MOST_PRODUCTS:
        return f"A*A takes {products} products, the limit is {MOST_PRODUCTS}"
    size = BYTES_PER_PRODUCT * product_entries(reference)
    if size > reference["machine"]["memory_bytes"] // 2:
        return f"A*A may take {size} bytes, more than half of the memory"
    return ""


def record_of(tool: str, reference: Record, argv: Sequence[str], begin: float) -> Record:
    """What a measured and a skipped record share: the driver's facts, this process's start."""
    record = copy.deepcopy(reference)
    utc = time.gmtime(begin)
    record |= {
        "algorithm": NAME,
        "peer": True,
        "library": None if tools.missing(tool) else tools.title(tool),
        "run": record["run"] | {"id": f"{time.strftime('%Y%m%dT%H%M%SZ', utc)}-{os.getpid()}"},
        "parameters": record["parameters"] | {PARAMETER: tool},
        "argv": [*argv],
        "started_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", utc),
    }
    return record


def skipped(record: Record, reason: str) -> Record:
    return record | {
        "status": "skipped",
        "reason": reason,
        "check": None,
        "timing": None,
        "bounds": {"copy_s": None, "second": None},
        "copy_bytes_per_s": None,
        "workspace_bytes": None,
        "measures": {},
        "devices": [],
    }


def measured(record: Record, samples: Samples, settings: Settings) -> Record:
    """The count is the reference's, since a wrong one has no samples."""
    # A*A and its masked copy, at the largest that they can be.
    entries = product_entries(record) + 2 * int(record["measures"]["edges"])
    return record | {
        "timing": samples.to_json(settings),
        "workspace_bytes": BYTES_PER_PRODUCT * entries,
    }


def memory_settings(reference: Record) -> dict[str, str]:
    """The environment in which this process allocates as the driver did."""
    machine = reference["machine"]
    words = machine["allocator"].partition(": ")[2].split(", ")
    tunables = ":".join(f"glibc.malloc.{word}" for word in words if "=" in word)
    return {
        "GLIBC_TUNABLES": tunables,
        "NUMPY_MADVISE_HUGEPAGE": str(int(machine["huge_pages"]["operands"])),
    }


def told(record: Record) -> str:
    """A record in a line."""
    tool = record["parameters"][PARAMETER]
    if record["status"] == "skipped":
        return f"{NAME} (tool={tool}) skipped: {record['reason']}"
    samples = record["timing"]["kernel_s"]
    triangles = int(record["measures"]["triangles"])
    return (
        f"{NAME} (tool={tool}), {record['library']}: {median(samples):.4g} s, median of "
        f"{len(samples)}; {triangles} triangles"
    )
