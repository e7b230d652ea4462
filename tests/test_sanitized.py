"""The archived results of compute-sanitizer (report/sanitized): what their page says of them."""

import json
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = json.loads((ROOT / "report/sanitized/h100.json").read_text())
PAGE = (ROOT / "report/sanitized/README.md").read_text()
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]


def test_no_tool_found_an_error():
    assert RESULTS["errors"] == 0
    assert {run["status"] for run in RESULTS["runs"]} <= {"passed", "unfinished"}
    assert RESULTS["passed"] == sum(run["status"] == "passed" for run in RESULTS["runs"]) > 0


def test_the_page_has_the_counts_of_each_tool():
    counts = defaultdict(lambda: [0, 0, 0, 0])
    for run in RESULTS["runs"]:
        sums = counts[run["tool"]]
        passed = run["status"] == "passed"
        for i, more in enumerate([1, passed, run["assertions"] * passed, run["errors"]]):
            sums[i] += more
    assert list(counts) == TOOLS
    for tool, sums in counts.items():
        assert f"| {tool} | {' | '.join(map(str, sums))} |" in PAGE


def test_the_page_names_commit_device_version_and_what_did_not_end():
    assert RESULTS["commit"][:7] in PAGE
    assert RESULTS["device"].split()[1] in PAGE
    assert RESULTS["compute_sanitizer"].rpartition(".")[0] in PAGE
    for run in RESULTS["runs"]:
        assert run["status"] == "passed" or f"`{run['test']}`" in PAGE


def test_every_program_with_small_cases_was_run():
    programs = {
        file.stem for file in (ROOT / "tests").glob("test_*.cpp") if "[small]" in file.read_text()
    }
    assert {run["test"] for run in RESULTS["runs"]} == programs
