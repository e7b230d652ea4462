"""Matrices that were unavailable."""

from __future__ import annotations

from sparserepro.data.frames import (
    Report,
)
from sparserepro.render.latex import code, escape, integer, listing, prose
from sparserepro.render.tabular import WORDS, Column, Table, Text, Value
from sparserepro.views.view import View


def unavailable(report: Report) -> list[Table]:
    """Unavailable matrices, by reason."""
    reasons: dict[str, list[str]] = {}
    for facts in sorted(report.matrices.values(), key=lambda f: f["name"].lower()):
        if why := facts.get("unavailable"):
            name = f"{code(facts['name'])} ({escape(facts.get('class') or 'unclassified')})"
            reasons.setdefault(why, []).append(name)
    body: list[list[Value]] = [
        [Text(listing(names)), Text(integer(len(names))), Text(prose(why))]
        for why, names in reasons.items()
    ]
    if not body:
        return []
    return [
        Table(
            label="tab:unavailable",
            title="Unavailable matrices",
            caption="Matrices of the configuration that were unavailable, and why. They are tried "
            "again in the next run.",
            columns=[
                Column("matrices (class)", WORDS),
                Column("number", "r"),
                Column("reason", WORDS),
            ],
            body=body,
        )
    ]


VIEWS = (View("unavailable", "matrices", unavailable),)
