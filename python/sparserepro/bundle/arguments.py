"""The options of `sparserepro export` and `sparserepro import`."""

import argparse
from pathlib import Path
from typing import Any

from sparserepro.paths import ROOT, folder


def add_export(commands: Any) -> None:
    parser = commands.add_parser(
        "export",
        help="pack what a machine without a network needs to measure",
        description="Writes one archive with sources, configuration, jobs, matrices and headers. "
        "On the other machine its program `./measure` builds, measures and packs the results.",
    )
    add = parser.add_argument
    add("--configfile", type=Path, required=True, help="what to measure, as in config/archive.yaml")
    add("--seed", type=int, metavar="N", help="of what the configuration draws")
    add("--output", type=Path, required=True, help="archive to write: box.tar.gz or box.tar")
    add(
        "--staging", type=folder, action="append", default=[], metavar="FOLDER",
        help="folder to look for matrices in first; may be given several times",
    )  # fmt: skip
    add(
        "--without-matrices", dest="matrices", action="store_false",
        help="leave the matrix files out; ./measure --matrices then names a folder that has them",
    )  # fmt: skip
    add(
        "--wheels", action=argparse.BooleanOptionalAction, default=False,
        help="also pack the Python packages, for a machine that runs the whole workflow",
    )  # fmt: skip
    add(
        "--cores", type=int, default=16, metavar="N",
        help="cores of the other machine, up to which `threads: auto` counts [16]",
    )  # fmt: skip
    add(
        "--build", type=Path, default=Path("build"), metavar="FOLDER",
        help="build tree whose drivers list the algorithms; no GPU is needed [build]",
    )  # fmt: skip
    parser.set_defaults(run=run_export)


def add_import(commands: Any) -> None:
    parser = commands.add_parser(
        "import",
        help="make a measurement set of the results of another machine",
        description="Validates the results of `./measure` (hashes, schema, rules of the archive) "
        "and writes them to report/measurements/<machine>/.",
    )
    add = parser.add_argument
    add(
        "results",
        type=Path,
        nargs="+",
        help="results-<machine>.tar.gz, one or several of one machine",
    )
    add("--name", help="refuse results whose machine has another name")
    whole = parser.add_mutually_exclusive_group()
    whole.add_argument("--replace", action="store_true", help="replace the set of the machine")
    whole.add_argument(
        "--part",
        metavar="NAME",
        help="replace in the set of the machine what `./measure --part NAME` measured, device or "
        "host of each problem, and keep the rest, which may be of another commit",
    )
    add("--dry-run", action="store_true", help="validate and report, but write nothing")
    parser.set_defaults(run=run_import)


def run_export(options: argparse.Namespace) -> int:
    from sparserepro.bundle import export  # only now: it loads what other commands do without

    return export.command(options, ROOT)


def run_import(options: argparse.Namespace) -> int:
    from sparserepro.bundle import importing

    return importing.command(options, ROOT)
