"""The options of the commands that handle the matrices of a configuration."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sparserepro.paths import folder


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--configfile", type=Path, required=True, help="whose matrices, as in config/seeds.yaml"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of what the configuration draws")
    parser.add_argument(
        "--staging", type=folder, action="append", default=[], metavar="FOLDER",
        help="folder to look for matrices in first; may be given several times",
    )  # fmt: skip


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "fetch",
        help="download the matrices of a configuration",
        description="Downloads the matrices of a configuration that are not here yet, one after "
        "the other, and checks them. What stopped midway goes on where it stopped.",
    )
    _common(parser)
    add = parser.add_argument
    add(
        "--matrix", action="append", default=[], metavar="ID",
        help="this matrix alone; may be given several times",
    )  # fmt: skip
    add("--dry-run", action="store_true", help="tell the forecast and download nothing")
    add(
        "--no-disk-check", dest="disk_check", action="store_false",
        help="begin although the forecast needs more than is free on the disk",
    )  # fmt: skip
    parser.set_defaults(run=run_fetch)
    parser = commands.add_parser(
        "lock",
        help="keep the hashes and sizes of a configuration's matrices",
        description="Writes SHA-256 and size of each matrix of a configuration whose file is here "
        "and is the collection's own to config/matrices.lock. Later files have to agree.",
    )
    _common(parser)
    parser.add_argument(
        "--replace", action="store_true", help="replace hashes that differ instead of refusing"
    )
    parser.set_defaults(run=run_lock)
    parser = commands.add_parser(
        "cost",
        help="tell what a configuration takes before it runs",
        description="Tells jobs, minutes of CPU and GPU, and downloads of a configuration, from "
        "earlier records where there are any, and what it supposes of the others.",
    )
    _common(parser)
    parser.add_argument(
        "--cores", type=int, metavar="N",
        help="cores of the machine, up to which `threads: auto` counts [those of this one]",
    )  # fmt: skip
    parser.set_defaults(run=run_cost)
    parser = commands.add_parser(
        "unseen",
        help="print the matrices that a seed draws",
        description="Prints the generators' specs, the lengths and the numbers of columns that a "
        "seed draws for a configuration. Each spec is also a source for the drivers.",
    )
    parser.add_argument(
        "--configfile", type=Path, default=Path("config/unseen.yaml"),
        help="which says what is drawn [config/unseen.yaml]",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, metavar="N", required=True, help="from 0 to 999999999")
    parser.set_defaults(run=run_unseen)


def _told(command: Callable[[], int]) -> int:
    """The exit code of a command, which may raise ConfigError."""
    from sparserepro.config.check import ConfigError

    try:
        return command()
    except ConfigError as error:
        print(f"sparserepro: {error}", file=sys.stderr)
        return 2


def run_fetch(options: argparse.Namespace) -> int:
    from sparserepro.fetch import fetching  # only now: other commands do without

    return _told(lambda: fetching.command(options))


def run_cost(options: argparse.Namespace) -> int:
    from sparserepro.run import costing

    return _told(lambda: costing.command(options))


def run_unseen(options: argparse.Namespace) -> int:
    from sparserepro.run import drawn

    return _told(lambda: drawn.command(options))


def run_lock(options: argparse.Namespace) -> int:
    from sparserepro.fetch import locking

    return _told(lambda: locking.command(options))
