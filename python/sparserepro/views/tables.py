"""Writes every view: its tables in one file, and their labels.

A view such as `transpose-times` may have several tables, one for each machine; one without data
gives an empty file. `refs.tex` defines the labels of each view that has any, for \\floatref and
\\ifthere in the sections, and the views of each section, for \\remaining. `trace.json` says from
which records each figure comes. `matrices.bib` has the references of the collection's matrices.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Iterable
from pathlib import Path

from sparserepro import program
from sparserepro import views as package
from sparserepro.data import traces
from sparserepro.data.frames import Report
from sparserepro.data.reading import add_arguments, read_arguments
from sparserepro.render.tabular import render_table
from sparserepro.views.credits import bibliography
from sparserepro.views.view import View


def views() -> dict[str, View]:
    """The views of all modules of the package, by their keys."""
    found: dict[str, View] = {}
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if module.name == "tables":
            continue
        made = importlib.import_module(f"{package.__name__}.{module.name}")
        for view in getattr(made, "VIEWS", ()):
            if view.key in found:
                raise ValueError(f"two views are named {view.key}")
            found[view.key] = view
    return found


def references(labels: dict[str, list[str]]) -> str:
    """\\defref lines for the keys that have labels."""
    return "".join(
        rf"\defref{{{key}}}{{{','.join(found)}}}" + "\n" for key, found in labels.items() if found
    )


def places(found: Iterable[View]) -> str:
    """\\defviews lines: the views of each section."""
    sections: dict[str, list[str]] = {}
    for view in found:
        sections.setdefault(view.section, []).append(view.key)
    return "".join(
        rf"\defviews{{{section}}}{{{','.join(keys)}}}" + "\n" for section, keys in sections.items()
    )


def write(report: Report, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    labels: dict[str, list[str]] = {}
    ledger = traces.Ledger()
    traced: dict[str, traces.Traced] = {}
    every = views()
    for key, view in every.items():
        made = view.tables(report)
        labels[key] = [table.label for table in made]
        traced |= {table.label: traces.of_table(table, ledger) for table in made}
        text = "\n".join(render_table(table) for table in made)
        (out / f"{key}.tex").write_text(text or "% no data\n")
    (out / "refs.tex").write_text(references(labels) + places(every.values()))
    (out / "matrices.bib").write_text(bibliography(report))
    traces.write(out, traced, ledger)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for the .tex files")
    args = parser.parse_args()
    write(read_arguments(args), args.out)


if __name__ == "__main__":
    sys.exit(program.run(main))
