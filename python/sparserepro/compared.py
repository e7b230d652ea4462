"""The cells that two measurements have in common, joined for `sparserepro compare`."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sparserepro.records import Record, RecordsError, parameters, read
from sparserepro.stats import (
    Ratio,
    Spread,
    Verdict,
    between_runs,
    median,
    speedup,
    spread_between_runs,
    summarise,
    verdict,
)

Key = tuple[str, str, str, str, str, str]
"""Problem, matrix, algorithm, parameters, contents of the matrix, state of the caches."""
Place = tuple[str, str]
"""Problem and side (host or device)."""


_DEFAULTS = (("path", "auto"), ("calls", 0))


def key_of(record: Record) -> Key:
    # An older record of an algorithm that had no such parameter yet is one of its default.
    given = {n: v for n, v in parameters(record).items() if (n, v) not in _DEFAULTS}
    return (
        record["problem"],
        record["matrix"]["name"],
        record["algorithm"],
        ", ".join(f"{n}={v}" for n, v in sorted(given.items())),
        contents_of(record),
        record["timing"]["cache"] if record["timing"] else "",
    )


def contents_of(record: Record) -> str:
    """The hash of the matrix, which is the same for a file and its compressed form."""
    matrix = record["matrix"]
    shape = " x ".join(str(matrix[name]) for name in ("rows", "cols", "stored"))
    return matrix["sha256"] or f"{matrix['source']} {shape}"


def place_of(record: Record) -> Place:
    return record["problem"], "device" if record["backend"] == "cuda" else "host"


def headline(record: Record) -> list[float]:
    """Seconds of one execution; with the preparation where the problem begins without any."""
    kernel: list[float] = record["timing"]["kernel_s"]
    prepared = record["timing"]["preprocess_s"]
    if record["problem"] == "triangles" and prepared:
        before = median(prepared)
        return [before + seconds for seconds in kernel]
    return kernel


@dataclass(frozen=True)
class Side:
    """The measured cells of one measurement: the first run of each, and the spread between runs."""

    name: str
    cells: dict[Key, Record]
    skipped: dict[Key, Record]
    """Of records without timing: no state of the caches is in their keys."""
    spreads: dict[Place, Spread]


def load(place: Path, name: str, wanted: Callable[[Record], bool]) -> Side:
    """Raises RecordsError without measured cells, or with cells of several machines."""
    found = [r for r in read(place) if wanted(r)]
    records = [r for r in found if r["status"] == "ok"]
    if not records:
        raise RecordsError(
            f"{place} has no measured cell of the problems and algorithms that were asked for"
        )
    machines = sorted({record["machine"]["id"] for record in records})
    if len(machines) > 1:
        raise RecordsError(f"{place} has records of several machines: {', '.join(machines)}")
    cells: dict[Key, Record] = {}
    for record in sorted(records, key=lambda r: (-r["run"]["repeat"], r["started_utc"])):
        earlier = cells.get(key_of(record))
        # Of several versions of a library the newest stands, else the record that began last.
        if earlier is None or version_of(record) >= version_of(earlier):
            cells[key_of(record)] = record
    skipped = {key_of(r): r for r in found if r["status"] != "ok"}
    return Side(name, cells, skipped, spreads(records))


def version_of(record: Record) -> tuple[int, ...]:
    last = (record["library"] or "").rpartition(" ")[2]
    return tuple(int(part) for part in last.split(".") if part.isdigit())


def spreads(records: Iterable[Record]) -> dict[Place, Spread]:
    """How much medians differ from run to run, by place, where jobs were repeated."""
    medians: dict[Place, dict[tuple[Key, str], dict[str, float]]] = defaultdict(dict)
    for record in sorted(records, key=lambda r: r["run"]["repeat"]):
        cell = (key_of(record), record["library"] or "")
        runs = medians[place_of(record)].setdefault(cell, {})
        runs[record["run"]["id"]] = median(headline(record))
    found = {}
    for place, cells in medians.items():
        jobs: dict[str, list[dict[str, float]]] = defaultdict(list)
        for runs in cells.values():
            if len(runs) > 1:
                jobs[next(iter(runs))].append(runs)
        if jobs:
            found[place] = spread_between_runs(jobs.values())
    return found


@dataclass(frozen=True)
class Pair:
    """One cell on both sides."""

    key: Key
    before: Record
    after: Record
    ratio: Ratio
    """Time before over time after."""
    verdict: Verdict


def joined(before: Side, after: Side, least: float) -> list[Pair]:
    """The cells that both sides have; differences below the share `least` count as the same."""
    pairs = []
    for key in sorted(before.cells.keys() & after.cells.keys()):
        first, second = before.cells[key], after.cells[key]
        ratio = speedup(summarise(headline(first)), summarise(headline(second)))
        place = place_of(first)
        known = before.spreads.get(place), after.spreads.get(place)
        if all(known):
            ratio = between_runs(ratio, *known)
        pairs.append(Pair(key, first, second, ratio, verdict(ratio, least)))
    return pairs


def other_contents(before: Side, after: Side) -> list[str]:
    """Names of matrices under which the sides have a cell alike but for the matrix's contents."""
    alike = {key[:4] + key[5:] for key in before.cells.keys() - after.cells.keys()}
    found = after.cells.keys() - before.cells.keys()
    return sorted({key[1] for key in found if key[:4] + key[5:] in alike})


def lost(before: Side, after: Side) -> list[str]:
    """The cells that `before` measured and `after` skipped, each with the reason."""
    gone = sorted(before.cells.keys() - after.cells.keys())
    return [
        f"{' '.join(part for part in key[:4] if part)}: {after.skipped[(*key[:5], '')]['reason']}"
        for key in gone
        if (*key[:5], "") in after.skipped
    ]
