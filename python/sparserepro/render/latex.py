"""LaTeX text: escapes, numbers with their uncertainty, tables, and the templates' environment."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import jinja2

from sparserepro.paths import REPORT
from sparserepro.stats import Summary

if TYPE_CHECKING:
    from sparserepro.data.frames import Cell

TEMPLATES = REPORT / "templates"
LONG = 34
"""Rows from which on a table may break across pages."""

RAGGED = r">{\raggedright\arraybackslash}p"
"""Column type of text that may break; the width follows in braces."""

_BREAK = r"\\allowbreak{}"
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip


UNESCAPES = {escaped: char for char, escaped in _ESCAPES.items()}


def escape(text: object) -> str:
    return "".join(_ESCAPES.get(char, char) for char in str(text))


def prose(text: object) -> str:
    """Words from outside, in which long names may break after underscores and slashes, and names
    of C++ with a scope also at their capitals."""
    broken = re.sub(r"(\\_|[/=])(?=\S)", r"\1\\allowbreak{}", escape(text))
    return re.sub(r"\S+::\S+", lambda m: re.sub(r"(?<=[a-z:])(?=[A-Z])", _BREAK, m[0]), broken)


def code(text: object) -> str:
    """A name, in typewriter letters, that may break after _ : , = / and single hyphens."""
    broken = re.sub(r"(\\_|[:,=/]|(?<!-)-(?!-))", r"\1\\allowbreak{}", escape(text))
    return r"\code{" + broken.replace("--", "-{}-") + "}"


def listing(items: Sequence[str], last: str = "and") -> str:
    """a, b and c."""
    if len(items) < 2:
        return "".join(items)
    return ", ".join(items[:-1]) + f" {last} " + items[-1]


def count(value: float, noun: str, plural: str = "") -> str:
    return f"{integer(value)} {noun if value == 1 else plural or noun + 's'}"


def integer(value: float) -> str:
    """A count in running text or in a right-aligned column."""
    return rf"\num{{{int(value)}}}"


def significant(value: float, digits: int = 3) -> str:
    """Plain decimal with `digits` significant digits: 0.0123, 1.23, 12.3, 123, 1230."""
    if value == 0:
        return "0"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(decimals, 0)}f}"


def scientific(value: float, digits: int = 2) -> str:
    """For running text and text columns: 0, 0.12, or 1.2e-14 as LaTeX."""
    if value == 0 or 0.01 <= abs(value) < 10000:
        return rf"\num{{{significant(value, digits)}}}"
    return rf"\num{{{value:.{digits - 1}e}}}"


def is_wide(summary: Summary) -> bool:
    """Whether the interval reaches further from the median than the median from zero."""
    return summary.ends[1] > 2 * summary.median


def with_uncertainty(summary: Summary, scale: float) -> str:
    """scale x median with the larger half width of its interval: 12.31(4); at most 4 digits. No
    brackets, and two digits, when that half is more than the median (`is_wide`)."""
    middle = summary.median * scale
    if not summary.has_interval:
        return significant(middle, 3)
    low, high = (end * scale for end in summary.ends)
    if is_wide(summary):
        return significant(middle, 2)
    half = max(high - middle, middle - low)
    most = 3 - math.floor(math.log10(middle))
    decimals = most if half == 0 else min(most, 1 - math.ceil(math.log10(half) + 1e-12))
    step = 10.0**-decimals
    units = max(1, math.ceil(half / step - 1e-9))
    if decimals <= 0:
        return f"{round(middle / step) * step:.0f}({units * step:.0f})"
    return f"{middle:.{decimals}f}({units})"


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


@dataclass(frozen=True)
class Unmeasured(Text):
    """A mark in place of a figure that nobody set out to measure."""


Value = Number | Text


def sourced(value: Value, *cells: Cell) -> Value:
    """The same with these cells behind it, unless its maker named others."""
    return value if value.sources else replace(value, sources=cells)


@dataclass(frozen=True)
class Column:
    head: str
    kind: str = "S"  # S: numbers; otherwise a column type of LaTeX
    name: str = ""  # an algorithm's name, set upright when it is long


@dataclass
class Table:
    label: str
    caption: str
    columns: list[Column]
    body: list[list[Value]]
    notes: list[str] = field(default_factory=list)
    groups: list[tuple[str, int]] = field(default_factory=list)  # heads above the heads
    foot_rows: int = 0  # last rows, set off by a rule
    small: bool = True
    long: bool = False  # may break across pages however few its rows

    def specification(self) -> str:
        return "@{}" + "".join(self._kind(i, c) for i, c in enumerate(self.columns)) + "@{}"

    def _kind(self, index: int, column: Column) -> str:
        if column.kind != "S":
            return column.kind
        numbers = [cell for row in self.body if isinstance(cell := row[index], Number)]
        wider = any(n.bold for n in numbers)
        mark = max((n.mark for n in numbers), key=len, default="")
        return f"S[table-format={number_format([n.text for n in numbers], wider)}{mark}]"

    def _numbers(self, index: int) -> list[str]:
        cells = (row[index] for row in self.body)
        return [cell.text for cell in cells if isinstance(cell, Number)]

    def heads(self) -> list[str]:
        upright = any(len(c.name) > 11 for c in self.columns)
        return [head(c, upright) for c in self.columns]

    @property
    def has_heads(self) -> bool:
        return any(c.head or c.name for c in self.columns)

    def rows(self) -> list[str]:
        return [" & ".join(self._cell(i, c) for i, c in enumerate(row)) for row in self.body]

    def _cell(self, index: int, cell: Value) -> str:
        if isinstance(cell, Number):
            return cell.latex()
        if self.columns[index].kind == "S":
            return "{" + cell.latex_text + "}"
        return cell.latex_text

    @property
    def is_long(self) -> bool:
        return self.long or len(self.body) >= LONG

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


def head(column: Column, upright: bool) -> str:
    if not column.name:
        return "{" + column.head + "}"
    lines = [r"\code{" + escape(line) + "}" for line in wrap_name(column.name)]
    lines[-1] += column.head
    if not upright:
        return "{" + "".join(lines) + "}"
    return r"{\rotatebox[origin=bl]{90}{\shortstack[l]{" + r"\\".join(lines) + "}}}"


def wrap_name(name: str, width: int = 22) -> list[str]:
    """Lines of at most about `width` letters, broken after underscores."""
    lines = [""]
    for word in re.findall(r"[^_]*_|[^_]+$", name):
        if lines[-1] and len(lines[-1] + word) > width:
            lines.append("")
        lines[-1] += word
    return lines


def environment() -> jinja2.Environment:
    """Templates with \\VAR{...}, \\BLOCK{...} and \\#{...}; an unknown name is an error."""
    made = jinja2.Environment(
        block_start_string=r"\BLOCK{",
        block_end_string="}",
        variable_start_string=r"\VAR{",
        variable_end_string="}",
        comment_start_string=r"\#{",
        comment_end_string="}",
        line_comment_prefix="%#",
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FileSystemLoader(TEMPLATES),
        keep_trailing_newline=True,
    )
    made.filters.update(escape=escape, code=code, integer=integer, listing=listing)
    return made


def render(template: str, **values: Any) -> str:
    return environment().get_template(template).render(**values)


def render_table(table: Table) -> str:
    return render("longtable.tex.j2" if table.is_long else "table.tex.j2", table=table)
