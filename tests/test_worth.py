"""What own algorithms are worth on the machine of a run, at the top of the report and at the end of
the run."""

import math

import pandas as pd
import pytest

import hand_made
from sparserepro.data import cells
from sparserepro.paper import worth
from sparserepro.stats import Ratio, Verdict, student_quantile, verdict


def rows(**matrices: list[float]) -> pd.DataFrame:
    """Of SpMM: the ratios of each matrix."""
    lines = [
        {"problem": "spmm", "matrix": name, "algorithm": "omp_csr", "library_ratio": ratio,
         "library_ratio_low": ratio / 1.1, "library_ratio_high": ratio * 1.2}
        for name, ratios in matrices.items() for ratio in ratios
    ]  # fmt: skip
    return pd.DataFrame(lines)


def test_the_interval_of_a_mean_is_over_matrices():
    found = worth.mean_ratio(rows(a=[2.0], b=[3.0], c=[4.5]))
    assert found.value == pytest.approx(3.0)
    step = math.log(1.5)
    reach = student_quantile(2) * step / math.sqrt(3)  # the deviation of -step, 0, step is step
    assert found.low == pytest.approx(3.0 / math.exp(reach))
    assert found.high == pytest.approx(3.0 * math.exp(reach))


def test_more_rows_of_the_same_matrices_say_nothing_new():
    once = worth.mean_ratio(rows(a=[2.0], b=[3.0], c=[4.5]))
    often = worth.mean_ratio(rows(a=[2.0] * 7, b=[3.0] * 7, c=[4.5] * 7))
    assert (often.low, often.high) == (pytest.approx(once.low), pytest.approx(once.high))


def test_a_single_matrix_has_the_intervals_of_its_rows():
    found = worth.mean_ratio(rows(a=[2.0, 8.0]))
    assert (found.value, found.low, found.high) == tuple(
        map(pytest.approx, (4.0, 4.0 / 1.1, 4.0 * 1.2))
    )
    unknown = rows(a=[2.0, 8.0])
    unknown.loc[0, "library_ratio_low"] = None
    assert worth.mean_ratio(unknown) == Ratio(pytest.approx(4.0), None, None)
    assert verdict(worth.mean_ratio(unknown)) is Verdict.unclear


def record(algorithm, seconds, matrix, library=None, before=0.0, **others):
    return hand_made.record(
        "spmm", algorithm, [seconds] * 12, library=library, matrix=matrix, parameters={"k": 8},
        machine__id="laptop", machine__gpu=None, preprocess_s=[before] * 12 if before else [],
        **others,
    )  # fmt: skip


def measured(folder, *ratios: float, before: float = 0.0) -> pd.DataFrame:
    """A run with a matrix for each ratio of a library to omp_csr."""
    records = []
    for number, ratio in enumerate(ratios):
        records.append(record("omp_csr", 1.0, f"m{number}", before=before))
        records.append(record("eigen_csr", ratio, f"m{number}", library="Eigen 3.4.0"))
    return cells.table(hand_made.loaded(folder, *records))


@pytest.mark.parametrize(
    ("ratios", "word"),
    [
        ((2.0, 2.2, 2.1), "FASTER 2.10"), ((0.5, 0.6, 0.55), "SLOWER 0.55"),
        ((0.5, 2.2), "UNDECIDED 1.05"), ((1.01, 1.0, 1.01), "THE SAME 1.01"),
    ],
)  # fmt: skip
def test_the_end_of_a_run_says_who_is_faster(tmp_path, ratios, word):
    first, line, last = worth.lines(measured(tmp_path, *ratios))
    assert first.startswith("On this machine (laptop: ")
    assert "no GPU" in first
    assert line.split("  ")[1] == "SpMM, host"
    assert f"  {word} (" in line
    assert line.endswith("Eigen 3.4.0")
    assert "one call" not in line
    assert "95 % intervals" in last


def test_what_preparation_costs_one_call_is_said(tmp_path):
    found = measured(tmp_path, 2.0, 2.2, 2.1, before=9.0)
    line = worth.lines(found)[1]
    assert "FASTER 2.10" in line
    assert "one call: SLOWER 0.21 (" in line
    text = worth.page(found)
    assert r"\paragraph{This machine.} On \code{laptop}" in text
    assert "our algorithms are faster in SpMM (host), compared with the fastest library." in text
    assert "one call pays for the preparation, they are slower in SpMM (host)." in text


def test_a_machine_without_libraries_is_told_so(tmp_path):
    found = cells.table(hand_made.loaded(tmp_path, record("omp_csr", 1.0, "m")))
    assert worth.lines(found)[1:3] == [
        "  beside no library: SpMM, host",
        "  no row has times of own algorithms and of libraries",
    ]
    assert worth.page(found) == ""


def test_without_measuring_the_archived_machines_stand(tmp_path):
    found = measured(tmp_path, 2.0, 2.2)
    found["set"] = "laptop"
    first, line, _ = worth.lines(found)
    assert first.startswith("Nothing was measured here. On archived machines")
    assert "SpMM, host of laptop" in line
    assert r"\paragraph{Archived machines.}" in worth.page(found)


def test_a_plan_that_moves_less_does_not_meet_libraries(tmp_path):
    records = [
        record("omp_csr", 1.0, "m", model__bytes=4800),
        record("omp_csr_blocked", 0.1, "m", model__bytes=1600),
        record("eigen_csr", 2.0, "m", library="Eigen 3.4.0", model__bytes=4800),
    ]
    found = cells.table(hand_made.loaded(tmp_path, *records))
    assert list(found[found["best_own"]]["algorithm"]) == ["omp_csr"]
    equal = [r | {"model": {"bytes": 4800, "flops": 1}} for r in records]
    found = cells.table(hand_made.loaded(tmp_path, *equal))
    assert list(found[found["best_own"]]["algorithm"]) == ["omp_csr_blocked"]
