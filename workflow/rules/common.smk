# The checked configuration and what follows from it: jobs, matrices, helpers of the rules.
import json
import os
import sys
import time
from pathlib import Path

ROOT = Path(workflow.basedir)
SCRIPTS = ROOT / "workflow" / "scripts"
PACKAGE = ROOT / "python"
sys.path[:0] = [str(SCRIPTS), str(PACKAGE)]

import availability
import build_facts
import imports
import plan
import sets
from config_check import ConfigError, check_config
from config_file import load_config_file
from download import Source
from grid import ARRAY, make_jobs
from matrix_list import load_matrix_list

# Jobs find the interpreter that runs Snakemake, whether or not its environment is activated.
os.environ.update(PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]))
os.environ["PYTHONPATH"] = str(PACKAGE)
os.environ.setdefault("SPARSEREPRO_RUN", f"{os.getpid()}-{time.time_ns()}")


def refuse(error):
    """Ends with the message alone: a wrong configuration is no place for a traceback."""
    print(f"Configuration refused.\n{error}", file=sys.stderr)
    sys.exit(1)


try:
    for file in workflow.configfiles:
        load_config_file(Path(file))
    CONFIG = check_config(config, " + ".join(map(str, workflow.configfiles)))
    MATRIX_LIST = load_matrix_list(ROOT / "config" / "matrices.yaml")
    JOBS = {job.key: job for job in make_jobs(CONFIG, MATRIX_LIST) if CONFIG["measure"]}
    SETS = sets.chosen(Path("report/measurements"), CONFIG["report"]["sets"])
except ConfigError as error:
    refuse(error)

MATRICES = list(dict.fromkeys(job.matrix for job in JOBS.values() if job.matrix != ARRAY))
MATRIX_FILES = [f"results/matrices/{matrix}.json" for matrix in MATRICES]
PROBLEMS = list(dict.fromkeys(job.problem for job in JOBS.values()))
# What the report holds; the sets stand beside this run.
REPORTED = CONFIG["report"]["problems"]
if REPORTED == "measured":
    REPORTED = PROBLEMS if CONFIG["measure"] else sets.problems(SETS)
CATALOGUE_FILES = [f"results/catalogue/{problem}.json" for problem in PROBLEMS]
RECORD_FILES = [
    f"results/records/{problem}/{matrix}/{name}.jsonl" for problem, matrix, name in JOBS
]
SOURCE = Source(**CONFIG["download"])


wildcard_constraints:
    problem="|".join(build_facts.PROBLEMS),
    driver="|".join(build_facts.DRIVERS),
    matrix=r"[A-Za-z0-9][A-Za-z0-9._-]*",
    instance=r"[A-Za-z0-9_.+-]+",


def scripts(*names):
    """Scripts that a rule runs and what they import, so that a change of one reruns the rule."""
    return [os.path.relpath(path, ROOT) for path in imports.needed(*names)]


def missing():
    """Matrices of this configuration that could not be had."""
    entries = [MATRIX_LIST.entries[matrix] for matrix in MATRICES]
    return availability.missing_matrices(entries, Path("results/matrices"))


def prepare():
    """Has those matrices resolved again that can be had by now, and prints the plan."""
    entries = [MATRIX_LIST.entries[matrix] for matrix in MATRICES]
    tried = missing()
    again = (
        tried
        if CONFIG["strict"]
        else availability.worth_another_try(tried, CONFIG["staging"], SOURCE)
    )
    lost = availability.lost_matrices(entries, Path("results"))
    for entry in [*lost, *(matrix.entry for matrix in again)]:
        availability.try_again(entry, Path("results/tries"))
    lines = [
        plan.describe(list(JOBS.values()), Path("results")),
        availability.summary(again, "Tried again"),
        availability.summary([m for m in tried if m not in again], "Still unavailable"),
    ]
    print("\n".join(line for line in lines if line), file=sys.stderr)


if workflow.is_main_process:
    prepare()


def closing(lead, *lines):
    """The last lines of a run: matrices that are not there, and what to look at."""
    text = [availability.summary(missing(), lead), *lines]
    print("\n".join(line for line in text if line), file=sys.stderr)


onsuccess:
    report = Path("results/report.pdf")
    closing(
        "Not measured, because they cannot be had",
        f"Report: {report.resolve()}" if report.exists() else "",
    )


onerror:
    closing("Matrices that cannot be had", "Failed: see above; logs are in results/logs")
