"""Programs and mutants in a folder that a machine with a device runs, without sources and git.

PYTHONPATH=FOLDER/tests python3 -m mutation.packed --results outcomes.json --until 600
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, replace
from pathlib import Path

from mutation import runs
from mutation.definitions import ROOT, Mutant

PLAN = "plan.json"
VARIABLE = "SPARSEREPRO_MUTANT"
MODULES = ("__init__", "definitions", "packed", "runs")
LEAST_LIMIT_S = 10.0


def pack(mutants: list[Mutant], programs: list[str], build_folder: Path, folder: Path) -> None:
    """Writes programs, modules and plan to `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "build/bin").mkdir(parents=True)
    (folder / "tests/mutation").mkdir(parents=True)
    for program in programs:
        target = folder / "build/bin" / program
        shutil.copy2(build_folder / "bin" / program, target)
        subprocess.run(["strip", str(target)], check=True)
    for module in MODULES:
        shutil.copy2(ROOT / f"tests/mutation/{module}.py", folder / "tests/mutation")
    plan = [{**asdict(mutant), "digest": runs.digest(mutant)} for mutant in mutants]
    (folder / PLAN).write_text(json.dumps(plan, indent=1) + "\n")


def planned(folder: Path) -> list[tuple[Mutant, str]]:
    """The mutants of a packed folder, and their digests."""
    plan = json.loads((folder / PLAN).read_text())
    digests = [entry.pop("digest") for entry in plan]
    mutants = [Mutant(**{**entry, "tests": tuple(entry["tests"])}) for entry in plan]
    return list(zip(mutants, digests, strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=4, help="tests that share the device")
    parser.add_argument("--until", type=float, default=3600.0, help="seconds; then no further test")
    asked = parser.parse_args()
    end = time.monotonic() + asked.until
    results = runs.Results(asked.results)

    def execute(name: str, test: str, limit_s: float) -> runs.Ran:
        environment = os.environ | {VARIABLE: name, "SPARSEREPRO_LOCK": f"{asked.results}.device"}
        command = runs.command_of(test, ROOT / "build")
        left = max(end - time.monotonic(), 0.1)
        return runs.run(command, ROOT, environment, min(limit_s, left), memory_bytes=0)

    plain: dict[str, runs.Ran] = {}  # without a mutant

    def attempt(mutant: Mutant, digest: str) -> None:
        usable = tuple(test for test in mutant.tests if not plain[test].failed)
        if not usable or mutant.name in results.outcomes or time.monotonic() >= end:
            return
        outcome = runs.try_mutant(
            replace(mutant, tests=usable),
            lambda test, limit_s: execute(mutant.name, test, limit_s),
            lambda test: max(LEAST_LIMIT_S, runs.LIMIT_FACTOR * plain[test].seconds),
            digest,
        )
        if time.monotonic() < end:  # else the end of the time may be what failed
            results.add(mutant, outcome)
            print(f"{outcome.result:8}  {outcome.seconds:6.1f} s  {mutant.name}", flush=True)

    work = planned(ROOT)
    waiting = list(work)
    with ThreadPoolExecutor(asked.jobs) as pool:
        tests = list(dict.fromkeys(test for mutant, _ in work for test in mutant.tests))
        tested = {pool.submit(execute, "", test, 120.0): test for test in tests}
        attempts = []
        for future in as_completed(tested):  # a mutant is tried as soon as its tests have a time
            test, ran = tested[future], future.result()
            plain[test] = ran
            state = "FAILS" if ran.failed else "passes"
            print(f"{state} without a mutant  {ran.seconds:6.1f} s  {test}", flush=True)
            if ran.failed:
                print(ran.output[-3000:], flush=True)
            ready = [pair for pair in waiting if plain.keys() >= set(pair[0].tests)]
            waiting = [pair for pair in waiting if pair not in ready]
            attempts += [pool.submit(attempt, *pair) for pair in ready]
        for done in attempts:
            done.result()
    mutants = [mutant for mutant, _ in work]
    print(runs.table(mutants, results.outcomes))
    for mutant in mutants:
        outcome = results.outcomes.get(mutant.name)
        if outcome is None:
            print(f"not tried: {mutant.name}")
        elif (outcome.result == runs.SURVIVED) != bool(mutant.equivalent):
            print(f"{outcome.result}, unlike what is expected: {mutant.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
