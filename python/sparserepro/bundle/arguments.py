"""The options of `sparserepro export` and `sparserepro import`."""

import argparse
from pathlib import Path
from typing import Any

from sparserepro.paths import ROOT


def add_export(commands: Any) -> None:
    parser = commands.add_parser(
        "export",
        help="pack all that a machine without a network needs to measure",
        description="Writes one file: sources, configuration, jobs, matrices, headers. "
        "On the other machine `./measure` in it builds, measures and packs the results.",
    )
    add = parser.add_argument
    add("--configfile", type=Path, required=True, help="what to measure: config/archive.yaml")
    add("--output", type=Path, required=True, help="file to be written: box.tar.gz, or box.tar")
    add(
        "--staging", action="append", default=[], metavar="FOLDER",
        help="look for matrices there first; may be given several times",
    )  # fmt: skip
    add(
        "--without-matrices", dest="matrices", action="store_false",
        help="pack no files of matrices; ./measure --matrices names a folder of them",
    )  # fmt: skip
    add(
        "--wheels", action=argparse.BooleanOptionalAction, default=False,
        help="download the Python packages too, for a machine that is to run the whole workflow",
    )  # fmt: skip
    add(
        "--cores", type=int, default=16, metavar="N",
        help="what `threads: auto` counts to: cores of the other machine [16]",
    )  # fmt: skip
    add(
        "--build", type=Path, default=Path("build"), metavar="FOLDER",
        help="build tree of this machine, for names of algorithms; no GPU is needed [build]",
    )  # fmt: skip
    parser.set_defaults(run=run_export)


def add_import(commands: Any) -> None:
    parser = commands.add_parser(
        "import",
        help="make a measurement set of results that came back",
        description="Validates the results of `./measure` by hash, schema and the rules of entry, "
        "and writes them to report/measurements/<machine>/.",
    )
    add = parser.add_argument
    add("results", type=Path, nargs="+", help="results-<machine>.tar.gz; several of one machine")
    add("--name", help="refuse results of a machine of another name")
    add("--replace", action="store_true", help="put the results in the place of the machine's set")
    add("--dry-run", action="store_true", help="validate and tell, and write nothing")
    parser.set_defaults(run=run_import)


def run_export(options: argparse.Namespace) -> int:
    from sparserepro.bundle import export  # only now: it loads what other commands do without

    return export.command(options, ROOT)


def run_import(options: argparse.Namespace) -> int:
    from sparserepro.bundle import importing

    return importing.command(options, ROOT)
