"""Writes every number and every generated sentence of the report's prose as a macro.

\\res{key} in the sections prints the value of a key; an unknown key stops LaTeX. Claims are
sentences made from the records ("fastest on 9 of 12"), so they cannot outlive their numbers.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from pathlib import Path

from sparserepro import program
from sparserepro.data.calls import CALLS
from sparserepro.data.comparisons import Pair, compared, for_few_calls, median_calls
from sparserepro.data.frames import PROBLEMS, SIDES, Report, Row
from sparserepro.data.libraries import over
from sparserepro.data.reading import add_arguments, read_arguments
from sparserepro.paths import MEASUREMENTS
from sparserepro.render.latex import code, count, escape, integer, listing, significant
from sparserepro.stats import (
    CONFIDENCE,
    SMALLEST_EFFECT,
    Verdict,
    geometric_mean,
    interval_ranks,
    verdict,
)
from sparserepro.text import sampling, scan_merge
from sparserepro.views.captions import clear_winner, span
from sparserepro.views.pairs import missing_words, own_names
from sparserepro.views.sections import Section, baseline_words, headline_k, rival_groups, section


def percent(share: float) -> str:
    return rf"\qty{{{100 * share:g}}}{{\percent}}"


def number(value: float, digits: int = 3) -> str:
    return rf"\num{{{significant(value, digits)}}}"


def first_interval() -> int:
    """Fewest samples that give an interval."""
    return next(n for n in range(1, 100) if interval_ranks(n))


def general(report: Report) -> dict[str, str]:
    cells = report.cells
    measured = [c for c in cells if c.ok]
    samples = [c.line["samples"] for c in measured]
    stops = Counter(c.line["stop"] for c in measured)
    missing = [name for name, facts in report.matrices.items() if facts.get("unavailable")]
    short = [c for c in measured if not c.kernel.has_interval]
    machines = listing([rf"{code(m)}" for m in report.machines])
    again = [c for c in (*report.older, *report.repeats) if c.ok]
    values = {
        "confidence": percent(CONFIDENCE),
        "effect": percent(SMALLEST_EFFECT),
        "first-interval": integer(first_interval()),
        "cells": count(len(cells), "cell"),
        "cells-measured": integer(len(measured)),
        "cells-skipped": integer(len(cells) - len(measured)),
        "cells-again": count(len(again), "cell"),
        "cells-without-interval": count(len(short), "cell"),
        "samples": integer(sum(samples)),
        "samples-per-cell": span(samples) if samples else "no",
        "warmup": span(c.line["warmup"] for c in measured) if samples else "no",
        "matrices": count(sum("rows" in f for f in report.matrices.values()), "matrix", "matrices"),
        "matrices-unavailable": count(len(missing), "matrix", "matrices"),
        "classes": integer(len({f.get("class") for f in report.matrices.values()})),
        "machines": ("machine " if len(report.machines) == 1 else "machines ") + machines,
        "newest": escape(max(c.started for c in report.every)[:10]),
    }  # fmt: skip
    for stop in ("precision", "repetitions", "time_cap"):
        values[f"stop/{stop}"] = integer(stops.get(stop, 0))
    return values


def winners(part: Section, algorithms: list[str]) -> str:
    """ "omp_a is clearly the fastest on 9 of the 12 matrices and serial on 2; on 1 no algorithm
    is", of the matrices on which two of the algorithms or more were measured."""

    def measured(row: Row) -> int:
        return sum(1 for a in algorithms if (c := part.report.best(row, a)) and c.ok)

    some = [r for r in part.rows if measured(r)]
    rows = [r for r in some if measured(r) > 1]
    if not rows:
        return "no two algorithms were measured on the same instance"
    found = Counter(clear_winner(part.report, r, algorithms) for r in rows)
    undecided = found.pop(None, 0)
    ranked = sorted(found.items(), key=lambda item: (-item[1], str(item[0])))
    noun = "instances" if part.problem == "primitives" else "matrices"
    if part.problem == "transpose" and len({r.matrix for r in rows}) < len(rows):
        noun = "instances"
    if len(rows) < len(some):
        noun += " with two algorithms or more"
    total = f"of the {integer(len(rows))} {noun}" if len(rows) > 1 else "of one instance"
    if not ranked:
        return f"no algorithm is clearly the fastest on any {total}"
    (first, most), *others = ranked
    text = f"{code(first)} is clearly the fastest on {integer(most)} {total}"
    rest = [f"{code(name)} on {integer(n)}" for name, n in others]
    if rest:
        text += f", {listing(rest)}"
    return text + (f"; on {integer(undecided)} no algorithm is" if undecided else "")


def verdict_counts(part: Section, name: str) -> str:
    """ "faster on 9, slower on 2, same on 1"."""
    ratios = [x for r in part.rows if (x := part.report.speedup(r, name))]
    found = Counter(verdict(ratio) for ratio in ratios)
    words = {Verdict.unclear: "undecided", Verdict.same: "the same"}
    return listing([f"{words.get(v, v.value)} on {integer(found[v])}" for v in Verdict if found[v]])


def against_serial(part: Section) -> list[str]:
    """For the host and for the device a sentence on the algorithm that gains most over its serial
    baseline, of those with the most rows. The table of speedups has the others."""
    sentences: list[str] = []
    for side in SIDES:
        gains = {}
        for name in part.algorithms:
            ratios = [x.value for r in part.rows if (x := part.report.speedup(r, name))]
            entry = next(c for c in part.cells if c.algorithm == name)
            if ratios and entry.backend != "serial" and entry.side == side:
                gains[name] = ratios
        if not gains:
            continue
        most = max(len(ratios) for ratios in gains.values())
        best = max(
            (name for name in gains if len(gains[name]) == most),
            key=lambda name: geometric_mean(gains[name]),
        )
        baseline = "the same baseline" if sentences else baseline_words(part)
        text = f"On the {side}, {code(best)} gains most over {baseline}: it is "
        text += f"{number(geometric_mean(gains[best]))} times as fast"
        if most > 1:
            low, high = number(min(gains[best])), number(max(gains[best]))
            text += f" in geometric mean (from {low} to {high}), {verdict_counts(part, best)} of"
        sentences.append(f"{text} {count(most, 'row')}." if most > 1 else f"{text} on one row.")
    if sentences:
        key = f"{part.problem}-speedup"
        sentences.append(rf"\ifthere{{{key}}}{{The others are in \floatref{{{key}}}.}}{{}}")
    return sentences


def against_libraries(part: Section) -> list[str]:
    """A sentence on the best own algorithm beside the fastest library, on the host and on a GPU."""
    sentences = []
    for where in SIDES:
        pairs = compared(part.report, part.machine, part.problem, where)
        if not pairs:
            continue
        ratios = [pair.ratio.value for pair in pairs]
        mean, low, high = number(geometric_mean(ratios)), number(min(ratios)), number(max(ratios))
        lost = sum(ratio < 1 for ratio in ratios)
        versions = over(pair.peer() for pair in pairs)
        sentences.append(
            f"On the {where}, the fastest library of each row{f' ({versions})' * bool(versions)} "
            f"takes {mean} times as long as {own_names(pairs)} in geometric mean (from "
            f"{low} to {high}), and less on {integer(lost)} of {integer(len(pairs))} rows"
            f"{missing_words(pairs, where)} "
            rf"(\cref{{tab:{part.problem}-peers-{where}-{part.machine}}})."
            f"{several_calls(pairs)}"
        )
    return sentences


def several_calls(pairs: list[Pair]) -> str:
    """What preparation leaves of a lead: the geometric means for fewer calls, and the break-even
    count in the middle of the rows."""
    if not any(pair.prepares for pair in pairs):
        return ""
    means = {n: number(geometric_mean([pair.speedup(n) for pair in pairs])) for n in CALLS}
    if len(set(means.values())) == 1:
        return " Preparation changes none of these digits."
    typical, few = median_calls(pairs), for_few_calls(pairs)
    start = "no number of calls" if math.isinf(typical) else count(typical, "call")
    ends = f", and for few calls alone on {integer(few)} of them" if few else ""
    return (
        f" With the preparations counted it takes {means[1]} times as long for one call, "
        f"{means[10]} for ten, {means[100]} for a hundred and {means[math.inf]} for infinitely "
        f"many; ours takes less from {start} on, in the median over the rows{ends}."
    )


def closest_to_bound(part: Section) -> str:
    """How near the best algorithm of each row comes to the copy bound, on host and device."""
    parts: list[str] = []
    for side in SIDES:
        shares = []
        for row in part.rows:
            found = (part.report.best(row, a) for a in part.algorithms)
            cells = [c for c in found if c and c.ok and c.side == side]
            own = [f for c in cells if (f := c.fraction_of_bound) is not None]
            if own:
                shares.append(100 * max(own))
        if shares:
            low, high = significant(min(shares)), significant(max(shares))
            words = "of the copy bound" if not parts else "of it"
            parts.append(rf"\qtyrange{{{low}}}{{{high}}}{{\percent}} {words} on the {side}")
    return listing(parts)


def of_part(part: Section) -> str:
    """The paragraph of generated findings of one problem on one machine."""
    sentences = []
    for group, names in rival_groups(part).items():
        text = winners(part, names)
        words = f"On the {group}, " if group in SIDES else f"{group}: " if group else ""
        start = text if words or text.startswith("\\") else f"{text[0].upper()}{text[1:]}"
        sentences.append(f"{words}{start}.")
    sentences += against_serial(part) + against_libraries(part)
    if text := closest_to_bound(part):
        sentences.append(f"The best algorithm of a row reaches {text}.")
    return rf"\paragraph{{Findings on {code(part.machine)}.}} " + " ".join(sentences)


def of_problem(report: Report, problem: str) -> dict[str, str]:
    parts = [s for m in report.machines if (s := section(report, m, problem))]
    if not parts:
        return {}
    cells = report.select(problem=problem)
    measured = [c for c in cells if c.ok]
    values = {
        f"{problem}/findings": r"\par ".join(of_part(part) for part in parts),
        f"{problem}/measured": integer(len(measured)),
        f"{problem}/skipped": integer(len(cells) - len(measured)),
        f"{problem}/algorithms": integer(len({c.algorithm for c in measured})),
        f"{problem}/catalogue": integer(len(report.algorithms(problem))),
    }
    if problem == "transpose" and (text := scan_merge.sentences(report)):
        values["transpose/scan-merge"] = " ".join(text)
    if problem == "spmm":
        ks = {(m, headline_k(report, m)) for m in report.machines}
        shown = sorted({k for _, k in ks if k})
        values["spmm/k"] = listing([rf"$K = {k}$" for k in shown])
    return values


def commands(report: Report) -> dict[str, str]:
    """One driver's command line, as the example of how to trace a number: of this run, where it
    measured anything, else of an archived machine."""
    found = [c for p in ("transpose", *PROBLEMS) for c in report.select(problem=p, ok=True)]
    cells = [cell for cell in found if cell.line["command"].startswith(f"{cell.row.problem} ")]
    cell = min(cells, key=lambda c: (MEASUREMENTS / c.row.machine).is_dir(), default=None)
    if cell is None:
        return {}
    folder = f"results/NAME/records/{cell.row.problem}/{cell.row.matrix}/"
    if (MEASUREMENTS / cell.row.machine).is_dir():
        folder = f"report/measurements/{cell.row.machine}/"
    argv = cell.line["command"].split(" ")
    if "--json" in argv:
        at = argv.index("--json")
        del argv[at : at + 2]
    return {
        "trace/command": code("build/bin/" + " ".join(argv)),
        "trace/record": code(folder),
    }


def values(report: Report) -> dict[str, str]:
    every = general(report) | commands(report) | sampling.values(report)
    for problem in PROBLEMS:
        every |= of_problem(report, problem)
    return every


def write(report: Report, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = (rf"\defres{{{key}}}{{{text}}}" + "\n" for key, text in values(report).items())
    out.write_text("".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="the .tex file")
    args = parser.parse_args()
    write(read_arguments(args), args.out)


if __name__ == "__main__":
    sys.exit(program.run(main))
