"""What stands behind the figures of the tables and drawings, for `sparserepro trace`.

trace.json has a table of sources, each a record with those among which it was chosen, and for each
label the sources of every cell, by the plain names of its row and its column. In a drawing the rows
are the places and the columns the series.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparserepro.data.frames import Cell, Row
from sparserepro.render.plain_text import first_sentence, plain
from sparserepro.render.tabular import Number, Sources, Table, Value

NAME = "trace.json"
Traced = dict[str, Any]
"""One table or figure as trace.json has it."""


def place(row: Row) -> str:
    """The matrix (not of arrays) and all instance parameters: "cant k=8 offset_bits=32"."""
    matrix = [] if row.problem == "primitives" else [row.matrix]
    return " ".join([*matrix, *(f"{name}={value}" for name, value in row.instance)])


@dataclass(frozen=True)
class Point:
    """A mark, bar or step of a drawing: its series, and the cells that it comes from."""

    series: str
    cells: Sources
    at: str = ""
    """What tells it from others of its row: "threads=4"."""

    @property
    def place(self) -> str:
        return f"{place(self.cells[-1].row)} {self.at}".strip()


@dataclass
class Ledger:
    """The sources of all figures, each once."""

    sources: list[dict[str, Any]] = field(default_factory=list)
    _numbers: dict[tuple[str, ...], int] = field(default_factory=dict)

    def number(self, cell: Cell) -> int:
        key = (cell.id, *(other.id for other in cell.among))
        if key not in self._numbers:
            self._numbers[key] = len(self.sources)
            self.sources.append({"record": key[0], "among": list(key[1:])})
        return self._numbers[key]

    def numbers(self, cells: Iterable[Cell]) -> list[int]:
        return list(dict.fromkeys(map(self.number, cells)))


def is_figure(value: Value) -> bool:
    """Whether it says how many, or stands in for that."""
    if isinstance(value, Number):
        return True
    text = value.latex_text
    return r"\num" in text or r"\gap" in text or text.replace(".", "").isdigit()


def text_of(value: Value) -> str:
    return value.text if isinstance(value, Number) else plain(value.latex_text)


def lead(table: Table) -> int:
    """How many columns stand before the first one that comes from records; without such a one,
    before the first of numbers."""
    for chosen in (lambda value: value.sources, lambda value: isinstance(value, Number)):
        found = [i for line in table.body for i, value in enumerate(line) if chosen(value)]
        if found:
            return max(1, min(found))
    return 1


def distinct(names: Sequence[str]) -> list[str]:
    """The names, numbered where several are the same."""
    counts, seen = Counter(names), Counter[str]()
    made = []
    for name in names:
        seen[name] += 1
        made.append(f"{name} ({seen[name]})" if counts[name] > 1 else name)
    return made


def typewritten(table: Table, index: int) -> bool:
    """Whether the column is of a parameter."""
    return table.columns[index].head.startswith(r"\code{")


def naming(table: Table) -> list[int]:
    """The columns that name a row: the first ones, with counts among them only where rows are else
    the same. In a table with groups, those of the group and the next."""
    if table.grouped:
        return list(range(table.grouped + 1))
    used = list(range(lead(table)))
    counts = [
        index
        for index in used
        if not typewritten(table, index) and any(is_figure(line[index]) for line in table.body)
    ]
    used = [index for index in used if index not in counts]
    while counts and len({row_name(table, line, used) for line in table.body}) < len(table.body):
        used = sorted([*used, counts.pop(0)])
    return used


def row_name(table: Table, line: list[Value], used: Sequence[int]) -> str:
    """The words of these columns, and the parameters of the instance that the caption has."""
    words: list[str] = []
    for index in used:
        text, head = text_of(line[index]), plain(table.columns[index].head)
        named = typewritten(table, index) or is_figure(line[index])
        if text not in ("", "--"):
            words.append(f"{head}={text}" if named and head else text)
    rows = {cell.row for value in line for cell in value.sources}
    if len(rows) == 1 and (row := rows.pop()).matrix in words:
        words += [word for n, v in row.instance if (word := f"{n}={v}") not in words]
    return " ".join(words)


def column_names(table: Table, used: Sequence[int]) -> dict[int, str]:
    """Of the columns that do not name the row: with the head above the head, where there is one."""
    above = [""] * table.grouped
    above += [plain(head) for head, count in table.groups for _ in range(count)]
    names = {}
    for index, column in enumerate(table.columns):
        if index not in used:
            group = above[index] if index < len(above) else ""
            name = plain(column.head) or "value"
            names[index] = f"{group}: {name}" if group else name
    return dict(zip(names, distinct([*names.values()]), strict=True))


def of_groups(table: Table, ledger: Ledger) -> Traced:
    """Of a table with groups: a row is a group, and a column a line of it with the head of a
    figure. The first figure of a line has the name of the line alone."""
    heads = column_names(table, naming(table))
    rows = [row_name(table, line, range(table.grouped)) for line in table.body]
    lines = [plain(text_of(line[table.grouped])) for line in table.body]
    named = distinct([f"{row}\n{line}" for row, line in zip(rows, lines, strict=True)])
    cells: dict[str, dict[str, Any]] = {}
    for row, line, full in zip(rows, table.body, named, strict=True):
        cell, name = cells.setdefault(row, {}), full.partition("\n")[2]
        for place, (index, head) in enumerate(heads.items()):
            sources = ledger.numbers(line[index].sources)
            cell[f"{name}: {head}" if place else name] = {
                "shown": text_of(line[index]), "sources": sources,
            }  # fmt: skip
    return {
        "title": first_sentence(table.caption),
        "rows": list(cells),
        "columns": list(dict.fromkeys(column for cell in cells.values() for column in cell)),
        "cells": cells,
        "notes": [plain(note) for note in table.notes],
    }


def of_table(table: Table, ledger: Ledger) -> Traced:
    if table.grouped:
        return of_groups(table, ledger)
    used = naming(table)
    columns = column_names(table, used)
    rows = distinct([row_name(table, line, used) for line in table.body])
    cells: dict[str, dict[str, Any]] = {}
    for row, line in zip(rows, table.body, strict=True):
        cells[row] = {
            name: {"shown": text, "sources": ledger.numbers(line[index].sources)}
            for index, name in columns.items()
            if (text := text_of(line[index]))
        }
    return {
        "title": first_sentence(table.caption),
        "rows": rows,
        "columns": [*columns.values()],
        "cells": cells,
        "notes": [plain(note) for note in table.notes],
    }


def of_drawing(caption: str, points: Iterable[Point], ledger: Ledger) -> Traced:
    cells: dict[str, dict[str, Any]] = {}
    for point in points:
        cell = cells.setdefault(point.place, {}).setdefault(point.series, {"sources": []})
        cell["sources"] += [n for n in ledger.numbers(point.cells) if n not in cell["sources"]]
    return {
        "title": first_sentence(caption),
        "rows": list(cells),
        "columns": list(dict.fromkeys(series for line in cells.values() for series in line)),
        "cells": cells,
        "notes": [],
    }


def write(folder: Path, floats: dict[str, Traced], ledger: Ledger) -> None:
    """`floats` by their labels; one line each, so that a change of one is seen."""
    lines = ",\n".join(f"{json.dumps(label)}: {compact(one)}" for label, one in floats.items())
    text = f'{{"sources": {compact(ledger.sources)},\n"floats": {{\n{lines}\n}}}}\n'
    (folder / NAME).write_text(text)


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
