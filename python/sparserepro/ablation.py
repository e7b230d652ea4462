"""Tables of what each path of an own algorithm is worth, from the records of an ablation.

    python -m sparserepro.ablation report/ablations/h200/spmm.jsonl --algorithm cuda_csr_balanced

A row is an instance; its cells are times relative to `path=auto` of the same driver run, the median
over the runs where there are several.
"""

import argparse
import statistics
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparserepro import program, records
from sparserepro.records import RecordsError

_OF_INSTANCE = ("value_type", "k", "threads")
_FIRST = {"path": "auto", "ranks": "addition", "tile": "auto"}


def _instance(record: dict[str, Any]) -> tuple[str, ...]:
    parameters = record["parameters"]
    known = [f"{name}={parameters[name]}" for name in _OF_INSTANCE if name in parameters]
    return (record["matrix"]["name"], *(text.removeprefix("value_type=") for text in known))


@dataclass
class _Times:
    """Medians of one instance in one run of a driver."""

    paths: dict[str, list[float]]
    libraries: list[float]


def _runs(
    paths: Iterable[Path], algorithm: str, tile: str
) -> tuple[dict[tuple[str, ...], list[_Times]], list[str]]:
    """The times of each instance by run, and the names of the paths. Raises RecordsError."""
    runs: dict[tuple[str, ...], dict[tuple[str, str], _Times]] = {}
    names: dict[str, None] = {}
    for record in (record for path in paths for record in records.read(path)):
        if record["status"] != "ok":
            continue
        run = record["machine"]["id"], record["run"]["id"]
        found = runs.setdefault(_instance(record), {}).setdefault(run, _Times({}, []))
        parameters = record["parameters"]
        median = statistics.median(record["timing"]["kernel_s"])
        if record["peer"]:
            found.libraries.append(median)
        chosen = all(
            parameters.get(name, first) == (tile if name == "tile" else first)
            for name, first in _FIRST.items()
            if name != "path"
        )
        if record["algorithm"] == algorithm and "path" in parameters and chosen:
            names[parameters["path"]] = None
            found.paths.setdefault(parameters["path"], []).append(median)
    return {key: list(by_run.values()) for key, by_run in runs.items()}, list(names)


def _ratio(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f}" if ratios else ""


def table(paths: Iterable[Path], algorithm: str, tile: str = "auto") -> list[str]:
    """Lines of a Markdown table; the fastest library of the run stands last, where there is one.
    Of several runs of an instance the median ratio. Raises RecordsError without measured cells.
    """
    instances, names = _runs(paths, algorithm, tile)
    if not names:
        raise RecordsError(f"no measured cell of {algorithm} with a path and tile={tile}")
    columns = [name for name in names if name != "auto"]
    peer = any(run.libraries for runs in instances.values() for run in runs if run.paths)
    head = ["matrix", "auto, us", *columns, *(["library"] if peer else [])]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " --- |" * (len(head) - 1)]
    for key, runs in sorted(instances.items()):
        based = [(statistics.median(run.paths["auto"]), run) for run in runs if "auto" in run.paths]
        if not based:
            continue
        cells = [
            _ratio(
                [statistics.median(r.paths[name]) / base for base, r in based if name in r.paths]
            )
            for name in columns
        ]
        if peer:
            cells.append(_ratio([min(r.libraries) / base for base, r in based if r.libraries]))
        base = statistics.median([base for base, _ in based])
        lines.append("| " + " | ".join([", ".join(key), f"{base * 1e6:.1f}", *cells]) + " |")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "records", type=Path, nargs="+", help="files of records, one JSON object per line"
    )
    parser.add_argument("--algorithm", required=True, help="own algorithm with a parameter path")
    parser.add_argument("--tile", default="auto", help="value of the parameter tile [auto]")
    options = parser.parse_args()
    try:
        lines = table(options.records, options.algorithm, options.tile)
    except RecordsError as error:
        print(f"ablation: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
