"""What is installed is pinned by its hash, and no value of a configuration is a command."""

import re
import subprocess
from pathlib import Path

import pytest

from test_workflow import COLLECTED, CONFIG, measured

ROOT = Path(__file__).resolve().parent.parent
CITATION = (ROOT / "CITATION.cff").read_text()
REQUIREMENTS = sorted(ROOT.glob("requirements*.txt"))
# Parameters that are lists of words of our own, or paths of fixed names, in commands of the rules.
OURS = {"drivers", "problems", "executed", "list", "limit", "gpus"}


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.name)
def test_each_package_has_its_version_and_hash(file):
    text = re.sub(r"^\s*#.*\n", "", file.read_text(), flags=re.MULTILINE)
    packages = text.replace("\\\n", " ").splitlines()
    assert packages
    for package in filter(None, packages):
        assert re.match(r"\S+==\S+\s.*--hash=sha256:[0-9a-f]{64}", package), package


def test_actions_are_pinned_by_commit():
    text = "".join(path.read_text() for path in (ROOT / ".github").rglob("*.yml"))
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert [action for action in used if not re.search(r"@[0-9a-f]{40}$", action)] == []


def test_who_finds_a_hole_is_sent_to_somebody():
    text = (ROOT / "SECURITY.md").read_text()
    contact = re.search(r"^  - .*\n(    .*\n)*?    (email|website|alias): ", CITATION, re.MULTILINE)
    assert contact or "CITATION.cff" not in text
    assert '"Report a vulnerability"' in text


def test_what_is_installed_is_compared_with_a_hash():
    listed = ["bootstrap", ".ci", ".github", "Dockerfile", ".devcontainer"]
    files = subprocess.run(
        ["git", "ls-files", "--", *listed], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    text = "\n".join((ROOT / name).read_text() for name in files).replace("\\\n", " ")
    installs = re.findall(r"pip\"? install (.*)", text)
    assert installs
    assert [line for line in installs if not re.search("--require-hashes|--no-index", line)] == []


def test_values_from_outside_are_quoted_in_commands():
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    found = re.findall(r"\{params\.(\w+)(:q)?\}", rules)
    assert {name for name, quoted in found if not quoted} <= OURS
    assert {"job", "definition", "access", "sets", "names"} <= {n for n, quoted in found if quoted}


def test_no_value_of_a_configuration_is_a_command(pretended):
    odd = "a'; touch broken #$(touch broken) \"`touch broken`é"
    staging = pretended.path / odd
    staging.mkdir()
    (staging / f"{odd}.mtx").write_text("%%MatrixMarket matrix coordinate real general\n1 1 0\n")
    matrices = pretended.path / "config/matrices.yaml"
    entry = f"matrices:\n  mine: {{class: fem, name: {yaml_text(odd)}}}\n"
    spec = yaml_text("mesh:width=$(touch${IFS}broken);`touch${IFS}broken`'\"")
    entry += f"  made: {{class: fem, spec: {spec}}}"
    matrices.write_text(matrices.read_text().replace("matrices:", entry, 1))
    config = CONFIG | {
        "matrices": ["mine", "made"],
        "problems": {"transpose": {}},
        "staging": [str(staging)],
    }
    done = pretended.snakemake(COLLECTED, "--configfile", pretended.write_config(**config))
    assert done.returncode == 0, done.stdout + done.stderr
    assert measured(pretended.calls()) == ["transpose", "transpose"]
    assert list(pretended.path.rglob("broken*")) == []


def yaml_text(text):
    return "'" + text.replace("'", "''") + "'"
