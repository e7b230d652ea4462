"""bootstrap in a copied tree, with stand-ins for apt-get, dpkg-query, id and sudo."""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


class Tree:
    """A folder with bootstrap, its own requirements.txt and a folder of stand-ins on PATH."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        self.fakes = folder / "fakes"
        self.temporary = folder / "tmp"
        for path in (self.root, self.fakes, self.temporary):
            path.mkdir()
        shutil.copy(ROOT / "bootstrap", self.root)
        (self.root / "requirements.txt").write_text("")
        self.packages = re.search(r'^packages="([^"]+)"', self.script(), re.MULTILINE)[1].split()
        self.system(missing=[], user=0)

    def script(self) -> str:
        return (self.root / "bootstrap").read_text()

    def fake(self, name: str, body: str) -> None:
        path = self.fakes / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def system(self, missing: list[str], user: int, sudo: bool = False) -> None:
        """A machine without the packages of `missing`, seen by the user with this number."""
        installed = [f"{package} installed" for package in self.packages if package not in missing]
        half = [f"{package} config-files" for package in missing[:1]]
        self.fake("dpkg-query", "cat <<'E'\n" + "\n".join(installed + half) + "\nE")
        self.fake("id", f"echo {user}")
        self.fake("sudo", 'shift; exec "$@"' if sudo else "exit 1")
        self.fake("apt-get", f'echo "$DEBIAN_FRONTEND" "$@" >>{self.apt_log}')

    @property
    def apt_log(self) -> Path:
        return self.temporary / "apt-calls"

    def pretend_ready(self) -> None:
        """An environment that carries the mark of having been made from requirements.txt."""
        (self.root / ".venv/bin").mkdir(parents=True)
        (self.root / ".venv/bin/python").symlink_to(sys.executable)
        digest = hashlib.sha256((self.root / "requirements.txt").read_bytes()).hexdigest()
        (self.root / ".venv/ready").write_text(f"{digest}  - {self.root.resolve()}\n")

    def run(self, *arguments: str, cwd: Path | None = None, **environment: str):
        return subprocess.run(
            [self.root / "bootstrap", *arguments],
            cwd=cwd or self.root,
            env=os.environ
            | {
                "PATH": f"{self.fakes}:{os.environ['PATH']}",
                "TMPDIR": str(self.temporary),
                "DEBIAN_FRONTEND": "dialog",
            }
            | environment,
            capture_output=True,
            text=True,
        )


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_is_silent_and_quick_when_nothing_is_missing(tree: Tree) -> None:
    tree.pretend_ready()
    begin = time.monotonic()
    done = tree.run("true")
    assert time.monotonic() - begin < 1.0
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_runs_the_command_in_the_root_with_its_arguments(tree: Tree, tmp_path: Path) -> None:
    tree.pretend_ready()
    done = tree.run(
        "sh",
        "-c",
        'pwd -P; command -v python; echo "$VIRTUAL_ENV"; printf "%s|" "$@"; exit 7',
        "sh",
        "a b",
        "",
        "$c",
        cwd=tmp_path,
    )
    root = tree.root.resolve()
    assert done.stdout.splitlines() == [
        str(root),
        f"{root}/.venv/bin/python",
        f"{root}/.venv",
        "a b||$c|",
    ]
    assert done.returncode == 7


def test_without_rights_prints_the_line_to_run(tree: Tree) -> None:
    tree.system(missing=["ninja-build", "lmodern"], user=1000)
    done = tree.run("true")
    assert done.returncode == 1
    assert "apt-get install --no-install-recommends ninja-build lmodern\n" in done.stderr
    assert not tree.apt_log.exists()
    assert not (tree.root / ".venv").exists()


@pytest.mark.parametrize(("user", "sudo"), [(0, False), (1000, True)])
def test_installs_only_what_is_missing(tree: Tree, user: int, sudo: bool) -> None:
    tree.pretend_ready()
    tree.system(missing=["cmake", "catch2"], user=user, sudo=sudo)
    done = tree.run("true")
    assert done.returncode == 0, done.stderr
    update, install = tree.apt_log.read_text().splitlines()
    assert "update" in update.split()
    assert install.startswith("noninteractive install ")
    assert "--no-install-recommends" in install
    assert [word for word in install.split() if word in tree.packages] == ["cmake", "catch2"]
    assert "cmake catch2" in done.stderr
    assert list(tree.temporary.glob("*.log")) == []


def test_failed_installation_shows_its_end_and_keeps_the_log(tree: Tree) -> None:
    tree.system(missing=["cmake"], user=0)
    tree.fake("apt-get", '[ "$1" = update ] || { echo "E: no such package"; exit 100; }')
    done = tree.run("true")
    assert done.returncode == 1
    assert "E: no such package" in done.stderr
    (log,) = tree.temporary.glob("*.log")
    assert str(log) in done.stderr
    assert "E: no such package" in log.read_text()


def test_without_packages_names_the_missing_tools(tree: Tree) -> None:
    for name in ("dirname", "sha256sum", "cat", "sh"):
        (tree.fakes / name).symlink_to(shutil.which(name))
    for name in ("c++", "cmake", "ninja", "git", "pdftotext", "pdftoppm"):
        tree.fake(name, "exit 0")
    done = tree.run("--no-packages", "true", PATH=str(tree.fakes))
    assert done.returncode == 1
    assert "not on PATH: latexmk pdflatex." in done.stderr


def test_unknown_option_and_help(tree: Tree) -> None:
    done = tree.run("--fast", "tests/run")
    assert done.returncode == 1
    assert "unknown option --fast" in done.stderr
    assert tree.run("--help").stdout.startswith("usage: ./bootstrap ")


def make_wheel(folder: Path) -> Path:
    """The smallest wheel that pip installs: one module, `probe`."""
    contents = {
        "probe.py": "ANSWER = 42\n",
        "probe-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: probe\nVersion: 1.0\n",
        "probe-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\n"
        "Root-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = []
    for name, text in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        lines.append(f"{name},sha256={digest.decode()},{len(text)}\n")
    contents["probe-1.0.dist-info/RECORD"] = "".join(lines) + "probe-1.0.dist-info/RECORD,,\n"
    wheel = folder / "probe-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return wheel


@pytest.mark.slow
def test_makes_the_environment_from_hashes_and_again_when_they_change(tree: Tree) -> None:
    wheel = make_wheel(tree.temporary)
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tree.temporary)}
    requirements = tree.root / "requirements.txt"
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()

    requirements.write_text(f"probe==1.0 --hash=sha256:{'0' * 64}\n")
    refused = tree.run("true", **offline)
    assert refused.returncode == 1
    assert "DO NOT MATCH THE HASHES" in refused.stderr
    assert not (tree.root / ".venv/ready").exists()
    assert "libgraphblas-dev" in tree.apt_log.read_text().splitlines()[-1].split()
    tree.fake("apt-get", "exit 100")  # packages that one can do without

    requirements.write_text(f"probe==1.0 --hash=sha256:{digest}\n")
    program = "import probe; print(probe.ANSWER)"
    made = tree.run("python", "-c", program, **offline)
    assert (made.returncode, made.stdout) == (0, "42\n"), made.stderr
    assert ".venv" in made.stderr
    assert "could not be installed; the algorithms that need them are left out" in made.stderr
    again = tree.run("python", "-c", program, **offline)
    assert (again.stdout, again.stderr) == ("42\n", "")

    requirements.write_text("")
    remade = tree.run("python", "-c", program, **offline)
    assert remade.returncode == 1
    assert "No module named 'probe'" in remade.stderr


def test_peers_are_installed_once_and_again_when_their_pins_change(tree: Tree) -> None:
    tree.pretend_ready()
    calls = tree.temporary / "python-calls"
    python = tree.root / ".venv/bin/python"
    python.unlink()
    python.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] || echo "$@" >>{calls}\n[ ! -e {tree.root}/broken ]\n'
    )
    python.chmod(0o755)
    (tree.root / "cmake").mkdir()
    (tree.root / "cmake/prepare_peers.py").write_text("")
    pins = tree.root / "requirements-peers.txt"
    pins.write_text("one==1\n")

    assert tree.run("true").returncode == 0
    assert not calls.exists()
    for _ in range(2):
        assert tree.run("--peers", "true").returncode == 0
    install, prepare = calls.read_text().splitlines()
    assert "--require-hashes --only-binary :all: --no-deps --prefix .peers" in install
    assert prepare == "cmake/prepare_peers.py .peers"

    pins.write_text("one==2\n")
    (tree.root / "broken").write_text("")
    failed = tree.run("--peers", "true")
    assert failed.returncode == 1
    assert "pip install failed" in failed.stderr
    (tree.root / "broken").unlink()
    assert tree.run("--peers", "true").returncode == 0
    assert len(calls.read_text().splitlines()) == 5


@pytest.mark.parametrize("name", ["notebook", "slurm"])
def test_more_packages_are_installed_once_and_again_when_their_pins_change(
    tree: Tree, name: str
) -> None:
    tree.pretend_ready()
    calls = tree.temporary / "python-calls"
    python = tree.root / ".venv/bin/python"
    python.unlink()
    python.write_text(f'#!/bin/sh\necho "$@" >>{calls}\n[ ! -e {tree.root}/broken ]\n')
    python.chmod(0o755)
    pins = tree.root / f"requirements-{name}.txt"
    pins.write_text("one==1\n")

    assert tree.run("true").returncode == 0
    assert not calls.exists()
    for _ in range(2):
        assert tree.run(f"--{name}", "true").returncode == 0
    (install,) = calls.read_text().splitlines()
    assert install.endswith(f"--require-hashes --only-binary :all: -r requirements-{name}.txt")

    pins.write_text("one==2\n")
    (tree.root / "broken").write_text("")
    failed = tree.run(f"--{name}", "true")
    assert failed.returncode == 1
    assert "pip install failed" in failed.stderr
    (tree.root / "broken").unlink()
    assert tree.run(f"--{name}", "true").returncode == 0
    assert len(calls.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("requirements.txt", 51),
        ("requirements-notebook.txt", 51),
        ("requirements-slurm.txt", 10),
        ("requirements-peers.txt", 5),
    ],
)
def test_requirements_pin_every_package_by_hash_and_name_no_index(name: str, least: int) -> None:
    text = (ROOT / name).read_text()
    lines = text.replace("\\\n", " ").splitlines()
    entries = [line for line in lines if not line.startswith("#")]
    assert len(entries) >= least
    for entry in entries:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+( +--hash=sha256:[0-9a-f]{64})+", entry), entry
