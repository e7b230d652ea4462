"""The algorithm that no driver has: the matrix expression of the triangles problem.

Python evaluates it after the driver's job (run/expression/). The catalogue lists it behind the
driver's algorithms, so that configurations, tables and figures name it like any other; what goes to
the driver goes without it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sparserepro.config.grid import Job, join, option
from sparserepro.run.expression import NAME, PARAMETER, PROBLEM, REFERENCE
from sparserepro.run.expression.tools import TOOLS, missing, preferred


def entry() -> dict[str, Any]:
    """As a driver lists an algorithm."""
    tool = preferred()
    return {
        "problem": PROBLEM,
        "name": NAME,
        "summary": "sum(sum((A*A).*A))/6, the product formed whole",
        "source": "triangle seed, Algorithm 1 and its MATLAB baseline; run in GNU Octave or SciPy",
        "backend": "serial",
        "peer": True,
        "baseline": REFERENCE,
        "parameters": [
            {
                "name": PARAMETER,
                "fallback": tool,
                "allowed": list(TOOLS),
                "help": "interpreter that evaluates the expression",
            }
        ],
        "unavailable": missing(tool) or None,
    }


def with_expression(catalogue: dict[str, Any]) -> dict[str, Any]:
    """What a driver lists, and behind it the algorithm that it does not have."""
    if catalogue["problem"] != PROBLEM:
        return catalogue
    return catalogue | {"algorithms": [*catalogue["algorithms"], entry()]}


def is_wanted(job: Job) -> bool:
    """Whether the expression belongs to the job."""
    return job.problem == PROBLEM and ("all" in job.algorithms or NAME in job.algorithms)


def options(job: Job) -> list[str]:
    """Of the command `sparserepro expression`, which takes its samples once."""
    timing = {name: value for name, value in job.timing.items() if name != "again"}
    found = [text for n, v in timing.items() for text in (option(n.removesuffix("_s")), str(v))]
    if PARAMETER in job.parameters:
        found += [option(PARAMETER), join(job.parameters[PARAMETER])]
    return found


def driver_job(job: Job) -> Job:
    """What the driver is asked for. Where the expression is named, so is its reference."""
    if job.problem != PROBLEM:
        return job
    names = tuple(name for name in job.algorithms if name != NAME)
    if NAME in job.algorithms and not {"all", REFERENCE} & set(names):
        names = (REFERENCE, *names)
    parameters = {name: values for name, values in job.parameters.items() if name != PARAMETER}
    return replace(job, algorithms=names, parameters=parameters)
