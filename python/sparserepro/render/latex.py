"""LaTeX text: escapes, numbers with their uncertainty, and the templates' environment."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import jinja2

from sparserepro.paths import REPORT
from sparserepro.stats import Summary

TEMPLATES = REPORT / "templates"
_BREAK = r"\\allowbreak{}"
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip


UNESCAPES = {escaped: char for char, escaped in _ESCAPES.items()}


_NOT_THERE = frozenset("×÷ĦħĲĳĸĿŀŉŦŧſ")
_LETTERS = frozenset(map(chr, range(0xC0, 0x180))) - _NOT_THERE | frozenset("–—‘’“”„…°±×µ©®")
"""Beyond ASCII, what the fonts of the documents have; of other characters the number is shown."""
_LONG = re.compile(r"[^\s_/=:,-]{24,}")
_END = "\ue000"
"""Stands for a place where a long word may break, until the text is escaped."""


def _shown(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if " " <= char <= "~" or char in _LETTERS:
        return char
    return " " if char.isspace() else rf"[U+{ord(char):04X}]\allowbreak{{}}"


def escape(text: object) -> str:
    """Any text as LaTeX that sets it: what the fonts do not have as [U+6570], and words beyond all
    measure so that they may break after every twelfth character."""
    letters = unicodedata.normalize("NFC", str(text)).replace(_END, "")
    pieces = _LONG.sub(lambda m: re.sub(r"(.{12})(?=.)", rf"\1{_END}", m[0]), letters)
    return "".join(r"\allowbreak{}" if char == _END else _shown(char) for char in pieces)


def prose(text: object) -> str:
    """Words from outside, in which long names may break after underscores, slashes and single
    colons, and names of C++ with a scope also at their capitals."""
    broken = re.sub(r"(\\_|[/=]|(?<!:):(?!:))(?=\S)", r"\1\\allowbreak{}", escape(text))
    return re.sub(r"\S+::\S+", lambda m: re.sub(r"(?<=[a-z:])(?=[A-Z])", _BREAK, m[0]), broken)


def code(text: object) -> str:
    """A name, in typewriter letters, that may break after _ : , = / and single hyphens."""
    broken = re.sub(r"(\\_|[:,=/]|(?<!-)-(?!-))", r"\1\\allowbreak{}", escape(text))
    return r"\code{" + broken.replace("--", "-{}-") + "}"


def command(words: Sequence[str]) -> str:
    """A command line, in typewriter letters, that breaks between words and after commas alone, so
    that it can be copied."""
    broken = escape(" ".join(words)).replace(",", r",\allowbreak{}").replace("-", "-{}")
    return r"\code{" + broken + "}"


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


def title(caption: str) -> str:
    """What a caption begins with, without references: as far as its first comma, semicolon or full
    stop outside brackets."""
    reference = r"\\(?:cite|cref)\{[^{}]*\}"
    caption = re.sub(rf" ?\([^()]*{reference}\)| ?{reference}", "", caption)
    depth = 0
    for index, letter in enumerate(caption):
        depth += (letter in "{(") - (letter in "})")
        if depth == 0 and re.match(r"[,;.] |\.$", caption[index:]):
            return caption[:index]
    return caption


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
    made.filters.update(escape=escape, code=code, integer=integer, listing=listing, title=title)
    return made


def render(template: str, **values: Any) -> str:
    return environment().get_template(template).render(**values)
