"""Which records stand behind each number of the report's tables and figures, for `trace`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from sparserepro.data.frames import PROBLEM_TITLES
from sparserepro.paper.claims import CLAIMS
from sparserepro.paper.contests import CALLS, CALLS_NAMES, Contest, leading, shared
from sparserepro.paper.plate import Mark, Plate, both
from sparserepro.paper.scorecard import evidence
from sparserepro.paper.worth import Worth, own_machines, shown


@dataclass
class Book:
    """The content of trace.json: each record once, and the cells that come from them."""

    numbers: dict[str, int] = field(default_factory=dict)
    floats: dict[str, Any] = field(default_factory=dict)

    def add(self, label: str, title: str, row: str, column: str, ids: Iterable[str]) -> None:
        one = self.floats.setdefault(
            label, {"title": title, "rows": [], "columns": [], "cells": {}, "notes": []}
        )
        for kind, name in (("rows", row), ("columns", column)):
            if name not in one[kind]:
                one[kind].append(name)
        found = [self.numbers.setdefault(id_, len(self.numbers)) for id_ in dict.fromkeys(ids)]
        one["cells"].setdefault(row, {})[column] = {"shown": "", "sources": found}

    def json(self) -> dict[str, Any]:
        sources = [{"record": id_, "among": []} for id_ in self.numbers]
        return {"sources": sources, "floats": self.floats}


def of_contest(book: Book, contest: Contest, classes: bool) -> None:
    title = f"{PROBLEM_TITLES[contest.problem]}, {contest.side} of {contest.machine}"
    for calls in CALLS:
        text = "Own algorithms against the fastest library, by number of calls"
        book.add(
            "tab:summary",
            text,
            title,
            CALLS_NAMES[calls],
            both(contest.rows, f"library_id_{calls}"),
        )
    if classes and contest.rows["class"].nunique() > 1:
        for cls, rows in contest.rows.groupby("class"):
            text = "The same ratio by class of matrix"
            book.add("tab:classes", text, f"{title}, {cls}", "mean", both(rows))


def of_worth(book: Book, each: Worth, own: bool) -> None:
    machine = "" if own else f" of {each.contest.machine}"
    for column, calls in (("endless calls", ""), ("one call", "_1")):
        book.add(
            "tab:worth",
            "What own algorithms are worth on this machine",
            f"{each.title}{machine}",
            column,
            both(each.contest.rows, f"library_id{calls}"),
        )


def written(
    cells: pd.DataFrame,
    contests: Sequence[Contest],
    machines: Sequence[str],
    drawn: Mapping[Plate, Sequence[Mark]],
) -> dict[str, Any]:
    """The content of trace.json."""
    book = Book()
    for claims in CLAIMS.values():
        for claim in claims:
            for found in evidence(claim, cells, machines):
                if found.ids:
                    title = "What the originals claim, and what the measurements answer"
                    book.add("tab:claims", title, claim.key, found.machine, found.ids)
    first = leading(contests)
    for each in shown(cells):
        of_worth(book, each, bool(own_machines(cells)))
    for contest in contests:
        of_contest(book, contest, any(contest is one for one in first))
    for one, other, (here, there) in shared(contests):
        for contest, rows in ((one, here), (other, there)):
            title = f"{PROBLEM_TITLES[contest.problem]}, {contest.side}"
            text = "The same ratio on the rows that two machines both measured"
            book.add("tab:between", text, title, contest.machine, both(rows))
    for plate, marks in drawn.items():
        for mark in marks:
            book.add(f"fig:{plate.name}", plate.title, mark.row, mark.column, mark.ids)
    return book.json()
