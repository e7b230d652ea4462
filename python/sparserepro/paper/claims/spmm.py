"""Claims of the report on SpMM."""

from __future__ import annotations

import pandas as pd

from sparserepro.paper.claims.claim import (
    Answer,
    Claim,
    Evidence,
    factor,
    faster,
    ids_of,
    judged,
    merged,
    setting,
    versus,
)
from sparserepro.paper.samples import compared, of, ratios


def bounds_hoisted(cells: pd.DataFrame) -> list[Evidence]:
    found = ratios(of(cells, "cuda_csr_scalar_v3"), of(cells, "cuda_csr_scalar_v2"))
    return judged(found, faster, factor)


def vector_loses(cells: pd.DataFrame) -> list[Evidence]:
    found = ratios(of(cells, "cuda_csr_scalar_v3"), of(cells, "cuda_csr_vector"))
    return judged(
        found, faster,
        lambda s: f"one thread a row {factor(s)} faster, and slower on {s.losses}",
    )  # fmt: skip


def successors(cells: pd.DataFrame) -> list[Evidence]:
    found = []
    for new, old in (("cuda_csr_vector_by_row", "cuda_csr_vector"),
                     ("cuda_csr_adaptive_sub_blocks", "cuda_csr_adaptive")):  # fmt: skip
        for sample in ratios(of(cells, new), of(cells, old)):
            short = new.removeprefix("cuda_csr_").replace("_", r"\_")
            found.append((sample, faster(sample), rf"\code{{{short}}} {factor(sample)}"))
    return merged(found)


def one_pass(cells: pd.DataFrame) -> list[Evidence]:
    found = ratios(
        of(cells, "coo_to_ellpack_no_zero_padding_parallel_optimized"),
        of(cells, "coo_to_ellpack_no_zero_padding_parallel"),
    )
    return judged(found, faster, factor)


def padding(cells: pd.DataFrame) -> list[Evidence]:
    """Where padded formats are refused for their size, unpadded ones must have a time."""
    spmm = cells[(cells["problem"] == "spmm") & cells["algorithm"].str.contains("ellpack")]
    unpadded = spmm["algorithm"].str.contains("no_padding")
    made = []
    for machine, own in spmm[~unpadded & (spmm["role"] == "compared")].groupby("machine"):
        tried = own["matrix"].nunique()
        refused = own[
            (own["status"] == "skipped") & own["reason"].str.contains("padd", case=False, na=False)
        ]
        exceeded = set(refused["matrix"])
        measured = spmm[unpadded & (spmm["status"] == "ok") & (spmm["machine"] == machine)]
        words = f"padded exceeds the limit on {len(exceeded)} of {tried} matrices"
        if not exceeded:
            answer = Answer.fails
        elif exceeded <= set(measured["matrix"]):
            answer, words = Answer.holds, f"{words}, unpadded on none of these"
        else:
            answer, words = Answer.depends, f"{words}; unpadded was not measured there"
        made.append(Evidence(str(machine), answer, words, ids_of(own)))
    return made


def tolerance(cells: pd.DataFrame) -> list[Evidence]:
    sums = compared(cells)
    sums = sums[(sums["problem"] == "spmm") & sums["max_relative_error"].notna()]
    made = []
    for machine, own in sums.groupby("machine"):
        largest = float(own["max_relative_error"].max())
        beyond = int((own["max_relative_error"] > 2.0**-52).sum())
        words = (
            rf"{beyond} of {len(own)} right answers differ by more, up to \num{{{largest:.1e}}}, "
            "within the rounding bound"
        )
        answer = Answer.fails if beyond else Answer.holds
        made.append(Evidence(str(machine), answer, words, ids_of(own)))
    return made


CLAIMS = (
    Claim("M1", "A partial sum in a register speeds one thread a row up",
          versus("cuda_csr_scalar_v2", "cuda_csr_scalar_v1", "FACTOR")),
    Claim("M2", "So does reading the bounds of the row once", bounds_hoisted),
    Claim("M3", "A warp a row loses to a thread a row, since rows are short", vector_loses),
    Claim("M4", "Sub-warps of two threads are the best",
          setting("cuda_csr_vector_sub_warp", "sub_warp", 2, 0.03)),
    Claim("M5", "Warps that share a row's columns, and sub-blocks, improve CSR-Vector and "
          "CSR-Adaptive", successors),
    Claim("M6", "512 threads a block are the best",
          setting("cuda_csr_scalar_v3", "block_size", 512, 0.03)),
    Claim("M7", "One pass with a critical section converts faster than two nested loops",
          one_pass),
    Claim("M8", "Padded ELLPACK exceeds the memory, unpadded does not", padding),
    Claim("M9", r"Right answers agree with the serial ones to $\num{2.2e-16}$", tolerance),
)  # fmt: skip
