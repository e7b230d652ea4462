"""From a checked configuration to jobs: one for each (problem, matrix, instance parameters)."""

import itertools
import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sparserepro.config.check import ConfigError
from sparserepro.config.matrix_list import MatrixList

# Stands where a matrix id stands, for the problem whose instances are arrays.
ARRAY = "array"
ARRAY_PROBLEMS = frozenset({"primitives"})
AUTO = "auto"
"""In a list of thread counts: powers of two up to the cores of the machine that measures."""

Value = int | str


@dataclass(frozen=True)
class Job:
    """The cells that one driver process measures side by side."""

    problem: str
    matrix: str
    instance: dict[str, Value]
    algorithms: tuple[str, ...]
    parameters: dict[str, list[Value]] = field(default_factory=dict)
    cuda_parameters: dict[str, list[Value]] = field(default_factory=dict)
    timing: dict[str, Any] = field(default_factory=dict)
    machine_id: str | None = None
    part: str = ""
    repeat: int = 0

    @property
    def name(self) -> str:
        """File stem: the part, the instance's parameters in alphabetical order, the repeat."""
        words = [self.part] if self.part else []
        words += [f"{key}-{value}" for key, value in sorted(self.instance.items())]
        words += [f"repeat-{self.repeat}"] if self.repeat else []
        return ".".join(words) or "default"

    @property
    def key(self) -> tuple[str, str, str]:
        return self.problem, self.matrix, self.name

    def to_json(self) -> str:
        return json.dumps(vars(self))

    @classmethod
    def from_json(cls, text: str) -> "Job":
        return cls(**json.loads(text))

    def driver_options(self) -> list[str]:
        """Every option that decides what is measured; none is left to a driver's default."""
        options = ["--algorithm", ",".join(self.algorithms)]
        for name, value in self.instance.items():
            options += [option(name), str(value)]
        for name, values in self.parameters.items():
            options += [option(name), join(values)]
        for name, value in self.timing.items():
            options += [option(name.removesuffix("_s")), str(value)]
        if self.machine_id:
            options += ["--machine-id", self.machine_id]
        if self.repeat:
            options += ["--repeat", str(self.repeat)]
        return options


def option(parameter: str) -> str:
    return "--" + parameter.replace("_", "-")


def join(values: list[Value]) -> str:
    return ",".join(str(value) for value in values)


def available_cores() -> int:
    return len(os.sched_getaffinity(0))


def thread_counts(cores: int) -> list[int]:
    """Powers of two up to the cores: what `threads: auto` stands for."""
    return [1 << power for power in range(cores.bit_length()) if 1 << power <= cores]


def _values(given: Value | list[Value]) -> list[Value]:
    return list(given) if isinstance(given, list) else [given]


def _parameters(grid: dict[str, Any], where: str, cores: int | None) -> dict[str, list[Value]]:
    values = {name: _values(given) for name, given in grid.items()}
    threads = values.get("threads")
    if threads is not None and AUTO in threads and cores:
        counts = {t for t in threads if t != AUTO} | set(thread_counts(cores))
        threads = values["threads"] = sorted(counts)
    for value in threads or []:
        if value == AUTO:
            continue
        if not isinstance(value, int) or value < 1:
            raise ConfigError(
                f'{where}.threads has {value!r}; allowed: integers from 1, or "auto" for powers of '
                "two up to the cores of this machine"
            )
    return values


def _too_many(where: str, matrices: int, instances: int, allowed: int) -> ConfigError:
    return ConfigError(
        f"{where}: {matrices} matrices x {instances} instances are {matrices * instances} jobs; "
        f"allowed: {allowed} (max_jobs)"
    )


def _instances(
    given: dict[str, Any] | list[dict[str, Any]], where: str, matrices: int, max_jobs: int
) -> list[dict[str, Value]]:
    """The union of the grids, each combination once. A grid that is too large for so many matrices
    is refused by its size, before it is made."""
    combinations: dict[tuple[tuple[str, Value], ...], dict[str, Value]] = {}
    for grid in given if isinstance(given, list) else [given]:
        values = {name: _values(v) for name, v in grid.items()}
        if "threads" in values:
            raise ConfigError(f'{where}.instances: "threads" belongs in parameters')
        count = max(math.prod(map(len, values.values())), len(combinations))
        if matrices * count > max_jobs:
            raise _too_many(where, matrices, count, max_jobs)
        for combination in itertools.product(*values.values()):
            instance = dict(zip(values, combination, strict=True))
            combinations[tuple(sorted(instance.items()))] = instance
    return list(combinations.values())


def _matrix_ids(
    problem: str, settings: dict[str, Any], config: dict[str, Any], matrices: MatrixList, where: str
) -> list[str]:
    if problem in ARRAY_PROBLEMS:
        if "matrices" in settings:
            raise ConfigError(f"{where} works on arrays and has no matrices")
        return [ARRAY]
    own = "matrices" in settings
    names = settings["matrices"] if own else config.get("matrices", [])
    if not names:
        raise ConfigError(
            f"{where} has no matrices, and the configuration has no list of them at its top level"
        )
    return matrices.select(names, f"{where}.matrices" if own else "matrices")


def _check_choice(
    wanted: dict[str, list[Value]], instances: list[dict[str, Value]], where: str
) -> None:
    """Raises ConfigError for a name or a value that no instance has, and where none has all."""
    for name, values in wanted.items():
        known = {instance[name]: None for instance in instances if name in instance}
        for value in values:
            if value not in known:
                shown = ", ".join(map(str, [*known][:20])) or f"none have {name}"
                raise ConfigError(f"{where}: no instance has {name}: {value} (instances: {shown})")
    if not any(_is_of(instance, wanted) for instance in instances):
        raise ConfigError(f"{where}: no instance has all of {', '.join(wanted)} as chosen")


def _is_of(instance: dict[str, Value], wanted: dict[str, list[Value]]) -> bool:
    return all(instance.get(name) in values for name, values in wanted.items())


def _repeats(
    settings: dict[str, Any],
    ids: list[str],
    instances: list[dict[str, Value]],
    matrices: MatrixList,
    where: str,
) -> Callable[[str, dict[str, Value]], int]:
    """How often the job of a matrix and an instance runs beside the first time."""
    asked = settings.get("repeats")
    if asked is None:
        return lambda id_, instance: 0
    where = f"{where}.repeats"
    names = asked["matrices"]
    if ids != [ARRAY]:
        names = matrices.select(names, f"{where}.matrices")
    for name in names:
        if name not in ids:
            raise ConfigError(f'{where}.matrices: "{name}" is not a matrix of this part')
    wanted = {name: _values(values) for name, values in asked["instances"].items()}
    _check_choice(wanted, instances, f"{where}.instances")

    def times(id_: str, instance: dict[str, Value]) -> int:
        return asked["times"] if id_ in names and _is_of(instance, wanted) else 0

    return times


def _part_jobs(
    problem: str, settings: dict[str, Any], config: dict[str, Any], matrices: MatrixList,
    cores: int | None, where: str,
) -> list[Job]:  # fmt: skip
    ids = _matrix_ids(problem, settings, config, matrices, where)
    most = config["max_jobs"]
    instances = _instances(settings["instances"], where, len(ids), most)
    parameters = _parameters(settings["parameters"], f"{where}.parameters", cores)
    cuda_parameters = _parameters(settings["cuda_parameters"], f"{where}.cuda_parameters", cores)
    for name in cuda_parameters:
        if name in parameters:
            raise ConfigError(f"{where}: {name} is in parameters and in cuda_parameters")
    if len(ids) * len(instances) > most:
        raise _too_many(where, len(ids), len(instances), most)
    asked = settings["algorithms"]
    times = _repeats(settings, ids, instances, matrices, where)
    return [
        Job(
            problem=problem,
            matrix=id_,
            instance=instance,
            algorithms=("all",) if asked == "all" else tuple(asked),
            parameters=parameters,
            cuda_parameters=cuda_parameters,
            timing=settings["timing"],
            machine_id=config["machine_id"],
            part=settings.get("part", ""),
            repeat=repeat,
        )
        for id_ in ids
        for instance in instances
        for repeat in range(times(id_, instance) + 1)
    ]


def _is_wanted(part: str, wanted: str | list[str]) -> bool:
    """By the beginning of its name."""
    beginnings = [wanted] if isinstance(wanted, str) else wanted
    return wanted == "all" or part.startswith(tuple(beginnings))


def make_jobs(
    config: dict[str, Any], matrices: MatrixList, cores: int | None = None, on_node: bool = False
) -> list[Job]:
    """All jobs of a configuration that `check_config` has completed. Raises ConfigError.

    `cores` is what `threads: auto` counts up to; None: those of this machine. With `on_node` it
    stays, for the node that measures to decide (run/node.py).
    """
    if cores is not None and cores < 1:
        raise ConfigError(f"--cores is {cores}; allowed: integers from 1")
    counted = None if on_node else cores or available_cores()
    wanted = config["parts"]
    jobs: dict[tuple[str, str, str], Job] = {}
    for problem, parts in config["problems"].items():
        for number, settings in enumerate(parts):
            where = f"problems.{problem}[{number}]" if len(parts) > 1 else f"problems.{problem}"
            if not _is_wanted(settings.get("part", ""), wanted):
                continue
            for job in _part_jobs(problem, settings, config, matrices, counted, where):
                if job.key in jobs:
                    raise ConfigError(
                        f"{where}: {job.matrix} with {job.name} is in an earlier part as well; "
                        "give one of the two parts a name (part)"
                    )
                jobs[job.key] = job
            if len(jobs) > config["max_jobs"]:
                raise ConfigError(
                    f"{where} makes {len(jobs)} jobs in all; allowed: {config['max_jobs']} "
                    "(max_jobs)"
                )
    if not jobs:
        raise ConfigError(f"parts: no part has a name that begins with {wanted}")
    return list(jobs.values())
