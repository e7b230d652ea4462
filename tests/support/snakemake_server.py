"""Forks a process for each run of Snakemake that it is asked for. It has the modules already, which
take longer to import than most runs of the tests take.

A request comes by the socket of argument 1: JSON with the run's arguments, folder and environment,
and the two ends of pipes that are to be its output. The answers are its process id and exit code.
"""

import atexit
import importlib
import json
import os
import socket
import sys
import threading
import traceback

# Also what runs import later. Nothing of the project: a run takes that of its own checkout.
MODULES = (
    *("snakemake.cli", "snakemake.dag", "snakemake.report.html_reporter", "snakemake.scheduling"),
    *("snakemake.executors.local", "pandas", "yte", "asyncio", "jsonschema", "yaml", "requests"),
)

BEGUN_IN = os.getcwd()  # noqa: PTH109


def run(words: list[str], folder: str, environment: dict[str, str]) -> int:
    """As `python -m snakemake`."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    from snakemake import __file__ as package
    from snakemake.cli import main
    from snakemake.workflow import Workflow

    assert Workflow._rundir == BEGUN_IN  # all that it keeps of the process that imports it
    Workflow._rundir = folder
    sys.path[0] = folder
    sys.argv = [os.path.join(os.path.dirname(package), "__main__.py"), *words]  # noqa: PTH118, PTH120
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 1


def main() -> None:
    connection = socket.socket(fileno=int(sys.argv[1]))
    for module in MODULES:
        importlib.import_module(module)
    from snakemake.cli import get_argument_parser

    get_argument_parser()  # which looks for plugins
    while True:
        header, pipes, _, _ = socket.recv_fds(connection, 4, 2)
        if not header:
            return
        length = int.from_bytes(header, "big")
        request = b""
        while len(request) < length:
            request += connection.recv(length - len(request))
        if (process := os.fork()) == 0:
            connection.close()
            for number, pipe in enumerate(pipes, start=1):
                os.dup2(pipe, number)
                os.close(pipe)
            code = 1
            try:
                code = run(**json.loads(request))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        for pipe in pipes:
            os.close(pipe)
        connection.sendall(process.to_bytes(4, "big"))
        _, status = os.waitpid(process, 0)
        code = os.waitstatus_to_exitcode(status)
        connection.sendall(code.to_bytes(4, "big", signed=True))


main()
