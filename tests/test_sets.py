"""Reports of measurement sets: of every subset of problems, with the same numbers, unbuilt."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

import tabled
from sparserepro.config import check as config_check
from sparserepro.data import frames, loading, sets
from sparserepro.render import pdf as build_report
from sparserepro.text import macros

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "report/measurements"
# The fullest set; several machines in one report are of test_two_machines.py.
FOLDERS = [max(sets.chosen(KEPT, "all"), key=lambda folder: len([*folder.rglob("*.json")]))]
needs_latex = pytest.mark.skipif(shutil.which("latexmk") is None, reason="needs latexmk")


def configured() -> list[tuple[str, ...]]:
    """The problems of each shipped configuration that sets have, each choice of them once; all
    together are of test_two_machines.py."""
    known = sets.problems(FOLDERS)
    files = [path for path in (ROOT / "config").glob("*.yaml") if path.name != "matrices.yaml"]
    chosen = [yaml.safe_load(path.read_text())["problems"] for path in files]
    return sorted({tuple(p for p in known if p in asked) for asked in chosen} - {tuple(known)})


@pytest.fixture(scope="module")
def collected(tmp_path_factory) -> Path:
    """Records of a set in one file: of every fourth matrix of a problem. The reports of all records
    of all sets are made by the workflow's job of the archive."""
    path = tmp_path_factory.mktemp("sets") / "records.jsonl"
    records = tabled.thinned(sets.records(FOLDERS, frames.PROBLEMS), 4)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def inputs(collected: Path, problems: tuple[str, ...]) -> tuple:
    return collected, sets.matrices(FOLDERS), sets.catalogues(FOLDERS, problems), problems


def test_a_set_that_the_run_measured_anew_is_no_set_in_its_report(tmp_path):
    def record(machine: str, run: str) -> str:
        return json.dumps({"machine": {"id": machine}, "run": {"id": run}}) + "\n"

    for name in ("desk", "node"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "spmm.jsonl").write_text(record(name, "old"))
    collected = tmp_path / "records.jsonl"
    collected.write_text(record("desk", "old") + record("node", "new"))
    assert loading.of_sets(["desk", "node"], collected, tmp_path) == ["desk"]


def test_a_set_is_chosen_by_name(tmp_path):
    for name in ("desk", "node", "notes"):
        (tmp_path / name).mkdir()
    for name in ("desk", "node"):
        (tmp_path / name / "spmm.jsonl").touch()
    assert sets.chosen(tmp_path, "all") == [tmp_path / "desk", tmp_path / "node"]
    assert sets.chosen(tmp_path, ["node"]) == [tmp_path / "node"]
    assert sets.chosen(tmp_path, []) == []
    with pytest.raises(config_check.ConfigError, match=r'no set "nod".*did you mean "node"'):
        sets.chosen(tmp_path, ["nod"])


def test_records_without_a_catalogue_are_refused(collected):
    with pytest.raises(loading.MissingCatalogue, match="no catalogue of spmm"):
        loading.load(collected, [], [], ["spmm"])


def test_catalogues_of_several_machines_are_one():
    def algorithm(name: str, summary: str) -> frames.Algorithm:
        return frames.Algorithm("spmm", name, summary, "", "omp", False, (), "", None)

    here = frames.Catalogue("spmm", ("k",), {"k": 8}, (algorithm("a", "here"),))
    there = frames.Catalogue(
        "spmm", ("k", "x"), {"k": 4, "x": 1}, (algorithm("a", "there"), algorithm("b", "there"))
    )
    book = loading.merged([here, there])["spmm"]
    assert [(a.name, a.summary) for a in book.algorithms] == [("a", "here"), ("b", "there")]
    assert book.instance_parameters == ("k", "x")
    assert book.fallbacks == {"k": 8, "x": 1}


@pytest.fixture(scope="module")
def among(collected) -> dict[str, str]:
    """The numbers of a report of all problems."""
    return macros.values(tabled.report(*inputs(collected, frames.PROBLEMS)))


@pytest.mark.parametrize("problem", sets.problems(FOLDERS))
def test_numbers_do_not_depend_on_the_other_problems(collected, among, problem):
    alone = macros.values(tabled.report(*inputs(collected, (problem,))))
    own = {key: value for key, value in alone.items() if key.startswith(f"{problem}/")}
    assert own
    assert own == {key: value for key, value in among.items() if key.startswith(f"{problem}/")}


@pytest.mark.slow
@needs_latex
@pytest.mark.parametrize(
    "problems",
    [*((p,) for p in sets.problems(FOLDERS)), *configured()],
    ids="+".join,
)
def test_every_subset_of_problems_has_its_pdf(collected, tmp_path, problems):
    generated = tmp_path / "report"
    made = tabled.generate(generated, *inputs(collected, problems))
    for name in ("report.pdf", "supplement.pdf"):
        assert build_report.build(made, generated, tmp_path / name) == []


@pytest.mark.slow
@needs_latex
def test_a_report_of_sets_needs_no_build_and_is_the_same_twice(pretended):
    name = FOLDERS[0].name
    config = {
        "measure": False,
        "problems": {"spmm": {}},
        "matrices": ["olm1000"],
        "report": {"sets": [name], "problems": ["triangles"]},
    }
    made = []
    for _ in range(2):
        done = pretended.snakemake("report", "--configfile", pretended.write_config(**config))
        assert done.returncode == 0, done.stdout + done.stderr
        folder = pretended.path / "results/test"
        made.append([(folder / f"{name}.pdf").read_bytes() for name in ("report", "supplement")])
        shutil.rmtree(pretended.path / "results")
    assert pretended.calls() == []
    assert made[0] == made[1]
    line = ["pdftotext", "-", "-"]
    for pdf, words in zip(made[0], ("Against a library", f"machine {name}"), strict=True):
        text = subprocess.run(line, input=pdf, capture_output=True, check=True).stdout.decode()
        assert words in text
        assert "??" not in text


def test_measuring_can_be_left_out_on_the_command_line(pretended):
    done = pretended.snakemake("-n", "report", "--config", "measure=false")
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert "Setting the report" in said
    assert "Building the drivers" not in said
    assert "Measuring" not in said
    assert pretended.calls() == []


def test_what_a_broken_run_left_is_collected_as_it_is(pretended):
    problems = {"spmm": {"instances": {"k": [1, 4]}}, "transpose": {}}
    config = {"matrices": ["uniform-small"], "problems": problems, "download": {"enabled": False}}
    target = "results/test/collected/records.jsonl"
    name = pretended.write_config(**config)
    assert pretended.snakemake(target, "--configfile", name).returncode == 0
    pretended.calls()
    records = sorted((pretended.path / "results/test/records").rglob("*.jsonl"))
    lost = next(path for path in records if "spmm" in path.parts)
    lost.unlink()
    # Neither a change of the sources nor another timing measures anything now.
    (pretended.path / "kernels/spmm/papers/omp_new.cpp").write_text("// A new algorithm.\n")
    config |= {"timing": {"repetitions": 30}, "measure": "existing"}
    done = pretended.snakemake(target, "--configfile", pretended.write_config(**config))
    assert done.returncode == 0, done.stdout + done.stderr
    assert pretended.calls() == []
    lines = (pretended.path / target).read_text().splitlines()
    assert {json.loads(line)["problem"] for line in lines} == {"spmm", "transpose"}
    assert "Without records, and so not in the report: 1 of 3 jobs\n  spmm: uniform-small\n" in (
        done.stderr
    )
    assert not lost.exists()

    for path in records:
        path.unlink(missing_ok=True)
    done = pretended.snakemake(target, "--configfile", "test.yaml")
    assert done.returncode == 1
    assert "There are no records" in done.stderr
