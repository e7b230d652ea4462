"""From a number on a page of the report to its records, and to the command that measures it again.

The report's tables and figures write down from which records each of their cells comes
(`trace.json`). This finds a cell by the names of its table, row and column, and tells of each
record where it is, what its samples say, what it was chosen among, and where it was measured.
"""

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sparserepro.records import RecordsError
from sparserepro.trace_text import long_text, short_text, told
from sparserepro.traced import (
    KINDS,
    Float,
    Located,
    Place,
    floats,
    labels,
    matches,
    nearest,
    numbers,
    records,
    run_folder,
)

FEW = 4
"""So many records at most are told at length."""
NO_RECORD = (
    "No record is behind it: it is a figure that others printed, a fact of the matrix or the "
    "machine, or the letter of a reason."
)


def choose(
    names: list[str], known: list[str], asked: str, where: str, shown: Callable[[str], str] = str
) -> str:
    """The one name that is meant. Raises RecordsError, which names the others, as `shown` writes
    them, or the nearest."""
    if len(names) == 1:
        return names[0]
    if names:
        lines = "".join(f"\n  {shown(name)}" for name in names)
        raise RecordsError(f"{where} has several of {asked!r}:{lines}")
    near = nearest(known, asked)
    hint = f"; the nearest: {', '.join(near)}" if near else f"; there are: {', '.join(known)}"
    raise RecordsError(f"{where} has no {asked!r}{hint if known else ''}")


def parts(known: dict[str, Float], one: Float) -> list[Float]:
    """The other pages of a figure of several."""
    stem = re.sub(r"-\d+$", "", one.label)
    pattern = re.escape(stem) + r"(-\d+)?"
    return [p for label, p in known.items() if p is not one and re.fullmatch(pattern, label)]


def elsewhere(known: dict[str, Float], one: Float, row: str, column: str | None) -> str:
    """Which other parts have what this one has not."""
    found = [
        part.label
        for part in parts(known, one)
        if matches(part.rows, row) and (column is None or matches(part.columns, column))
    ]
    return f"\n{' and '.join(found)} may have it" if found else ""


def place_of(label: str, numbered: dict[str, Place]) -> str:
    if label not in numbered:
        return label
    place = numbered[label]
    kind = KINDS[label.partition(":")[0]]
    return f"{label} ({kind} {place.number}, page {place.page} of the {place.document})"


def listing(known: dict[str, Float], numbered: dict[str, Place]) -> str:
    """A line for each table and figure that has records, in the order of the report."""

    def order(one: Float) -> tuple[str, bool, int]:
        place = numbered.get(one.label, Place("", "", ""))
        number = int(place.number) if place.number.isdigit() else 0
        return place.document, one.label.startswith("fig:"), number

    traced = sorted((one for one in known.values() if one.has_records), key=order)
    names = {one.label: place_of(one.label, numbered) for one in traced}
    width = max((len(name) for name in names.values()), default=0)
    return "\n".join(f"{names[o.label]:{width}}  {o.title[:90]}".rstrip() for o in traced)


def outline(one: Float) -> str:
    """The rows and columns that there are."""
    named = (("rows:", one.rows), ("columns:", one.columns))
    return "\n".join(line for head, names in named for line in [head, *(f"  {n}" for n in names)])


def row_outline(one: Float, row: str, told_of: dict[str, Any]) -> str:
    """The cells of a row: what is shown, and the ids of the records."""
    lines = [f"row: {row}"]
    for column, told_cell in told_of.items():
        ids = told_cell["records"]
        some = " ".join(ids[:FEW]) + (f" and {len(ids) - FEW} more" if len(ids) > FEW else "")
        words = (f"  {column}:", told_cell["shown"], some or "(no record)")
        lines.append(" ".join(word for word in words if word))
    return "\n".join(lines)


def behind(
    one: Float, row: str, column: str, book: dict[str, list[Located]]
) -> list[tuple[Located, list[Located]]]:
    """The records behind a cell, each with those among which it was chosen."""
    found = []
    for source in one.sources(row, column):
        if missing := [id_ for id_ in (source.id, *source.among) if id_ not in book]:
            raise RecordsError(
                f"{one.label} names record {missing[0]}, which the collected records do not have: "
                "make the report again, then trace"
            )
        among = [located for rival in source.among for located in book[rival]]
        found += [(located, among) for located in book[source.id]]
    return found


def cell_text(
    one: Float, row: str, column: str, found: list[tuple[Located, list[Located]]], whole: bool
) -> str:
    lines = [f"row:    {row}", f"column: {column}"]
    if shown := one.shown(row, column):
        lines.append(f"shown:  {shown}")
        lines += [f"        {note}" for note in one.notes if note.startswith(f"{shown} ")]
    if not found:
        return "\n".join([*lines, "", NO_RECORD])
    if len(found) <= FEW or whole:
        return "\n".join(lines + [text for pair in found for text in ("", long_text(*pair))])
    lines += ["", f"{len(found)} records, whole with --all:"]
    return "\n".join(lines + short_text(found))


def answer(folder: Path, options: argparse.Namespace) -> tuple[str, Any]:
    """What there is to say, as text and for machines. Raises RecordsError."""
    known, numbered = floats(folder), numbers(folder)
    if options.table is None:
        return listing(known, numbered), [described(one, numbered) for one in known.values()]
    if options.row is None and re.fullmatch(r"[0-9a-f]{8}", options.table):
        return of_record(folder, options.table)
    where = f"the report of {folder.name}"
    label = choose(
        labels(known, numbered, options.table), [*known], options.table, where,
        lambda name: place_of(name, numbered),
    )  # fmt: skip
    one = known[label]
    head, made = f"{place_of(label, numbered)}: {one.title}", described(one, numbered)
    if options.row is None:
        return f"{head}\n{outline(one)}", made | {"rows": one.rows, "columns": one.columns}
    try:
        row = choose(matches(one.rows, options.row), one.rows, options.row, f"{label} by row")
        there = [column for column in one.columns if column in one.cells.get(row, {})]
        if options.column is None:
            cells = {
                column: {
                    "shown": one.shown(row, column),
                    "records": [source.id for source in one.sources(row, column)],
                }
                for column in there
            }
            return f"{head}\n{row_outline(one, row, cells)}", made | {"row": row, "cells": cells}
        found = matches(there, options.column)
        column = choose(found, there, options.column, f"{label}, row {row}, by column")
    except RecordsError as error:
        more = elsewhere(known, one, options.row, options.column)
        raise RecordsError(f"{error}{more}") from None
    cell = behind(one, row, column, records(folder))
    made |= {"row": row, "column": column, "shown": one.shown(row, column)}
    made["records"] = [told(*pair) for pair in cell]
    return f"{head}\n{cell_text(one, row, column, cell, options.all)}", made


def of_record(folder: Path, id_: str) -> tuple[str, Any]:
    """A record by its id, as cells.csv, report.html and the tables name it."""
    found = records(folder).get(id_, [])
    if not found:
        raise RecordsError(f"the collected records of {folder.name} have no record {id_}")
    return "\n\n".join(long_text(one, []) for one in found), [told(one, []) for one in found]


def described(one: Float, numbered: dict[str, Place]) -> dict[str, Any]:
    place = numbered.get(one.label)
    where = {"number": None, "page": None, "document": None} if place is None else vars(place)
    return {"label": one.label, "title": one.title, **where}


def command(options: argparse.Namespace) -> int:
    """`sparserepro trace`."""
    folder = run_folder(options.run_name)
    text, value = answer(folder, options)
    if options.json:
        print(json.dumps(value, indent=2, ensure_ascii=False))
    else:
        print(text)
    return 0
