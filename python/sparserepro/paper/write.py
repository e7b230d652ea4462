"""Writes what the short report includes: its numbers, the table of claims, and the figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sparserepro.data.cells import load_cells
from sparserepro.paper import figures, numbers, scorecard


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", required=True, help="cells.parquet, or a run's or set's name")
    parser.add_argument("--out", type=Path, required=True, help="folder")
    options = parser.parse_args(arguments)
    cells = load_cells(options.cells)
    options.out.mkdir(parents=True, exist_ok=True)
    drawn = figures.write(cells, options.out)
    values = numbers.values(cells) | {f"drawn/{name}": name for name in drawn}
    lines = [rf"\defres{{{key}}}{{{text}}}" for key, text in values.items()]
    (options.out / "numbers.tex").write_text("\n".join(lines) + "\n")
    claims = scorecard.table(cells, numbers.machines_of(cells))
    (options.out / "claims.tex").write_text(claims)
    return 0


if __name__ == "__main__":
    sys.exit(main())
