"""tests/sanitize_host: its arguments, and that clang's thread sanitizer tells a race from none."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROBE = ROOT / "tests/support/race.cpp"


def test_arguments_are_checked():
    def call(*arguments):
        return subprocess.run(
            [ROOT / "tests/sanitize_host", *arguments], capture_output=True, text=True
        )

    assert "--sanitizers" in call("--help").stdout
    wrong = (["--tests", "test_nosuch"], ["--sanitizers", "memory"], ["--jobs", "0"], ["--limit"])
    for words in wrong:
        done = call(*words)
        assert done.returncode == 2 and done.stderr.startswith("tests/sanitize_host: "), words


@pytest.mark.parametrize("race", [True, False])
def test_a_race_is_told_from_none(tmp_path, race):
    if shutil.which("clang++") is None:
        pytest.skip("clang++ is not installed")
    words = ["clang++", "-std=c++20", "-O1", "-fsanitize=thread", "-fopenmp=libomp"]
    program = tmp_path / "probe"
    subprocess.run([*words, *["-DRACE"] * race, PROBE, "-o", program], check=True)
    archer = subprocess.run(
        ["clang++", "-print-file-name=libarcher.so"], check=True, capture_output=True, text=True
    ).stdout.strip()
    options = {
        "OMP_TOOL_LIBRARIES": archer,
        "TSAN_OPTIONS": "ignore_noninstrumented_modules=1",
    }
    done = subprocess.run([program], env=os.environ | options, capture_output=True, text=True)
    assert ("WARNING: ThreadSanitizer: data race" in done.stderr) == race
    assert (done.returncode != 0) == race
