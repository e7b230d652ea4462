"""Copies of the checkout in which tests of the workflow run, with drivers that only pretend; a
bundle of such drivers; a lock of one's own for drivers that measure."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

import snakemakes
from sparserepro.build.facts import DRIVERS

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("Snakefile", "CMakeLists.txt", "CMakePresets.json", "README.md")
COPIED_FOLDERS = (
    "cmake",
    "config",
    "drivers",
    "include",
    "kernels",
    "profiles",
    "python",
    "report",
    "workflow",
)

os.environ["SPARSEREPRO_CACHE"] = "no"  # the user's cache of matrices is left alone

collect_ignore = ["wheel"]  # for the installed wheel: test_wheel.py runs these

# `cmake --build` puts the stand-in for the drivers where the workflow expects them.
FAKE_CMAKE = """\
#!/bin/sh
echo "cmake $*" >> calls.log
case $1 in --build)
  mkdir -p $2/bin
  for driver in {drivers}; do
    cp {driver} $2/bin/$driver
  done ;;
esac
"""


# Files of minutes begin first, so that no worker is left with one when the others have ended.
LONGEST = (
    *("test_wheel", "test_workflow", "test_sets", "test_report_pdf", "test_two_machines"),
    *("test_docs", "test_fuzzing", "test_run_order", "test_memory_limit", "test_drivers"),
    *("test_plan_size", "test_shards", "test_reruns", "test_faults", "test_notebook"),
)


def pytest_collection_modifyitems(items):
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@dataclass
class Workdir:
    """A copy of the checkout; `snakemake` runs in it."""

    path: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))

    def write_config(self, name: str = "test.yaml", /, **config) -> str:
        """Without the sets of other machines, unless `config` asks for them."""
        config = {"report": {"sets": []}} | config
        (self.path / name).write_text(yaml.safe_dump(config, sort_keys=False))
        return name

    def snakemake(
        self, *arguments: str, timeout: int = 600, run=snakemakes.run
    ) -> subprocess.CompletedProcess:
        return run(["--cores", "8", *arguments], self.path, self.environment, timeout)

    def calls(self) -> list[str]:
        """Calls of the stand-ins since the last time."""
        log = self.path / "calls.log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines


def copy_checkout(target: Path) -> Path:
    target.mkdir()
    for name in COPIED:
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, target / name)
    for name in COPIED_FOLDERS:
        shutil.copytree(
            ROOT / name,
            target / name,
            symlinks=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    return target


@pytest.fixture
def checkout(tmp_path) -> Workdir:
    """A copy of the checkout with nothing built."""
    return Workdir(copy_checkout(tmp_path / "checkout"))


def put_cmake(checkout: Workdir, programs: Path, driver: Path | str) -> None:
    """Puts a cmake on PATH that copies `driver` for each one that it is to build."""
    cmake = programs / "cmake"
    cmake.write_text(FAKE_CMAKE.format(driver=driver, drivers=" ".join(DRIVERS)))
    cmake.chmod(0o755)
    checkout.environment["PATH"] = f"{programs}{os.pathsep}{checkout.environment['PATH']}"


def pretend(checkout: Workdir, programs: Path) -> Workdir:
    """Lets building take no time and drivers only pretend."""
    programs.mkdir()
    driver = programs / "driver"
    text = (ROOT / "tests/support/fake_driver.py").read_text()
    driver.write_text(re.sub(r"\A#!.*\n", f"#!{sys.executable}\n", text))
    driver.chmod(0o755)
    put_cmake(checkout, programs, driver)
    for names in checkout.path.glob("kernels/*/algorithms.def"):
        names.write_text("ALGORITHM(serial)\nALGORITHM(omp_rows)\n")
    return checkout


@pytest.fixture
def pretended(checkout, tmp_path) -> Workdir:
    """A copy of the checkout in which building takes no time and drivers only pretend."""
    return pretend(checkout, tmp_path / "programs")


@pytest.fixture(scope="session")
def first_run(tmp_path_factory) -> Workdir:
    """Such a copy in which a run of test_workflow.CONFIG has measured everything."""
    from test_workflow import COLLECTED, CONFIG

    folder = tmp_path_factory.mktemp("first")
    workdir = pretend(Workdir(copy_checkout(folder / "checkout")), folder / "programs")
    file = workdir.write_config(**CONFIG)
    done = workdir.snakemake(COLLECTED, "--configfile", file)
    assert done.returncode == 0, done.stdout + done.stderr
    workdir.calls()
    return workdir


@pytest.fixture
def measured_once(first_run, tmp_path) -> Workdir:
    """A copy of that one, with the times of its files."""
    target = tmp_path / "measured"
    shutil.copytree(first_run.path, target, symlinks=True)
    return Workdir(target, dict(first_run.environment))


@pytest.fixture
def built(checkout, tmp_path) -> Workdir:
    """A copy of the checkout in which building takes the drivers that the tests were built with."""
    programs = tmp_path / "programs"
    programs.mkdir()
    put_cmake(checkout, programs, f"{ROOT}/build/bin/$driver")
    return checkout


@pytest.fixture(scope="session")
def bundle(tmp_path_factory) -> Path:
    """A bundle of drivers that only pretend, as a file."""
    from bundle_support import Home

    with pytest.MonkeyPatch.context() as patch:
        return Home(tmp_path_factory.mktemp("sent") / "home").export(patch)


@pytest.fixture
def other(bundle, tmp_path):
    """Another machine, to which that bundle was carried."""
    from bundle_support import Other

    return Other(tmp_path / "other", bundle)


@pytest.fixture
def own_lock(tmp_path_factory, monkeypatch) -> None:
    """Lets the drivers run here while somebody measures."""
    monkeypatch.setenv("SPARSEREPRO_LOCK", str(tmp_path_factory.mktemp("lock") / "lock"))


@pytest.fixture
def compared(tmp_path, capsys):
    """Runs `sparserepro compare` on two lists of records; returns exit code and output."""

    from sparserepro import cli

    def run(before, after, *options):
        for name, records in (("before", before), ("after", after)):
            text = "".join(json.dumps(r) + "\n" for r in records)
            (tmp_path / f"{name}.jsonl").write_text(text)
        paths = [str(tmp_path / f"{name}.jsonl") for name in ("before", "after")]
        code = cli.main(["compare", *paths, *options])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    """A repository, and the results of its bundle on another machine."""
    from bundle_support import sent_results

    return sent_results(tmp_path_factory.mktemp("sent"))


@pytest.fixture
def returned(sent, monkeypatch):
    """The same without the sets that earlier tests imported; runs `sparserepro import`."""
    home, results = sent
    target = home.path / "report/measurements/box"
    shutil.rmtree(target, ignore_errors=True)

    def run(*words):
        return home.run(monkeypatch, "import", *map(str, words))

    return run, results, target
