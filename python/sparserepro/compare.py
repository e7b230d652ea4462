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
from collections.abc import Callable

from sparserepro.compared import (
    Pair,
    Side,
    headline,
    joined,
    load,
    lost,
    other_contents,
    place_of,
)
from sparserepro.environments import differences
from sparserepro.records import Record, RecordsError
from sparserepro.stats import FEWEST_HELD_OUT, Ratio, Verdict, geometric_mean, median


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


def perhaps_slower(pairs: list[Pair], least: float) -> list[Pair]:
    """The cells that are UNCLEAR, and slower by more than the share `least` if their medians are
    to be believed."""
    return [
        pair
        for pair in pairs
        if pair.verdict is Verdict.unclear and pair.ratio.value < 1 / (1 + least)
    ]


def notes(before: Side, after: Side, pairs: list[Pair]) -> list[str]:
    """What intervals hold, and how many cells have none."""
    lines = []
    places = {place_of(pair.before) for pair in pairs}
    lacking = sorted(places - (before.spreads.keys() & after.spreads.keys()))
    if lacking:
        words = ", ".join(f"{problem} on the {side}" for problem, side in lacking)
        lines += [
            "",
            f"Without repeated runs on both sides: {words}. There an interval holds the variation",
            "within one run alone, so that a difference may be one between runs.",
        ]
    if without := sum(pair.ratio.low is None for pair in pairs):
        lines += [
            "",
            f"Cells without an interval: {without} of {len(pairs)}. A side has fewer than "
            f"{FEWEST_HELD_OUT} samples, so they are UNCLEAR.",
        ]
    return lines


def report(before: Side, after: Side, options: argparse.Namespace) -> tuple[str, int]:
    """The text, and the exit code of --fail-on-slower."""
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
    lines += notes(before, after, pairs)
    lines += ["", *summaries(pairs, lambda pair: pair.key[2], "by algorithm")]
    lines += ["", *summaries(pairs, by_class, "by class")]
    slower = [pair for pair in pairs if pair.verdict is Verdict.slower]
    unclear = perhaps_slower(pairs, options.least / 100)
    if gone := lost(before, after):
        lines += ["", "Measured before and skipped after:", *(f"  {line}" for line in gone)]
    if unclear:
        lines += [
            "",
            f"UNCLEAR cells that are more than {options.least:g} % slower by their medians: "
            f"{len(unclear)}.",
            "Measure them with more samples, or several times (repeats).",
        ]
    if options.all:
        shown = pairs
    else:
        changed = [p for p in pairs if p.verdict in (Verdict.slower, Verdict.faster)] + unclear
        changed.sort(key=lambda p: p.ratio.value)
        surplus = max(0, len(changed) - options.top)  # in the middle
        first = (options.top + 1) // 2
        shown = changed[:first] + changed[first + surplus :] if surplus else changed
    if shown:
        title = "All cells:" if options.all else "Cells that changed most:"
        lines += ["", title, *listed(shown)]
    return "\n".join(lines), 1 if slower or gone else 3 if unclear else 0


def command(options: argparse.Namespace) -> int:
    """`sparserepro compare`: 0; with --fail-on-slower 1 where a cell became slower or is skipped
    after, else 3 where one may have become slower."""

    problems, algorithms = set(), set()

    def wanted(record: Record) -> bool:
        problems.add(record["problem"])
        algorithms.add(record["algorithm"])
        return (not options.problem or record["problem"] in options.problem) and (
            not options.algorithm or record["algorithm"] in options.algorithm
        )

    before = load(options.before, os.fspath(options.before), wanted)
    after = load(options.after, os.fspath(options.after), wanted)
    for option, asked, there in (
        ("--problem", options.problem, problems),
        ("--algorithm", options.algorithm, algorithms),
    ):
        if unknown := [name for name in asked if name not in there]:
            raise RecordsError(
                f"{option} {unknown[0]}: no record has it; there are: {', '.join(sorted(there))}"
            )
    text, code = report(before, after, options)
    print(text)
    return code if options.fail_on_slower else 0
