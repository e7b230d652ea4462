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
from sparserepro.records import Record, RecordsError

_NAMED = ("value_type", "k", "threads")
"""Parameters that the name of an instance always has; of the others those that differ."""
_FIRST = {"path": "auto", "ranks": "addition", "tile": "auto"}
"""What an ablation varies. An instance is all other parameters of its algorithm, and the matrix."""

_TYPE = {"value_type": "fp64"}
"""What is meant where records of products name no type."""

Instance = tuple[str, tuple[tuple[str, Any], ...]]
"""The matrix and the parameters of an own algorithm in the order of their names."""


def _instance(record: Record) -> Instance:
    given = sorted(records.parameters(record).items())
    return record["matrix"]["name"], tuple(pair for pair in given if pair[0] not in _FIRST)


def _names(instances: Iterable[Instance]) -> dict[Instance, tuple[str, ...]]:
    """The words of the first column, matrix before parameters."""
    given = {instance: dict(instance[1]) for instance in instances}
    known = sorted({name for values in given.values() for name in values} - {*_NAMED})
    differing = [n for n in known if len({values.get(n) for values in given.values()}) > 1]
    return {
        instance: (
            instance[0],
            *(
                f"{name}={values[name]}".removeprefix("value_type=")
                for name in (*_NAMED, *differing)
                if name in values
            ),
        )
        for instance, values in given.items()
    }


@dataclass
class _Times:
    """Medians of one instance in one run of a driver."""

    paths: dict[str, list[float]]
    libraries: list[float]


def _runs(
    paths: Iterable[Path], algorithm: str, tile: str
) -> tuple[dict[Instance, list[_Times]], list[str]]:
    """The times of each instance by run, and the names of the paths. A library's time is of each
    instance of its matrix and run whose parameters it shares, as far as it has them; products in
    fp64 have no `value_type`. Raises RecordsError."""
    runs: dict[Instance, dict[tuple[str, str], _Times]] = {}
    peers: list[tuple[tuple[str, str], Record]] = []
    names: dict[str, None] = {}
    for record in (record for path in paths for record in records.read(path)):
        if record["status"] != "ok":
            continue
        run = record["machine"]["id"], record["run"]["id"]
        if record["peer"]:
            peers.append((run, record))
        parameters = records.parameters(record)
        chosen = all(
            parameters.get(name, first) == (tile if name == "tile" else first)
            for name, first in _FIRST.items()
            if name != "path"
        )
        if record["algorithm"] == algorithm and "path" in parameters and chosen:
            names[parameters["path"]] = None
            found = runs.setdefault(_instance(record), {}).setdefault(run, _Times({}, []))
            median = statistics.median(record["timing"]["kernel_s"])
            found.paths.setdefault(parameters["path"], []).append(median)
    for run, record in peers:
        given = _TYPE | record["parameters"]
        for (matrix, own), by_run in runs.items():
            alike = all(
                given.get(name, value) == value for name, value in (_TYPE | dict(own)).items()
            )
            if run in by_run and matrix == record["matrix"]["name"] and alike:
                by_run[run].libraries.append(statistics.median(record["timing"]["kernel_s"]))
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
    for key, words in sorted(_names(instances).items(), key=lambda item: item[1]):
        runs = instances[key]
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
        lines.append("| " + " | ".join([", ".join(words), f"{base * 1e6:.1f}", *cells]) + " |")
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
