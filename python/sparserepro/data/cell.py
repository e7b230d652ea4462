"""A cell: its key, and the figures of its line in the table of cells.

Where several cells compete (the parameters of an algorithm, or the libraries of a row), one part of
their samples chooses among them and the time that is reported comes from the other part
(`stats.divided`); a cell without rivals is reported from all of its samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

from sparserepro.data.calls import Cost
from sparserepro.data.lines import PARTS, Line, summary_of
from sparserepro.data.rows import Params, Row, column_name, params_of
from sparserepro.stats import Summary, added

NAMES = {
    "kernel_s": ("median", "reported"),
    "preprocess_s": ("preparation", "reported_preparation"),
    "end_to_end_s": ("end_to_end", "end_to_end"),
}
"""Times in records, and what they are called in the table: of all samples, and of those that did
not choose. End-to-end times choose nothing and count all."""


@dataclass(frozen=True)
class Cell:
    """One line: its key and, when it was measured, the summaries of its samples (seconds).

    `algorithm` is the name of its column (`column_name`), `name` the full one.
    """

    row: Row
    algorithm: str
    params: Params
    id: str
    """Of its record."""
    line: Line = field(repr=False, compare=False)
    """What the table of cells has of it; without comparisons where it comes from a record."""
    held_out: bool = False
    """Chosen among several: it states the samples that did not choose."""
    among: tuple[Cell, ...] = field(default=(), repr=False, compare=False)
    """Those that it was chosen among, itself included."""

    @property
    def ok(self) -> bool:
        return bool(self.line["status"] == "ok")

    @property
    def name(self) -> str:
        return str(self.line["algorithm"])

    @property
    def reason(self) -> str:
        return str(self.line["reason"] or "")

    @property
    def backend(self) -> str:
        return str(self.line["backend"])

    @property
    def peer(self) -> bool:
        """Whether it wraps a third-party library."""
        return bool(self.line["peer"])

    @property
    def side(self) -> str:
        return str(self.line["side"])

    @property
    def library(self) -> str | None:
        """A peer's library with its version."""
        return " ".join(filter(None, (self.line["library"], self.line["version"]))) or None

    @property
    def run(self) -> str:
        return str(self.line["run"])

    @property
    def repeat(self) -> int:
        return int(self.line["repeat"])

    @property
    def started(self) -> str:
        """When its driver began (UTC)."""
        return str(self.line["started_utc"])

    @property
    def disturbed(self) -> int | None:
        """Disturbed samples; None on a device and where the record does not tell."""
        found = self.line.get("disturbed")
        return None if found is None else int(found)

    def summary(self, which: str) -> Summary | None:
        """Of `kernel_s`, `preprocess_s` or `end_to_end_s`; None without samples."""
        return summary_of(self.line, NAMES[which][self.held_out])

    def count(self, which: str) -> int:
        """How many samples that is of."""
        found = self.summary(which)
        return found.n if found else 0

    def end_to_end(self, transfers: str) -> dict[str, float] | None:
        """Median seconds of a cycle of allocation, transfers, preparation and execution with these
        transfers, and of its parts: `total_s`, `allocation_s`, `transfer_s`, `kernel_s`."""
        if self.line.get("transfers") == transfers:
            return {part: self.line[column] for part, column in PARTS.items()}
        if transfers == "pinned" and self.line.get("pinned_end_to_end_s") is not None:
            return {part: self.line[f"pinned_{column}"] for part, column in PARTS.items()}
        return None

    @property
    def transfers(self) -> str:
        """The transfers of the end-to-end time: none on the host, else pageable, as memory that
        nobody prepared for them, where measured."""
        return self.line.get("transfers") or "none"

    @cached_property
    def headline_calls(self) -> float:
        """Calls that the headline is for: triangle counting starts from the plain graph, so that
        the preparation (orientation) counts in full; others divide theirs by very many."""
        return 1 if self.row.problem == "triangles" else math.inf

    @cached_property
    def kernel(self) -> Summary:
        """The headline time: of one execution, in triangle counting with one preparation."""
        seconds, before = self.summary("kernel_s"), self.summary("preprocess_s")
        if seconds is None:
            raise ValueError(f"no time of {self.name} on {self.row}")
        if math.isinf(self.headline_calls) or before is None:
            return seconds
        return added(before, seconds)

    @property
    def seconds(self) -> float:
        return self.kernel.median

    @cached_property
    def cost(self) -> Cost:
        """Of the samples that are reported."""
        seconds, before = self.summary("kernel_s"), self.summary("preprocess_s")
        if seconds is None:
            raise ValueError(f"no time of {self.name} on {self.row}")
        return Cost(before.median if before else 0.0, seconds.median)

    @cached_property
    def choosing(self) -> Cost:
        """Of the samples that choose among several cells."""
        return Cost(self.line["choosing_preparation_s"], self.line["choosing_s"])

    @property
    def prepares(self) -> bool:
        return self.ok and bool(self.line["prepares"])

    @property
    def bound_seconds(self) -> float | None:
        """Least traffic of the problem over the copy bandwidth of the cell's threads or device."""
        return self.line.get("copy_bound_s")

    @property
    def fraction_of_bound(self) -> float | None:
        bound = self.bound_seconds
        return None if bound is None else bound / self.seconds

    @property
    def second_bound(self) -> tuple[str, float] | None:
        """Name and seconds of the bound that holds where the least traffic is out of reach."""
        name = self.line.get("second_bound")
        return (name, self.line["second_bound_s"]) if name else None

    @property
    def threads(self) -> int | None:
        value = dict(self.params).get("threads")
        return int(value) if value is not None else None

    def measure(self, name: str) -> float | None:
        """What a cell counted beside its time (`lines.COUNTS`)."""
        return self.line.get(name)

    @property
    def order(self) -> int:
        """Rows of the matrix."""
        return int(self.line["rows"])

    @property
    def entries(self) -> int | None:
        """Stored entries of the matrix."""
        stored: int | None = self.line["entries"]
        return stored

    @property
    def flops(self) -> float:
        return float(self.line["model_flops"])

    @property
    def work(self) -> tuple[float, str] | None:
        """Units of work of the cell and their name: flops, undirected edges, or entries."""
        if self.row.problem == "spmm":
            return self.flops, "flop"
        if self.row.problem == "triangles":
            edges = self.measure("edges")
            edges = edges if edges is not None else (self.entries or 0) / 2
            return (edges, "edge") if edges else None
        return (float(self.entries), "entry") if self.entries else None

    @property
    def gpus(self) -> int:
        """That the cell used; 0 on the host."""
        return int(self.line.get("gpus") or 0)

    @property
    def workspace(self) -> float | None:
        """Bytes of workspace for each stored entry."""
        taken = self.line["workspace_bytes"]
        return taken / self.entries if taken is not None and self.entries else None


def cell_of(line: Line) -> Cell:
    row = Row(line["machine"], line["problem"], line["matrix"], params_of(line["instance"]))
    column = column_name(line["problem"], line["algorithm"])
    return Cell(row, column, params_of(line["parameters"]), line["id"], line)
