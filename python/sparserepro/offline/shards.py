"""Shards of a bundle: several machines of one kind measure one each, and `sparserepro import` puts
the results together again."""

from __future__ import annotations

import argparse
import heapq
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparserepro.offline.errors import MeasureError
from sparserepro.offline.jobs import Job


@dataclass(frozen=True)
class Shard:
    number: int
    """From 1."""
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def folder(self, bundle: Path) -> Path:
        """Of its records, so that shards that share a folder of the bundle do not mix."""
        return bundle / f"shard-{self.number}-of-{self.of}"

    def jobs(self, every: list[Job]) -> list[Job]:
        """Its share of the jobs of a bundle, in their order. The same jobs give the same shards,
        which are disjoint and together all of them: the longest job goes to the shard with the
        least expected time, and of equal ones the first by name. Raises MeasureError where there
        are fewer jobs than shards."""
        if self.of > len(every):
            raise MeasureError(
                f"--shard {self}: there are {len(every)} jobs, and so no more shards"
            )
        load = [(0.0, 0, shard) for shard in range(self.of)]
        chosen = set()
        for job in sorted(every, key=lambda job: (-float(job["expected_s"]), job["output"])):
            seconds, count, least = heapq.heappop(load)
            heapq.heappush(load, (seconds + float(job["expected_s"]), count + 1, least))
            if least == self.number - 1:
                chosen.add(job["output"])
        return [job for job in every if job["output"] in chosen]

    def told(self, jobs: list[Job]) -> dict[str, Any]:
        """As the manifest of its results says it."""
        names = sorted(job["output"] for job in jobs)
        return {"number": self.number, "of": self.of, "jobs": names}


def shard(text: str) -> Shard:
    """For argparse: "2/5" is the second of five."""
    match = re.fullmatch(r"([1-9]\d{0,4})/([1-9]\d{0,4})", text)
    if match is None or int(match[1]) > int(match[2]):
        raise argparse.ArgumentTypeError(f"{text}: the second of five shards is 2/5")
    return Shard(int(match[1]), int(match[2]))
