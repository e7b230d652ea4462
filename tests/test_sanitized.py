"""The archived results of compute-sanitizer (report/sanitized): what their page says of them."""

import json
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "report/sanitized/README.md").read_text()
[FILE] = (ROOT / "report/sanitized").glob("*.json")
RESULTS = json.loads(FILE.read_text())
RUNS = RESULTS["runs"]
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]


def test_no_tool_found_an_error():
    assert {run["status"] for run in RUNS} == {"passed"}
    assert RESULTS["errors"] == sum(run["errors"] for run in RUNS) == 0
    assert RESULTS["passed"] == RESULTS["programs"] == len(RUNS)


def test_every_program_with_small_cases_passed_under_every_tool():
    programs = {
        file.stem for file in (ROOT / "tests").glob("test_*.cpp") if "[small]" in file.read_text()
    }
    ran = [(run["tool"], run["test"]) for run in RUNS]
    assert sorted(ran) == sorted((tool, program) for tool in TOOLS for program in programs)


def test_the_page_has_the_counts_of_each_tool():
    counts = defaultdict(lambda: [0, 0, 0, 0])
    for run in RUNS:
        sums = counts[run["tool"]]
        for i, more in enumerate([1, 1, run["assertions"], run["errors"]]):
            sums[i] += more
    assert list(counts) == TOOLS
    for tool, sums in counts.items():
        assert f"| {tool} | {' | '.join(map(str, sums))} |" in PAGE


def test_the_page_names_commit_device_and_version():
    assert f"`{FILE.name}`" in PAGE
    assert RESULTS["commit"][:7] in PAGE
    assert RESULTS["device"].split()[1] in PAGE
    assert RESULTS["compute_sanitizer"].rpartition(".")[0] in PAGE
    assert max(run["seconds"] for run in RUNS) <= 60
