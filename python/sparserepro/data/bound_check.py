"""Finds records that beat their lower bound by more than the cache can explain.

No algorithm moves its least traffic, `model.bytes`, faster than the machine's highest streaming
rate, `copy_bytes_per_s`, but for what the last-level cache still holds from the execution before.
A record is held to its bound where the traffic is at least four times that cache; its share of the
bound, model.bytes / (copy_bytes_per_s * time), must not exceed 1 + cache / model.bytes.
docs/bounds.md has the derivation.

    python -m sparserepro.data.bound_check RECORDS.jsonl...

prints the records that do, and exits with 1 where there are any.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.stats import median

Record = dict[str, Any]

LEAST_TRAFFIC = 4  # of the last-level cache


@dataclass(frozen=True)
class Violation:
    """A record above its bound: `share` of the bound where `allowed` is the most."""

    record: Record
    share: float
    allowed: float

    def __str__(self) -> str:
        parameters = ", ".join(f"{n}={v}" for n, v in self.record["parameters"].items())
        return (
            f"{self.record['machine']['id']}, {self.record['problem']}, "
            f"{self.record['matrix']['name']}, {self.record['algorithm']} ({parameters}): "
            f"{100 * self.share:.1f} % of the lower bound, at most {100 * self.allowed:.1f} % "
            f"can be explained"
        )


def cache_bytes(record: Record) -> int:
    """The cache that all threads or multiprocessors share; 0 where the system does not tell."""
    machine = record["machine"]
    if record["backend"] == "cuda":
        return int(machine["gpu"]["l2_bytes"]) if machine["gpu"] else 0
    return int(machine["last_level_cache_bytes"])


def is_held(record: Record) -> bool:
    """Whether the record was measured, and its traffic is large beside a cache that is known."""
    cache = cache_bytes(record)
    return (
        record["status"] == "ok"
        and bool(record["copy_bytes_per_s"])
        and cache > 0
        and record["model"]["bytes"] >= LEAST_TRAFFIC * cache
    )


def share_of_bound(record: Record) -> float:
    """The time of the bound over the median of the record's samples; 1: as fast as the bound."""
    bound = record["model"]["bytes"] / record["copy_bytes_per_s"]
    return float(bound / median(record["timing"]["kernel_s"]))


def allowed_share(record: Record) -> float:
    """1, and the cache's share of the traffic."""
    return float(1 + cache_bytes(record) / record["model"]["bytes"])


def violations(records: Iterable[Record]) -> Iterator[Violation]:
    for record in records:
        if is_held(record) and share_of_bound(record) > allowed_share(record):
            yield Violation(record, share_of_bound(record), allowed_share(record))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", type=Path, nargs="+", help="files of records, one per line")
    held = 0
    found: list[Violation] = []
    for path in parser.parse_args(arguments).records:
        lines = program.json_lines(path.read_text(encoding="utf-8"))
        records = [json.loads(line) for _, line in lines]
        held += sum(is_held(record) for record in records)
        found += violations(records)
    for violation in found:
        print(violation)
    print(f"{held} records held to their bound, {len(found)} above it")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(program.run(main))
