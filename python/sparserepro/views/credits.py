"""Whom the matrices of the SuiteSparse Matrix Collection are from."""

from __future__ import annotations

import re
from typing import Any

from sparserepro.config.matrix_list import MatrixEntry, load_matrix_list
from sparserepro.data.frames import Report
from sparserepro.paths import MATRIX_LIST
from sparserepro.render.latex import code, escape, prose
from sparserepro.render.tabular import WORDS, Column, Table, Text, Value
from sparserepro.views.view import View

PAGES = "https://sparse.tamu.edu"
Facts = dict[str, Any]


def _of_collection(report: Report) -> list[tuple[MatrixEntry, Facts]]:
    """Matrices of the collection that were measured, by name, with what their files say."""
    listed = load_matrix_list(MATRIX_LIST).entries
    found = [
        (listed[name], facts.get("credit", {}))
        for name, facts in report.matrices.items()
        if "rows" in facts and name in listed and listed[name].group
    ]
    return sorted(found, key=lambda pair: pair[0].id.lower())


def credits_(report: Report) -> list[Table]:
    """Author, editor, date, kind and id of each matrix."""
    body: list[list[Value]] = []
    for entry, credit in _of_collection(report):
        told = [credit.get(key, "") for key in ("author", "editor", "kind")]
        cited = rf"{code(f'{entry.group}/{entry.name}')}~\cite{{matrix:{entry.id}}}"
        body.append(
            [
                Text(cited),
                Text(escape(credit.get("id", "")) or "--"),
                Text(escape(credit.get("date", "")) or "--"),
                *(Text(prose(text) or "--") for text in told),
            ]
        )
    if not body:
        return []
    return [
        Table(
            label="tab:credits",
            title="Authors of the matrices",
            caption="The matrices of the SuiteSparse Matrix Collection, which is published under "
            "CC-BY 4.0, as the heads of their files say. A dash stands where the file that was "
            "read does not say it. The references are also in the file matrices.bib.",
            columns=[
                Column("matrix", WORDS),
                Column("id", "r"),
                Column("date", "l"),
                *(Column(head, WORDS) for head in ("author", "editor", "kind")),
            ],
            body=body,
        )
    ]


def _value(text: str) -> str:
    """Words as a value of BibTeX, whose braces have to match."""
    return escape(re.sub(r"[{}\\]", "", text))


def _people(text: str) -> str:
    names = re.split(r",\s*(?:and\s+)?|\s+and\s+", text)
    return " and ".join(f"{{{_value(name)}}}" for name in names if name)


def bibliography(report: Report) -> str:
    """matrices.bib: an entry for each matrix of the table."""
    entries = []
    for entry, credit in _of_collection(report):
        name = f"{entry.group}/{entry.name}"
        fields = {
            "key": _value(name),
            "author": _people(credit.get("author", "")),
            "title": f"{{{_value(name)}}}"
            + (f": {_value(t)}" if (t := credit.get("title")) else ""),
            "year": _value(credit.get("date", "")),
            "howpublished": "SuiteSparse Matrix Collection"
            + (f", id {_value(credit['id'])}" if "id" in credit else "")
            + (f", edited by {_value(e)}" if (e := credit.get("editor")) else "")
            + ", CC-BY 4.0",
            "url": f"{PAGES}/{name}",
        }
        lines = [f"  {key} = {{{value}}}" for key, value in fields.items() if value]
        entries.append(f"@misc{{matrix:{entry.id},\n" + ",\n".join(lines) + "\n}\n")
    return "".join(entries)


VIEWS = (View("credits", "trace", credits_),)
