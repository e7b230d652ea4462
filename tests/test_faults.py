"""What the workflow makes of damaged files, kills, hanging drivers, and folders that it may not
write."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from test_workflow import COLLECTED, CONFIG, measured

SMALL = CONFIG | {"problems": {"transpose": {}}}
ROOT = Path(__file__).resolve().parent.parent
RECORDS = "results/test/records/transpose"


def with_matrix(workdir, name):
    """Puts a matrix of this name on the list."""
    matrices = workdir.path / "config/matrices.yaml"
    line = f'matrices:\n  {name}: {{class: uniform, spec: "uniform:rows=3"}}'
    matrices.write_text(matrices.read_text().replace("matrices:", line, 1))


def start(workdir, *arguments):
    # A job in the background of a script ignores SIGINT, and so would the run.
    heard = ["env", "--default-signal=INT"]
    return subprocess.Popen(
        [*heard, sys.executable, "-m", "snakemake", "--cores", "8", *arguments],
        cwd=workdir.path,
        env=workdir.environment,
        text=True,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for_hanging_driver(workdir):
    wait_for(lambda: any("bin/transpose hang" in line or "--matrix-name hanging" in line
                         for line in processes_in(workdir.path).values()
                         if "bin/transpose" in line and "run.measure" not in line))  # fmt: skip


def processes_in(folder):
    """Of all processes that work in a folder, the command lines by their numbers."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if Path.readlink(process / "cwd") == folder:
                found[int(process.name)] = (process / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return {number: line for number, line in found.items() if line}


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_damaged_files_are_made_again_or_named(pretended):
    arguments = [COLLECTED, "--configfile", pretended.write_config(**SMALL)]
    assert pretended.snakemake(*arguments).returncode == 0
    shared = pretended.path / "results/shared"
    damaged = [shared / "matrices/uniform-small.json", shared / "catalogue/transpose.json"]
    whole = [path.read_text() for path in damaged]
    for path in damaged:
        path.write_text(path.read_text()[:-9])
    done = pretended.snakemake(*arguments)
    assert done.returncode == 0, done.stderr
    assert [path.read_text() for path in damaged] == whole

    record = pretended.path / RECORDS / "uniform-small/default.jsonl"
    record.write_text(record.read_text()[:-9])
    done = pretended.snakemake("-n", *arguments)
    assert done.returncode == 1
    assert f"{record.relative_to(pretended.path)}:2: no record; delete the file" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_workflow_that_is_killed_takes_its_driver_with_it(pretended):
    with_matrix(pretended, "hanging")
    name = pretended.write_config(**(SMALL | {"matrices": ["hanging"]}))
    arguments = [COLLECTED, "--configfile", name]
    with start(pretended, *arguments) as process:
        wait_for_hanging_driver(pretended)
        second = pretended.snakemake(*arguments)
        assert second.returncode == 1
        assert "Another run works in this folder, or one was killed" in second.stderr
        process.send_signal(signal.SIGKILL)
    wait_for(lambda: not processes_in(pretended.path), seconds=10)
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *["--cores", "1", "--unlock", "--configfile"], name],
        cwd=pretended.path,
        env=pretended.environment,
        check=False,
    )
    assert done.returncode == 0


def test_an_interrupt_is_told_and_no_job_is_named(pretended):
    with_matrix(pretended, "hanging")
    name = pretended.write_config(**(SMALL | {"matrices": ["hanging"]}))
    with start(pretended, COLLECTED, "--configfile", name) as process:
        wait_for_hanging_driver(pretended)
        os.killpg(process.pid, signal.SIGINT)  # as the terminal sends it
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert "No job failed: the run was ended from outside, and the same command goes on." in said
    assert "program.run(main)" not in said  # no traceback of what measured


def test_a_driver_that_hangs_is_ended_and_recorded(pretended):
    with_matrix(pretended, "hanging")
    config = SMALL | {"matrices": ["hanging", "uniform-small"], "job_limit_s": 1}
    arguments = [COLLECTED, "--configfile", pretended.write_config(**config)]
    done = pretended.snakemake(*arguments)
    assert done.returncode == 0, done.stderr
    assert "Ended by the time limit (1):\n  transpose on hanging, default: timeout" in done.stderr
    folder = pretended.path / RECORDS / "hanging"
    assert (folder / "default.jsonl").read_text() == ""
    assert '"status": "timeout"' in (folder / "default.timeout").read_text()
    assert len((pretended.path / COLLECTED).read_text().splitlines()) == 2

    # What is to be deleted is what the end of the output and the page name.
    assert f"to try again delete {RECORDS}/hanging/default.jsonl" in done.stderr
    page = (ROOT / "config/README.md").read_text()
    assert "delete `<instance>.jsonl`, the file of records, to try again" in page
    (folder / "default.jsonl").unlink()
    driver = next(Path(pretended.environment["PATH"].split(os.pathsep)[0]).glob("driver"))
    driver.write_text(driver.read_text().replace("time.sleep(600)", "pass"))
    for built in (pretended.path / "build/bin").iterdir():
        built.write_text(driver.read_text())
    done = pretended.snakemake(*arguments)
    assert "time limit" not in done.stderr
    assert not (folder / "default.timeout").exists()


@pytest.mark.parametrize("matrix", ["olm1000", "hanging"])
def test_a_run_in_which_nothing_was_measured_says_so(pretended, matrix):
    with_matrix(pretended, "hanging")
    config = SMALL | {"matrices": [matrix], "job_limit_s": 1, "report": {"sets": []}}
    done = pretended.snakemake("report", "--configfile", pretended.write_config(**config))
    assert done.returncode == 1
    assert "There is no report: nothing was measured, and report.sets has no record.\n" in (
        done.stderr
    )
    assert "Traceback" not in done.stdout + done.stderr
    reasons = {
        "olm1000": "Unavailable matrices (1):\n  olm1000  not staged",
        "hanging": "Ended by the time limit (1):\n  transpose on hanging",
    }
    assert reasons[matrix] in done.stderr
    assert "Failed (1), with their logs:\n  cells  " in done.stderr


def test_a_document_that_cannot_be_set_leaves_the_last_one(checkout, tmp_path):
    results = checkout.path / "results/test"
    (results / "report/parts").mkdir(parents=True)
    (results / "report.pdf").write_text("the last one")
    time.sleep(0.05)
    (results / "cells.parquet").touch()
    latexmk = tmp_path / "latexmk"
    latexmk.write_text("#!/bin/sh\nexit 1\n")
    latexmk.chmod(0o755)
    checkout.environment["PATH"] = f"{tmp_path}{os.pathsep}{checkout.environment['PATH']}"
    arguments = ["--configfile", checkout.write_config(**SMALL), "--rerun-triggers", "mtime"]
    rules = ["--allowed-rules", "paper", "put_report"]
    done = checkout.snakemake("results/test/report.pdf", *arguments, *rules)
    assert "Error in rule paper" in done.stdout + done.stderr
    assert (results / "report.pdf").read_text() == "the last one"


def test_two_runs_in_two_folders(pretended, tmp_path):
    name = str(pretended.path / pretended.write_config(**SMALL))
    folders = [tmp_path / "one", tmp_path / "two"]
    arguments = [COLLECTED, "--configfile", name, "--directory"]
    runs = [start(pretended, *arguments, str(folder)) for folder in folders]
    for run in runs:
        _, said = run.communicate()
        assert run.returncode == 0, said
    for folder in folders:
        assert len((folder / COLLECTED).read_text().splitlines()) == 2


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to be somebody else")
def test_a_checkout_that_is_read_only_without_a_home(pretended, tmp_path):
    name = str(pretended.path / pretended.write_config(**SMALL))
    out = tmp_path / "out"
    out.mkdir()
    os.chown(out, 65534, 65534)
    for folder in (*tmp_path.parents, tmp_path):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    environment = {k: v for k, v in pretended.environment.items() if k != "HOME"}
    command = [sys.executable, "-m", "snakemake", "--cores", "2", COLLECTED]
    done = subprocess.run(
        [*command, "--configfile", name, "--directory", str(out)],
        cwd=pretended.path, env=environment, user=65534, group=65534, extra_groups=[],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert measured((out / "calls.log").read_text().splitlines()) == ["transpose"]
