"""Records as one table: a line for each cell, with what the report says of it.

columns.py describes the columns. The measurement sets and the run whose records are read are
those of a `Report`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sparserepro import program
from sparserepro.data import digests
from sparserepro.data.calls import CALLS, calls_name, speedup
from sparserepro.data.cell import Cell
from sparserepro.data.columns import COLUMNS
from sparserepro.data.deciding import Undecided
from sparserepro.data.lines import Line
from sparserepro.data.loading import load, of_sets
from sparserepro.data.rows import PROBLEMS
from sparserepro.paths import MEASUREMENTS
from sparserepro.records import RUNS, RecordsError
from sparserepro.stats import Ratio, verdict

_KEY = ["machine", "problem", "matrix", "instance", "algorithm", "parameters", "role", "id"]
"""Columns by which cells are in order."""


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


def against(report: Undecided, base: Cell | None, cell: Cell, name: str) -> Line:
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


def comparisons(report: Undecided, cell: Cell, chosen: bool, shown: Cell) -> Line:
    """Beside the serial baseline and the fastest library of the row. A chosen cell speaks for its
    algorithm, whose best setting for a number of calls may be another."""
    row = cell.row
    base, library = report.baseline(row, cell.algorithm), report.fastest_library(row, cell.side)
    line: Line = {
        "baseline": base.name if base else None,
        "baseline_id": base.id if base else None,
        "library_id": library.id if library else None,
    }
    for calls in CALLS:
        best = report.best(row, cell.algorithm, calls=calls) if chosen else cell
        met = report.fastest_library(row, cell.side, calls)
        line[f"library_id_{calls_name(calls)}"] = met.id if met else None
        pairs = {"speedup": report.baseline(row, cell.algorithm, calls), "library_ratio": met}
        for name, other in pairs.items():
            if other is not None and best is not None:
                line[f"{name}_{calls_name(calls)}"] = speedup(other.cost, best.cost, calls)
    return (
        line
        | against(report, base, shown, "speedup")
        | against(report, library, shown, "library_ratio")
    )


def decided(report: Undecided, cell: Cell) -> Line:
    """What a measured cell that competes is beside others of its row."""
    best = report.best(cell.row, cell.algorithm)
    chosen = best is not None and best.id == cell.id
    shown = best if best is not None and chosen else cell
    own = chosen and (cell.row, cell.algorithm) in report.best_own and not cell.peer
    found: Line = {"chosen": chosen, "best_own": own}
    return found | headline(shown) | comparisons(report, cell, chosen, shown)


def lines(report: Undecided, sets: frozenset[str]) -> Iterator[Line]:
    for role, cells in (
        ("compared", report.cells), ("older", report.older), ("repeat", report.repeats),
    ):  # fmt: skip
        for cell in cells:
            row = cell.row
            line = cell.line | {
                "set": row.machine if row.machine in sets else None,
                "class": None if row.problem == "primitives" else report.matrix_class(row.matrix),
                "role": role,
                "chosen": False,
                "best_own": False,
            }
            if cell.ok:
                line |= decided(report, cell) if role == "compared" else headline(cell)
            yield line


def table(report: Undecided, sets: Iterable[str] = ()) -> pd.DataFrame:
    """All cells of the report, in the order of their keys; `sets` names its measurement sets."""
    found = list(lines(report, frozenset(sets)))
    columns: dict[str, Any] = {
        c.name: pd.Series([line.get(c.name) for line in found], dtype=c.kind) for c in COLUMNS
    }
    return pd.DataFrame(columns).sort_values(_KEY, ignore_index=True)


def load_cells(place: str | Path) -> pd.DataFrame:
    """The cells of a run (`results/<name>/`), of a measurement set (`h200`), or of a file that
    `write` made. Raises RecordsError for a name that is none of these, and for another file."""
    file = Path(place)
    if file.suffix == ".parquet" and file.is_file():
        return read(file)
    if (run := RUNS / place / "cells.parquet").is_file():
        return read(run)
    folder = file if file.is_dir() else MEASUREMENTS / place
    if any(folder.glob("*.jsonl")):
        return table(of_set(folder), [folder.name])
    runs = sorted(path.parent.name for path in RUNS.glob("*/cells.parquet"))
    sets = sorted({path.parent.name for path in MEASUREMENTS.glob("*/*.jsonl")})
    raise RecordsError(
        f"{place} is neither a run (known: {', '.join(runs) or 'none'}), nor a set (known: "
        f"{', '.join(sets) or 'none'}), nor a .parquet file"
    )


def read(file: Path) -> pd.DataFrame:
    """A .parquet file that `write` made. Raises RecordsError for another one."""
    try:
        found = pd.read_parquet(file)
    except (ValueError, OSError, NotImplementedError, TypeError, LookupError) as error:
        why = str(error).partition("\n")[0]
        raise RecordsError(f"{file} is no table of cells: {why}") from None
    if lacking := [name for name in _KEY if name not in found]:
        raise RecordsError(f"{file} is no table of cells: it lacks {', '.join(lacking)}")
    return found


def of_set(folder: Path) -> Undecided:
    """What a measurement set holds. Raises RecordsError where its files are not those archived."""
    try:
        digests.check_known(sorted(folder.glob("*.jsonl")))
    except digests.Altered as error:
        raise RecordsError(str(error)) from None
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
    parser.add_argument("--records", type=Path, required=True, help="records.jsonl")
    parser.add_argument("--matrices", type=Path, nargs="*", default=[], help="matrix facts, JSON")
    parser.add_argument("--catalogues", type=Path, nargs="*", default=[], help="catalogues, JSON")
    parser.add_argument(
        "--problems", nargs="*", default=PROBLEMS, metavar="PROBLEM", help="of these alone [all]"
    )
    parser.add_argument("--sets", nargs="*", default=[], help="measurement sets among the records")
    parser.add_argument("--out", type=Path, nargs="+", required=True, help=".parquet and .csv")
    options = parser.parse_args(arguments)
    try:
        digests.check_known([options.records])
    except digests.Altered as error:
        print(error, file=sys.stderr)
        return 1
    found = load(options.records, options.matrices, options.catalogues, options.problems)
    made = table(found, of_sets(options.sets, options.records))
    if made.empty:
        print(
            "There is no report: nothing was measured, and report.sets has no record.",
            file=sys.stderr,
        )
        return 1
    write(made, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
