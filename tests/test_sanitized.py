"""The archived results of compute-sanitizer (report/sanitized): what they and their page say."""

import copy
import json
import re
import shutil
import subprocess
import sys

import pytest

import sanitized
from sanitized import BATTERY, FOLDER, ROOT, TOOLS

PAGE = (FOLDER / "README.md").read_text()
ARCHIVE = sanitized.archive()
SMALL = ARCHIVE["h200.json"]


def table(name, page):
    """The rows of the table of a file, by program."""
    text = page.partition(f"## `{name}`\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    assert rows[0] == ["program", "cases", "assertions", "errors", *(f"{t}, s" for t in TOOLS)]
    return {row[0].strip("`"): list(map(int, row[1:])) for row in rows[2:]}


def check(name, results, page):
    """The page has the results: figures of each program, circumstances, and what is missing."""
    rows = table(name, page)
    for test in {run["test"] for run in results["runs"]}:
        runs = {run["tool"]: run for run in results["runs"] if run["test"] == test}
        sums = [sum(run[what] for run in runs.values()) for what in ("cases", "assertions")]
        assert rows.pop(test) == [*sums, 0, *(runs[tool]["seconds"] for tool in TOOLS)]
    everything = rows.pop("all")
    assert everything[1] == results["assertions"]
    assert sum(everything[3:]) == sum(run["seconds"] for run in results["runs"])
    assert not rows
    text = page.partition(f"## `{name}`\n")[2].partition("\n|")[0]
    for what in (results["commit"][:7], results["device"], results["compute_sanitizer"]):
        assert what in text
    assert results["cases"] in text
    missing = re.search(r"Newer than the file: (.*)\.", text)
    newer = set(re.findall(r"`(\w+)`", missing[1])) if missing else set()
    there = {run["test"] for run in results["runs"]}
    assert sanitized.programs(results) - there == newer


@pytest.mark.parametrize("name", ARCHIVE)
def test_every_program_passed_under_every_tool(name):
    assert list(sanitized.faults(ARCHIVE[name])) == []


@pytest.mark.parametrize("name", ARCHIVE)
def test_the_page_has_the_figures_of_the_file(name):
    check(name, ARCHIVE[name], PAGE)


def test_the_page_is_as_the_command_makes_it():
    assert sanitized.page(PAGE, ARCHIVE) == PAGE
    assert re.findall(r"^## `(.*)`$", PAGE, re.MULTILINE) == list(ARCHIVE)


def made_up_battery(**changes):
    runs = [
        {"tool": tool, "test": test, "status": "passed", "processes": 16, "cases": 32}
        | {"assertions": 1000 * place, "errors": 0, "seconds": 60 + place}
        for tool in TOOLS
        for place, test in enumerate(sanitized.SANITIZE["BATTERY"], 1)
    ]
    about = {name: SMALL[name] for name in ("commit", "device", "driver", "compute_sanitizer")}
    about |= {"cases": BATTERY, "brief": True, "dirty": False, "algorithms": "", "parts": 16}
    sums = {"programs": len(runs), "passed": len(runs), "errors": 0}
    return about | sums | {"assertions": sum(r["assertions"] for r in runs), "runs": runs} | changes


def made(folder, results):
    """The archive with one more file in a folder of its own, and what the command says."""
    shutil.copytree(FOLDER, folder)
    (folder / "battery-made-up.json").write_text(json.dumps(results))
    done = subprocess.run(
        [sys.executable, ROOT / "tests/sanitized.py", "--folder", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_file_of_the_battery_gets_a_table_by_the_command(tmp_path):
    battery = made_up_battery()
    assert made(tmp_path / "archive", battery) == (0, "")
    page = (tmp_path / "archive/README.md").read_text()
    check("battery-made-up.json", battery, page)
    for name, results in ARCHIVE.items():
        check(name, results, page)
    assert f"{len(sanitized.SANITIZE['BATTERY'])} programs under 4 tools" in page


def without_one(results, wanted):
    results["runs"] = [run for run in results["runs"] if not wanted(run)]
    results["passed"] = results["programs"] = len(results["runs"])
    results["assertions"] = sum(run["assertions"] for run in results["runs"])


WRONG = {
    "an error": (
        lambda r: r["runs"][3].update(errors=2) or r.update(errors=2),
        "test_spmm_forms: passed, 2 errors",
    ),
    "not ended": (
        lambda r: r["runs"][0].update(status="unfinished"),
        "memcheck test_primitives: unfinished, 0 errors",
    ),
    "a sample": (
        lambda r: r["runs"][1].update(processes=1),
        "memcheck test_spmm: 1 of 16 parts",
    ),
    "a tool": (
        lambda r: without_one(r, lambda run: run["tool"] == "initcheck"),
        "not each program once under each tool",
    ),
    "a run": (
        lambda r: without_one(r, lambda run: run is r["runs"][7]),
        "not each program once under each tool",
    ),
    "algorithms": (lambda r: r.update(algorithms="cuda_scan"), "only algorithms cuda_scan"),
    "changes": (lambda r: r.update(dirty=True), "the checkout was changed"),
    "sums": (lambda r: r.update(assertions=1), "assertions is 1, by its runs "),
}


@pytest.mark.parametrize("name", WRONG)
def test_results_that_are_not_whole_are_refused(name):
    change, words = WRONG[name]
    results = copy.deepcopy(made_up_battery())
    change(results)
    assert any(words in fault for fault in sanitized.faults(results))


def test_a_program_may_be_missing_that_is_newer_alone(monkeypatch, tmp_path):
    results = made_up_battery()
    without_one(results, lambda run: run["test"] == "test_spmm")
    monkeypatch.setattr(sanitized, "has_cases", lambda test, of: True)
    assert list(sanitized.faults(results)) == ["test_spmm is missing"]
    monkeypatch.setattr(sanitized, "has_cases", lambda test, of: False)
    assert list(sanitized.faults(results)) == []
    assert "\nNewer than the file: `test_spmm`.\n" in sanitized.section("b.json", results)


def test_git_says_which_programs_are_newer():
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    if not head:
        pytest.skip("no git here")
    results = made_up_battery(commit=head)
    assert sanitized.has_cases("test_spmm", results) is True
    assert sanitized.has_cases("test_spmm_of_tomorrow", results) is False
    assert sanitized.has_cases("test_spmm", results | {"commit": "0" * 40}) is None
