"""The figures that the seeds' reports print, from report/published/*.csv.

They come from other machines: they stand beside ours and enter no ratio, mean or plot of ours.
"""

from __future__ import annotations

import csv

from sparserepro.paths import REPORT

FOLDER = REPORT / "published"


def read(name: str) -> list[dict[str, str]]:
    """Rows of a CSV whose leading lines are comments that start with #."""
    with (FOLDER / f"{name}.csv").open(newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))
