"""Runs the tests of mutants, and keeps what came out."""

import fcntl
import hashlib
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from mutation.definitions import ROOT, BadMutant, Mutant

MEMORY_BYTES = 12 * 2**30  # of a test's address space: a mutant may allocate without end
LEAST_LIMIT_S = 20.0
LIMIT_FACTOR = 5.0  # a test may take this many times its time without a mutant
CAUGHT, SURVIVED, TIMEOUT = "caught", "survived", "timeout"


@dataclass
class Outcome:
    """Of one mutant."""

    result: str
    by: str = ""  # the test that failed
    seconds: float = 0.0
    digest: str = ""  # of the mutant, its source and its tests


@dataclass
class Ran:
    """Of one test."""

    failed: bool
    timeout: bool
    seconds: float
    output: str


def command_of(test: str, build_folder: Path | None) -> list[str]:
    """`test_x` is a program of the build, `test_x: case` one case (or tag) of it."""
    if test.startswith("tests/"):
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        return [*command, *shlex.split(test)]
    if build_folder is None:
        raise BadMutant(f"{test}: a mutant of Python needs a test of pytest")
    program, _, case = test.partition(":")
    arguments = [case.strip().replace(",", "\\,")] if case else []
    return [str(build_folder / "bin" / program), "--abort", *arguments]


def _limits(memory_bytes: int) -> Callable[[], None]:
    def set_limits() -> None:
        if memory_bytes > 0:
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return set_limits


def run(
    command: list[str],
    folder: Path,
    environment: dict[str, str],
    limit_s: float,
    memory_bytes: int = MEMORY_BYTES,
) -> Ran:
    """Runs a test; what it started ends with it. memory_bytes = 0: no limit, for CUDA reserves more
    addresses than there is memory."""
    begin = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment | {"OMP_WAIT_POLICY": "passive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=_limits(memory_bytes),
    )
    timeout = False
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        timeout = True
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    text = output.decode(errors="replace")
    failed = process.returncode != 0 or timeout
    # A program or pytest that ran no case has not failed at the mutant.
    if re.search(r"No test cases matched|no tests ran", text) or "No tests ran" in text:
        raise BadMutant(f"no test has the name: {' '.join(command)}")
    return Ran(failed, timeout, time.monotonic() - begin, text)


def failed_test(test: str, output: str) -> str:
    """The case of `test` that failed, by the output; `test` where it does not tell."""
    pattern = r"^FAILED (\S+)" if test.startswith("tests/") else r"^-{70,}\n(\S.*)\n-{70,}$"
    found = re.search(pattern, output, re.MULTILINE)
    if found is None:
        return test
    return found[1] if test.startswith("tests/") else f"{test.split(':')[0]}: {found[1]}"


def source_of(test: str) -> str:
    """The file of a program, or of a test of pytest."""
    if test.startswith("tests/"):
        return test
    return f"tests/{test}.cu" if (ROOT / f"tests/{test}.cu").is_file() else f"tests/{test}.cpp"


def digest(mutant: Mutant) -> str:
    """Changes with what the outcome depends on: mutant, source, and files of tests."""
    hashed = hashlib.sha256(json.dumps(asdict(mutant), sort_keys=True).encode())
    names = [test.split("::")[0].split()[0].split(":")[0] for test in mutant.tests]
    tests = [source_of(name) for name in names]
    for name in [mutant.file, *tests]:
        hashed.update((ROOT / name).read_bytes())
    return hashed.hexdigest()[:16]


class Baselines:
    """Times of the tests without a mutant; each is taken once, and has to pass."""

    def __init__(self, execute: Callable[[str, float], Ran]) -> None:
        self._execute = execute
        self._limits: dict[str, float] = {}

    def limit(self, test: str) -> float:
        if test not in self._limits:
            ran = self._execute(test, 900.0)
            if ran.failed:
                raise BadMutant(f"{test} fails without a mutant:\n{ran.output[-3000:]}")
            self._limits[test] = max(LEAST_LIMIT_S, LIMIT_FACTOR * ran.seconds)
        return self._limits[test]


def try_mutant(
    mutant: Mutant,
    execute: Callable[[str, float], Ran],
    limits: Callable[[str], float],
    digested: str = "",
) -> Outcome:
    """Runs the mutant's tests until one fails. `digested`: its digest, where there are no
    sources."""
    seconds = 0.0
    digested = digested or digest(mutant)
    for test in mutant.tests:
        ran = execute(test, limits(test))
        seconds += ran.seconds
        if ran.failed:
            result = TIMEOUT if ran.timeout else CAUGHT
            return Outcome(result, failed_test(test, ran.output), seconds, digested)
    return Outcome(SURVIVED, "", seconds, digested)


class Results:
    """Outcomes by name in a JSON file, written after each one; several runs may share the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.outcomes: dict[str, Outcome] = {}
        self._read()

    def _read(self) -> None:
        known = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.outcomes = {name: Outcome(**fields) for name, fields in known.items()}

    def known(self, mutant: Mutant) -> bool:
        outcome = self.outcomes.get(mutant.name)
        return outcome is not None and outcome.digest == digest(mutant)

    def add(self, mutant: Mutant, outcome: Outcome) -> None:
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._read()
            self.outcomes[mutant.name] = outcome
            fields = {name: asdict(self.outcomes[name]) for name in sorted(self.outcomes)}
            partial = self.path.with_suffix(".part")
            partial.write_text(json.dumps(fields, indent=1) + "\n")
            partial.replace(self.path)


def table(mutants: Iterable[Mutant], outcomes: dict[str, Outcome]) -> str:
    """Counts by area: an equivalent mutant counts as neither caught nor survived."""
    areas: dict[str, list[int]] = {}
    for mutant in mutants:
        if mutant.name in outcomes:
            counts = areas.setdefault(mutant.area, [0, 0, 0, 0])
            result = outcomes[mutant.name].result
            column = (CAUGHT, TIMEOUT, SURVIVED).index(result)
            counts[3 if mutant.equivalent and result == SURVIVED else column] += 1
    total = [sum(column) for column in zip(*areas.values(), strict=True)] or [0] * 4
    lines = ["| area | caught | timeout | survived | equivalent |", "| --- " * 5 + "|"]
    for name, counts in [*sorted(areas.items()), ("**all**", total)]:
        lines.append(f"| {name} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines)
