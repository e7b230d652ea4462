"""Tables of what each path of an own algorithm is worth, from the records of an ablation.

    python -m sparserepro.ablation report/ablations/h200/spmm.jsonl --algorithm cuda_csr_balanced

A row is an instance; its cells are times relative to `path=auto` of the same driver run.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sparserepro import program

_OF_INSTANCE = ("value_type", "k", "threads")
_FIRST = {"path": "auto", "ranks": "addition", "tile": "auto"}


def _instance(record: dict[str, Any]) -> tuple[str, ...]:
    parameters = record["parameters"]
    known = [f"{name}={parameters[name]}" for name in _OF_INSTANCE if name in parameters]
    return (record["matrix"]["name"], *(text.removeprefix("value_type=") for text in known))


def table(paths: Iterable[Path], algorithm: str, tile: str = "auto") -> list[str]:
    """Lines of a Markdown table; the fastest library of the run stands last, where there is one."""
    times: dict[tuple[str, ...], dict[str, list[float]]] = {}
    libraries: dict[tuple[str, ...], list[float]] = {}
    names: dict[str, None] = {}
    for path in paths:
        for line in path.read_text().splitlines():
            record = json.loads(line)
            if record["status"] != "ok":
                continue
            parameters, key = record["parameters"], _instance(record)
            median = statistics.median(record["timing"]["kernel_s"])
            if record["peer"]:
                libraries.setdefault(key, []).append(median)
            chosen = all(
                parameters.get(name, first) == (tile if name == "tile" else first)
                for name, first in _FIRST.items()
                if name != "path"
            )
            if record["algorithm"] == algorithm and "path" in parameters and chosen:
                names[parameters["path"]] = None
                times.setdefault(key, {}).setdefault(parameters["path"], []).append(median)
    columns = [name for name in names if name != "auto"]
    peer = any(key in libraries for key in times)
    head = ["matrix", "auto, us", *columns, *(["library"] if peer else [])]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " --- |" * (len(head) - 1)]
    for key, found in sorted(times.items()):
        if "auto" not in found:
            continue
        base = statistics.median(found["auto"])
        cells = [
            f"{statistics.median(found[name]) / base:.2f}" if name in found else ""
            for name in columns
        ]
        if peer:
            cells.append(f"{min(libraries[key]) / base:.2f}" if key in libraries else "")
        lines.append("| " + " | ".join([", ".join(key), f"{base * 1e6:.1f}", *cells]) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "records", type=Path, nargs="+", help="files of records, one JSON object per line"
    )
    parser.add_argument("--algorithm", required=True, help="own algorithm with a parameter path")
    parser.add_argument("--tile", default="auto", help="value of the parameter tile [auto]")
    options = parser.parse_args()
    print("\n".join(table(options.records, options.algorithm, options.tile)))


if __name__ == "__main__":
    sys.exit(program.run(main))
