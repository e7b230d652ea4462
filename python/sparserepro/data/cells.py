"""Records as one table: a line for each cell, with what the report says of it.

columns.py describes the columns. The measurement sets and the run whose records are read are
those of a `Report`.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from sparserepro.data.calls import CALLS, speedup
from sparserepro.data.columns import COLUMNS
from sparserepro.data.comparisons import SIDES, compared
from sparserepro.data.frames import Cell, Report, Row, choose, params_text
from sparserepro.data.lines import Line
from sparserepro.data.loading import add_arguments, load, load_arguments, of_sets
from sparserepro.paths import MEASUREMENTS
from sparserepro.records import RUNS, RecordsError
from sparserepro.stats import Ratio, verdict


def calls_name(calls: float) -> str:
    return "inf" if math.isinf(calls) else f"{calls:.0f}"


class Rivals:
    """The fastest setting of all libraries of a row, for a side and a number of calls."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._found: dict[tuple[Row, str, float | None], Cell | None] = {}

    def fastest(self, row: Row, side: str, calls: float | None = None) -> Cell | None:
        """None calls: the headline's."""
        key = (row, side, calls)
        if key not in self._found:
            libraries = self.report.rivals(row, SIDES[side], peer=True)
            wanted = calls
            if libraries and wanted is None:
                wanted = libraries[0].headline_calls
            self._found[key] = choose(libraries, wanted or math.inf) if libraries else None
        return self._found[key]

    @cached_property
    def chosen(self) -> set[tuple[Row, str]]:
        """The cells that their algorithms are represented by."""
        keys = {(cell.row, cell.algorithm) for cell in self.report.cells if cell.ok}
        cells = (self.report.best(row, algorithm) for row, algorithm in keys)
        return {(cell.row, cell.id) for cell in cells if cell is not None and cell.ok}

    @cached_property
    def best_own(self) -> set[tuple[Row, str]]:
        """The cells by which own algorithms meet the libraries."""
        places = {(c.row.machine, c.row.problem) for c in self.report.cells}
        return {
            (pair.row, pair.own().id)
            for machine, problem in places
            for side in SIDES
            for pair in compared(self.report, machine, problem, side)
        }


def what(cell: Cell, report: Report, sets: frozenset[str]) -> Line:
    """The cell's key."""
    row = cell.row
    instance = dict(row.instance)
    return {
        "id": cell.id,
        "set": row.machine if row.machine in sets else None,
        "machine": row.machine,
        "problem": row.problem,
        "matrix": row.matrix,
        "class": None if row.problem == "primitives" else report.matrix_class(row.matrix),
        "instance": params_text(row.instance),
        "k": instance.get("k"),
        "value_type": instance.get("value_type"),
        "backend": cell.backend,
        "side": cell.side,
        "peer": cell.peer,
        "parameters": params_text(cell.params),
        "threads": cell.threads,
    }


def headline(shown: Cell) -> Line:
    """As the report states it; `shown` is the cell that its table has."""
    found = shown.kernel
    low, high = found.ends if found.has_interval else (None, None)
    return {
        "headline_s": found.median,
        "headline_low_s": low,
        "headline_high_s": high,
        "share_of_bound": shown.fraction_of_bound,
    }


def against(report: Report, base: Cell | None, cell: Cell, name: str) -> Line:
    """The ratio of two headlines: how many times faster `cell` is."""
    if base is None:
        return {}
    ratio = Ratio(1.0, 1.0, 1.0) if base.id == cell.id else report.ratio(base, cell)
    return {
        name: ratio.value,
        f"{name}_low": ratio.low,
        f"{name}_high": ratio.high,
        "verdict" if name == "speedup" else "library_verdict": str(verdict(ratio)),
    }


def comparisons(report: Report, rivals: Rivals, cell: Cell, shown: Cell) -> Line:
    """Beside the serial baseline and the fastest library of the row."""
    row = cell.row
    base, library = report.baseline(row, cell.algorithm), rivals.fastest(row, cell.side)
    line: Line = {
        "baseline": base.name if base else None,
        "baseline_id": base.id if base else None,
        "library_id": library.id if library else None,
    }
    for calls in CALLS:
        if (met := rivals.fastest(row, cell.side, calls)) is not None:
            line[f"library_id_{calls_name(calls)}"] = met.id
        pairs = {
            "speedup": report.baseline(row, cell.algorithm, calls=calls),
            "library_ratio": rivals.fastest(row, cell.side, calls),
        }
        for name, other in pairs.items():
            if other is not None:
                line[f"{name}_{calls_name(calls)}"] = speedup(other.cost, shown.cost, calls)
    return (
        line
        | against(report, base, shown, "speedup")
        | against(report, library, shown, "library_ratio")
    )


def lines(report: Report, sets: frozenset[str]) -> Iterator[Line]:
    rivals = Rivals(report)
    for role, cells in (
        ("compared", report.cells), ("older", report.older), ("repeat", report.repeats),
    ):  # fmt: skip
        for cell in cells:
            line = what(cell, report, sets) | cell.line
            line |= {"role": role, "chosen": False, "best_own": False}
            if cell.ok:
                chosen = role == "compared" and (cell.row, cell.id) in rivals.chosen
                best = report.best(cell.row, cell.algorithm) if chosen else None
                shown = best or cell
                line |= {"chosen": chosen} | headline(shown)
                line["best_own"] = chosen and (cell.row, cell.id) in rivals.best_own
                if role == "compared":
                    line |= comparisons(report, rivals, cell, shown)
            yield line


def table(report: Report, sets: Iterable[str] = ()) -> pd.DataFrame:
    """All cells of the report, in the order of their keys; `sets` names its measurement sets."""
    found = list(lines(report, frozenset(sets) | report.context))
    columns: dict[str, Any] = {
        c.name: pd.Series([line.get(c.name) for line in found], dtype=c.kind) for c in COLUMNS
    }
    order = ["machine", "problem", "matrix", "instance", "algorithm", "parameters", "role", "id"]
    return pd.DataFrame(columns).sort_values(order, ignore_index=True)


def load_cells(place: str | Path) -> pd.DataFrame:
    """The cells of a run (`results/<name>/`), of a measurement set (`h200`), or of a file that
    `write` made. Raises RecordsError for a name that is none of these."""
    file = Path(place)
    if file.suffix == ".parquet" and file.is_file():
        return pd.read_parquet(file)
    if (run := RUNS / place / "cells.parquet").is_file():
        return pd.read_parquet(run)
    folder = file if file.is_dir() else MEASUREMENTS / place
    if any(folder.glob("*.jsonl")):
        return table(of_set(folder), [folder.name])
    runs = sorted(path.parent.name for path in RUNS.glob("*/cells.parquet"))
    sets = sorted({path.parent.name for path in MEASUREMENTS.glob("*/*.jsonl")})
    raise RecordsError(
        f"{place} is no run (known: {', '.join(runs) or 'none'}), no set (known: "
        f"{', '.join(sets) or 'none'}) and no .parquet file"
    )


def of_set(folder: Path) -> Report:
    """What a measurement set holds."""
    return load(
        sorted(folder.glob("*.jsonl")),
        sorted(folder.glob("matrices/*.json")),
        sorted(folder.glob("catalogue/*.json")),
    )


def write(cells: pd.DataFrame, files: Iterable[Path]) -> None:
    """Each file by its suffix: .parquet or .csv."""
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".parquet":
            cells.to_parquet(file, index=False)
        else:
            cells.to_csv(file, index=False, lineterminator="\n")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--sets", nargs="*", default=[], help="measurement sets among the records")
    parser.add_argument("--out", type=Path, nargs="+", required=True, help=".parquet and .csv")
    options = parser.parse_args(arguments)
    sets = of_sets(options.sets, options.records)
    write(table(load_arguments(options), sets), options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
