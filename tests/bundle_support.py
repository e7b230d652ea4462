"""A repository to export from, and bundles of it, with drivers that only pretend."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from sparserepro import cli
from sparserepro.bundle import arguments
from sparserepro.offline.packing import MANIFEST, Member, entries, write_archive

ROOT = Path(__file__).resolve().parent.parent
TWO = {
    "matrices": ["uniform-small", "fem-small"],
    "problems": {
        "transpose": {"algorithms": ["serial", "omp_rows"], "parameters": {"threads": [1, 2]}},
        "spmm": {"matrices": ["uniform-small", "cant"], "instances": {"k": [1, 4]}},
    },
    "download": {"enabled": False},
}
CANT = "%%MatrixMarket matrix coordinate real symmetric\n62451 62451 2034917\n"

# Builds by copying the stand-in, which then names the commit of the sources.
CMAKE = """\
#!/bin/sh
echo "cmake $*" >> calls.log
case $1 in
--version) echo "cmake version 3.25.1" ;;
-S) mkdir -p "$4" && echo "$2" > "$4/CMakeCache.txt"; echo "-- CUDA: off" ;;
--build)
  commit=$(head -n 1 "$(cat "$2/CMakeCache.txt")/COMMIT")
  mkdir -p "$2/bin"
  for driver in transpose spmm matrix_info; do
    sed "s/\\"0\\" \\* 40/\\"$commit\\"/" {driver} > "$2/bin/$driver"
    chmod +x "$2/bin/$driver"
  done ;;
esac
"""


def driver_text() -> str:
    """The stand-in for drivers, with as many samples as an archive asks for."""
    text = (ROOT / "tests/support/fake_driver.py").read_text()
    text = re.sub(r"\A#!.*\n", f"#!{sys.executable}\n", text)
    return text.replace("times = [", "times = 2 * [")


def git(folder: Path, *words: str) -> str:
    names = ["-c", "user.name=A", "-c", "user.email=a@b.example"]
    done = subprocess.run(
        ["git", *names, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


class Home:
    """A repository with what an export takes of the project, and built drivers."""

    def __init__(self, path: Path):
        self.path = path
        for name in ("python", "cmake", "workflow/schemas"):
            shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__"))
        (path / "config").mkdir()
        shutil.copy(ROOT / "config/matrices.yaml", path / "config")
        for name in ("include", "kernels", "drivers"):
            (path / name).mkdir()
            (path / name / "one.cpp").write_text("int one = 1;\n")
        (path / "CMakeLists.txt").write_text("# nothing\n")
        (path / "link").symlink_to("config")
        (path / ".gitignore").write_text("/build/\n/report/\n")
        (path / "build/bin").mkdir(parents=True)
        for problem in ("transpose", "spmm"):
            (path / "build/bin" / problem).write_text(driver_text())
            (path / "build/bin" / problem).chmod(0o755)
        git(path, "init", "-q")
        git(path, "add", "-A")
        git(path, "commit", "-q", "-m", "one")
        (path / "two.yaml").write_text(yaml.safe_dump(TWO, sort_keys=False))

    @property
    def commit(self) -> str:
        return git(self.path, "rev-parse", "HEAD")

    def run(self, monkeypatch, *words: str) -> int:
        """`sparserepro` in this repository."""
        monkeypatch.chdir(self.path)
        monkeypatch.setattr(arguments, "ROOT", self.path)
        return cli.main(words)

    def export(self, monkeypatch, *words: str, output: str = "build/box.tar.gz") -> Path | None:
        """The bundle, or None when it is refused."""
        line = ["export", "--configfile", "two.yaml", "--output", output, *words]
        return self.path / output if self.run(monkeypatch, *line) == 0 else None


class Other:
    """Another machine, to which the bundle was carried."""

    def __init__(self, path: Path, bundle: Path):
        self.path = path
        programs = path / "programs"
        programs.mkdir(parents=True)
        (path / "driver").write_text(driver_text())
        for name in ("cmake", "c++", "ninja"):
            (programs / name).write_text(CMAKE.replace("{driver}", str(path / "driver")))
            (programs / name).chmod(0o755)
        self.environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        self.environment.pop("PYTHONPATH", None)
        with tarfile.open(bundle) as archive:
            archive.extractall(path)
        (manifest,) = path.glob(f"*/{MANIFEST}")
        self.bundle = manifest.parent
        self.manifest = json.loads(manifest.read_text())

    def line(self, *words: str) -> list[str]:
        # -I and -S: the standard library alone.
        return [sys.executable, "-I", "-S", str(self.bundle / "measure"), *words]

    def measure(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.line(*words), cwd=self.path, env=self.environment, capture_output=True, text=True
        )

    def driver(self, problem: str, text: str) -> None:
        """Puts another driver in the place of the one that was built; for --no-build."""
        path = self.bundle / "build/bin" / problem
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def calls(self) -> list[str]:
        """Of drivers that measured, since the last time; they run in the bundle's folder."""
        path = self.bundle / "calls.log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [
            line for line in lines if line.startswith(("transpose ", "spmm ")) and "--quiet" in line
        ]


def sent_results(folder: Path) -> tuple[Home, Path]:
    """A repository, and the results of its bundle on another machine."""
    home = Home(folder / "home")
    with pytest.MonkeyPatch.context() as patch:
        other = Other(folder / "other", home.export(patch))
    done = other.measure("--machine-id", "box")
    assert done.returncode == 0, done.stdout + done.stderr
    return home, other.bundle / "results-box.tar.gz"


def changed(
    results: Path, output: Path, change: Callable[[Path], None], *, hashed: bool = True, **about
) -> Path:
    """A copy of a file of results after `change` of its unpacked folder; unless `hashed`, with the
    hashes that it had before. `about` replaces what the manifest says."""
    folder = output.with_suffix(".unpacked")
    with tarfile.open(results) as archive:
        archive.extractall(folder)
    (top,) = folder.iterdir()
    manifest = json.loads((top / MANIFEST).read_text())
    change(top)
    names = sorted(p.relative_to(top).as_posix() for p in top.rglob("*") if p.is_file())
    members = [Member(name, top / name) for name in names if name != MANIFEST]
    if hashed:
        manifest["files"] = entries(members)
    manifest |= about
    write_archive(output, top.name, [*members, Member(MANIFEST, json.dumps(manifest).encode())])
    return output


def each_record(folder: Path, change: Callable[[dict], None]) -> None:
    for path in folder.rglob("*.jsonl"):
        records = [json.loads(line) for line in path.read_text().splitlines()]
        for record in records:
            change(record)
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
