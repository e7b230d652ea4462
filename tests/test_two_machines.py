"""Two archived machines beside each other, of which one lacks some of the jobs."""

import json
import re
import shutil
from pathlib import Path

import pytest

import tabled
from sparserepro.data import loading, reading
from sparserepro.data.cells import table
from sparserepro.paper import claims, numbers, readme, scorecard, tables
from sparserepro.paper.claims.claim import Answer, Evidence
from sparserepro.paper.contests import contests, leading, machines_of, shared
from sparserepro.render import pdf
from sparserepro.render.html import page
from sparserepro.render.plain_text import plain
from sparserepro.views.tables import views

SETS = Path(__file__).resolve().parents[1] / "report/measurements"
KEPT = ("spmm", "transpose")
OTHER = "desk-gpu"


def moved(record: dict, slower: float) -> dict:
    """As if another machine had measured it: an own algorithm that much slower."""
    times = record["timing"] or {}
    for name in ("kernel_s", "preprocess_s"):
        times |= {name: [slower * s for s in times[name]]} if times else {}
    record["machine"] |= {"id": OTHER}
    if record["machine"]["gpu"]:
        record["machine"]["gpu"] |= {"name": "NVIDIA H100"}
    record["run"]["id"] += "-there"
    return record


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Every third matrix of the archived machine, and another with every second of these in two
    problems."""
    folder = tmp_path_factory.mktemp("measurements")
    (folder / "h200").mkdir()
    for file in (SETS / "h200").glob("*.jsonl"):
        text = "".join(json.dumps(record) + "\n" for record in tabled.thinned([file], 3))
        (folder / "h200" / file.name).write_text(text)
    for kind in ("matrices", "catalogue"):
        shutil.copytree(SETS / "h200" / kind, folder / "h200" / kind)
    for problem in KEPT:
        records = list(loading.read_lines(folder / "h200" / f"{problem}.jsonl"))
        matrices = sorted({r["matrix"]["name"] for r in records})[::2]
        found = [
            moved(r, 5.0 if problem == "transpose" and not r["peer"] else 1.0)
            for r in records
            if r["matrix"]["name"] in matrices
        ]
        (folder / OTHER).mkdir(exist_ok=True)
        text = "".join(json.dumps(record) + "\n" for record in found)
        (folder / OTHER / f"{problem}.jsonl").write_text(text)
    for kind in ("matrices", "catalogue"):
        shutil.copytree(SETS / "h200" / kind, folder / OTHER / kind)
    return folder


def inputs(archive: Path) -> tuple[Path, list[Path], list[Path]]:
    records = archive / "records.jsonl"
    if not records.exists():
        records.write_text("".join(p.read_text() for p in sorted(archive.glob("*/*.jsonl"))))
    return records, *(
        sorted(archive.glob(f"*/{kind}/*.json")) for kind in ("matrices", "catalogue")
    )


@pytest.fixture(scope="module")
def cells(archive):
    return table(loading.load(*inputs(archive)), ["h200", OTHER])


def test_the_machine_with_most_cases_leads_whatever_its_name(cells):
    assert machines_of(cells) == ["h200", OTHER]
    found = list(contests(cells))
    assert {c.machine for c in leading(found)} == {"h200"}
    assert {c.key for c in found if c.machine == OTHER} >= {"transpose/device", "spmm/device"}
    assert all(c.rows["machine"].nunique() == 1 for c in found)


def test_sentences_say_what_the_other_machine_says(cells):
    values = numbers.values(cells)
    assert values["transpose/device/machine"] == r"\code{h200}"
    other = plain(values["transpose/device/elsewhere"])
    assert other.startswith(f"On {OTHER} the factor is 0.")  # of h200 it is below 5
    assert "primitives/device/elsewhere" not in values


def test_the_machines_are_compared_on_rows_that_both_measured(cells):
    found = list(contests(cells))
    pairs = {first.key: (first, *rows) for first, _, rows in shared(found)}
    assert set(pairs) == {c.key for c in found if c.machine == OTHER}
    first, here, there = pairs["transpose/device"]
    assert 0 < len(here) == len(there) < len(first.rows)
    ratio = (here["library_ratio"] / there["library_ratio"]).astype(float)
    assert ratio.tolist() == pytest.approx([5.0] * len(here))
    text = plain(tables.between(found))
    assert text.count(OTHER) == len(pairs)
    assert tables.between(leading(found)) == ""


def test_a_claim_that_machines_answer_differently_depends_on_the_machine(cells):
    claim = next(iter(claims.CLAIMS.values()))[0]
    holds, fails = (Evidence(m, a, "") for m, a in (("a", Answer.holds), ("b", Answer.fails)))
    thin = Evidence("b", Answer.depends, "", thin=True)
    assert scorecard.answer([holds, fails]) is Answer.depends
    assert scorecard.differ([holds, fails]) and not scorecard.differ([holds, thin])
    assert scorecard.answer([holds, thin]) is Answer.holds
    assert claim.evidence(cells)


def test_the_readme_has_a_line_for_each_machine(cells):
    text = readme.table(list(contests(cells)))
    assert text.count("| h200 |") == 7
    assert text.count(f"| {OTHER} |") == len({"transpose", "spmm"}) * 2
    assert f"- {OTHER}: NVIDIA H100; 16 cores" in text


def test_a_table_of_the_supplement_is_of_one_machine(archive, cells):
    report = reading.report_of(cells, *inputs(archive)[1:])
    seen = set()
    for view in views().values():
        for made in view.tables(report):
            used = {c.row.machine for line in made.body for value in line for c in value.sources}
            named = {machine for machine in report.machines if made.label.endswith(machine)}
            assert not named or used <= named, made.label
            seen |= named
    assert seen == {"h200", OTHER}


def test_the_explorer_offers_both(cells):
    assert {OTHER, "h200"} <= set(re.findall(r'"([\w-]+)"', page.render(cells, "two")))


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("latexmk"), reason="latexmk is not installed")
def test_both_documents_are_clean(archive, tmp_path):
    """Of a run's own machine beside an archived one; two archived ones are in the report that is
    made without measuring."""
    made = tabled.generate(tmp_path / "report", *inputs(archive), sets=["h200"])
    for name in ("report.pdf", "supplement.pdf"):
        assert pdf.build(made, tmp_path / "report", tmp_path / name) == []
