"""Writes what the short report includes: its numbers, the table of claims, and the figures."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from sparserepro import program
from sparserepro.data.cells import load_cells
from sparserepro.paper import figures, numbers, scorecard, tables, traces, worth
from sparserepro.paper.contests import contests, leading, machines_of


def write(cells: pd.DataFrame, out: Path) -> None:
    """The files that report.tex includes from `parts/`."""
    out.mkdir(parents=True, exist_ok=True)
    drawn = figures.write(cells, out)
    found = list(contests(cells))
    values = numbers.values(cells) | {
        f"drawn/{plate.name}": f"parts/{plate.name}.pdf" for plate in drawn
    }
    parts = {"classes": tables.classes(leading(found)), "between": tables.between(found)}
    values |= {f"paper/{name}": "" for name, text in parts.items() if text}
    texts = {
        "numbers": "".join(rf"\defres{{{key}}}{{{text}}}" + "\n" for key, text in values.items()),
        "claims": scorecard.table(cells, machines_of(cells)),
        "summary": tables.summary(found) if found else "",
        **parts,
        "worth": worth.page(cells),
        "machines": tables.machines(cells),
        "matrices": tables.matrices(cells),
    }
    for name, text in texts.items():
        (out / f"{name}.tex").write_text(text)
    traced = traces.written(cells, found, machines_of(cells), drawn)
    (out / "trace.json").write_text(json.dumps(traced, separators=(",", ":")) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--cells", required=True, help="cells.parquet, or the name of a run or a measurement set"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    options = parser.parse_args(arguments)
    write(load_cells(options.cells), options.out)
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
