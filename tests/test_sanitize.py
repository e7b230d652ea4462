"""tests/sanitize, with a sanitizer, a GPU and tests of our own in place of the real ones."""

import json
import os
import re
import runpy
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SANITIZER = """#!/usr/bin/env bash
[[ $1 != --version ]] || { echo "Version 2025.3.1.0 (build 1)"; exit; }
[[ $1 == --tool && $3 == --error-exitcode && $4 == 9 ]] || exit 3
TOOL=$2 "${@:5}" || exit
errors=0
[[ $2-${5##*/}-$SPARSEREPRO_TEST_PART != "$FAILING" ]] || errors=3
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
[[ $SPARSEREPRO_TEST_OWN_CUDA == 1 && $1 == "${CASES:-[small]}" ]] || exit 5
[[ $SPARSEREPRO_TEST_ALGORITHMS == "$ALGORITHMS" ]] || exit 6
[[ $SPARSEREPRO_TEST_BRIEF == "${BRIEF:-1}" ]] || exit 7
echo "$TOOL ${0##*/} $SPARSEREPRO_TEST_PART" >>"${0%/*}/begun"
[[ $TOOL-${0##*/} == "$SLOW" ]] && sleep 60
[[ $TOOL-${0##*/} == "$SKIPPED" ]] && { echo "skipped: no GPU"; exit 4; }
echo "All tests passed (${ASSERTIONS:-5} assertions in 2 test cases)"
"""
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
NEEDS_DEVICE = "require_device()"
TIMING = {"test_public_device_waiting", "test_queued_timer"}  # a sanitizer changes their times
OTHERS = {
    *("test_device_faults", "test_measurement_faults"),  # failing calls are errors to a sanitizer
    "test_device_large",  # gigabytes
    "test_device_runs",  # several runs at once, of all algorithms: the battery has each alone
}
ON_THE_HOST = {"test_transpose_partition", "test_triangles_adaptive"}


class Sanitize:
    def __init__(self, folder):
        self.folder = folder
        texts = {"compute-sanitizer": SANITIZER, "nvidia-smi": GPU, "test_a": TEST, "test_b": TEST}
        for name, text in texts.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)

        self.environment = os.environ | {"PATH": f"{self.folder}:{os.environ['PATH']}"}

    def command(self, *arguments):
        folders = ["--bin", self.folder, "--logs", self.folder / "logs"]
        return [ROOT / "tests/sanitize", *folders, *arguments]

    def __call__(self, *arguments, **environment):
        return subprocess.run(
            self.command("--tests", "test_a,test_b", *arguments),
            env=self.environment | environment,
            capture_output=True,
            text=True,
        )

    def battery(self, *arguments, **environment):
        environment = {"CASES": "[battery]", "BRIEF": "0"} | environment
        return self("--battery", "--parts", "3", *arguments, **environment)

    def results(self):
        return json.loads((self.folder / "logs/sanitize.json").read_text())

    def statuses(self):
        return [run["status"] for run in self.results()["runs"]]

    def begun(self):
        return (self.folder / "begun").read_text().splitlines()


def wait_until(true):
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


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
    assert (results["cases"], results["brief"]) == ("[small]", True)
    assert (results["programs"], results["passed"], results["errors"]) == (8, 8, 0)
    assert results["assertions"] == 40
    assert [run["tool"] for run in results["runs"][::2]] == list(TOOLS)
    assert all(run["cases"] == 2 and run["status"] == "passed" for run in results["runs"])
    assert "1/8 memcheck test_a 0: passed, 5 assertions, 0 errors" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("8 of 8 passed; ")


@pytest.mark.parametrize("tool", ["racecheck", "initcheck"])
def test_errors_are_counted(sanitize, tool):
    done = sanitize(FAILING=f"{tool}-test_b-0/1")
    assert done.returncode == 1
    bad = [run for run in sanitize.results()["runs"] if run["status"] != "passed"]
    assert [(run["tool"], run["test"], run["status"], run["errors"]) for run in bad] == [
        (tool, "test_b", "errors", 3)
    ]


def test_a_hazard_that_is_a_warning_is_an_error():
    outcome = runpy.run_path(str(ROOT / "tests/sanitize"))["outcome"]
    log = "RACECHECK SUMMARY: 2 hazards displayed (0 errors, 2 warnings)"
    assert (outcome(0, log)["status"], outcome(0, log)["errors"]) == ("errors", 2)


def test_a_program_that_fails_and_skips_has_failed():
    outcome = runpy.run_path(str(ROOT / "tests/sanitize"))["outcome"]
    log = "skipped: a reason\nERROR SUMMARY: 0 errors"
    assert [outcome(code, log)["status"] for code in (0, 1, 4)] == ["skipped", "failed", "skipped"]


def test_every_part_of_the_battery_under_every_tool(sanitize):
    done = sanitize.battery()
    assert done.returncode == 0, done.stdout + done.stderr
    results = sanitize.results()
    assert (results["cases"], results["brief"], results["parts"]) == ("[battery]", False, 3)
    assert {(run["processes"], run["assertions"]) for run in results["runs"]} == {(3, 15)}
    parts = {f"{tool} test_b {part}/3" for tool in TOOLS for part in range(3)}
    assert {line for line in sanitize.begun() if "test_b" in line} == parts


def test_an_error_in_one_part_is_one_of_the_program(sanitize):
    assert sanitize.battery("--tools", "initcheck", FAILING="initcheck-test_a-1/3").returncode == 1
    assert sanitize.statuses() == ["errors", "passed"]


def test_a_sample_of_the_parts(sanitize):
    done = sanitize.battery("--only", "0,2", FAILING="memcheck-test_a-1/3")
    assert done.returncode == 0
    assert {run["processes"] for run in sanitize.results()["runs"]} == {2}


def test_brief_and_algorithms_are_handed_to_the_tests(sanitize):
    assert sanitize.battery("--brief", BRIEF="1").returncode == 0
    assert sanitize.battery("--again", BRIEF="1").returncode == 1
    names = "cuda_partition,cuda_scantrans"
    assert sanitize("--algorithms", names, ALGORITHMS=names).returncode == 0
    assert sanitize("--again", ALGORITHMS=names).returncode == 1


def test_what_ended_is_not_run_again_for_the_same_commit_and_device(sanitize):
    assert sanitize("--tools", "memcheck").returncode == 0
    assert sanitize("--tools", "memcheck,racecheck").returncode == 0
    tools = ["memcheck", "memcheck", "racecheck", "racecheck"]
    assert [line.split()[0] for line in sanitize.begun()] == tools
    assert sanitize.results()["passed"] == 4
    sanitize("--tools", "memcheck", GPU="Another")
    assert len(sanitize.begun()) == 6
    assert sanitize.results()["device"] == "Another"


def test_what_has_not_passed_and_other_programs_are_run_again(sanitize):
    assert sanitize("--tools", "memcheck", SKIPPED="memcheck-test_b").returncode == 1
    assert sanitize("--tools", "memcheck").returncode == 0
    assert [line.split()[1] for line in sanitize.begun()] == ["test_a", "test_b", "test_b"]
    (sanitize.folder / "test_a").write_text("#!/usr/bin/env bash\nexit 1\n")
    assert sanitize("--tools", "memcheck").returncode == 1
    assert sanitize.statuses() == ["failed", "passed"]


def test_other_settings_keep_their_own_results(sanitize):
    assert sanitize.battery("--tools", "memcheck").returncode == 0
    assert sanitize("--tools", "memcheck").returncode == 0
    begun = len(sanitize.begun())
    assert sanitize.battery("--tools", "memcheck").returncode == 0
    assert len(sanitize.begun()) == begun


def test_a_line_of_results_that_was_cut_off_is_run_again(sanitize):
    assert sanitize("--tools", "memcheck").returncode == 0
    [kept] = (sanitize.folder / "logs").glob("results-*.jsonl")
    kept.write_text(kept.read_text()[:-9])
    assert sanitize("--tools", "memcheck").returncode == 0
    assert sanitize("--tools", "memcheck").returncode == 0
    assert [line.split()[1] for line in sanitize.begun()] == ["test_a", "test_b", "test_b"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_processes(sanitize, number):
    sleeper = '#!/usr/bin/env bash\necho $$ >"${0%/*}/pid"\nsleep 60\n'
    (sanitize.folder / "test_a").write_text(sleeper)
    command = sanitize.command("--tests", "test_a", "--tools", "memcheck")
    run = subprocess.Popen(command, env=sanitize.environment, stderr=subprocess.DEVNULL)
    pid = sanitize.folder / "pid"
    wait_until(lambda: pid.is_file() and pid.read_text())
    run.send_signal(number)
    assert run.wait(20) != 0
    wait_until(lambda: not Path(f"/proc/{pid.read_text().strip()}").exists())


def test_limits_of_time(sanitize):
    done = sanitize("--tools", "racecheck", "--limit", "1", SLOW="racecheck-test_a")
    assert done.returncode == 1
    assert sanitize.statuses() == ["unfinished", "passed"]
    # With more time it begins again, and the limit of all ends the rest.
    more = ("--tools", "racecheck,memcheck", "--limit", "9", "--total", "2")
    assert sanitize(*more, SLOW="racecheck-test_a").returncode == 1
    assert sanitize.statuses() == ["unfinished", "passed", "not begun", "not begun"]


def test_what_skips_or_has_no_assertion_has_not_passed(sanitize):
    assert sanitize("--tools", "memcheck", SKIPPED="memcheck-test_b").returncode == 1
    assert sanitize.statuses() == ["passed", "skipped"]
    assert sanitize("--tools", "initcheck", ASSERTIONS="0").returncode == 1
    assert sanitize.statuses() == ["skipped", "skipped"]


def test_what_is_missing_is_named_before_anything_runs(sanitize):
    done = sanitize("--tests", "test_a,test_c")
    assert done.returncode == 1
    assert "test_c is missing" in done.stderr
    done = sanitize("--tools", "memcheck,leakcheck")
    assert "leakcheck is no tool" in done.stderr
    done = sanitize("--out", sanitize.folder / "none/out.json")
    assert "none cannot be written" in done.stderr
    (sanitize.folder / "nvidia-smi").write_text("#!/usr/bin/env bash\nexit 9\n")
    done = sanitize()
    assert done.returncode == 1
    assert "names no GPU" in done.stderr
    done = sanitize("--only", "0,x")
    assert "--only x: parts are 0 to 0" in done.stderr
    done = sanitize("--parts", "0")
    assert done.returncode == 2
    assert "must be a positive number, not 0" in done.stderr
    assert not (sanitize.folder / "begun").exists()


def test_several_gpus_are_told_in_a_line_each(sanitize):
    lines = 'for ((i = 0; i < 20000; ++i)); do echo "$what"; done'
    text = f'#!/usr/bin/env bash\n[[ $1 == *driver* ]] && what=580.1 || what="Some GPU"\n{lines}\n'
    (sanitize.folder / "nvidia-smi").write_text(text)
    done = sanitize("--tools", "memcheck")
    assert done.returncode == 0, done.stderr
    results = sanitize.results()
    assert (results["device"], results["driver"]) == ("Some GPU", "580.1")


def sources_with(pattern):
    files = (ROOT / "tests").glob("test_*.cpp")
    return {path.stem for path in files if re.search(pattern, path.read_text())}


def test_every_program_that_needs_a_device_has_small_cases():
    needing = sources_with(re.escape(NEEDS_DEVICE))
    assert len(needing) > 15
    assert needing - sources_with(r"\[small\]") == TIMING | OTHERS


def test_the_battery_has_every_program_of_one():
    programs = runpy.run_path(str(ROOT / "tests/sanitize"))["BATTERY"]
    assert set(programs) == sources_with(r"\[battery\]") - ON_THE_HOST
