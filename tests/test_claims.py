"""What claims, samples and the numbers of the prose say of cells whose answers are worked out by
hand."""

import dataclasses

import pandas as pd
import pytest

import hand_made
import report_fixtures
from sparserepro.data import cells
from sparserepro.data.frames import GRID
from sparserepro.paper import numbers, scorecard
from sparserepro.paper.claims import CLAIMS, claim, spmm, triangles
from sparserepro.paper.claims.claim import Answer, Evidence
from sparserepro.paper.contests import contests
from sparserepro.paper.samples import Sample, compared, cost_of_setting, of, with_parameters
from sparserepro.render.latex import code

EVERY = {claim.key: claim for group in CLAIMS.values() for claim in group}
HOLDS, FAILS, DEPENDS = Answer.holds, Answer.fails, Answer.depends


def sample(*ratios: float) -> Sample:
    return Sample("m", ratios, tuple("abcdefgh"[: len(ratios)]))


def table(tmp_path, *records) -> pd.DataFrame:
    return cells.table(hand_made.loaded(tmp_path, *records))


def device(algorithm, seconds, matrix="m", problem="spmm", whole=None, **others):
    cycles = {"timing__end_to_end": report_fixtures.cycles(whole, "cuda")} if whole else {}
    return hand_made.record(
        problem, algorithm, [seconds] * 12, backend="cuda", matrix=matrix, **cycles, **others
    )


@pytest.mark.parametrize(
    ("judge", "ratios", "answer"),
    [
        (claim.faster, (2.0, 1.5), HOLDS),
        (claim.faster, (2.0, 1.5, 0.5), DEPENDS),
        (claim.faster, (1.02, 0.5), FAILS),  # below the smallest effect
        (claim.faster, (2.0,), DEPENDS),
        (claim.by_mean(10, 3), (20.0, 30.0), HOLDS),
        (claim.by_mean(10, 3), (5.0, 5.0), DEPENDS),
        (claim.by_mean(10, 3), (2.0, 2.0), FAILS),
        (claim.by_mean(10, 3), (20.0,), DEPENDS),
        (claim.within(0.03), (1.0, 1.02), HOLDS),
        (claim.within(0.03), (1.0, 1.2), DEPENDS),
        (claim.within(0.03), (1.1, 1.2), FAILS),
        (triangles.near_two, (1.9, 2.1), HOLDS),
        (triangles.near_two, (1.2, 1.2), FAILS),
    ],
)
def test_answers(judge, ratios, answer):
    assert judge(sample(*ratios)) is answer


def test_words():
    assert claim.percent(sample(1.0, 1.09)) == (
        r"\qtyrange{0}{9}{\percent} slower than the best (2 rows)"
    )
    assert claim.number(3.14159) == r"\num{3.14}"
    both = claim.merged([(sample(2.0, 2.0), HOLDS, "x"), (sample(0.5, 0.5), FAILS, "y")])
    assert [(e.answer, e.words) for e in both] == [(DEPENDS, "x; y")]


def test_wins_and_losses_are_beyond_the_smallest_effect():
    found = sample(1.02, 1.05, 0.98, 0.5)
    assert (found.wins, found.losses) == (1, 1)


def test_cells_that_compete(tmp_path):
    found = table(
        tmp_path,
        device("cusparse_csr", 1.0, library="cuSPARSE 12.9.4", run="new"),
        device("cusparse_csr", 2.0, library="cuSPARSE 12.6.3", run="old"),
        device("cuda_csr_scalar_v3", 1.0, parameters={"block_size": 128}),
    )
    assert list(compared(found)["version"].dropna()) == ["12.9.4"]
    assert len(with_parameters(found, block_size=128)) == 1
    assert len(with_parameters(found, block_size=12)) == 0
    assert len(of(found, "cuda_csr_scalar_v3")) == 1
    assert len(of(found.assign(**{"class": GRID}), "cuda_csr_scalar_v3")) == 0


def test_rows_without_the_setting_are_told(tmp_path):
    found = table(
        tmp_path,
        device("cuda_csr_scalar_v3", 1.0, "a", parameters={"block_size": 512}),
        device("cuda_csr_scalar_v3", 1.5, "a", parameters={"block_size": 256}),
        device("cuda_csr_scalar_v3", 1.0, "b", parameters={"block_size": 512}),
        device("cuda_csr_scalar_v3", 1.5, "b", parameters={"block_size": 256}),
        device("cuda_csr_scalar_v3", 1.5, "c", parameters={"block_size": 256}),
    )
    (evidence,) = EVERY["M6"].evidence(found)
    assert evidence.answer is DEPENDS
    assert evidence.words.endswith("(2 rows); not compared on 1 more")
    only = found[found["matrix"] == "c"]
    assert cost_of_setting(of(only, "cuda_csr_scalar_v3"), "block_size", 256) == []


def answers(key, found):
    return [(e.answer, e.words) for e in EVERY[key].evidence(found)]


def test_transfers_count_for_the_claims_on_transposition(tmp_path):
    records = []
    for matrix in "ab":
        records += [
            hand_made.record("transpose", "serial", [1.0] * 12, backend="serial", matrix=matrix),
            device("cuda_mergetrans", 0.1, matrix, "transpose", whole=2.0),
            device("cuda_scantrans", 0.1, matrix, "transpose", whole=4.0),
            device("cusparse_csr2csc", 0.2, matrix, "transpose", whole=1.0, library=hand_made.NEW),
        ]
    found = table(tmp_path, *records)
    ((slow, words),) = answers("T2", found)
    assert slow is HOLDS
    assert words.startswith(r"the serial code takes \num{0.50} times")
    ((gains, words),) = answers("T1", found)
    assert gains is HOLDS
    assert words.endswith(
        r"cuSPARSE over ScanTrans \num{4.00} times (\num{4.00} to \num{4.00}; 2 rows)"
    )


def test_claims_on_triangles(tmp_path):
    records = []
    for matrix in "ab":
        records += [
            device("cuda_block_per_row", 2.0, matrix, "triangles"),
            device("cuda_block_per_row_shared", 1.0, matrix, "triangles"),
        ]
    ((gains, words),) = answers("C4", table(tmp_path, *records))
    assert gains is FAILS
    assert words.startswith(r"with shared memory \num{2.00} times")


def test_a_speedup_that_follows_the_density_follows_no_degree():
    rows = [10, 100, 1000, 10_000, 100_000]
    entries = [rows[n] * (n + 2) for n in range(5)]  # degrees rise, densities fall
    found = pd.DataFrame(
        {
            "machine": "m", "matrix": list("abcde"), "instance": "", "id": list("vwxyz"),
            "status": "ok", "role": "compared", "class": None, "parameters": "",
            "algorithm": "cuda_block_per_row", "chosen": True, "rows": rows, "entries": entries,
            "speedup": [9.0, 7.0, 5.0, 3.0, 1.0],
        }
    )  # fmt: skip
    (evidence,) = triangles.density(found)
    assert evidence.answer is HOLDS
    assert evidence.words == "rank correlation 1.00 with density, -1.00 with mean degree"


def test_claims_on_errors_and_on_padding(tmp_path):
    def answer(matrix, error):
        measures = {"max_relative_error": error}
        return device("cuda_csr_scalar_v1", 1.0, matrix, check__measures=measures)

    records = [answer("a", 1e-14), answer("b", 1e-17)]
    (beyond,) = spmm.tolerance(table(tmp_path, *records))
    assert beyond.answer is FAILS
    assert beyond.words.startswith(r"1 of 2 right answers differ by more")
    (within,) = spmm.tolerance(table(tmp_path, records[1]))
    assert within.answer is HOLDS
    padded = hand_made.record("spmm", "omp_ellpack", [1.0] * 12)
    unpadded = hand_made.record("spmm", "omp_ellpack_no_padding", [1.0] * 12)
    skipped = {"status": "skipped", "reason": "padding too large", "timing": None, "check": None}
    found = [spmm.padding(table(tmp_path, first, unpadded)) for first in (padded, padded | skipped)]
    assert [e.answer for (e,) in found] == [FAILS, HOLDS]


def test_machines_that_differ_decide_nothing_and_one_row_outweighs_none():
    holds, fails = Evidence("a", HOLDS, ""), Evidence("b", FAILS, "")
    assert scorecard.answer([holds, fails]) is DEPENDS
    assert scorecard.answer([holds, holds]) is HOLDS
    thin = dataclasses.replace(fails, answer=DEPENDS, thin=True)
    assert scorecard.answer([holds, thin]) is HOLDS
    assert scorecard.answer([thin]) is DEPENDS


def test_numbers_of_the_prose(tmp_path):
    records = []
    for matrix, theirs in (("a", 0.5), ("b", 2.0), ("c", 4.0)):
        records.append(
            device("cuda_csr_scalar_v3", 1.0, matrix, bounds__copy_s=0.25, parameters={"k": 8})
        )
        records.append(
            device("cusparse_csr", theirs, matrix, library=hand_made.NEW, parameters={"k": 8})
        )
    records.append(
        device("cuda_csr_vector_sub_warp", 1.0, "a", parameters={"k": 8})
        | {"status": "skipped", "reason": "no", "timing": None, "check": None}
    )
    found = table(tmp_path, *records)
    found["class"] = found["matrix"].map({"a": "web", "b": "web", "c": "FEM"})
    values = numbers.values(found)
    assert (values["paper/measured"], values["paper/skipped"]) == (r"\num{6}", r"\num{1}")
    assert values["spmm/device/worst"] == f"{code('a')} at $K=8$ and {code('b')} at $K=8$"
    assert values["spmm/device/best"] == f"{code('c')} at $K=8$"
    assert values["spmm/device/bound-low"] == r"\qty{25}{\percent}"
    assert values["spmm/device/class-least"] == "web"  # the root of 0.5 times 2
    assert values["spmm/device/class-least-mean"] == r"\num{1.00}"
    assert values["spmm/device/class-most"] == "FEM"
    assert len(list(contests(found))) == 1
