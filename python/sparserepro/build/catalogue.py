"""The catalogues of algorithms that the drivers list, and the names that a configuration uses.

Run as a script, it has each driver list its algorithms, adds the one that Python runs, and refuses
names that none of them has.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.config.check import ConfigError, nearest
from sparserepro.config.grid import AUTO, Job, Value, join, option
from sparserepro.run.expression import NAME, PROBLEM
from sparserepro.run.expression.catalogue import with_expression

_INTEGERS = 1000
_GROUPS = ("instance", "parameters", "cuda_parameters")


def has_cuda(catalogue: dict[str, Any]) -> bool:
    return any(algorithm["backend"] == "cuda" for algorithm in catalogue["algorithms"])


def parameter_names(catalogue: dict[str, Any], backend: str | None = None) -> list[str]:
    """Parameters of the algorithms, or of those of one backend."""
    names: dict[str, None] = {}
    for algorithm in catalogue["algorithms"]:
        if backend in (None, algorithm["backend"]):
            names.update(dict.fromkeys(parameter["name"] for parameter in algorithm["parameters"]))
    return list(names)


def registered(root: Path, problem: str) -> list[str]:
    """The algorithms of a problem that a build of these sources has: those of its list
    (algorithms.def), and the one that Python runs."""
    text = (root / "kernels" / problem / "algorithms.def").read_text(encoding="utf-8")
    names = re.findall(r"^ALGORITHM\((\w+)", text, re.MULTILINE)
    return [*names, *([NAME] if problem == PROBLEM else [])]


def _check_known(where: str, what: str, names: Iterable[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise ConfigError(
                f'{where}: no {what} "{name}"{nearest(name, known)} '
                f"(known: {', '.join(known) or 'none'})"
            )


def check_algorithms(job: Job, algorithms: Iterable[str]) -> None:
    """Raises ConfigError for an algorithm that is none of these."""
    where = f"problems.{job.problem}.algorithms"
    _check_known(where, "algorithm", job.algorithms, ["all", *algorithms])


def _united(catalogue: dict[str, Any], name: str) -> dict[str, Any]:
    """A parameter of several algorithms, with the values that any of them knows."""
    lists = [
        parameter["allowed"]
        for algorithm in catalogue["algorithms"]
        for parameter in algorithm["parameters"]
        if parameter["name"] == name
    ]
    every = dict.fromkeys(value for allowed in lists for value in allowed)
    return {"name": name, "allowed": list(every) if all(lists) else []}


def _listed(given: Any) -> list[Value]:
    """The values of an instance's parameter, of a job or of one of `distinct_names`."""
    return given if isinstance(given, list) else [given]


def _check_values(where: str, parameter: dict[str, Any], given: Any) -> None:
    """Raises ConfigError for a value, or one of a list, that the parameter cannot have."""
    name, allowed = parameter["name"], [str(value) for value in parameter["allowed"]]
    for value in map(str, _listed(given)):
        if allowed and value not in allowed:
            raise ConfigError(
                f"{where}.{name}: {value} is not allowed{nearest(value, allowed)} "
                f"(allowed: {', '.join(allowed)})"
            )
        if not allowed and not re.fullmatch(r"[+-]?\d+", value):
            raise ConfigError(f"{where}.{name}: {value} is not allowed (allowed: integers)")


def check_names(catalogue: dict[str, Any], job: Job) -> None:
    """Raises ConfigError for an algorithm, a parameter, or a value that the build does not have. A
    value that another algorithm knows is none of these: a cell of it is skipped."""
    where = f"problems.{job.problem}"
    check_algorithms(job, (algorithm["name"] for algorithm in catalogue["algorithms"]))
    instance = {parameter["name"]: parameter for parameter in catalogue["instance_parameters"]}
    _check_known(f"{where}.instances", "instance parameter", job.instance, list(instance))
    for name, given in job.instance.items():
        _check_values(f"{where}.instances", instance[name], given)
    known = parameter_names(catalogue)
    _check_known(f"{where}.parameters", "parameter", job.parameters, known)
    for name, values in job.parameters.items():
        numbers = [value for value in values if (name, value) != ("threads", AUTO)]
        _check_values(f"{where}.parameters", _united(catalogue, name), numbers)
    known = parameter_names(catalogue, "cuda")
    for name in job.cuda_parameters if has_cuda(catalogue) else ():
        if name not in known:
            raise ConfigError(
                f"{where}.cuda_parameters: no CUDA algorithm has a parameter "
                f'"{name}"{nearest(name, known)}'
            )
        _check_values(
            f"{where}.cuda_parameters", _united(catalogue, name), job.cuda_parameters[name]
        )


def cuda_options(catalogue: dict[str, Any], job: Job) -> list[str]:
    """Options of the driver for its CUDA algorithms; none where the build has no such algorithm."""
    if not has_cuda(catalogue):
        return []
    return [
        text
        for name, values in job.cuda_parameters.items()
        for text in (option(name), join(values))
    ]


def _few(values: Iterable[Value]) -> list[Value]:
    """So many of the values that one which is not allowed is among them, of whatever length they
    are: all words, and more integers than any parameter has that allows some alone."""
    every = list(values)
    numbers = [value for value in every if isinstance(value, int)]
    return [*(value for value in every if not isinstance(value, int)), *numbers[:_INTEGERS]]


def distinct_names(jobs: Iterable[Job]) -> list[Job]:
    """One job for each combination of names that `check_names` looks at, with a list of the values
    that its instances have in place of each value, and all values of its parameters. These jobs
    give the same again."""
    found: dict[str, Job] = {}
    values: dict[str, dict[str, dict[str, dict[Value, None]]]] = {}
    for job in jobs:
        bare = replace(
            job,
            matrix="",
            instance=dict.fromkeys(sorted(job.instance), 0),
            parameters={name: [] for name in job.parameters},
            cuda_parameters={name: [] for name in job.cuda_parameters},
            timing={},
            machine_id=None,
            part="",
            repeat=0,
        )
        key = bare.to_json()
        found[key] = bare
        for group in _GROUPS:
            of_names = values.setdefault(key, {}).setdefault(group, {})
            for name, given in sorted(getattr(job, group).items()):
                of_names.setdefault(name, {}).update(dict.fromkeys(_listed(given)))

    def lists(key: str) -> dict[str, Any]:
        return {g: {n: _few(v) for n, v in values[key][g].items()} for g in _GROUPS}

    return [replace(bare, **lists(key)) for key, bare in found.items()]


def check_registered(jobs: Iterable[Job], problems: Iterable[str], root: Path) -> None:
    """Before a build: raises ConfigError for algorithms that the sources of `problems` lack."""
    known = {problem: registered(root, problem) for problem in problems}
    for job in distinct_names(jobs):
        if job.problem in known:
            check_algorithms(job, known[job.problem])


def check_all(jobs: Iterable[Job], problems: Iterable[str], folder: Path) -> None:
    """Raises ConfigError for names that the catalogues of `problems` in a folder do not have."""
    catalogues = {p: program.read_json(folder / f"{p}.json") for p in problems}
    for job in distinct_names(jobs):
        if job.problem in catalogues:
            check_names(catalogues[job.problem], job)


def write_list(driver: Path, path: Path) -> int:
    """Has a driver list its algorithms in a file, and adds the one that Python runs; its exit
    code."""
    command = [str(driver), "--list", "--json", str(path)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode == 0:
        text = json.dumps(with_expression(json.loads(path.read_text())), indent=1)
        path.write_text(f"{text}\n")
    return done.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drivers", type=Path, required=True, help="folder of the executables")
    parser.add_argument("--problems", nargs="*", required=True, help="names of problems")
    parser.add_argument("--jobs", required=True, help="JSON of what `distinct_names` returns")
    parser.add_argument("--output", type=Path, required=True, help="folder of the catalogues")
    options = parser.parse_args()
    for problem in options.problems:
        if write_list(options.drivers / problem, options.output / f"{problem}.json") != 0:
            return 1
    try:
        jobs = [Job(**fields) for fields in json.loads(options.jobs)]
        check_all(jobs, options.problems, options.output)
    except ConfigError as error:
        print(f"Configuration refused.\n{error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
