"""What differs between the environments of two measurements: machine, build, libraries."""

import json
from collections.abc import Callable, Iterable

from sparserepro.records import Record


def name_of(library: str | None) -> str:
    """Without its version: "cuSPARSE 12.9.4" -> "cuSPARSE"."""
    return library.rpartition(" ")[0] if library else ""


FACTS: dict[str, Callable[[Record], object]] = {
    "machine": lambda r: r["machine"]["id"],
    "processor": lambda r: r["machine"]["cpu"],
    "cores": lambda r: r["machine"]["cores_available"],
    "system": lambda r: r["machine"]["os"],
    "governor": lambda r: r["machine"]["governor"],
    "huge pages": lambda r: r["machine"]["huge_pages"]["operands"],
    "allocator": lambda r: r["machine"]["allocator"],
    "GPU": lambda r: (r["machine"]["gpu"] or {}).get("name"),
    "GPU driver": lambda r: (r["machine"]["gpu"] or {}).get("driver"),
    "commit": lambda r: (
        r["build"]["commit"][:10] + (" with changes" if r["build"]["dirty"] else "")
    ),
    "compiler": lambda r: r["build"]["compiler"],
    "flags": lambda r: r["build"]["flags"],
    "CUDA": lambda r: r["build"]["cuda"],
    "instruction sets": lambda r: json.dumps(r["build"]["instruction_sets"]),
}


def told(records: Iterable[Record], fact: Callable[[Record], object]) -> str:
    return ", ".join(sorted({str(fact(record)) for record in records}))


def version_text(record: Record) -> str:
    return str(record["library"] or "").rpartition(" ")[2]


def differences(pairs: list[tuple[Record, Record]]) -> list[str]:
    """What differs between the two environments, a line each."""
    asked = [(name, fact, pairs) for name, fact in FACTS.items()]
    for library in sorted({name_of(after["library"]) for _, after in pairs} - {""}):
        own = [pair for pair in pairs if name_of(pair[1]["library"]) == library]
        asked.append((library, version_text, own))
    lines = []
    for name, fact, some in asked:
        first = told((before for before, _ in some), fact)
        second = told((after for _, after in some), fact)
        if first != second:
            lines.append(f"  {name}: {first} -> {second}")
    return lines
