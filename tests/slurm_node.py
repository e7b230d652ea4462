"""Slurm as one node on loopback, of Debian's slurm-wlm and munge, without accounting.

Jobs and Slurm's commands read /etc/slurm, whatever the daemons were started with; so the files lie
there while it runs. All else lies in a folder of the caller.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

ETC = Path("/etc/slurm")
DAEMONS = ("munged", "slurmctld", "slurmd")
PORTS = (16817, 16818)

CONFIGURATION = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
MinJobAge=7200
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} CoresPerSocket={cores} RealMemory={memory_mb} \
Gres=gpu:1 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
# A device file for the resource, so that Slurm can hand it out; no job touches it.
RESOURCES = "NodeName={host} Name=gpu File=/dev/null\n"


def hindrance() -> str:
    """Why Slurm cannot be started here, or ""."""
    absent = [name for name in DAEMONS if shutil.which(name) is None]
    if absent:
        return f"{', '.join(absent)} not installed (Debian: slurm-wlm, munge)"
    if os.geteuid() != 0:
        return "the daemons of Slurm need root"
    if not os.access(ETC, os.W_OK):
        return f"{ETC} cannot be written to"
    if any((ETC / name).exists() for name in ("slurm.conf", "gres.conf")):
        return f"{ETC} has the configuration of another cluster"
    return ""


def _say(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.stdout + done.stderr


def _end(folder: Path) -> None:
    """Jobs, then the daemons, by the numbers that they wrote."""
    for name in ("slurmd", "slurmctld", "munged"):
        path = folder / f"{name}.pid"
        if not path.exists():
            continue
        number = int(path.read_text())
        if name == "slurmd":
            _say(["scancel", "--user=root", "--full"])
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGTERM)
            for _ in range(200):
                os.kill(number, 0)
                time.sleep(0.05)
            os.kill(number, signal.SIGKILL)


def jobs() -> list[dict[str, str]]:
    """What Slurm tells of its jobs, those included that have ended."""
    told = _say(["scontrol", "--oneliner", "show", "job"])
    return [
        dict(word.partition("=")[::2] for word in line.split())
        for line in told.splitlines()
        if line.startswith("JobId=")
    ]


def _memory_mb() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // 2**20 * 9 // 10


@contextlib.contextmanager
def running(folder: Path) -> Iterator[None]:
    """Slurm runs, and nothing of it is left then. Raises RuntimeError with what the daemons said
    where they do not start."""
    host = socket.gethostname().partition(".")[0]
    told = {
        "host": host, "ports": PORTS, "folder": folder, "memory_mb": _memory_mb(),
        "cores": len(os.sched_getaffinity(0)),
    }  # fmt: skip
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    files = {"slurm.conf": CONFIGURATION, "gres.conf": RESOURCES}
    munge = [
        f"--{name}={folder}/{file}"
        for name, file in (
            ("key-file", "munge.key"), ("socket", "munge.socket"), ("pid-file", "munged.pid"),
            ("log-file", "munged.log"), ("seed-file", "munged.seed"),
        )
    ]  # fmt: skip
    try:
        for name, text in files.items():
            (ETC / name).write_text(text.format(**told))
        said = ""
        for command in (["munged", "--force", *munge], ["slurmctld"], ["slurmd"]):
            said += _say(command)
        for _ in range(60):
            if "idle" in _say(["sinfo", "--noheader", "--format=%T"]):
                break
            time.sleep(0.5)
        else:
            logs = "".join(path.read_text()[-2000:] for path in folder.glob("slurm*.log"))
            raise RuntimeError(f"{said}{logs}")
        yield
    finally:
        _end(folder)
        for name in files:
            (ETC / name).unlink(missing_ok=True)
