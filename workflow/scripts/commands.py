"""Prints the driver commands of a configuration as a shell script.

For a machine that cannot run the workflow: build the drivers there, run the script in the root of
the repository, and put the records that it writes under report/measurements/<machine>/ of a machine
that can. Jobs that differ in instance parameters alone become one command, so that each matrix is
made and read once.
"""

import argparse
import itertools
import shlex
import sys
from pathlib import Path

import yaml

from config_check import ConfigError, check_config
from grid import ARRAY, Job, Value, join, make_jobs, option
from matrix_list import MatrixEntry, MatrixList, load_matrix_list

ROOT = Path(__file__).resolve().parents[2]


def source(entry: MatrixEntry, folder: Path | None) -> str:
    """A generated matrix's spec, or its file in `folder`. Raises ConfigError."""
    if entry.spec is not None:
        return entry.spec
    for suffix in (".mtx", ".mtx.gz"):
        path = (folder or Path()) / f"{entry.name}{suffix}"
        if folder is not None and path.exists():
            return str(path)
    raise ConfigError(f"{entry.id} is a file: name the folder that holds it with --matrices")


def grouped(jobs: list[Job]) -> list[tuple[Job, list[dict[str, Value]]]]:
    """One job of each (problem, matrix) with the instances of all of them."""
    found: dict[tuple[str, str], tuple[Job, list[dict[str, Value]]]] = {}
    for job in jobs:
        found.setdefault((job.problem, job.matrix), (job, []))[1].append(job.instance)
    return list(found.values())


def instance_options(instances: list[dict[str, Value]]) -> list[list[str]]:
    """The options of one command when the instances are all combinations of their values, else
    those of a command for each."""
    names = list(dict.fromkeys(name for instance in instances for name in instance))
    values = {n: list(dict.fromkeys(i[n] for i in instances if n in i)) for n in names}
    product = [dict(zip(names, v, strict=True)) for v in itertools.product(*values.values())]
    if all(combination in instances for combination in product):
        return [[text for n in names for text in (option(n), join(values[n]))]]
    return [[text for n, v in i.items() for text in (option(n), str(v))] for i in instances]


def commands(
    jobs: list[Job], matrices: MatrixList, folder: Path | None, drivers: str, out: str
) -> list[list[str]]:
    lines = []
    for job, instances in grouped(jobs):
        where = [f"{drivers}/{job.problem}"]
        if job.matrix != ARRAY:
            where += [source(matrices.entries[job.matrix], folder), "--matrix-name", job.matrix]
        shared = Job(**{**job.__dict__, "instance": {}}).driver_options()
        cuda = [t for n, v in job.cuda_parameters.items() for t in (option(n), join(v))]
        for number, options in enumerate(instance_options(instances), start=1):
            record = f"{out}/{job.problem}-{job.matrix}-{number}.jsonl"
            lines.append([*where, *options, *shared, *cuda, "--quiet", "--json", record])
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("--machine-id", required=True, help="name of the machine in the records")
    parser.add_argument("--cores", type=int, required=True, help="what `threads: auto` counts to")
    parser.add_argument("--matrices", type=Path, help="folder with the files of the matrices")
    parser.add_argument("--drivers", default="build/bin", help="default: %(default)s")
    parser.add_argument("--out", default=".", help="folder of the records; default: %(default)s")
    args = parser.parse_args()
    try:
        config = check_config(yaml.safe_load(args.config.read_text()), str(args.config))
        config["machine_id"] = args.machine_id
        matrices = load_matrix_list(ROOT / "config" / "matrices.yaml")
        jobs = make_jobs(config, matrices, args.cores)
        lines = commands(jobs, matrices, args.matrices, args.drivers, args.out)
    except (OSError, ConfigError) as error:
        print(error, file=sys.stderr)
        return 1
    print("set -eu")
    for line in lines:
        print(shlex.join(line))
    return 0


if __name__ == "__main__":
    sys.exit(main())
