"""The matrix expression sum((A*A).*A)/6 as its users write it, in GNU Octave or SciPy: Algorithm 1
of the triangle seed, whose baseline was this line in MATLAB.

It runs after the driver's job, on the same machine. The graph is the one that `matrix_info --graph`
makes of the matrix; the count has to be that of the job's record of `serial`. Each tool gives one
record. A*A is formed whole: a cell is skipped where it takes too many products or too much memory.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sparserepro.records import Record, RecordsError
from sparserepro.run.expression import PARAMETER, PROBLEM, REFERENCE, records, timing, tools
from sparserepro.run.expression.lock import measurement_lock

DEFAULTS = vars(timing.Settings())


def graph_of(source: str, reference: Record, drivers: Path) -> tools.Graph:
    """The graph of the matrix that the driver's record is of."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.mtx"
        command = [str(drivers / "matrix_info"), source, "--json", "-", "--graph", str(path)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise RecordsError(f"{command[0]}: {error.strerror}") from None
        if done.returncode != 0:
            raise RecordsError(done.stderr.strip())
        if json.loads(done.stdout)["sha256"] != reference["matrix"]["sha256"]:
            raise RecordsError(f"{source} differs from the matrix of the records")
        return tools.read_graph(path)


def restart_with(environment: dict[str, str]) -> None:
    """Starts this process anew where its environment is another, as the drivers do."""
    if any(os.environ.get(name, "") != value for name, value in environment.items()):
        words = [sys.executable, "-m", "sparserepro", *sys.argv[1:]]
        os.execve(sys.executable, words, os.environ | environment)


def evaluate(options: argparse.Namespace, reference: Record, argv: Sequence[str]) -> list[Record]:
    """The records of the tools on one instance. Raises WrongCount, ToolError and RecordsError."""
    begin = time.time()
    settings = timing.Settings(**{name: getattr(options, name) for name in DEFAULTS})
    reasons = {
        tool: records.refusal(tool, options.cache, reference)
        for tool in options.tool or [tools.preferred()]
    }
    able = [tool for tool, reason in reasons.items() if not reason]
    samples: dict[str, timing.Samples] = {}
    if able:
        graph = graph_of(options.source, reference, options.drivers)
        starts: dict[str, timing.Start] = {tool: partial(tools.start, tool, graph) for tool in able}
        samples = timing.measure(starts, int(reference["measures"]["triangles"]), settings)
    made = []
    for tool, reason in reasons.items():
        record = records.record_of(tool, reference, argv, begin)
        made.append(
            records.skipped(record, reason)
            if reason
            else records.measured(record, samples[tool], settings)
        )
    return made


def require_apart(options: argparse.Namespace) -> None:
    """Raises RecordsError where the output cannot be written, or is a file that is read, be it by
    another name."""
    if options.json is None:
        return
    place = options.json if options.json.exists() else options.json.parent
    if options.json.is_dir() or not os.access(place, os.W_OK):
        raise RecordsError(f"cannot write {options.json}")
    if not options.json.is_file():
        return
    for read in filter(None, (options.records, options.source)):
        # Unlike Path.is_file, false for a spec that is too long for a name.
        if os.path.isfile(read) and options.json.samefile(read):  # noqa: PTH113
            raise RecordsError(f"cannot write {options.json}: it is {read}, which is read")


def with_reference(options: argparse.Namespace) -> int:
    """Has the driver measure the reference with the same options, then evaluates in a process of
    its own."""
    shared = [f"{option_of(name)}={getattr(options, name)}" for name in (*DEFAULTS, "cache")]
    name = ["--matrix-name", options.matrix_name] if options.matrix_name else []
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "records.jsonl")
        driver = [str(options.drivers / PROBLEM), options.source, *shared, *name, "--quiet"]
        driver += ["--algorithm", REFERENCE, "--strict", options.strict, "--json", file]
        own = [sys.executable, "-m", "sparserepro", *sys.argv[1:], "--records", file]
        try:
            done = subprocess.run(driver, check=False)
        except OSError as error:
            raise RecordsError(f"{driver[0]}: {error.strerror}") from None
        return done.returncode or subprocess.run(own, check=False).returncode


def command(options: argparse.Namespace) -> int:
    require_apart(options)
    if options.records is None:
        return with_reference(options)
    # A signal that ends the job ends GNU Octave with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    found = records.references(options.records)
    restart_with(records.memory_settings(found[0]))
    argv = ["sparserepro", *sys.argv[1:]]
    try:
        with measurement_lock():
            made = [record for one in found for record in evaluate(options, one, argv)]
    except (timing.WrongCount, tools.ToolError) as error:
        print(f"sparserepro expression: {error}", file=sys.stderr)
        return 1
    for record in made:
        print(records.told(record))
    if options.json:
        options.json.write_text("".join(json.dumps(record) + "\n" for record in made))
    return 0


def option_of(setting: str) -> str:
    return "--" + setting.removesuffix("_s").replace("_", "-")


def within(kind: type, low: float, high: float) -> Callable[[str], float]:
    """For argparse: a number of that kind in the range; nan is in none."""

    def read(text: str) -> float:
        try:
            value: float = kind(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            what = "an integer" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text} is not {what} from {low:.17g} to {high:.17g}")
        return value

    return read


def add_to(commands: Any) -> None:
    """The subcommand `expression`."""
    parser = commands.add_parser(
        "expression",
        help="time the matrix expression of the triangles problem",
        description="Evaluates sum((A*A).*A)/6 in GNU Octave or SciPy for the graph of a matrix, "
        "after the driver has measured the algorithm serial on it.",
    )
    parser.add_argument("source", help="Matrix Market file or generator spec")
    parser.add_argument(
        "--records",
        type=Path,
        help="records of the driver; without them the driver first measures serial",
    )
    parser.add_argument("--json", type=Path, help="write the records to this file")
    parser.add_argument(
        option_of(PARAMETER), type=lambda text: text.split(","), default=[],
        help=f"tools to use, of {', '.join(tools.TOOLS)} [octave if octave-cli is on PATH, else "
        "scipy]",
    )  # fmt: skip
    parser.add_argument(
        "--drivers", type=Path, default=Path("build/bin"), help="folder of the drivers [build/bin]"
    )
    parser.add_argument(
        "--matrix-name", help="name of the matrix in the records, without --records"
    )
    parser.add_argument(
        "--strict",
        default="0",
        help="option --strict of the driver, without --records [0]",
    )
    parser.add_argument(
        "--cache",
        choices=("warm", "flushed"),
        default="warm",
        help="warm or flushed; the records say that flushed is skipped [warm]",
    )
    for name, default in DEFAULTS.items():
        parser.add_argument(
            option_of(name), dest=name, default=default,
            type=within(type(default), *timing.RANGES[name]),
            help=f"the same option as of the drivers [{default}]",
        )  # fmt: skip
    parser.set_defaults(run=command)
