"""Compares two measurements of the same cells: two machines, or before and after a change.

Cells are joined by problem, matrix, algorithm, parameters and state of the caches; a matrix is its
name and its contents, so that another one under the same name is not compared. A ratio is the
time before over the time after: above 1 the later measurement is the faster one. The two sides are
always different runs of a driver. Where jobs were repeated on both sides, the interval of a ratio
holds the spread between runs; where not, it holds the variation within runs alone, and the text
says so.
"""

import argparse
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sparserepro.environments import differences
from sparserepro.records import Record, RecordsError, parameters, read
from sparserepro.stats import (
    Ratio,
    Spread,
    Verdict,
    between_runs,
    geometric_mean,
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


def table(lines: list[list[str]], left: int = 1) -> list[str]:
    """Columns side by side: the first ones to the left, the others to the right."""
    widths = [max(len(line[c]) for line in lines) for c in range(len(lines[0]))]

    def padded(line: list[str]) -> list[str]:
        return [
            text.ljust(width) if column < left else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ]

    return ["  ".join(padded(line)).rstrip() for line in lines]


def by_class(pair: Pair) -> str:
    """The class of the pair's matrix in config/matrices.yaml."""
    # They read YAML and check schemas, which the other commands do without.
    from sparserepro.config.matrix_list import class_of
    from sparserepro.data.facts import listed_classes

    entry = class_of(listed_classes(), pair.key[1])
    return entry or ("arrays" if pair.key[0] == "primitives" else "unlisted")


def summaries(pairs: list[Pair], group: Callable[[Pair], str], head: str) -> list[str]:
    """Geometric mean and verdicts by problem, and within it by `group`."""
    groups: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.key[0], ""].append(pair)
        groups[pair.key[0], group(pair)].append(pair)
    first = [head, "cells", "before/after", *(v.value.upper() for v in Verdict)]
    lines = [first]
    for (problem, name), own in groups.items():
        found = Counter(pair.verdict for pair in own)
        name = f"  {name}" if name else problem
        mean = geometric_mean([pair.ratio.value for pair in own])
        lines.append([name, str(len(own)), f"{mean:.3f}", *(str(found[v]) for v in Verdict)])
    return table(lines)


def interval(ratio: Ratio) -> str:
    if ratio.low is None or ratio.high is None:
        return "no interval"
    return f"{ratio.low:.3f} to {ratio.high:.3f}"


def listed(pairs: list[Pair]) -> list[str]:
    lines = [["", "cell", "before ms", "after ms", "before/after", "interval"]]
    several = Counter(name for name, _ in {(pair.key[1], pair.key[4]) for pair in pairs})
    for pair in pairs:
        problem, matrix, algorithm, setting, *_ = pair.key
        if several[matrix] > 1:
            matrix += " of {rows} x {cols}".format(**pair.after["matrix"])
        cell = " ".join(part for part in (problem, matrix, algorithm, setting) if part)
        times = [f"{1e3 * median(headline(r)):.4g}" for r in (pair.before, pair.after)]
        row = [pair.verdict.value.upper(), cell, *times, f"{pair.ratio.value:.3f}"]
        lines.append([*row, interval(pair.ratio)])
    return table(lines, left=2)


def report(before: Side, after: Side, options: argparse.Namespace) -> tuple[str, bool]:
    """The text, and whether a cell became slower or is skipped after."""
    pairs = joined(before, after, options.least / 100)
    changed_matrices = ", ".join(other_contents(before, after))
    if not pairs:
        why = f"; other matrices have one name: {changed_matrices}" if changed_matrices else ""
        raise RecordsError(f"{before.name} and {after.name} have no cell in common{why}")
    lines = [f"before: {before.name}", f"after:  {after.name}"]
    for side, other in ((before, after), (after, before)):
        if alone := len(side.cells.keys() - other.cells.keys()):
            lines.append(f"{alone} cells are in {side.name} alone")
    if changed_matrices:
        lines.append(f"Not compared, since other matrices have one name: {changed_matrices}")
    lines += [
        "",
        "Environments differ in:",
        *(differences([(p.before, p.after) for p in pairs]) or ["  nothing that is recorded"]),
    ]
    places = {place_of(pair.before) for pair in pairs}
    lacking = sorted(places - (before.spreads.keys() & after.spreads.keys()))
    if lacking:
        words = ", ".join(f"{problem} on the {side}" for problem, side in lacking)
        lines += [
            "",
            f"Without repeated runs on both sides: {words}. There an interval holds the variation",
            "within one run alone, so that a difference may be one between runs.",
        ]
    lines += ["", *summaries(pairs, lambda pair: pair.key[2], "by algorithm")]
    lines += ["", *summaries(pairs, by_class, "by class")]
    slower = [pair for pair in pairs if pair.verdict is Verdict.slower]
    if gone := lost(before, after):
        lines += ["", "Measured before and skipped after:", *(f"  {line}" for line in gone)]
    if options.all:
        shown = pairs
    else:
        changed = [p for p in pairs if p.verdict in (Verdict.slower, Verdict.faster)]
        changed.sort(key=lambda p: p.ratio.value)
        surplus = max(0, len(changed) - options.top)  # in the middle
        first = (options.top + 1) // 2
        shown = changed[:first] + changed[first + surplus :] if surplus else changed
    if shown:
        title = "All cells:" if options.all else "Cells that changed most:"
        lines += ["", title, *listed(shown)]
    return "\n".join(lines), bool(slower or gone)


def command(options: argparse.Namespace) -> int:
    """`sparserepro compare`: 0, or 1 where a cell became slower or is skipped and that is
    asked for."""

    def wanted(record: Record) -> bool:
        return (not options.problem or record["problem"] in options.problem) and (
            not options.algorithm or record["algorithm"] in options.algorithm
        )

    before = load(options.before, os.fspath(options.before), wanted)
    after = load(options.after, os.fspath(options.after), wanted)
    text, slower = report(before, after, options)
    print(text)
    return 1 if slower and options.fail_on_slower else 0
