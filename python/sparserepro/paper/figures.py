"""The figures of the report, each from the table of cells."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from sparserepro.imports import modules_of
from sparserepro.paper import drawings
from sparserepro.paper.contests import contests, leading
from sparserepro.paper.plate import Mark, Plate
from sparserepro.plots import style


def plates() -> dict[str, Plate]:
    """Every figure by its name. Raises ValueError where two have one name."""
    found: dict[str, Plate] = {}
    for module in modules_of(drawings.__name__):
        for plate in importlib.import_module(module).PLATES:
            if plate.name in found:
                raise ValueError(f"two figures of the report are named {plate.name}")
            found[plate.name] = plate
    return found


def write(cells: pd.DataFrame, folder: Path) -> Mapping[Plate, Sequence[Mark]]:
    """The figures that the cells allow, as PDF; returns them with their marks."""
    style.apply()
    folder.mkdir(parents=True, exist_ok=True)
    met = {(c.problem, c.side): c for c in leading(contests(cells))}
    made = {}
    for plate in plates().values():
        drawn = plate.draw(met, cells)
        if drawn is not None:
            style.save(drawn.figure, folder / f"{plate.name}.pdf")
            made[plate] = drawn.marks
    return made
