"""The archived results of compute-sanitizer (report/sanitized): what their page says of them."""

import json
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "report/sanitized"
PAGE = (FOLDER / "README.md").read_text()
ALL = {path.name: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
MAIN = max(ALL.values(), key=lambda results: results["programs"])
RUNS = [run for results in ALL.values() for run in results["runs"]]
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]


def test_no_tool_found_an_error():
    assert {run["status"] for run in RUNS} <= {"passed", "unfinished"}
    for results in ALL.values():
        assert results["errors"] == sum(run["errors"] for run in results["runs"]) == 0
        assert results["passed"] == sum(run["status"] == "passed" for run in results["runs"])


def test_every_program_with_small_cases_passed_under_every_tool():
    programs = {
        file.stem for file in (ROOT / "tests").glob("test_*.cpp") if "[small]" in file.read_text()
    }
    passed = {(run["tool"], run["test"]) for run in RUNS if run["status"] == "passed"}
    assert passed == {(tool, program) for tool in TOOLS for program in programs}


def test_the_page_has_the_counts_of_each_tool():
    counts = defaultdict(lambda: [0, 0, 0, 0])
    for run in MAIN["runs"]:
        sums = counts[run["tool"]]
        passed = run["status"] == "passed"
        for i, more in enumerate([1, passed, run["assertions"] * passed, run["errors"]]):
            sums[i] += more
    assert list(counts) == TOOLS
    for tool, sums in counts.items():
        assert f"| {tool} | {' | '.join(map(str, sums))} |" in PAGE


def test_the_page_names_commit_device_version_and_what_did_not_end():
    for name, results in ALL.items():
        assert f"`{name}`" in PAGE
        assert results["commit"][:7] in PAGE
        assert results["device"].split()[1] in PAGE
        assert results["compute_sanitizer"].rpartition(".")[0] in PAGE
        for run in results["runs"]:
            assert run["status"] == "passed" or f"`{run['test']}`" in PAGE


def test_the_page_has_the_assertions_of_what_ran_apart():
    for name, results in ALL.items():
        if results is not MAIN:
            (assertions,) = {run["assertions"] for run in results["runs"]}
            of_file = PAGE.partition(f"`{name}`")[2].partition("\n\n")[0]
            assert f"{assertions} assertions passed under each tool" in " ".join(of_file.split())
