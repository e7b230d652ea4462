"""Makes report.html: a page that shows the measured cells, and needs nothing beside itself.

Data, style sheets and scripts lie in the file; a policy in its head keeps it from loading anything.
The page depends on the cells and the name alone.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup

from sparserepro.data.cells import read
from sparserepro.data.columns import EXPLORED
from sparserepro.data.frames import GRID, PROBLEM_TITLES
from sparserepro.records import RecordsError
from sparserepro.render.html.packing import pack, text

ASSETS = Path(__file__).resolve().parent / "assets"
PURE = ("numbers", "table", "address", "selection", "comparison")
"""Scripts that know no document; tests run them by themselves."""
SCRIPTS = (
    *PURE, "elements", "tips", "marks", "record", "filters", "winners", "findings", "overview",
    "classes", "matrices", "calls", "cells", "main",
)  # fmt: skip
STYLES = ("theme", "layout", "parts", "views")


def joined(names: Sequence[str], suffix: str) -> str:
    return "\n".join((ASSETS / f"{name}.{suffix}").read_text() for name in names)


def script() -> str:
    """All scripts as one function, in strict mode."""
    return f'"use strict";\n(() => {{\n{joined(SCRIPTS, "js")}}})();\n'


def inside_script(data: Any) -> Markup:
    """JSON for a script element: no character of it ends the element."""
    found = text(data)
    for character in "<>&":
        found = found.replace(character, f"\\u{ord(character):04x}")
    return Markup(found)


def digest(element: str) -> str:
    """What the page's policy names a script or a style sheet by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(element.encode()).digest()).decode()


def embedded(cells: pd.DataFrame, name: str) -> dict[str, Any]:
    """What the scripts read: the cells, and what the columns are."""
    shown = [c for c in EXPLORED if c.name in cells.columns]
    return {
        "name": name,
        "size": len(cells),
        "columns": [[c.name, c.unit, c.meaning] for c in shown],
        "titles": PROBLEM_TITLES,
        "grid": GRID,
        "cells": pack(cells[[c.name for c in shown]]),
    }


def render(cells: pd.DataFrame, name: str) -> str:
    """The page of these cells. Raises RecordsError where there are none."""
    if cells.empty:
        raise RecordsError(f"{name} has no cells to show")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    code, style = script(), joined(STYLES, "css")
    return environment.get_template("page.html.j2").render(
        name=name,
        data=inside_script(embedded(cells, name)),
        script=Markup(code),
        style=Markup(style),
        script_digest=digest(code),
        style_digest=digest(style),
    )


def name_of(place: str | Path) -> str:
    """The name of a run or a set; of a file, that of its folder."""
    path = Path(place)
    return path.resolve().parent.name if path.suffix == ".parquet" else path.name


def write(cells: pd.DataFrame, name: str, out: Path) -> None:
    page = render(cells, name)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page, encoding="utf-8", newline="\n")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="sparserepro.render.html", description=__doc__)
    parser.add_argument("--cells", type=Path, required=True, help="cells.parquet")
    parser.add_argument("--out", type=Path, required=True, help="the page")
    parser.add_argument("--name", help="of the run [the folder of the cells]")
    options = parser.parse_args(arguments)
    name = options.name or name_of(options.cells)
    try:
        write(read(options.cells), name, options.out)
    except RecordsError as error:
        print(f"explorer: {error}", file=sys.stderr)
        return 1
    return 0
