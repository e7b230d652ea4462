"""A sweep of 10,000 cells is planned in a minute of a core and 1 GB, were each a job of its own."""

import os
import subprocess
import sys

import pytest
import yaml

from test_workflow import COLLECTED

JOBS = 10_000
MATRICES = 25
SECONDS, BYTES = 60, 1e9
CONFIG = {
    "max_jobs": 2 * JOBS,
    "problems": {"spmm": {"algorithms": ["omp_rows"], "parameters": {"threads": [1]}}},
    "download": {"enabled": False},
}


@pytest.mark.slow
def test_ten_thousand_cells_are_planned_in_a_minute(pretended, capsys):
    sizes = list(range(1, JOBS // MATRICES + 1))
    names = listed(pretended)[:MATRICES]
    problems = {"spmm": CONFIG["problems"]["spmm"] | {"instances": {"k": sizes}}}
    pretended.write_config(**CONFIG | {"matrices": names, "problems": problems})
    line = [sys.executable, "-m", "snakemake", "-n", "--cores", "2", COLLECTED]
    settings = ["--configfile", "test.yaml", "--quiet", "all"]
    with subprocess.Popen(
        [*line, *settings], cwd=pretended.path, env=pretended.environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    assert f"Plan: {JOBS} measuring jobs on {MATRICES} matrices" in said
    # Of the processor: the machine may be busy with other tests.
    seconds, size = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
    with capsys.disabled():
        print(f"\n{JOBS} jobs of a cell: {seconds:.0f} s, {size / 1e6:.0f} MB")
    assert seconds < SECONDS
    assert size < BYTES


def listed(workdir):
    """Names of the generated matrices."""
    text = yaml.safe_load((workdir.path / "config/matrices.yaml").read_text())
    return [name for name, entry in text["matrices"].items() if "spec" in entry]
