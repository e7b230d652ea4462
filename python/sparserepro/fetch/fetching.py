"""`sparserepro fetch`: downloads the matrices of a configuration, without measuring."""

import argparse
import os
import shutil
import sys
import time
from dataclasses import replace
from typing import TextIO

from sparserepro.config.matrix_list import MatrixEntry
from sparserepro.fetch.download import Source
from sparserepro.fetch.forecast import Watch, forecast, note
from sparserepro.fetch.resolve import Obtained, Refused, Unavailable, obtain
from sparserepro.fetch.wanted import RESOURCES, chosen, planned

_EVERY_S = 0.5


class Meter(Watch):
    """Shows how far a download is, on a terminal."""

    def __init__(self, lead: str, out: TextIO):
        super().__init__()
        self._lead, self._out = lead, out
        self._shown = time.monotonic()

    def __call__(self, received: int, total: int | None) -> None:
        super().__call__(received, total)
        if self._out.isatty() and time.monotonic() - self._shown > _EVERY_S:
            self._shown = time.monotonic()
            of = f" of {total / 1e6:.1f}" if total else ""
            rate = (received - (self.first or 0)) / self.seconds / 1e6
            text = f"{self._lead}  {received / 1e6:.1f}{of} MB, {rate:.1f} MB/s"
            self._out.write(f"\r{text:<79}\r")
            self._out.flush()


def present(entry: MatrixEntry, staging: list[str], source: Source) -> Obtained | None:
    """The file of the matrix, if it is here and will do."""
    try:
        return obtain(entry, staging, replace(source, enabled=False), RESOURCES, Refused())
    except Unavailable:
        return None


def command(options: argparse.Namespace) -> int:
    """Raises ConfigError."""
    os.environ.setdefault("SPARSEREPRO_RUN", f"fetch-{os.getpid()}")  # a dead host is asked once
    plan = planned(options.configfile, seed=options.seed)
    source = Source(**plan.config["download"])
    staging = [*options.staging, *plan.config["staging"]]
    entries = chosen(plan.files, options.matrix)
    RESOURCES.mkdir(parents=True, exist_ok=True)
    absent = [entry for entry in entries if present(entry, staging, source) is None]
    print(f"{len(entries)} matrices are files; {len(entries) - len(absent)} of them are here")
    if not absent:
        return 0
    cost = forecast(absent, RESOURCES)
    free = shutil.disk_usage(RESOURCES).free
    print(f"To fetch: {cost}\n  assumed: {cost.assumed}\n  free on the disk: {free / 1e6:.0f} MB")
    if options.dry_run:
        return 0
    if options.disk_check and cost.on_disk + cost.largest > free:
        print(
            "sparserepro: the disk is too small for all of them; name some by --matrix, or begin "
            "by --no-disk-check",
            file=sys.stderr,
        )
        return 1
    fetched = sum(
        _fetched(entry, staging, source, f"[{number}/{len(absent)}] {entry.id}")
        for number, entry in enumerate(absent, 1)
    )
    print(f"Fetched {fetched} of {len(absent)} matrices")
    return 0 if fetched == len(absent) else 1


def _fetched(entry: MatrixEntry, staging: list[str], source: Source, lead: str) -> bool:
    meter = Meter(lead, sys.stderr)
    try:
        obtain(entry, staging, source, RESOURCES, Refused(), meter)
    except Unavailable as error:
        print(f"{lead}  unavailable: {error}", flush=True)
        return False
    if meter.first is not None:
        note(RESOURCES, entry.id, meter.received, meter.seconds)
    print(f"{lead}  {meter.received / 1e6:.1f} MB in {meter.seconds:.0f} s", flush=True)
    return True
