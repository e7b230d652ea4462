"""The pinned formatters and linters agree with every file under version control."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SNAKEFILES = ("Snakefile", "*.smk")
CHECKS = {
    "clang-format": (["clang-format", "--dry-run", "-Werror"], ("*.hpp", "*.cpp", "*.cuh", "*.cu")),
    "ruff check": (["ruff", "check", "--no-cache"], ("*.py",)),
    "ruff format": (["ruff", "format", "--check", "--no-cache"], ("*.py",)),
    "mypy": (["mypy", f"--cache-dir={os.devnull}"], ("python/*.py", "workflow/*.py")),
    "snakefmt": (["snakefmt", "--check"], SNAKEFILES),
    "shellcheck": (
        ["shellcheck"],
        (
            "bootstrap",
            "tests/fuzz/run",
            "tests/run",
            "tests/sanitize_host",
            "tests/wheel/on_device.sh",
            ".ci/run",
            ".ci/sbom",
        ),
    ),
    "actions": (
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows"],
        (".github/workflows/*.yml",),
    ),
}


def tracked(patterns: tuple[str, ...]) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("name", CHECKS)
def test_format(name: str) -> None:
    command, patterns = CHECKS[name]
    files = tracked(patterns)
    assert files, f"no file matches {patterns}"
    assert shutil.which(command[0]), f"{command[0]} is not on PATH; ./bootstrap installs it"
    done = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_text_files_end_with_a_newline_and_have_no_trailing_blanks() -> None:
    wrong = []
    inputs = (":!tests/data", ":!tests/fuzz/seeds", ":!*.png", ":!*.svg", ":!*.csv", ":!*.jsonl")
    for name in tracked(("*", *inputs)):
        text = (ROOT / name).read_text(encoding="utf-8")
        if text and not text.endswith("\n"):
            wrong.append(f"{name}: no newline at the end")
        wrong += [
            f"{name}:{number}: blanks at the end of the line"
            for number, line in enumerate(text.splitlines(), 1)
            if line != line.rstrip()
        ]
    assert not wrong, "\n".join(wrong)
