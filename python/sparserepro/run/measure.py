"""Runs one job: a driver on one matrix, with every option given, and keeps its log. The matrix
expression, where the job has it, follows in a process of its own.

An unavailable matrix gives an empty file of records; the reason is in the matrix's own file. So
does a driver that does not end within the limit; a file beside it says `timeout` (timeouts.py).
Thread counts are options of the driver, so what the workflow exports for OpenMP is taken away.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from sparserepro import program
from sparserepro.build.catalogue import check_names, cuda_options
from sparserepro.config.check import ConfigError
from sparserepro.config.grid import Job, available_cores
from sparserepro.data import digests
from sparserepro.offline.driver import driver_environment
from sparserepro.run import gpus, timeouts
from sparserepro.run.expression import catalogue as expression
from sparserepro.run.node import settled


class TimedOut(Exception):
    """A driver did not end within the limit of the job."""


_MERCY_S = 10


def run_driver(
    command: list[str],
    log: Path,
    limit_s: float | None = None,
    more: dict[str, str] | None = None,
) -> int:
    """Runs the command, with `more` in its environment; its output is added to `log`, what it says
    on stderr goes to ours too. Raises TimedOut when it takes longer than `limit_s`."""

    def relay(stream: IO[str], out: IO[str]) -> None:
        for line in stream:
            out.write(line)
            print(line.rstrip(), file=sys.stderr, flush=True)

    with log.open("a") as out:
        out.write("$ " + " ".join(command) + "\n")
        out.flush()
        with subprocess.Popen(
            command,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=driver_environment(dict(os.environ)) | (more or {}),
            preexec_fn=program.ending_with_us(),
        ) as process:
            # Snakemake ends a job by SIGTERM to us; the driver must not go on measuring alone.
            signal.signal(signal.SIGTERM, lambda *_: process.terminate())
            reader = threading.Thread(target=relay, args=(process.stderr, out))
            reader.start()
            try:
                code = process.wait(limit_s)
            except subprocess.TimeoutExpired:
                end(process)
                raise TimedOut from None
            finally:
                reader.join()
    if code != 0:
        ended = f"was killed by signal {-code}" if code < 0 else f"exits with {code}"
        print(
            f"{Path(command[0]).name} {ended}: {' '.join(command[1:])}\n  log: {log}",
            file=sys.stderr,
        )
    return code


def end(process: subprocess.Popen[str]) -> None:
    """Asks a process to end, and makes it end where it does not listen."""
    process.terminate()
    try:
        process.wait(_MERCY_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def source_arguments(description: Path) -> list[str] | None:
    """The driver's source and its name, or None for an unavailable matrix."""
    matrix = program.read_json(description)
    if "unavailable" in matrix:
        return None
    source = matrix["path"] or matrix["source"]
    return [source, "--matrix-name", matrix["name"]]


def run_expression(job: Job, source: str, records: Path, options: argparse.Namespace) -> int:
    """Adds the records of the matrix expression to those of the driver."""
    more = records.with_suffix(".expression")
    tool = Path(options.driver).with_name("matrix_info")  # which writes the graph
    if not tool.exists():  # a node's tree has it
        build = [sys.executable, "-m", "sparserepro.build.drivers", tool.name]
        if code := run_driver([*build, "--parallel", str(available_cores())], options.log):
            return code
    command = [sys.executable, "-m", "sparserepro", "expression", source]
    command += ["--records", str(records), "--json", str(more)]
    command += ["--drivers", str(tool.parent), *expression.options(job)]
    code = run_driver(command, options.log, options.limit_s)
    if code == 0:
        with records.open("a") as out:
            out.write(more.read_text())
    more.unlink(missing_ok=True)
    return code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", required=True, help="job (grid.Job) as JSON")
    parser.add_argument("--driver", required=True, help="executable")
    parser.add_argument("--catalogue", type=Path, required=True, help="catalogue of the driver")
    parser.add_argument("--matrix", type=Path, help="description of the matrix; none for arrays")
    parser.add_argument("--output", type=Path, required=True, help="file of records to write")
    parser.add_argument("--log", type=Path, required=True, help="log to write")
    parser.add_argument("--limit-s", type=float, help="seconds after which the job is ended")
    parser.add_argument("--gpus", type=int, default=1, help="GPUs of this host that jobs share")
    parser.add_argument(
        "--on-node", action="store_true", help="the node decides thread counts and machine's name"
    )
    options = parser.parse_args()
    job = Job.from_json(options.job)
    if options.on_node:
        job = settled(job)
    catalogue = program.read_json(options.catalogue)
    try:
        check_names(catalogue, job)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 1
    source = [] if options.matrix is None else source_arguments(options.matrix)
    if source is None:
        options.output.write_text("")
        digests.write_beside(options.output)
        return 0
    options.log.parent.mkdir(parents=True, exist_ok=True)
    options.log.write_text("")
    own = expression.driver_job(job)
    partial = options.output.with_suffix(".part")
    command = [options.driver, *source, *own.driver_options()]
    command += [*cuda_options(catalogue, own), "--json", str(partial)]
    timed_out = timeouts.beside(options.output)
    try:
        with contextlib.ExitStack() as stack:
            more = {}
            if gpus.takes_a_slot(catalogue, job, options.gpus):
                more = stack.enter_context(gpus.slot(options.gpus))
            code = run_driver(command, options.log, options.limit_s, more)
        if code == 0 and expression.is_wanted(job):
            code = run_expression(job, source[0], partial, options)
        timed_out.unlink(missing_ok=True)
    except TimedOut:
        print(f"{job.problem} was ended after {options.limit_s:g} s (job_limit_s)", file=sys.stderr)
        timeouts.write(timed_out, job, options.limit_s)
        partial.write_text("")
        code = 0
    if code != 0:
        partial.unlink(missing_ok=True)
        return 1
    digests.write_beside(options.output, content=partial)
    partial.replace(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
