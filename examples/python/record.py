"""Runs all examples and writes one JSON file: machine, versions, sizes and all samples.

`--print` shows the file's text on one line besides, for machines that give nothing else back. With
`--table` nothing runs: the Markdown table of recorded files is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RECORDS = HERE / "records"
BEGIN, END = "<!-- examples: made by examples/python/record.py -->", "<!-- examples end -->"

SIZES = {
    "small": {
        "gnn_layer": "--vertices 300 --degree 4 --features 8",
        "solver_transposing": "--unknowns 100 --equations 500",
        "count_triangles": "--vertices 200 --edges 2000",
    },
    "host": {"gnn_layer": "", "solver_transposing": "", "count_triangles": ""},
    "device": {
        "gnn_layer": "--vertices 200000 --degree 32 --features 128",
        "solver_transposing": "--unknowns 500000 --equations 2000000",
        "count_triangles": "--vertices 1000000 --edges 4000000",
    },
}


def run(name: str, arguments: list[str], folder: Path) -> tuple[dict[str, Any], str]:
    """The record of an example, and "" or why there is none."""
    file = folder / f"{name}.json"
    program = [sys.executable, "-W", "ignore", str(HERE / f"{name}.py")]
    done = subprocess.run(
        [*program, *arguments, "--json", str(file)], stderr=subprocess.PIPE, text=True
    )
    if done.returncode == 0:
        return json.loads(file.read_text()), ""
    return {}, (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]


def commit() -> str:
    """The commit of the checkout, $SPARSEREPRO_COMMIT where there is no git, else "unknown"."""
    if named := os.environ.get("SPARSEREPRO_COMMIT"):
        return named
    try:
        done = subprocess.run(
            ["git", "-C", str(HERE), "rev-parse", "HEAD"], capture_output=True, text=True
        )
    except FileNotFoundError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def record(machine: str, device: str, sizes: str, samples: int) -> dict[str, Any]:
    """All examples in one record; what they have in common stands once."""
    whole: dict[str, Any] = {"machine": machine, "commit": commit(), "examples": {}, "failed": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name, words in SIZES[sizes].items():
            print(name, flush=True)
            arguments = [*words.split(), "--device", device, "--samples", str(samples)]
            one, reason = run(name, arguments, Path(folder))
            if reason:
                whole["failed"][name] = reason
                print(f"  {reason}", flush=True)
                continue
            for common in ("device", "host", "versions"):
                whole[common] = one.pop(common)
            del one["example"]
            whole["examples"][name] = one
    return whole


def groups(times: dict[str, Any], title: str = "") -> Iterator[tuple[str, dict[str, list[float]]]]:
    """The times of what is compared, under its title; single times are no comparison."""
    if all(isinstance(samples, list) for samples in times.values()):
        if len(times) > 1:
            yield title, times
        return
    for name, inner in times.items():
        yield from groups(inner, name)


def table(records: list[dict[str, Any]]) -> str:
    """A line for each time, by machine; "" without records."""
    if not records:
        return ""
    lines = [
        "| machine | example | sizes | what | way | ms | over ours |",
        "| --- | --- | --- | --- | --- | ---: | ---: |",
    ]
    for one in records:
        for name, example in one["examples"].items():
            sizes = ", ".join(f"{size} {what}" for what, size in example["sizes"].items())
            for what, times in groups(example["milliseconds"]):
                ours = statistics.median(next(iter(times.values())))
                for way, samples in times.items():
                    median = statistics.median(samples)
                    cells = (one["machine"], f"`{name}`", sizes, what or "the whole", way)
                    lines.append(f"| {' | '.join(cells)} | {median:.3g} | {median / ours:.2f} |")
    machines = [
        f"- {one['machine']}: {one['device']}; {one['host']}; commit {one['commit'][:7]}"
        for one in records
    ]
    return "\n".join([*lines, "", *machines]) + "\n"


def recorded(folder: Path = RECORDS) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def updated(page: str, records: list[dict[str, Any]]) -> str:
    """The page with the table of these records between its marks. ValueError without marks."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"the page has no {BEGIN} and {END}")
    inner = table(records)
    return before + begin + "\n" + (f"\n{inner}\n" if inner else "") + end + after


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="records/MACHINE.json here")
    parser.add_argument("--machine", help="its name in the table [the file's]")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where [cpu]")
    parser.add_argument("--sizes", choices=SIZES, help="[host on the CPU, device on CUDA]")
    parser.add_argument("--samples", type=int, default=11, help="timed calls of each [11]")
    parser.add_argument("--print", action="store_true", help="show the text of the file besides")
    parser.add_argument("--table", action="store_true", help="print the table of recorded files")
    parser.add_argument("--page", type=Path, help="write that table between the marks of a page")
    options = parser.parse_args()
    if options.table or options.page:
        if options.table:
            print(table(recorded()), end="")
        if options.page:
            options.page.write_text(updated(options.page.read_text(), recorded()))
        return 0
    if options.file is None:
        parser.error("where to write the record?")
    sizes = options.sizes or ("host" if options.device == "cpu" else "device")
    machine = options.machine or options.file.stem
    whole = record(machine, options.device, sizes, options.samples)
    options.file.write_text(json.dumps(whole, indent=1) + "\n")
    if options.print:
        print(json.dumps(whole))
    print(f"{len(whole['examples'])} of {len(SIZES[sizes])} examples: {options.file}")
    return 1 if whole["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
