"""Claims of the report on triangle counting."""

from __future__ import annotations

import pandas as pd

from sparserepro.paper.claims.claim import (
    Answer,
    Claim,
    Evidence,
    by_mean,
    factor,
    faster,
    ids_of,
    judged,
    setting,
    versus,
)
from sparserepro.paper.samples import Sample, compared, of, ratios
from sparserepro.ranks import rank_correlation


def near_two(sample: Sample) -> Answer:
    if len(sample) < 2:
        return Answer.depends
    return Answer.holds if 1.7 <= sample.mean <= 2.3 else Answer.fails


def half(cells: pd.DataFrame) -> list[Evidence]:
    serial = compared(cells)
    serial = serial[(serial["problem"] == "triangles") & (serial["algorithm"] == "serial")]
    found = ratios(of(cells, "serial_upper"), serial)
    return judged(
        found,
        near_two,
        lambda s: f"{factor(s)} faster",
    )


def forms(cells: pd.DataFrame) -> list[Evidence]:
    name = "cusparse_spgemm"
    found = ratios(
        of(cells, name, form="LL_L"), of(cells, name, form="AA_A"), "median_s", "median_s"
    )
    return judged(found, faster, lambda s: f"{factor(s)} faster")


def shared_memory(cells: pd.DataFrame) -> list[Evidence]:
    found = ratios(of(cells, "cuda_block_per_row_shared"), of(cells, "cuda_block_per_row"))
    opposite = {
        Answer.holds: Answer.fails,
        Answer.fails: Answer.holds,
        Answer.depends: Answer.depends,
    }
    return judged(found, lambda s: opposite[faster(s)], lambda s: f"with shared memory {factor(s)}")


def density(cells: pd.DataFrame) -> list[Evidence]:
    speedups = of(cells, "cuda_block_per_row")
    speedups = speedups[speedups["chosen"] & speedups["speedup"].notna()]
    made = []
    for machine, own in speedups.groupby("machine"):
        own = own[own["rows"] > 0]
        if own["matrix"].nunique() < 5:
            continue
        rows, entries = own["rows"].astype(float), own["entries"].astype(float)
        values = list(own["speedup"].astype(float))
        by_density = rank_correlation(list(entries / rows**2), values)
        by_degree = rank_correlation(list(entries / rows), values)
        ahead = by_density - by_degree
        answer = Answer.holds if ahead > 0.1 else Answer.fails if ahead < -0.1 else Answer.depends
        words = f"rank correlation {by_density:.2f} with density, {by_degree:.2f} with mean degree"
        made.append(Evidence(str(machine), answer, words, ids_of(own)))
    return made


def correct_count(cells: pd.DataFrame) -> list[Evidence]:
    own = of(cells, "cusparse_spgemm", form="LL_L")
    return [
        Evidence(
            str(machine), Answer.fails,
            rf"$\sum (LL)\circ L$ is the count: checked on {found['matrix'].nunique()} graphs",
            ids_of(found),
        )
        for machine, found in own.groupby("machine")
    ]  # fmt: skip


CLAIMS = (
    Claim("C1", "The sparse product of cuSPARSE is far slower than a block a row",
          versus("cuda_block_per_row", "cusparse_spgemm", judge=by_mean(10, 3))),
    Claim("C2", r"$(LL)\circ L$ takes less than $(AA)\circ A$", forms),
    Claim("C3", "Half of the comparisons take half of the time", half),
    Claim("C4", "Shared memory gains nothing", shared_memory),
    Claim("C5", "Blocks of one warp are the best",
          setting("cuda_block_per_row", "block_size", 32, 0.03)),
    Claim("C6", "The speedup follows the density of the graph", density),
    Claim("C7", "A serial count takes a quarter of the matrix expression or less",
          versus("serial", "matrix_expression", judge=by_mean(3, 2))),
    Claim("C8", r"The count is half of $\sum (LL)\circ L$", correct_count),
)  # fmt: skip
