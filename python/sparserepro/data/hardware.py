"""What tells one machine from another that has the same name.

The number of cores is not among it: an affinity mask changes it. Neither is a GPU that one of the
records lacks: a run may not have asked for it.
"""

from typing import Any

Record = dict[str, Any]

_GIB = 2**30
_SAME_MEMORY = 0.05
"""Share by which the memory that a system reports may change, with its kernel for instance."""


def of(record: Record) -> dict[str, Any]:
    machine = record["machine"]
    gpu = machine["gpu"] or {}
    return {
        "processor": machine["cpu"],
        "memory": machine["memory_bytes"],
        "GPU": gpu.get("name"),
        "memory of the GPU": gpu.get("memory_bytes"),
    }


def _shown(name: str, value: Any) -> str:
    if value is None:
        return "none"
    return f"{value / _GIB:.1f} GiB" if "memory" in name else str(value)


def _same(name: str, first: Any, second: Any) -> bool:
    if name.endswith("GPU") and None in (first, second):
        return True
    if "memory" in name and first is not None and second is not None:
        return bool(abs(first - second) <= _SAME_MEMORY * max(first, second))
    return bool(first == second)


def differences(first: Record, second: Record) -> list[str]:
    """What differs between the machines of two records, each in a few words."""
    one, other = of(first), of(second)
    return [
        f"{name}: {_shown(name, one[name])}, and {_shown(name, other[name])}"
        for name in one
        if not _same(name, one[name], other[name])
    ]


def mixture(records: list[Record]) -> list[str]:
    """What differs between the machines of the records."""
    lines = [line for record in records for line in differences(records[0], record)]
    return list(dict.fromkeys(lines))
