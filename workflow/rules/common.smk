# The checked configuration and what follows from it: jobs, matrices, helpers of the rules.
import dataclasses
import functools
import importlib.util
import json
import math
import os
import sys
import time
from pathlib import Path

ROOT = Path(workflow.basedir)
PACKAGE = ROOT / "python"
sys.path[:0] = [str(PACKAGE)]
# The project's files as the working directory sees them: relative, so that a checkout that is moved
# reruns nothing.
SOURCES = Path(os.path.relpath(ROOT))
RECORD_SCHEMA = str(SOURCES / "workflow/schemas/record.schema.json")
SHARED = Path("results/shared")

from sparserepro import imports, program
from sparserepro.build import catalogue, node
from sparserepro.build import facts as build_facts
from sparserepro.config.check import ConfigError, check_config
from sparserepro.config.file import load_config_file
from sparserepro.config.grid import ARRAY, available_cores, make_jobs
from sparserepro.config.matrix_list import matrices_of
from sparserepro.data import digests, sets
from sparserepro.fetch import availability
from sparserepro.fetch.download import Source
from sparserepro.run import gpus, plan, timeouts

# By the profile of a cluster: jobs run on nodes of which this one knows nothing, not even whether they
# are alike. What decides for a measurement is then found on the node that measures.
ON_NODES = "SPARSEREPRO_CLUSTER" in os.environ

# Jobs find the interpreter that runs Snakemake, whether or not its environment is activated, and the
# package.
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]),
    PYTHONPATH=str(PACKAGE),
)
if workflow.is_main_process or workflow.remote_exec:
    os.environ[program.WORKFLOW] = str(os.getpid())  # programs end with it
os.environ.setdefault("SPARSEREPRO_RUN", f"{os.getpid()}-{time.time_ns()}")


def refuse(error):
    """Ends with the message alone: a wrong configuration is no place for a traceback."""
    print(f"Configuration refused.\n{error}", file=sys.stderr)
    sys.exit(1)


try:
    for file in workflow.configfiles:
        load_config_file(Path(file))
    CONFIG = check_config(config, *map(str, workflow.configfiles))
    RUN = Path("results") / CONFIG["name"]
    MATRIX_LIST = matrices_of(CONFIG, ROOT / "config" / "matrices.yaml")
    made = make_jobs(CONFIG, MATRIX_LIST, on_node=ON_NODES)
    JOBS = {job.key: job for job in made if CONFIG["measure"]}
    SETS = sets.chosen(SOURCES / "report/measurements", CONFIG["report"]["sets"])
    SET_SUMS = sets.sums(SETS)
except ConfigError as error:
    refuse(error)

MATRICES = list(dict.fromkeys(job.matrix for job in JOBS.values() if job.matrix != ARRAY))
MATRIX_FILES = [f"{SHARED}/matrices/{matrix}.json" for matrix in MATRICES]
PROBLEMS = list(dict.fromkeys(job.problem for job in JOBS.values()))
DRIVERS = [*PROBLEMS, "matrix_info"] if MATRICES else PROBLEMS
# What the report holds; the sets stand beside this run.
REPORTED = CONFIG["report"]["problems"]
if REPORTED == "measured":
    REPORTED = PROBLEMS if CONFIG["measure"] else sets.problems(SETS)
CATALOGUE_FILES = [f"{SHARED}/catalogue/{problem}.json" for problem in PROBLEMS]
RECORD_FILES = [f"{RUN}/records/{problem}/{matrix}/{name}.jsonl" for problem, matrix, name in JOBS]
# Without measuring, what a run has left is taken as it is, and no rule makes more of it.
ONLY_EXISTING = CONFIG["measure"] == "existing"
ABSENT = [f for f in RECORD_FILES if not Path(f).exists()] if ONLY_EXISTING else []
if ONLY_EXISTING:
    RECORD_FILES, CATALOGUE_FILES, MATRIX_FILES = (
        [f for f in files if Path(f).exists()]
        for files in (RECORD_FILES, CATALOGUE_FILES, MATRIX_FILES)
    )
if CONFIG["measure"] is not True and not [*RECORD_FILES, *sets.records(SETS, REPORTED)]:
    refuse("There are no records: nothing is to be measured, and report.sets has none.")
COLLECTED = RUN / "collected/records.jsonl"
# Deleted since they were collected: what is collected is not what is there, and is made again.
LOST = digests.lost(COLLECTED, RECORD_FILES)
SOURCE = Source(**CONFIG["download"])


wildcard_constraints:
    problem="|".join(build_facts.PROBLEMS),
    matrix=r"[A-Za-z0-9][A-Za-z0-9._-]*",
    instance=r"[A-Za-z0-9_.+-]+",


def code(*modules):
    """Files of modules that a rule runs and of what they import, so that a change reruns the rule."""
    names = [f"sparserepro.{module}" for module in modules]
    return [os.path.relpath(path) for path in imports.needed(*names)]


def access(matrix):
    """What resolving a matrix needs beside its definition."""
    settings = {key: CONFIG[key] for key in ("staging", "download", "strict")}
    entry = MATRIX_LIST.entries[matrix]
    return settings | {"sha256": entry.sha256, "size": entry.size}


def entries():
    return [MATRIX_LIST.entries[matrix] for matrix in MATRICES]


def missing():
    """Unavailable matrices of this configuration."""
    return availability.missing_matrices(entries(), SHARED / "matrices")


def is_run():
    """Whether jobs are going to run: not for -n, --summary, --lint, --unlock and their like, and
    not before Snakemake knows."""
    runs = workflow.executor_plugin is not None and not workflow.dryrun and not workflow.touch
    return workflow.is_main_process and runs


@functools.cache
def try_again():
    """Has those matrices resolved again that are available by now; asks the server for them."""
    tried = missing()
    again = (
        tried
        if CONFIG["strict"]
        else availability.worth_another_try(tried, CONFIG["staging"], SOURCE)
    )
    for entry in {
        *availability.lost_matrices(entries(), SHARED / "matrices", RUN / "records"),
        *availability.with_another_checksum(entries(), SHARED / "matrices"),
        *(matrix.entry for matrix in again),
    }:
        availability.try_again(entry, SHARED / "tries")
    say(
        availability.summary(again, "Tried again"),
        availability.summary([m for m in tried if m not in again], "Still unavailable"),
    )


def tries(wildcards):
    """The file whose renewal has a matrix resolved again, if there is one."""
    if is_run():
        try_again()
    return [str(path) for path in (SHARED / "tries").glob(wildcards.matrix)]


def lost_records(wildcards):
    """No file: has the records collected again of which some are lost, as the hashes change beside
    which these lay."""
    if is_run():
        for file in map(digests.beside, map(Path, LOST)):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
    return []


def names_in_file(names, file):
    """A file with these names, one a line."""
    if is_run() or workflow.remote_exec:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_text("".join(f"{name}\n" for name in names))
    return file


def say(*lines):
    for line in filter(None, lines):
        print(line, file=sys.stderr)


def whole_machine():
    """Threads of a rule that has the machine to itself; on a cluster `whole_node` sees to that."""
    return 1 if ON_NODES else workflow.cores


def whole_node(minutes, jobs):
    """Resources of a rule that has a node to itself, in terms of Snakemake's executor for Slurm;
    none elsewhere. -1 and 0 ask for no number of cores and no amount of memory, since --exclusive
    gives all. `jobs` has, by the wildcards, those that may need a GPU (SPARSEREPRO_GRES)."""
    gres = os.environ.get("SPARSEREPRO_GRES", "")
    if not ON_NODES:
        return {}
    found = dict(slurm_extra="--exclusive", cpus_per_task=-1, mem_mb=0, runtime=minutes)
    if gres and CUDA != "OFF":
        found["gres"] = lambda wildcards: (
            gres if any(node.needs_device(SOURCES, job) for job in jobs(wildcards)) else ""
        )
    return found


def needs_packages(*names):
    """No file: says what to install before anything runs, where the notebook cannot."""
    absent = [name for name in names if importlib.util.find_spec(name) is None]
    if absent and is_run():
        say(
            f"The notebook needs packages that are not installed: {', '.join(absent)}. Run\n"
            "  ./bootstrap --notebook\n"
            "and then this command again."
        )
        sys.exit(1)
    return []


if workflow.is_main_process:
    try:
        say(
            plan.absent(ABSENT, len(JOBS))
            if ONLY_EXISTING
            else plan.describe(
                list(JOBS.values()), RUN / "records", SHARED / "catalogue", on_node=ON_NODES
            )
        )
    except program.FileError as error:
        say(error)
        sys.exit(1)
    if any(Path(".snakemake/locks").glob("*")) and not workflow.dryrun:
        say(
            "Another run works in this folder, or one was killed. If there is none:\n"
            "  snakemake --cores 1 --unlock"
        )


def failed():
    """The jobs that failed, with their logs."""
    jobs = workflow.scheduler.failed if workflow.scheduler else []
    lines = sorted(
        "  " + "  ".join([" ".join([job.rule.name, *job.wildcards]), *job.log]) for job in jobs
    )
    if not lines:
        return "No job failed: the run was ended from outside, and the same command goes on."
    return "\n".join([f"Failed ({len(lines)}), with their logs:", *lines])


onsuccess:
    report, verdicts = RUN / "report.pdf", RUN / "verdicts.txt"
    say(
        timeouts.summary(RECORD_FILES),
        availability.summary(missing(), "Not measured, because they are unavailable"),
        plan.absent(ABSENT, len(JOBS)) if ONLY_EXISTING else "",
        verdicts.read_text().rstrip() if verdicts.exists() else "",
        f"Report: {report.resolve()}" if report.exists() else "",
    )


onerror:
    say(
        timeouts.summary(RECORD_FILES),
        availability.summary(missing(), "Unavailable matrices"),
        failed(),
    )


def job_of(wildcards):
    matrix = getattr(wildcards, "matrix", ARRAY)
    return JOBS[wildcards.problem, matrix, wildcards.instance]


def cores_of(wildcards):
    if ON_NODES:
        return whole_machine()
    return gpus.share(SOURCES, job_of(wildcards), CONFIG["gpus"], workflow.cores)[0]


def gpus_of(job):
    """Of Snakemake's resource `gpu`; none where there is one GPU, which jobs do not share."""
    if CONFIG["gpus"] == 1 or ON_NODES:
        return {}
    return dict(
        gpu=lambda wildcards: gpus.share(SOURCES, job(wildcards), CONFIG["gpus"], workflow.cores)[1]
    )
