"""Writes the jobs of a configuration for a machine that cannot run the workflow.

The folder that it writes holds measure.py, which needs Python 3.9 and nothing else, and jobs.json.
Jobs that differ in instance parameters alone become one driver run, so that each matrix is made and
read once and the cells of an instance still come from one run.
"""

import argparse
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from sparserepro.config.check import ConfigError, check_config
from sparserepro.config.file import load_config_file
from sparserepro.config.grid import ARRAY, Job, Value, join, make_jobs, option
from sparserepro.config.matrix_list import MatrixList, load_matrix_list
from sparserepro.run import cost

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "workflow" / "scripts" / "run_jobs.py"


def grouped(jobs: list[Job]) -> list[list[Job]]:
    """Jobs that differ in nothing but their instances, in the order of the first of each."""
    found: dict[str, list[Job]] = {}
    for job in jobs:
        same = Job(**{**job.__dict__, "instance": {}}).to_json()
        found.setdefault(same, []).append(job)
    return list(found.values())


def instance_options(instances: list[dict[str, Value]]) -> list[str] | None:
    """The options that make one command of the instances, or None when they are not all
    combinations of their values."""
    names = list(dict.fromkeys(name for instance in instances for name in instance))
    values = {n: list(dict.fromkeys(i[n] for i in instances if n in i)) for n in names}
    product = [dict(zip(names, v, strict=True)) for v in itertools.product(*values.values())]
    if not all(combination in instances for combination in product):
        return None
    return [text for n in names for text in (option(n), join(values[n]))]


def runs(jobs: list[Job]) -> list[tuple[list[Job], list[str]]]:
    """Driver runs: the jobs of each and the options of their instances."""
    made = []
    for group in grouped(jobs):
        options = instance_options([job.instance for job in group])
        if options is not None:
            made.append((group, options))
            continue
        for job in group:
            made.append(([job], instance_options([job.instance]) or []))
    return sorted(made, key=lambda run: run[0][0].repeat)  # repeats later: sittings differ by time


def named(job: Job, catalogue: dict[str, Any]) -> list[str]:
    """The algorithms of a job by name, so that the runner can leave some out."""
    if "all" in job.algorithms:
        return [algorithm["name"] for algorithm in catalogue["algorithms"]]
    return list(job.algorithms)


def exported(
    jobs: list[Job], matrices: MatrixList, catalogues: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """The jobs as measure.py reads them."""
    numbers: dict[str, int] = defaultdict(int)
    out = []
    for group, instances in runs(jobs):
        first = group[0]
        entry = None if first.matrix == ARRAY else matrices.entries[first.matrix]
        stem = ".".join([first.matrix, *([first.part] if first.part else [])])
        numbers[f"{first.problem}/{stem}"] += 1
        name = f"{first.problem}/{stem}.{numbers[f'{first.problem}/{stem}']}.jsonl"
        options = Job(**{**first.__dict__, "instance": {}}).driver_options()[2:]
        cuda = [t for n, v in first.cuda_parameters.items() for t in (option(n), join(v))]
        files = None
        if entry is not None and entry.spec is None:
            files = [f"{entry.name}.mtx", f"{entry.name}.mtx.gz"]
        out.append(
            {
                "problem": first.problem,
                "part": first.part,
                "matrix": first.matrix,
                "repeat": first.repeat,
                "output": name,
                "spec": entry.spec if entry else None,
                "files": files,
                "algorithms": named(first, catalogues[first.problem]),
                "options": [*instances, *options, *cuda],
                "expected_s": round(cost.run_seconds(group, entry, catalogues[first.problem]), 1),
            }
        )
    return out


def catalogue(drivers: Path, problem: str) -> dict[str, Any]:
    """What a driver of this machine lists. Raises ConfigError without the driver."""
    driver = drivers / problem
    if not driver.exists():
        raise ConfigError(f"{driver} is not built; --drivers names the folder of the drivers")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "catalogue.json"
        subprocess.run([driver, "--list", "--json", out], check=True, stdout=subprocess.DEVNULL)
        listed: dict[str, Any] = json.loads(out.read_text())
        return listed


def check_names(jobs: list[Job], catalogues: dict[str, dict[str, Any]]) -> None:
    """Raises ConfigError for an algorithm that no driver has."""
    for job in jobs:
        known = {a["name"] for a in catalogues[job.problem]["algorithms"]} | {"all"}
        for name in job.algorithms:
            if name not in known:
                raise ConfigError(f'problems.{job.problem}: no algorithm "{name}"')


def summary(jobs: list[dict[str, Any]]) -> str:
    seconds: dict[tuple[str, str], float] = defaultdict(float)
    for job in jobs:
        seconds[job["problem"], job["part"]] += job["expected_s"]
    lines = [f"  {' '.join(key).strip()}: about {s:.0f} s" for key, s in seconds.items()]
    return "\n".join([f"{len(jobs)} driver runs, {sum(seconds.values()):.0f} s:", *lines])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configfile", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True, help="folder to be made or renewed")
    parser.add_argument("--cores", type=int, default=16, help="what `threads: auto` counts to [16]")
    parser.add_argument(
        "--drivers", type=Path, default=ROOT / "build" / "bin",
        help="drivers of this machine, for names and cells; no GPU is needed [build/bin]",
    )  # fmt: skip
    args = parser.parse_args()
    try:
        config = check_config(load_config_file(args.configfile), str(args.configfile))
        matrices = load_matrix_list(ROOT / "config" / "matrices.yaml")
        jobs = make_jobs(config, matrices, args.cores)
        catalogues = {p: catalogue(args.drivers, p) for p in {job.problem for job in jobs}}
        check_names(jobs, catalogues)
    except (OSError, ConfigError) as error:
        print(error, file=sys.stderr)
        return 1
    listed = exported(jobs, matrices, catalogues)
    args.output.mkdir(parents=True, exist_ok=True)
    shutil.copy(RUNNER, args.output / "measure.py")
    content = {"configuration": args.configfile.name, "jobs": listed}
    (args.output / "jobs.json").write_text(json.dumps(content, indent=1) + "\n")
    print(summary(listed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
