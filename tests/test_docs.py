"""What the documentation says is so: files, commands, options, quoted code, configuration."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from sparserepro.config.check import check_config

ROOT = Path(__file__).resolve().parent.parent
TRACKED = subprocess.run(
    ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.split()
DOCUMENTS = [ROOT / name for name in TRACKED if name.endswith(".md")]
RUN = (
    "README.md",
    "ARTIFACT.md",
    "CHANGELOG.md",
    "kernels/README.md",
    "config/README.md",
    "DATA-LICENCE.md",
    "docs/library.md",
    "docs/python.md",
)
"""Documents whose commands run here; those of the others need hours, a device or packages."""
SCRIPTS = [ROOT / "tests" / name for name in ("run", "sanitize", "sanitize_host", "kill_loop")]
FEW = (
    *("--time-cap=0.1", "--again=1"),
    *("--repetitions=2", "--min-repetitions=1", "--max-repetitions=2", "--end-to-end=1"),
)
"""Samples that suffice to see that a command runs."""
BLOCK = re.compile(r"^ *```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
MADE_LATER = ("results", "resources", "build", "build-mutants", ".snakemake", ".venv", "measure")

pytestmark = pytest.mark.usefixtures("own_lock")


def blocks(document: Path, language: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(document.read_text()) if kind == language]


def commands(documents: Sequence[str] = RUN) -> list[tuple[str, list[str]]]:
    """(document, words) of every line that starts with "$ " in a console block."""
    return [
        (name, shlex.split(line.strip()[2:]))
        for name in documents
        if (document := ROOT / name).exists()
        for block in blocks(document, "console")
        for line in block.splitlines()
        if line.strip().startswith("$ ")
    ]


def driver_commands(documents: Sequence[str] = RUN) -> list[list[str]]:
    found = [words for _, words in commands(documents) if words[0].startswith("build/bin/")]
    return [words for words in found if not words[0].startswith("build/bin/test_")]


def run(words: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_readme_shows_the_two_commands() -> None:
    shown = [" ".join(words) for name, words in commands() if name == "README.md"]
    assert shown[:2] == ["./bootstrap snakemake --cores 8 report", "./bootstrap tests/run"]


def is_there(name: str, document: Path) -> bool:
    """Names are of the document's folder or of the root; a folder's page may leave out the first
    folders, as in run/plan.py."""
    name = name.removeprefix("./").rstrip("/")
    if name.split("/")[0] in MADE_LATER:
        return True
    if document.parent != ROOT and any(f"/{name}/" in f"/{path}/" for path in TRACKED):
        return True
    return (document.parent / name).exists() or (ROOT / name).exists()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_files_that_are_named_exist(document: Path) -> None:
    prose = BLOCK.sub("", document.read_text())
    names = re.findall(r"`([\w.-]+/[\w./-]*|[\w-]+\.(?:md|txt|in|cff|toml))`", prose)
    names += [target for target in re.findall(r"\]\(([^)#]+)\)", prose) if "://" not in target]
    missing = [name for name in names if not is_there(name, document)]
    assert not missing


def test_documents_name_files() -> None:
    assert len(DOCUMENTS) > 30
    assert not is_there("tests/nosuch.cpp", ROOT / "report/README.md")


EVERY = tuple(path.relative_to(ROOT).as_posix() for path in DOCUMENTS)


@pytest.mark.parametrize("words", driver_commands(EVERY), ids=" ".join)
def test_driver_commands_have_the_options_shown(words: list[str]) -> None:
    done = run([words[0], "--help"])
    assert done.returncode == 0, done.stderr
    for option in (word for word in words[1:] if word.startswith("--")):
        assert re.search(rf"{option}\b", done.stdout), option


@pytest.mark.parametrize(
    "words",
    [words for words in driver_commands() if not any(".mtx" in word for word in words)],
    ids=" ".join,
)
def test_driver_commands_run(words: list[str], tmp_path: Path) -> None:
    words = [str(tmp_path / word) if word.endswith((".json", ".jsonl")) else word for word in words]
    samples = not {"--list", "--help"} & {*words} and not words[0].endswith("_info")
    few = [option for option in FEW if option.partition("=")[0] not in words] if samples else []
    done = run([*words, *few])
    assert done.returncode == 0, done.stderr
    assert done.stdout or list(tmp_path.iterdir())


def test_workflow_commands_plan_without_running(checkout) -> None:
    # What --slurm installs is not in the environment of the tests; test_slurm.py runs that profile.
    planned = [w for _, w in commands() if "snakemake" in w and "--slurm" not in w]
    assert len(planned) >= 2
    for words in planned:
        arguments = words[words.index("snakemake") + 1 :]
        done = checkout.snakemake(*arguments, "-n", "--quiet")
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stderr}"


def test_every_part_of_the_report_has_a_row() -> None:
    text = (ROOT / "report/README.md").read_text()
    rows = " ".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| `"))
    named = {name.split("/")[0] for name in re.findall(r"`([^`]+)`", rows)}
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT / "report", capture_output=True, text=True, check=True
    )
    assert named == {name.split("/")[0] for name in tracked.stdout.split()} - {"README.md"}


@pytest.mark.slow
def test_a_report_of_invented_records_is_made_as_shown(tmp_path: Path) -> None:
    text = (ROOT / "report/README.md").read_text()
    shown = text.partition("made of invented records")[2].partition("\n\n")[2]
    lines = [line.strip() for line in shown.partition("\n\n")[0].splitlines()]
    assert len(lines) > 8
    documents = ["report.pdf", "supplement.pdf"]
    if not shutil.which("latexmk"):
        lines = [line for line in lines if "render.pdf" not in line]
        documents = []
    program = "report_fixtures.py /tmp/example"
    block = "\n".join(lines).replace(program, f"{program} --machines 1 --matrices 3")
    assert "--matrices 3" in block
    folder = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
    }
    done = subprocess.run(
        ["bash", "-euc", block.replace("/tmp/example", str(tmp_path))],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    parts = [f"report/{name}" for name in ("parts", "tables", "figures", "macros.tex")]
    for name in [*parts, *documents]:
        assert (tmp_path / name).exists(), name


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_name_files_that_exist(script: Path) -> None:
    names = re.findall(r"\btests/[\w/-]+(?:\.\w+)?(?![\w*])", script.read_text())
    assert names
    assert not [name for name in names if not (ROOT / name).exists()]


def test_configuration_that_is_shown_is_valid() -> None:
    shown = blocks(ROOT / "README.md", "yaml")
    assert shown
    for text in shown:
        check_config(yaml.safe_load(text), "README.md")


def quoted_code() -> list[tuple[str, str]]:
    """(file, text) of the C++ blocks of kernels/README.md; the first line names the file."""
    found = []
    for block in blocks(ROOT / "kernels/README.md", "cpp"):
        head, _, body = block.lstrip().partition("\n")
        found.append((head.removeprefix("// "), body))
    return found


@pytest.mark.parametrize(("name", "body"), quoted_code(), ids=lambda text: text.split("\n")[0])
def test_quoted_code_is_in_the_tree(name: str, body: str) -> None:
    squeezed = " ".join(body.split())
    assert squeezed
    assert squeezed in " ".join((ROOT / "kernels" / name).read_text().split())


def test_options_of_bundles_are_explained() -> None:
    text = (ROOT / "config/README.md").read_text()
    export, _, rest = text.partition("Options of `./measure`")
    measure = rest.partition("\n## ")[0]
    for shown, words in (
        (export, [sys.executable, "-m", "sparserepro", "export"]),
        (measure, [sys.executable, ROOT / "python/sparserepro/offline/launcher.py"]),
    ):
        environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
        done = subprocess.run(
            [*words, "--help"], env=environment, capture_output=True, text=True, check=True
        )
        known = set(re.findall(r"^ +(--[a-z-]+)", done.stdout, re.MULTILINE))
        assert len(known) > 5
        # What every example shows needs no line.
        assert known - {*re.findall(r"--[a-z-]+", shown)} <= {"--configfile", "--output"}
        rows = "\n".join(line for line in shown.splitlines() if line.startswith("| `--"))
        assert {*re.findall(r"`(--[a-z-]+)", rows)} <= known


def test_citation_agrees_with_the_build() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    version = re.search(
        r"project\(sparserepro VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()
    )
    assert citation["version"] == version[1]
    assert citation["license"] == "BSD-3-Clause"
    assert (ROOT / "LICENSE").read_text().startswith("BSD 3-Clause License\n")
    notice = (ROOT / "DATA-LICENCE.md").read_text()
    for reference in citation["references"]:
        assert reference["doi"] in notice


def test_comparisons_of_archived_machines_have_cells_in_common() -> None:
    sets = {path.name for path in (ROOT / "report/measurements").iterdir() if path.is_dir()}
    compared = [
        words[2:]
        for name, words in commands()
        if name == "README.md" and words[1:3] == ["sparserepro", "compare"]
        if sets.issuperset(words[3:5])
    ]
    assert compared
    for words in compared:
        done = run([sys.executable, "-m", "sparserepro", *words])
        assert done.returncode == 0, done.stderr
