"""Tables: their cells, columns and rows, and the LaTeX of these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from sparserepro.render.latex import is_wide, render, with_uncertainty
from sparserepro.stats import Summary

if TYPE_CHECKING:
    from sparserepro.data.cell import Cell

WORDS = r">{\raggedright\arraybackslash}p{\wrapwidth}"
"""Column type of text that may break: such columns share the width that the others leave."""
UNBROKEN = 32
"""Rows up to which a group stays on one page."""
FEW_ROWS = 6
"""Rows with which a long table may begin at the end of a page."""
LETTERS = 100
"""Letters on a line of a caption."""
LONGEST_NAME = 32
"""Letters from which on a column of names may break them."""
CROWDED = 22
"""The same beside many columns."""
LIBRARY = r"\textsuperscript{\textdagger}"
"""Mark of an algorithm that wraps a third-party library."""


Sources = tuple["Cell", ...]
"""The measured cells that a figure comes from."""


@dataclass(frozen=True)
class Number:
    """A cell of a numeric column, in siunitx's input form, with a mark behind it."""

    text: str
    bold: bool = False
    mark: str = ""
    sources: Sources = field(default=(), compare=False, repr=False)

    def latex(self) -> str:
        return (r"\bfseries " if self.bold else "") + self.text + self.mark


def measured(summary: Summary, scale: float, bold: bool = False) -> Number:
    """A median with its uncertainty, marked when the interval is wide."""
    mark = r"{\wide}" if is_wide(summary) else ""
    return Number(with_uncertainty(summary, scale), bold, mark)


@dataclass(frozen=True)
class Text:
    """A cell of words (already LaTeX)."""

    latex_text: str
    sources: Sources = field(default=(), compare=False, repr=False)


Value = Number | Text


def sourced(value: Value, *cells: Cell) -> Value:
    """The same with these cells behind it, unless its maker named others."""
    return value if value.sources else replace(value, sources=cells)


@dataclass(frozen=True)
class Column:
    head: str
    kind: str = "S"  # S: numbers; otherwise a column type of LaTeX


def names(head: str, values: Iterable[Value], unbroken: int = LONGEST_NAME) -> Column:
    """A column of names, which break only where one has more than so many letters."""
    texts = (value.latex_text for value in values if isinstance(value, Text))
    longest = max((len(letters(text)) for text in texts), default=0)
    return Column(head, "l" if longest <= unbroken else WORDS)


def letters(latex: str) -> str:
    """Roughly what LaTeX text shows."""
    return re.sub(r"\\[a-zA-Z]+(?:\{\})?|[\\{}$]", "", latex)


@dataclass
class Table:
    label: str
    caption: str
    columns: list[Column]
    body: list[list[Value]]
    notes: list[str] = field(default_factory=list)
    groups: list[tuple[str, int]] = field(default_factory=list)  # heads above the heads
    foot_rows: int = 0  # last rows, set off by a rule
    title: str = ""  # in the contents and among the bookmarks; else what the caption begins with
    grouped: int = 0  # first columns that name a group of rows, on a line above it

    @property
    def shown(self) -> list[Column]:
        """The columns that are columns on paper."""
        return self.columns[self.grouped :]

    @property
    def wraps(self) -> int:
        """How many columns share the width that the others leave."""
        return sum(column.kind == WORDS for column in self.shown)

    @property
    def left(self) -> str:
        """What stands before the first column."""
        return r"@{\quad}" if self.grouped else "@{}"

    def specification(self) -> str:
        return self.left + "".join(map(self._kind, range(self.grouped, len(self.columns)))) + "@{}"

    @property
    def firm(self) -> list[int]:
        """The columns that do not wrap."""
        shown = range(self.grouped, len(self.columns))
        return [index for index in shown if self.columns[index].kind != WORDS]

    def firm_specification(self) -> str:
        return self.left + ("".join(map(self._kind, self.firm)) or "l") + "@{}"

    def firm_rows(self) -> list[str]:
        """Heads and rows from which LaTeX takes the width of these columns: what a column has, each
        once, whatever stands beside it. Of numbers, which are as wide as their format, the longest:
        siunitx is slow, and reads all of them in the table itself."""
        heads = ["{" + self.columns[index].head + "}" for index in self.firm]
        columns = map(self._widest, self.firm)
        return [" & ".join(row) + r"\\" for row in (heads, *zip_longest(*columns, fillvalue=""))]

    def _widest(self, index: int) -> list[str]:
        """The cells of a column of which one is the widest."""
        numbers: list[str] = []
        others: list[str] = []
        for row in self.body:
            number = self.columns[index].kind == "S" and isinstance(row[index], Number)
            (numbers if number else others).append(self._cell(index, row[index]))
        return [*sorted(numbers, key=len)[-1:], *dict.fromkeys(others)]

    def _kind(self, index: int) -> str:
        column = self.columns[index]
        if column.kind != "S":
            return column.kind
        numbers = [cell for row in self.body if isinstance(cell := row[index], Number)]
        wider = any(n.bold for n in numbers)
        mark = max((n.mark for n in numbers), key=len, default="")
        return f"S[table-format={number_format([n.text for n in numbers], wider)}{mark}]"

    def heads(self) -> list[str]:
        return ["{" + column.head + "}" for column in self.shown]

    @property
    def has_heads(self) -> bool:
        return any(column.head for column in self.columns)

    def rows(self) -> list[str]:
        """Each row with its end; those of a small group stay on one page. The first group can be
        broken, because nothing before it can: its page has room for it (`room`)."""
        found = []
        groups = [row[: self.grouped] for row in self.body]
        for number, row in enumerate(self.body):
            line = " & ".join(self._cell(i, row[i]) for i in range(self.grouped, len(row)))
            if self.grouped and groups[number] != groups[number - 1 :][:1][0]:
                line = f"\\addlinespace[3pt]\n{self._group_line(groups[number])}\n{line}"
            elif self.grouped and number == 0:
                line = f"{self._group_line(groups[number])}\n{line}"
            later = groups[number + 1 : number + 2] == [groups[number]] != groups[:1]
            small = not self.wraps and groups.count(groups[number]) <= UNBROKEN
            found.append(line + (r"\\*" if later and small else r"\\"))
        return found

    @property
    def room(self) -> int:
        """Lines of text that a page must have left for the table to begin on it: for all of a small
        table, the first group of another, and a few rows of a long one."""
        groups = [row[: self.grouped] for row in self.body]
        first = groups.count(groups[0]) + bool(self.grouped) if groups else 0
        rows = first if first <= UNBROKEN else FEW_ROWS
        return rows + len(letters(self.caption)) // LETTERS + 5

    def _group_line(self, group: list[Value]) -> str:
        words: list[str] = []
        for column, value in zip(self.columns, group, strict=False):
            text = value.text if isinstance(value, Number) else value.latex_text
            if text == "--":
                continue
            if column.head.startswith(r"\code{"):
                text = f"{column.head} = {text}"
            elif words and column.head:
                text = f"{column.head}: {text}"
            words.append(text)
        return rf"\multicolumn{{{len(self.shown)}}}{{@{{}}l}}{{{', '.join(words)}}}\\*"

    def _cell(self, index: int, cell: Value) -> str:
        if isinstance(cell, Number):
            return cell.latex()
        if self.columns[index].kind == "S":
            return "{" + cell.latex_text + "}"
        return cell.latex_text

    @property
    def inner(self) -> list[str]:
        rows = self.rows()
        return rows[: len(rows) - self.foot_rows]

    @property
    def foot(self) -> list[str]:
        rows = self.rows()
        return rows[len(rows) - self.foot_rows :]


def number_format(numbers: Sequence[str], wider: bool = False) -> str:
    """table-format of siunitx: the most digits before and after the point, and in brackets;
    `wider` by a digit for bold ones."""
    whole = decimals = brackets = 0
    for text in numbers:
        match = re.fullmatch(r"-?(\d+)(?:\.(\d+))?(?:\((\d+)\))?", text)
        if match is None:
            raise ValueError(f"no number: {text}")
        whole = max(whole, len(match[1]))
        decimals = max(decimals, len(match[2] or ""))
        brackets = max(brackets, len(match[3] or ""))
    return f"{max(whole, 1) + wider}.{decimals}" + (f"({brackets})" if brackets else "")


def render_table(table: Table) -> str:
    return render("table.tex.j2", table=table)
