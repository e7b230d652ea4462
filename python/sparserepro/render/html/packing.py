"""A table of cells as compact JSON: a column in the shortest of several forms.

    {"v": [...]}                  the values, null where there is none
    {"d": [...], "c": [...]}      distinct values, and the index of each row's
    {"d": [...], "r": [...]}      the same by runs: index, length, index, length, ...
    {"l": name, "i": [...], "v": [...]}   as another column, but for these rows
    {"h": "...", "w": 8}          texts of one width, joined

table.js reads them. Numbers are rounded to six significant digits.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import pandas as pd

DIGITS = 6
Value = str | int | float | bool | None

LIKE = {
    "low_s": "headline_low_s",
    "high_s": "headline_high_s",
    "median_s": "headline_s",
    "speedup_1": "speedup",
    "speedup_10": "speedup",
    "speedup_100": "speedup",
    "speedup_inf": "speedup",
    "library_ratio_1": "library_ratio_inf",
    "library_ratio_10": "library_ratio_inf",
    "library_ratio_100": "library_ratio_inf",
    "library_ratio": "library_ratio_inf",
}
"""Columns that are mostly the same as another one."""


def plain(value: Any) -> Value:
    """A value of the table as JSON knows it."""
    if value is None or pd.isna(value):
        return None
    if isinstance(value, str | bool | int):
        return value
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e6 else rounded


def values(column: pd.Series[Any]) -> list[Value]:
    return [plain(value) for value in column.tolist()]


def text(packed: Any) -> str:
    """JSON without spaces; of ASCII characters alone."""
    return json.dumps(packed, separators=(",", ":"), allow_nan=False)


def forms(name: str, found: dict[str, list[Value]]) -> list[dict[str, Any]]:
    """All forms that a column can have."""
    column = found[name]
    keys = [json.dumps(value) for value in column]
    distinct = dict(zip(keys, column, strict=True))
    place = {key: index for index, key in enumerate(distinct)}
    codes = [place[key] for key in keys]
    runs = [part for code, run in groupby(codes) for part in (code, len(list(run)))]
    made: list[dict[str, Any]] = [
        {"v": column},
        {"d": list(distinct.values()), "c": codes},
        {"d": list(distinct.values()), "r": runs},
    ]
    if (other := LIKE.get(name)) in found:
        different = [i for i, v in enumerate(column) if v != found[str(other)][i]]
        made.append({"l": other, "i": different, "v": [column[i] for i in different]})
    if joined := fixed_width(column):
        made.append(joined)
    return made


def fixed_width(column: Sequence[Value]) -> dict[str, Any] | None:
    """The form of texts that have one width, such as identities."""
    widths = {len(value) if isinstance(value, str) else 0 for value in column}
    if len(widths) != 1 or not all(widths):
        return None
    return {"h": "".join(map(str, column)), "w": widths.pop()}


def pack(cells: pd.DataFrame) -> dict[str, Any]:
    """Each column of the table in the form whose text is the shortest."""
    found = {str(name): values(cells[name]) for name in cells.columns}
    return {name: min(forms(name, found), key=lambda form: len(text(form))) for name in found}
