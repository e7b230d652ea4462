"""The command line of `sparserepro`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sparserepro import compare, trace
from sparserepro.bundle import arguments as bundles
from sparserepro.bundle.errors import BundleError
from sparserepro.fetch import arguments as fetching
from sparserepro.records import RecordsError
from sparserepro.run.expression import command as expression


def percent(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1000:
        raise argparse.ArgumentTypeError(f"{text} is not a percentage from 0 to 1000")
    return value


def number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a number of cells")
    return int(text)


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sparserepro",
        description="Compares measurements, traces numbers of the report to their records, "
        "downloads matrices, and carries measurements from one machine to another.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    two = commands.add_parser(
        "compare",
        help="compare two measurements of the same cells",
        description="Joins the cells of two measurements and says which became faster or slower.",
    )
    two.add_argument(
        "before",
        type=Path,
        help="first records: a file, a folder, or the name of a run or of a measurement set",
    )
    two.add_argument("after", type=Path, help="second records, given alike")
    two.add_argument(
        "--problem",
        action="append",
        default=[],
        help="compare this problem alone; may be given several times",
    )
    two.add_argument(
        "--algorithm",
        action="append",
        default=[],
        help="compare this algorithm alone; may be given several times",
    )
    two.add_argument(
        "--least", type=percent, default=3.0, metavar="PERCENT",
        help="count smaller differences as none [3]",
    )  # fmt: skip
    two.add_argument(
        "--all", action="store_true", help="list every cell, not only the changed ones"
    )
    two.add_argument("--top", type=number, default=20, help="number of changed cells to list [20]")
    two.add_argument(
        "--fail-on-slower",
        action="store_true",
        help="exit with code 1 if a cell became slower, or is skipped after; else with 3 if an "
        "UNCLEAR one is slower by more than --least, as one with too few samples",
    )
    two.set_defaults(run=compare.command)
    one = commands.add_parser(
        "trace",
        help="name the records behind a number of the report",
        description="Names the records behind a number of the report, and the command that "
        "measures them again. Some words of a name suffice.",
    )
    one.add_argument(
        "table",
        nargs="?",
        help='a table or figure by its label or number, as in "Table 12", or the id of a record; '
        "without it all tables and figures are listed",
    )
    one.add_argument("row", nargs="?", help="row of the table: matrix and parameters")
    one.add_argument("column", nargs="?", help="column of the table: algorithm or heading")
    one.add_argument(
        "--run", dest="run_name", metavar="NAME", help="run whose report is traced [the newest]"
    )
    one.add_argument("--all", action="store_true", help="describe every record in full")
    one.add_argument("--json", action="store_true", help="print JSON")
    one.set_defaults(run=trace.command)
    bundles.add_export(commands)
    bundles.add_import(commands)
    fetching.add_to(commands)
    expression.add_to(commands)
    page = commands.add_parser(
        "explorer",
        help="make an HTML page to explore measured cells",
        description="Writes one HTML file that shows the cells of a measurement in a browser.",
    )
    page.add_argument(
        "cells", help="name of a run or of a measurement set, or a file cells.parquet"
    )
    page.add_argument(
        "--out", type=Path, required=True, help="file to write, for example h200.html"
    )
    page.set_defaults(run=explorer)
    return parser


def explorer(options: argparse.Namespace) -> int:
    # The other commands do without pandas.
    from sparserepro.data.cells import load_cells
    from sparserepro.render.html.page import name_of, write

    write(load_cells(options.cells), name_of(options.cells), options.out)
    print(options.out)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    options = make_parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (RecordsError, BundleError) as error:
        print(f"sparserepro: {error}", file=sys.stderr)
        return 2
