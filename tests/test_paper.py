"""The report's claims, numbers and figures, on cells whose answers are known."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

import hand_made
from sparserepro import load_cells
from sparserepro.data import cells
from sparserepro.imports import modules_of
from sparserepro.paper import figures, numbers, scorecard, tables, write
from sparserepro.paper.claims import CLAIMS, claim
from sparserepro.paper.claims.claim import Answer
from sparserepro.paper.contests import contests, machines_of
from sparserepro.paper.drawings import roofline
from sparserepro.paper.samples import Sample, cost_of_setting, of, ratios

ROOT = Path(__file__).resolve().parent.parent
EVERY = {claim.key: claim for group in CLAIMS.values() for claim in group}


def table(tmp_path, *records) -> pd.DataFrame:
    return cells.table(hand_made.loaded(tmp_path, *records))


def scalar(algorithm: str, seconds: float, matrix: str = "m", **parameters):
    return hand_made.record(
        "spmm", algorithm, [seconds] * 12, backend="cuda", matrix=matrix,
        parameters={"k": 8} | parameters,
    )  # fmt: skip


def test_ratios_are_of_rows_that_both_have(tmp_path):
    found = table(
        tmp_path,
        scalar("cuda_csr_scalar_v1", 4.0, "a"),
        scalar("cuda_csr_scalar_v2", 2.0, "a"),
        scalar("cuda_csr_scalar_v1", 9.0, "b"),
        scalar("cuda_csr_scalar_v2", 1.0, "b"),
        scalar("cuda_csr_scalar_v1", 5.0, "c"),
    )
    (sample,) = ratios(of(found, "cuda_csr_scalar_v2"), of(found, "cuda_csr_scalar_v1"))
    assert sample.ratios == (2.0, 9.0)
    assert sample.mean == pytest.approx(18**0.5)
    assert (sample.wins, sample.losses) == (2, 0)


@pytest.mark.parametrize(
    ("times", "answer"),
    [([2.0, 1.5], Answer.holds), ([2.0, 0.5], Answer.depends), ([1.01, 0.5], Answer.fails)],
)
def test_a_claim_holds_fails_or_depends(tmp_path, times, answer):
    records = []
    for matrix, ratio in zip("ab", times, strict=True):
        records += [
            scalar("cuda_csr_scalar_v1", 10.0 * ratio, matrix),
            scalar("cuda_csr_scalar_v2", 10.0, matrix),
        ]
    (evidence,) = EVERY["M1"].evidence(table(tmp_path, *records))
    assert (evidence.machine, evidence.answer) == ("gpu-box", answer)
    assert r"2 rows" in evidence.words


def test_the_cost_of_a_setting_is_over_the_best_one(tmp_path):
    found = table(
        tmp_path,
        scalar("cuda_csr_scalar_v3", 1.2, block_size=512),
        scalar("cuda_csr_scalar_v3", 1.0, block_size=256),
    )
    (sample,) = cost_of_setting(of(found, "cuda_csr_scalar_v3"), "block_size", 512)
    assert sample.ratios == (pytest.approx(1.2),)
    assert EVERY["M6"].evidence(found)[0].answer is Answer.fails
    assert cost_of_setting(of(found, "cuda_csr_scalar_v3"), "block_size", 64) == []
    alone = table(tmp_path, scalar("cuda_csr_scalar_v3", 1.2, block_size=512))
    assert EVERY["M6"].evidence(alone) == []  # one setting says nothing of the others


def test_a_claim_without_cells_is_not_measured_and_is_counted(tmp_path):
    records = [
        scalar(f"cuda_csr_scalar_{version}", seconds, matrix)
        for version, seconds in (("v1", 4.0), ("v2", 2.0))
        for matrix in "ab"
    ]
    found = table(tmp_path, *records)
    machines = machines_of(found)
    counts = scorecard.counts(found, machines)
    assert counts[Answer.holds] == 1
    assert counts.total() == len(EVERY) == 25
    text = scorecard.table(found, machines)
    assert text.count(r"\textit{not measured}") == counts[Answer.unanswered]
    values = numbers.values(found)
    assert "claim/M1/hold" in values
    assert "claim/M2/fail" not in values


def contest(tmp_path, ours: float, theirs: float) -> pd.DataFrame:
    peer = hand_made.cusparse(theirs, preprocess=0.0)
    return table(tmp_path, hand_made.own(ours, preprocess=3.0), peer)


def test_a_lead_is_claimed_only_while_the_data_bear_it(tmp_path):
    ahead = numbers.values(contest(tmp_path, 1.0, 2.0))
    assert ahead["spmm/device/mean"] == r"\num{2.00}"
    assert ahead["spmm/device/calls-1"] == r"\num{0.50}"
    assert ahead["spmm/device/calls-10"] == r"\num{1.54}"
    assert "spmm/device/ahead" in ahead
    behind = numbers.values(contest(tmp_path, 2.0, 1.0))
    assert "spmm/device/ahead" not in behind
    assert "does not lead" in behind["spmm/device/sentence"]
    assert r"\num{0.50}" in behind["spmm/device/sentence"]


def test_the_small_tables_have_what_the_cells_say(tmp_path):
    found = contest(tmp_path, 1.0, 2.0)
    (line,) = re.findall(r"^SpMM & device .*$", tables.summary(list(contests(found))), re.M)
    shown = re.findall(r"\\num\{([\d.]+)\}", line)
    assert shown == ["1", "0.50", "1.54", "1.94", "2.00", "2.00", "2.00", "1", "0", "0", "0"]
    assert "gpu-box" in tables.machines(found).replace(r"\allowbreak{}", "")


def test_keys_that_the_prose_asks_for_are_made(tmp_path):
    """Keys of every report; LaTeX stops at one of the others that is neither made nor guarded."""
    values = numbers.values(table(tmp_path, scalar("cuda_csr_scalar_v1", 4.0)))
    used = set()
    for path in (ROOT / "report/paper").glob("*.tex"):
        used |= set(re.findall(r"\\(?:n|res)\{((?:paper|claims)/[^{}]*)\}", path.read_text()))
    assert used
    assert used <= set(values)


def test_every_command_is_used():
    """Of LaTeX: by the text, by a template or by the Python that writes tables."""
    texts = [
        path.read_text()
        for folder, pattern in (("report", "*.tex"), ("report", "*.j2"), ("python", "*.py"))
        for path in (ROOT / folder).rglob(pattern)
    ]
    every = "\n".join(texts)
    made = re.findall(r"\\newcommand\{?(\\\w+)|\\DeclareSIUnit(\\\w+)", every)
    names = {first or second for first, second in made}
    assert len(names) > 20
    unused = {name for name in names if len(re.findall(rf"\{name}(?![a-zA-Z])", every)) < 2}
    assert unused == set()


def test_words_of_a_sample():
    sample = Sample("m", (1.5, 6.0), ("a", "b"))
    assert claim.factor(sample) == r"\num{3.00} times (\num{1.50} to \num{6.00}; 2 rows)"
    assert claim.number(12.34) == r"\num{12.3}"
    assert claim.number(123.4) == r"\num{123}"


def test_a_file_is_all_that_a_new_figure_needs(tmp_path, monkeypatch):
    (tmp_path / "another.py").write_text(
        "from sparserepro.paper.drawings.roofline import roofline\n"
        "from sparserepro.paper.plate import Plate\n"
        "PLATES = (Plate('another', 'The same again', roofline),)\n"
    )
    monkeypatch.setattr(figures, "modules_of", lambda package: [*modules_of(package), "another"])
    monkeypatch.syspath_prepend(tmp_path)
    assert "another" in figures.plates()
    monkeypatch.setattr(figures, "modules_of", lambda package: ["another", "another"])
    with pytest.raises(ValueError, match="two figures"):
        figures.plates()


def test_rates_of_the_roofline_are_those_of_the_cells(tmp_path):
    found = contest(tmp_path, 2.0, 4.0)
    (met,) = contests(found)
    (row,) = roofline.measured(met).to_dict("records")
    assert row["ours"] == pytest.approx(row["model_bytes"] / 2.0)
    assert row["library"] == pytest.approx(row["model_bytes"] / 4.0)
    assert row["roof"] == pytest.approx(row["model_bytes"] / row["copy_bound_s"])
    assert row["intensity"] == pytest.approx(row["model_flops"] / row["model_bytes"])


def test_parts_of_the_archive(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = load_cells("h200")
    write.write(found, tmp_path / "parts")
    drawn = {path.stem for path in (tmp_path / "parts").glob("*.pdf")}
    assert drawn <= set(figures.plates())
    assert {"spmm-device", "transpose-device", "primitives-device", "roofline"} <= drawn
    text = (tmp_path / "parts/numbers.tex").read_text()
    rows = found[
        found["best_own"] & (found["problem"] == "transpose") & (found["side"] == "device")
    ]
    assert rf"\defres{{transpose/device/rows}}{{\num{{{len(rows)}}}}}" in text
    again = tmp_path / "again"
    write.write(found, again)
    told = json.loads((tmp_path / "parts/trace.json").read_text())
    behind = told["floats"]["tab:summary"]["cells"]["Transposition, device of h200"]["1 call"]
    ids = {told["sources"][n]["record"] for n in behind["sources"]}
    assert ids == {*rows["id"], *rows["library_id"]}
    claim = told["floats"]["tab:claims"]["cells"]["M2"]["h200"]["sources"]
    names = found.set_index("id").loc[[told["sources"][n]["record"] for n in claim], "algorithm"]
    assert set(names) == {"cuda_csr_scalar_v2", "cuda_csr_scalar_v3"}
    assert {f"fig:{name}" for name in drawn} <= set(told["floats"])
    for path in (tmp_path / "parts").iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes(), path.name
