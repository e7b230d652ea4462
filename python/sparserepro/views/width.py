"""Estimates of the widths of tables, and parts of those that are too wide for the text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from sparserepro.render.latex import (
    Number,
    Table,
    Text,
    Unmeasured,
    Value,
    number_format,
    wrap_name,
)

TEXT_WIDTH_PT = 455.0
BOLD = 1.15
"""A bold digit's width over a plain one's."""


def column_width_pt(table: Table, index: int, upright: bool) -> float:
    """Estimate of a column's width in the tables' size (8 pt: 4.25 pt a digit)."""
    column = table.columns[index]
    if match := re.search(r"p\{([\d.]+)mm\}", column.kind):
        return float(match[1]) * 2.845 + 6
    lines = wrap_name(column.name) if column.name else [_plain(column.head)]
    heading = 10.0 * len(lines) if upright and column.name else 4.3 * max(map(len, lines))
    cells = [row[index] for row in table.body]
    words = max((len(_plain(c.latex_text)) for c in cells if isinstance(c, Text)), default=0)
    numbers = table._numbers(index)
    digits = sum(int(d) for d in re.findall(r"\d+", number_format(numbers))) if numbers else 0
    marks = max((1.3 * c.mark.count("\\") for c in cells if isinstance(c, Number)), default=0)
    numeric = digits + (1.5 if any("(" in n for n in numbers) else 0) + 0.6 + marks
    digit = 4.3 * (BOLD if any(isinstance(c, Number) and c.bold for c in cells) else 1)
    return max(heading, 4.3 * words, digit * numeric) + 6


def fits(table: Table) -> bool:
    """Whether the table's estimated width is within the text's."""
    upright = any(len(c.name) > 11 for c in table.columns)
    widths = (column_width_pt(table, i, upright) for i in range(len(table.columns)))
    return sum(widths) <= TEXT_WIDTH_PT


def _plain(latex: str) -> str:
    """Roughly the letters that LaTeX text shows."""
    shown = re.sub(r"\\allowbreak\{\}|\\rotatebox\[[^]]*\]\{\d+\}|\\[a-zA-Z]+\*?|[{}$]", "", latex)
    return shown.replace("\\", "")


def split(table: Table, fixed: int) -> list[Table]:
    """Parts that fit the text's width, each with the first `fixed` columns; groups are dropped. A
    part leaves out the rows of which it has nothing measured and another part has."""
    upright = any(len(c.name) > 11 for c in table.columns)
    widths = [column_width_pt(table, i, upright) for i in range(len(table.columns))]
    room = TEXT_WIDTH_PT - sum(widths[:fixed])
    parts: list[list[int]] = [[]]
    used = 0.0
    for index in range(fixed, len(table.columns)):
        if parts[-1] and used + widths[index] > room:
            parts.append([])
            used = 0.0
        parts[-1].append(index)
        used += widths[index]
    if len(parts) == 1:
        return [table]
    each = math.ceil((len(table.columns) - fixed) / len(parts))
    indices = range(fixed, len(table.columns))
    parts = [list(indices[i * each : (i + 1) * each]) for i in range(len(parts))]
    end = len(table.body) - table.foot_rows

    def measured(row: Sequence[Value], part: Sequence[int]) -> bool:
        return not all(isinstance(row[i], Unmeasured) for i in part)

    def kept(part: Sequence[int]) -> list[list[Value]]:
        return [
            row
            for number, row in enumerate(table.body)
            if number >= end or measured(row, part) or not any(measured(row, p) for p in parts)
        ]

    return [
        Table(
            label=table.label + ("" if number == 1 else f"-{number}"),
            caption=f"{table.caption} Part {number} of {len(parts)}.",
            columns=[table.columns[i] for i in (*range(fixed), *part)],
            body=[[row[i] for i in (*range(fixed), *part)] for row in kept(part)],
            notes=table.notes if number == len(parts) else [],
            foot_rows=table.foot_rows,
            small=table.small,
        )
        for number, part in enumerate(parts, start=1)
        if part
    ]
