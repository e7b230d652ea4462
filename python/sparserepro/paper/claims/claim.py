"""What a claim of an original report is, and how cells decide it.

A claim names what its authors say and how the cells decide. Where no machine has the cells, the
claim is not answered. A ratio counts as better or worse from the smallest effect of interest on;
one row alone decides nothing.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import pandas as pd

from sparserepro.paper.samples import ROW, Sample, cost_of_setting, of, ratios


class Answer(StrEnum):
    holds = "holds"
    fails = "does not hold"
    depends = "depends"
    unanswered = "not measured"


@dataclass(frozen=True)
class Evidence:
    """What one machine says of a claim: the answer, and its numbers in LaTeX."""

    machine: str
    answer: Answer
    words: str
    ids: tuple[str, ...] = ()
    """Of the records behind the numbers."""
    thin: bool = False
    """It rests on one row."""


Look = Callable[[pd.DataFrame], "list[Evidence]"]
"""What the cells say, for each machine that has some."""


class _Answered:
    """What the claims said of the table that was asked last. Table, numbers and traces of the
    report ask each of them again."""

    def __init__(self) -> None:
        self._table: weakref.ref[pd.DataFrame] | None = None
        self._found: dict[Look, list[Evidence]] = {}

    def of(self, look: Look, cells: pd.DataFrame) -> list[Evidence]:
        if self._table is None or self._table() is not cells:
            self._table, self._found = weakref.ref(cells), {}
        if look not in self._found:
            self._found[look] = list(look(cells))
        return self._found[look]


_answered = _Answered()


@dataclass(frozen=True)
class Claim:
    key: str
    text: str
    """In LaTeX."""
    look: Look

    def evidence(self, cells: pd.DataFrame) -> list[Evidence]:
        """Of a table that nobody changes afterwards."""
        return _answered.of(self.look, cells)


def number(value: float) -> str:
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return rf"\num{{{value:.{digits}f}}}"


def factor(sample: Sample) -> str:
    """ "7.1 times (3.7 to 18; 24 rows)"."""
    if len(sample) == 1:
        return f"{number(sample.mean)} times (1 row)"
    return (
        f"{number(sample.mean)} times ({number(sample.low)} to {number(sample.high)}; "
        f"{len(sample)} rows)"
    )


def ids_of(cells: pd.DataFrame) -> tuple[str, ...]:
    return tuple(map(str, cells["id"]))


def faster(sample: Sample) -> Answer:
    """Holds when the first way is better on all rows, fails when it is on none; on one row alone
    neither."""
    if len(sample) < 2:
        return Answer.depends
    if sample.wins == len(sample):
        return Answer.holds
    return Answer.depends if sample.wins else Answer.fails


def by_mean(least: float, fails_below: float) -> Callable[[Sample], Answer]:
    """Holds from a mean ratio on, and fails below another: for claims of a size."""

    def judge(sample: Sample) -> Answer:
        if len(sample) < 2 or fails_below <= sample.mean < least:
            return Answer.depends
        return Answer.holds if sample.mean >= least else Answer.fails

    return judge


def judged(
    samples: Sequence[Sample], judge: Callable[[Sample], Answer], words: Callable[[Sample], str]
) -> list[Evidence]:
    return [Evidence(s.machine, judge(s), words(s), s.ids, len(s) < 2) for s in samples]


def within(effect: float) -> Callable[[Sample], Answer]:
    """Whether a setting costs at most this share more than the best one, on all rows or some."""

    def judge(sample: Sample) -> Answer:
        near = sum(ratio <= 1 + effect for ratio in sample.ratios)
        if near == len(sample):
            return Answer.holds
        return Answer.depends if near else Answer.fails

    return judge


def percent(sample: Sample) -> str:
    """ "0 to 9 % slower than the best (6 rows)"."""
    low, high = (100 * (ratio - 1) for ratio in (sample.low, sample.high))
    span = rf"\qtyrange{{{low:.0f}}}{{{high:.0f}}}{{\percent}}"
    if round(low) == round(high):
        span = rf"\qty{{{high:.0f}}}{{\percent}}"
    return f"{span} slower than the best ({len(sample)} rows)"


def versus(
    better: str, other: str, words: str = "FACTOR", judge: Callable[[Sample], Answer] = faster
) -> Look:
    """That one algorithm takes less than another."""

    def look(cells: pd.DataFrame) -> list[Evidence]:
        found = ratios(of(cells, better), of(cells, other))
        return judged(found, judge, lambda s: words.replace("FACTOR", factor(s)))

    return look


def setting(name: str, parameter: str, value: int, effect: float) -> Look:
    """That a setting of an algorithm is the best, within a share. Rows that have other settings
    alone, or this one alone, decide nothing; the words count them."""

    def look(cells: pd.DataFrame) -> list[Evidence]:
        own = of(cells, name)
        made = []
        for evidence, sample in zip(
            judged(found := cost_of_setting(own, parameter, value), within(effect), percent),
            found,
            strict=True,
        ):
            rows = own[own["machine"] == sample.machine][ROW].drop_duplicates()
            if without := len(rows) - len(sample):
                answer = evidence.answer if evidence.answer is Answer.fails else Answer.depends
                words = f"{evidence.words}; not compared on {without} more"
                evidence = replace(evidence, answer=answer, words=words)
            made.append(evidence)
        return made

    return look


def merged(found: Sequence[tuple[Sample, Answer, str]]) -> list[Evidence]:
    """Several parts of one answer, by machine: it depends where they differ."""
    by_machine: dict[str, list[tuple[Sample, Answer, str]]] = {}
    for part in found:
        by_machine.setdefault(part[0].machine, []).append(part)
    return [
        Evidence(
            machine,
            parts[0][1] if len({answer for _, answer, _ in parts}) == 1 else Answer.depends,
            "; ".join(words for _, _, words in parts),
            tuple(id_ for sample, _, _ in parts for id_ in sample.ids),
            all(len(sample) < 2 for sample, _, _ in parts),
        )
        for machine, parts in by_machine.items()
    ]
