"""A sweep of 10,000 cells is planned in about a minute of a core and 1 GB, were each a job of its
own."""

import subprocess
import sys

import pytest
import yaml

from test_workflow import COLLECTED

JOBS = 10_000
MATRICES = 25
LOOPS, BYTES = 200, 1e9
MEASURED = """
import resource, subprocess, sys, time

def loop():
    begin = time.process_time()
    names = {}
    for i in range(1_000_000):
        names[f"cell-{i % 5000}"] = (i, str(i * i))
    return time.process_time() - begin

before = loop()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, (before + loop()) / 2, used.ru_maxrss * 1024)
sys.exit(code)
"""
"""In a small process: the largest memory of a child counts what its parent had when it began. The
loop tells how fast the core is: 0.3 to 0.6 s, a hundredth of the plan's time."""
CONFIG = {
    "max_jobs": 2 * JOBS,
    "problems": {"spmm": {"algorithms": ["omp_rows"], "parameters": {"threads": [1]}}},
    "download": {"enabled": False},
}


@pytest.mark.slow
def test_ten_thousand_cells_are_planned_in_about_a_minute(pretended, capsys):
    sizes = list(range(1, JOBS // MATRICES + 1))
    names = listed(pretended)[:MATRICES]
    problems = {"spmm": CONFIG["problems"]["spmm"] | {"instances": {"k": sizes}}}
    pretended.write_config(**CONFIG | {"matrices": names, "problems": problems})
    line = [sys.executable, "-m", "snakemake", "-n", "--cores", "2", COLLECTED]
    settings = ["--configfile", "test.yaml", "--quiet", "all"]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *line, *settings],
        cwd=pretended.path, env=pretended.environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"Plan: {JOBS} measuring jobs on {MATRICES} matrices" in done.stderr
    # Of the processor: the machine may be busy with other tests.
    seconds, loop, size = (float(word) for word in done.stdout.split())
    with capsys.disabled():
        print(f"\n{JOBS} jobs of a cell: {seconds:.0f} s, {size / 1e6:.0f} MB, loop {loop:.2f} s")
    assert seconds < LOOPS * loop
    assert size < BYTES


def listed(workdir):
    """Names of the generated matrices."""
    text = yaml.safe_load((workdir.path / "config/matrices.yaml").read_text())
    return [name for name, entry in text["matrices"].items() if "spec" in entry]
