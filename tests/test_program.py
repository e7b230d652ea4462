"""Programs of the package whose output nobody reads any more end as others do: without a word."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SPMM = "report/ablations/h200/spmm.jsonl"
COMMANDS = {
    "ablation": ("sparserepro.ablation", SPMM, "--algorithm", "cuda_csr_balanced"),
    "bounds": ("sparserepro.data.bound_check", SPMM),
    "help": ("sparserepro.data.cells", "--help"),
    "compare": ("sparserepro", "compare", "h200", "h100", "--all"),
    "fetch": ("sparserepro", "fetch", "--help"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_closed_pipe_ends_a_command_quietly(name: str) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", *COMMANDS[name]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout
    assert child.stderr
    with child:
        child.stdout.close()
        assert child.stderr.read() == ""
    assert child.wait() == 128 + signal.SIGPIPE


def test_more_than_a_pipe_holds_ends_quietly() -> None:
    code = "from sparserepro import program; exit(program.run(lambda: print('x\\n' * 10**6)))"
    done = subprocess.run(
        ["bash", "-c", '"$0" -c "$1" | head -1; exit "${PIPESTATUS[0]}"', sys.executable, code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("x\n", "")
    assert done.returncode == 128 + signal.SIGPIPE


def test_every_command_is_run_by_program() -> None:
    mains = {
        path: found
        for path in (ROOT / "python").rglob("*.py")
        if (found := re.findall(r'^if __name__ == "__main__":\n(.*)', path.read_text(), re.M))
    }
    assert len(mains) > 20
    others = {path.name for path, found in mains.items() if "program.run(main)" not in found[0]}
    assert others == {"launcher.py"}  # it runs before the package is found


NO_RECORDS = {
    "bundle/sources.py": 1,  # names that git prints
    "bundle/wheels.py": 1,  # what pip says
    "data/bound_check.py": 1,  # its own docstring
    "data/collect.py": 1,  # names of files
    "data/digests.py": 1,  # hashes
    "fetch/resolve.py": 1,  # what matrix_info says
    "offline/build.py": 1,  # the log of a build
    "offline/runner.py": 1,  # the log of a driver
    "render/pdf.py": 1,  # the log of LaTeX
    "run/node.py": 1,  # what nvidia-smi prints
}
"""Files of the package that cut something else into lines, and how often."""


def test_files_of_records_are_cut_at_newlines_alone() -> None:
    """`splitlines` cuts at U+2028 and others as well, which a string of JSON may hold."""
    package = ROOT / "python/sparserepro"
    found = {
        path.relative_to(package).as_posix(): count
        for path in sorted(package.rglob("*.py"))
        if (count := path.read_text().count("splitlines("))
    }
    assert found == NO_RECORDS
    others = [ROOT / "Snakefile", *(ROOT / "workflow").rglob("*.smk")]
    assert not [path for path in others if "splitlines(" in path.read_text()]


def test_an_interrupt_ends_a_command_quietly() -> None:
    code = "import time; from sparserepro import program; exit(program.run(lambda: wait(time)))"
    wait = "def wait(time):\n    print('begun', flush=True)\n    time.sleep(60)\n"
    with subprocess.Popen(
        # A job in the background of a script ignores SIGINT, and so would the child.
        ["env", "--default-signal=INT", sys.executable, "-c", wait + code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout
        assert child.stderr
        assert child.stdout.readline() == "begun\n"
        child.send_signal(signal.SIGINT)
        assert child.stderr.read() == ""
    assert child.returncode == 128 + signal.SIGINT
