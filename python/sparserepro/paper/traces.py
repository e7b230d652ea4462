"""Which records stand behind each number of the report's tables and figures, for `trace`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from sparserepro.data.frames import PROBLEM_TITLES
from sparserepro.paper.claims import CLAIMS
from sparserepro.paper.contests import CALLS, Contest
from sparserepro.paper.scorecard import evidence

CALLS_NAMES = {"1": "1 call", "10": "10 calls", "100": "100 calls", "inf": "endless calls"}


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


def both(rows: pd.DataFrame, library: str = "library_id") -> list[str]:
    """The records of own algorithms and of the libraries that they meet."""
    return [*map(str, rows["id"]), *map(str, rows[library].dropna())]


def name(row: pd.Series) -> str:
    return " ".join(filter(None, [str(row["matrix"]), str(row["instance"] or "")]))


def of_contest(book: Book, contest: Contest, drawn: Sequence[str]) -> None:
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
    if contest.rows["class"].nunique() > 1:
        for cls, rows in contest.rows.groupby("class"):
            text = "The same ratio by class of matrix"
            book.add("tab:classes", text, f"{title}, {cls}", "mean", both(rows))
    stem = f"{contest.problem}-{contest.side}"
    for figure in drawn:
        if figure == stem:
            for _, row in contest.rows.iterrows():
                book.add(f"fig:{figure}", title, name(row), "ratio", both(row.to_frame().T))
        if figure == f"{stem}-calls":
            for k, rows in contest.rows.groupby("k"):
                for calls in CALLS:
                    found = both(rows, f"library_id_{calls}")
                    book.add(f"fig:{figure}", title, f"K={k}", CALLS_NAMES[calls], found)


def written(
    cells: pd.DataFrame, contests: Sequence[Contest], machines: Sequence[str], drawn: Sequence[str]
) -> dict[str, Any]:
    """The content of trace.json."""
    book = Book()
    for claims in CLAIMS.values():
        for claim in claims:
            for found in evidence(claim, cells, machines):
                if found.ids:
                    title = "What the originals claim, and what the measurements answer"
                    book.add("tab:claims", title, claim.key, found.machine, found.ids)
    for contest in contests:
        of_contest(book, contest, drawn)
    return book.json()  # fmt: skip
