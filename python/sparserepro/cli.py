"""The command line of `sparserepro`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sparserepro import compare, trace
from sparserepro.bundle import arguments as bundles
from sparserepro.bundle.errors import BundleError
from sparserepro.records import RecordsError
from sparserepro.run.expression import command as expression


def percent(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1000:
        raise argparse.ArgumentTypeError(f"{text} is no percentage from 0 to 1000")
    return value


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sparserepro", description="Tools for measurements.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    two = commands.add_parser(
        "compare",
        help="compare two measurements of the same cells",
        description="Joins the cells of two measurements and says which became faster or slower.",
    )
    two.add_argument(
        "before", type=Path, help="records: a file, a folder, or the name of a run or a set"
    )
    two.add_argument("after", type=Path, help="the other records")
    two.add_argument("--problem", action="append", default=[], help="of this problem alone")
    two.add_argument("--algorithm", action="append", default=[], help="of this algorithm alone")
    two.add_argument(
        "--least", type=percent, default=3.0, metavar="PERCENT",
        help="differences below it count as the same [3]",
    )  # fmt: skip
    two.add_argument("--all", action="store_true", help="list every cell, not the changed ones")
    two.add_argument("--top", type=int, default=20, help="changed cells to list [20]")
    two.add_argument(
        "--fail-on-slower", action="store_true", help="exit with 1 where a cell became slower"
    )
    two.set_defaults(run=compare.command)
    one = commands.add_parser(
        "trace",
        help="name the records behind a number of the report",
        description="Names the records behind a number of the report, and the command that "
        "measures them again. A name is matched whole, else by the words that it has.",
    )
    one.add_argument(
        "table",
        nargs="?",
        help='label or number of a table or figure: "Table 12"; or the id of a record',
    )
    one.add_argument("row", nargs="?", help="matrix and parameters, or words of them")
    one.add_argument("column", nargs="?", help="algorithm or head, or words of it")
    one.add_argument(
        "--run", dest="run_name", metavar="NAME", help="of this run [whose report is the newest]"
    )
    one.add_argument("--all", action="store_true", help="tell every record at length")
    one.add_argument("--json", action="store_true", help="for machines")
    one.set_defaults(run=trace.command)
    bundles.add_export(commands)
    bundles.add_import(commands)
    expression.add_to(commands)
    page = commands.add_parser(
        "explorer",
        help="make a page to explore measured cells",
        description="Writes one file that shows the cells of a measurement in a browser.",
    )
    page.add_argument("cells", help="the name of a run or a set, or cells.parquet")
    page.add_argument("--out", type=Path, required=True, help="the page, for example h200.html")
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
    except BrokenPipeError:
        return 0
