"""Writes the tables of report/sanitized/README.md, one for each file of results that tests/sanitize
wrote there: `python tests/sanitized.py`. tests/test_sanitized.py holds the page to the files."""

import argparse
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "report/sanitized"
BEGIN, END = "<!-- tables: made by tests/sanitized.py -->", "<!-- tables end -->"
SANITIZE = runpy.run_path(str(ROOT / "tests/sanitize"))
TOOLS = SANITIZE["TOOLS"]
BATTERY = "[battery]"


def archive(folder=FOLDER):
    """The results of each file: of the small cases first."""
    found = {file.name: json.loads(file.read_text()) for file in folder.glob("*.json")}
    return dict(sorted(found.items(), key=lambda item: (item[1]["cases"] == BATTERY, item[0])))


def programs(results):
    """What tests/sanitize would run of such cases today."""
    wanted = argparse.Namespace(tests=None, battery=results["cases"] == BATTERY)
    return set(SANITIZE["programs"](wanted))


def ran(results):
    return {run["test"] for run in results["runs"]}


def has_cases(program, results):
    """Whether the program had such cases at the commit of the results; None: git cannot say."""

    def git(*command):
        words = ["git", *command]
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)

    if git("cat-file", "-e", results["commit"]).returncode:
        return None
    text = git("show", f"{results['commit']}:tests/{program}.cpp").stdout  # "" without the file
    return results["cases"] in text


def named(tests):
    return ", ".join(f"`{test}`" for test in sorted(tests))


def section(name, results):
    """Heading, circumstances and table of a file."""
    runs = results["runs"]

    def total(what, test=None):
        return sum(run[what] for run in runs if test in (None, run["test"]))

    def row(test, label):
        seconds = [
            sum(r["seconds"] for r in runs if r["tool"] == tool and test in (None, r["test"]))
            for tool in TOOLS
        ]
        counts = [total(what, test) for what in ("cases", "assertions", "errors")]
        return f"| {' | '.join([label, *map(str, counts + seconds)])} |"

    tests = sorted(ran(results))
    kind = f"`{results['cases']}`"
    if results["cases"] == BATTERY:
        kind += ", brief" if results["brief"] else ", whole"
    good = sum(run["status"] == "passed" for run in runs)
    lines = [
        f"## `{name}`",
        "",
        f"Cases {kind}, at commit {results['commit'][:7]}, on {results['device']} (driver "
        f"{results['driver']},",
        f"compute-sanitizer {results['compute_sanitizer']}): {len(tests)} programs under "
        f"{len({run['tool'] for run in runs})} tools, {good} of {len(runs)} passed.",
        "",
    ]
    if newer := programs(results) - ran(results):
        lines += [f"Newer than the file: {named(newer)}.", ""]
    if gone := ran(results) - programs(results):
        lines += [f"Gone since: {named(gone)}.", ""]
    head = ["program", "cases", "assertions", "errors", *(f"{tool}, s" for tool in TOOLS)]
    lines += [f"| {' | '.join(head)} |", "| --- |" + " ---: |" * (len(head) - 1)]
    lines += [row(test, f"`{test}`") for test in tests]
    return "\n".join([*lines, row(None, "all")])


def page(text, found):
    """The page with the sections of these results between its marks."""
    sections = "\n\n".join(section(name, results) for name, results in found.items())
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"the page has no {BEGIN}")
    return pattern.sub(lambda _: f"{BEGIN}\n{sections}\n{END}", text)


def faults(results):
    """What keeps results from the archive."""
    runs = results["runs"]
    if results["dirty"]:
        yield "the checkout was changed"
    if results.get("algorithms"):
        yield f"only algorithms {results['algorithms']}"
    for run in runs:
        if run["status"] != "passed" or run["errors"]:
            yield f"{run['tool']} {run['test']}: {run['status']}, {run['errors']} errors"
        if run.get("processes", 1) != results.get("parts", 1):
            yield f"{run['tool']} {run['test']}: {run['processes']} of {results['parts']} parts"
    there = sorted((run["tool"], run["test"]) for run in runs)
    if there != sorted((tool, test) for tool in TOOLS for test in ran(results)):
        yield "not each program once under each tool"
    for test in sorted(programs(results) - ran(results)):
        if has_cases(test, results):
            yield f"{test} is missing"
    sums = {"passed": len(runs), "programs": len(runs)}
    sums |= {what: sum(run[what] for run in runs) for what in ("errors", "assertions")}
    for what, wanted in sums.items():
        if results[what] != wanted:
            yield f"{what} is {results[what]}, by its runs {wanted}"


def main():
    parser = argparse.ArgumentParser(prog="tests/sanitized.py", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="with page and files")
    folder = parser.parse_args().folder
    found = archive(folder)
    if wrong := [f"{name}: {fault}" for name in found for fault in faults(found[name])]:
        sys.exit("\n".join(wrong))
    path = folder / "README.md"
    path.write_text(page(path.read_text(), found))


if __name__ == "__main__":
    main()
