"""What of a job a node of a cluster decides, on which it is measured: the thread counts that `auto`
stands for, and the name of the machine.

Nodes with the same processor, cores, memory and GPUs are one machine in records and report; unlike
ones are several, whatever the configuration calls them.
"""

import math
import os
from dataclasses import replace
from pathlib import Path

from sparserepro.build import facts
from sparserepro.build.node import digits, slug
from sparserepro.config.grid import AUTO, Job, Value, available_cores, thread_counts

_MEMORY_CLASSES = 16
"""For each doubling of the memory: sizes within a class differ by less than hardware.py allows."""


def machine_id(given: str | None, processor: str, cores: int, memory: int, gpus: list[str]) -> str:
    """The name of all nodes of this hardware. It begins with the name that the configuration has
    given, if there is one, else with processor, cores and GPU."""
    size = round(math.log2(memory) * _MEMORY_CLASSES)
    device = [slug(gpus[0])] if gpus else []
    name = given or "-".join([slug(processor), f"{cores}c", *device])
    return f"{name}-{digits([processor, cores, size, gpus], 6)}"


def this_machine(given: str | None) -> str:
    told = facts.toolchain(Path("build/nodes/none"), Path(), "OFF")
    gpus = [line.rpartition(",")[0] for line in told["gpus"].splitlines()]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    return machine_id(given, told["processor"], available_cores(), memory, gpus)


def settled(job: Job) -> Job:
    """The job with all that this node decides."""
    parameters = dict(job.parameters)
    threads = parameters.get("threads", [])
    if AUTO in threads:
        counts = {int(t) for t in threads if t != AUTO} | set(thread_counts(available_cores()))
        own: list[Value] = sorted(counts)
        parameters["threads"] = own
    return replace(job, parameters=parameters, machine_id=this_machine(job.machine_id))
