"""The GPUs of this host as slots, of which each job of one GPU takes one.

With `gpus` of the configuration above 1, jobs whose algorithms all run on one GPU are measured side
by side, a job a GPU. The holder of a slot shows its driver that GPU alone (CUDA_VISIBLE_DEVICES)
and names the slot in SPARSEREPRO_GPU_SLOT; the driver then shares the measurement lock with those
of the other GPUs. Every other job keeps that lock to itself, so that no time of the host, and none
of an algorithm on several GPUs, is taken beside another one.
"""

import contextlib
import fcntl
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sparserepro.build.node import is_for_device
from sparserepro.config.grid import Job
from sparserepro.program import FileError
from sparserepro.run.expression import catalogue as expression
from sparserepro.run.expression.lock import opened

SLOT = "SPARSEREPRO_GPU_SLOT"
VISIBLE = "CUDA_VISIBLE_DEVICES"
PARAMETER = "gpus"
"""Of algorithms that run on several GPUs."""
_LOCK = "/tmp/sparserepro-measurement.lock"
_BETWEEN_TRIES_S = 0.1


def is_for_several(root: Path, problem: str, algorithm: str) -> bool:
    """Whether the sources of an algorithm have the parameter, before a build has listed it."""
    files = (root / "kernels" / problem).rglob(f"{algorithm}.cu")
    return any("gpus_parameter()" in file.read_text(encoding="utf-8") for file in files)


def fits_one(root: Path, job: Job) -> bool:
    """Whether all algorithms of a job are named and run on one GPU, by their sources."""
    return "all" not in job.algorithms and all(
        is_for_device(root, job.problem, name) and not is_for_several(root, job.problem, name)
        for name in job.algorithms
    )


def share(root: Path, job: Job, gpus: int, cores: int) -> tuple[int, int]:
    """Cores and GPUs that a job takes: its part of both, or all of both."""
    if gpus > 1 and fits_one(root, job):
        return max(1, cores // gpus), 1
    return cores, gpus


def takes_a_slot(catalogue: dict[str, Any], job: Job, gpus: int) -> bool:
    """The same, by the catalogue of the driver."""
    by_name = {algorithm["name"]: algorithm for algorithm in catalogue["algorithms"]}
    return (
        gpus > 1
        and "all" not in job.algorithms
        and not expression.is_wanted(job)
        and all(
            by_name[name]["backend"] == "cuda"
            and PARAMETER not in (parameter["name"] for parameter in by_name[name]["parameters"])
            for name in job.algorithms
        )
    )


def visible(gpus: int, environment: Mapping[str, str]) -> list[str]:
    """Names of the first `gpus` devices. Raises FileError where the environment shows fewer."""
    shown = environment.get(VISIBLE)
    if shown is None:
        return [str(number) for number in range(gpus)]
    names = [name.strip() for name in shown.split(",") if name.strip()]
    if len(names) < gpus:
        raise FileError(f"{VISIBLE} shows {len(names)} GPUs; the configuration has gpus: {gpus}")
    return names[:gpus]


def slot_path(device: str, environment: Mapping[str, str]) -> Path:
    """Beside the measurement lock of the drivers."""
    lock = environment.get("SPARSEREPRO_LOCK") or _LOCK
    return Path(f"{lock}.gpu-{re.sub('[^A-Za-z0-9]', '-', device)}")


@contextlib.contextmanager
def slot(gpus: int, environment: Mapping[str, str] = os.environ) -> Iterator[dict[str, str]]:
    """Waits for a GPU that no other job holds, and holds it; what its driver's environment has.
    Raises FileError."""
    devices = visible(gpus, environment)
    with contextlib.ExitStack() as stack:
        files = []
        for device in devices:
            try:
                files.append(opened(slot_path(device, environment)))
            except OSError as error:
                raise FileError(f"cannot open the slot of GPU {device}: {error}") from None
            stack.callback(os.close, files[-1])
        while True:
            for device, file in zip(devices, files, strict=True):
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                # Two drivers that both bind their threads from the first core on would share it.
                yield {VISIBLE: device, SLOT: device, "OMP_PROC_BIND": "false"}
                return
            time.sleep(_BETWEEN_TRIES_S)
