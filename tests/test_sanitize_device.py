"""tests/sanitize_device, with a sanitizer, a GPU and tests of our own in place of the real ones."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SANITIZER = """#!/usr/bin/env bash
[[ $1 != --version ]] || { echo "Version 2025.3.1.0 (build 1)"; exit; }
[[ $1 == --tool && $3 == --error-exitcode && $4 == 9 ]] || exit 3
TOOL=$2 "${@:5}" || exit
errors=0
[[ $2-${5##*/} != "$FAILING" ]] || errors=3
if [[ $2 == racecheck ]]; then
  echo "========= RACECHECK SUMMARY: $errors hazards displayed ($errors errors, 0 warnings)"
else
  echo "========= ERROR SUMMARY: $errors errors"
fi
((errors == 0)) || exit 9
"""
GPU = """#!/usr/bin/env bash
[[ $1 == *driver* ]] && echo 580.1 || echo "${GPU:-Some GPU}"
"""
TEST = """#!/usr/bin/env bash
[[ $SPARSEREPRO_TEST_OWN_CUDA$SPARSEREPRO_TEST_BRIEF == 11 && $1 == '[small]' ]] || exit 4
echo "$TOOL ${0##*/}" >>"${0%/*}/begun"
[[ $TOOL-${0##*/} == "$SLOW" ]] && sleep 60
echo "All tests passed (5 assertions in 2 test cases)"
"""
NEEDS_DEVICE = "require_device()"
TIMING = {"test_public_device_waiting", "test_queued_timer"}  # a sanitizer changes their times
OTHERS = {
    *("test_device_faults", "test_measurement_faults"),  # failing calls are errors to a sanitizer
    "test_device_large",  # gigabytes
    "test_device_runs",  # several runs at once, of all algorithms: tests/sanitize has each alone
}


class Sanitize:
    def __init__(self, folder):
        self.folder = folder
        texts = {"compute-sanitizer": SANITIZER, "nvidia-smi": GPU, "test_a": TEST, "test_b": TEST}
        for name, text in texts.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)

    def __call__(self, *arguments, **environment):
        return subprocess.run(
            [
                ROOT / "tests/sanitize_device",
                *("--bin", self.folder, "--logs", self.folder / "logs"),
                *("--tests", "test_a,test_b"),
                *arguments,
            ],
            env=os.environ | {"PATH": f"{self.folder}:{os.environ['PATH']}"} | environment,
            capture_output=True,
            text=True,
        )

    def results(self):
        return json.loads((self.folder / "logs/sanitize.json").read_text())

    def begun(self):
        return (self.folder / "begun").read_text().splitlines()


@pytest.fixture
def sanitize(tmp_path):
    return Sanitize(tmp_path)


def test_results_name_commit_device_tools_and_counts(sanitize):
    done = sanitize()
    assert done.returncode == 0, done.stderr
    results = sanitize.results()
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    assert results["commit"] == head.stdout.strip()
    assert results["dirty"] in (True, False)
    assert (results["device"], results["driver"]) == ("Some GPU", "580.1")
    assert results["compute_sanitizer"] == "2025.3.1.0"
    assert (results["programs"], results["passed"], results["errors"]) == (8, 8, 0)
    assert results["assertions"] == 40
    assert {run["tool"] for run in results["runs"]} == {
        "memcheck",
        "racecheck",
        "initcheck",
        "synccheck",
    }
    assert all(run["cases"] == 2 and run["status"] == "passed" for run in results["runs"])
    assert "1/8 memcheck test_a: passed, 5 assertions, 0 errors" in done.stdout


@pytest.mark.parametrize("tool", ["racecheck", "initcheck"])
def test_errors_are_counted(sanitize, tool):
    done = sanitize(FAILING=f"{tool}-test_b")
    assert done.returncode == 1
    bad = [run for run in sanitize.results()["runs"] if run["status"] != "passed"]
    assert [(run["tool"], run["test"], run["status"], run["errors"]) for run in bad] == [
        (tool, "test_b", "errors", 3)
    ]


def test_what_ended_is_not_run_again_for_the_same_commit_and_device(sanitize):
    assert sanitize("--tools", "memcheck").returncode == 0
    assert sanitize("--tools", "memcheck,racecheck").returncode == 0
    assert sanitize.begun() == [
        "memcheck test_a",
        "memcheck test_b",
        "racecheck test_a",
        "racecheck test_b",
    ]
    assert sanitize.results()["passed"] == 4
    sanitize("--tools", "memcheck", GPU="Another")
    assert len(sanitize.begun()) == 6
    assert sanitize.results()["device"] == "Another"


def test_limits_of_time(sanitize):
    done = sanitize("--tools", "racecheck", "--limit", "1", SLOW="racecheck-test_a")
    assert done.returncode == 1
    assert [run["status"] for run in sanitize.results()["runs"]] == ["unfinished", "passed"]
    # With more time it begins again, and the limit of all ends the rest.
    done = sanitize(
        *("--tools", "racecheck,memcheck", "--limit", "9", "--total", "2"), SLOW="racecheck-test_a"
    )
    assert done.returncode == 1
    statuses = [run["status"] for run in sanitize.results()["runs"]]
    assert statuses == ["unfinished", "passed", "not begun", "not begun"]


def test_no_device_is_refused(sanitize):
    (sanitize.folder / "nvidia-smi").write_text("#!/usr/bin/env bash\nexit 9\n")
    done = sanitize()
    assert done.returncode == 1
    assert "names no GPU" in done.stderr


def test_several_gpus_are_told_in_a_line_each(sanitize):
    lines = 'for ((i = 0; i < 20000; ++i)); do echo "$what"; done'
    text = f'#!/usr/bin/env bash\n[[ $1 == *driver* ]] && what=580.1 || what="Some GPU"\n{lines}\n'
    (sanitize.folder / "nvidia-smi").write_text(text)
    done = sanitize("--tools", "memcheck")
    assert done.returncode == 0, done.stderr
    results = sanitize.results()
    assert (results["device"], results["driver"]) == ("Some GPU", "580.1")


def test_every_program_that_needs_a_device_has_small_cases():
    sources = {path.stem: path.read_text() for path in (ROOT / "tests").glob("test_*.cpp")}
    needing = {name for name, text in sources.items() if NEEDS_DEVICE in text}
    small = {name for name, text in sources.items() if re.search(r"\[small\]", text)}
    assert len(needing) > 15
    assert needing - small == TIMING | OTHERS
