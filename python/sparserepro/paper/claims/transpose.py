"""Claims of the report on transposition."""

from __future__ import annotations

import pandas as pd

from sparserepro.paper.claims.claim import (
    Claim,
    Evidence,
    factor,
    faster,
    judged,
    merged,
    percent,
    setting,
    versus,
    within,
)
from sparserepro.paper.samples import Sample, cost_of_setting, of, ratios


def serial_transposition(cells: pd.DataFrame) -> pd.DataFrame:
    found = of(cells, "serial")
    return found[found["problem"] == "transpose"]


def end_to_end(cells: pd.DataFrame) -> list[Evidence]:
    """That the library gains more than ScanTrans, transfers counted: by the ratio of the two; the
    words give both over the serial code."""
    scan, library = of(cells, "cuda_scantrans"), of(cells, "cusparse_csr2csc")
    serial = serial_transposition(cells)

    def words(sample: Sample) -> str:
        parts = []
        for found, name in ((scan, "ScanTrans"), (library, "cuSPARSE")):
            for over in ratios(found, serial, "end_to_end_s", "median_s"):
                if over.machine == sample.machine:
                    parts.append(f"{name} {factor(over)}")
        return "; ".join([*parts, f"cuSPARSE over ScanTrans {factor(sample)}"])

    return judged(ratios(library, scan, "end_to_end_s", "end_to_end_s"), faster, words)


def merge_is_slow(cells: pd.DataFrame) -> list[Evidence]:
    """On a GPU, transfers counted: it holds where the serial code is the faster one."""
    found = ratios(
        serial_transposition(cells), of(cells, "cuda_mergetrans"), "median_s", "end_to_end_s"
    )
    return judged(found, faster, lambda s: f"the serial code takes {factor(s.inverse)} as long")


def scan_or_merge(cells: pd.DataFrame) -> list[Evidence]:
    scan = of(cells, "cuda_scantrans")
    found = []
    for name, words in (("cuda_mergetrans", "the seed's merge"),
                        ("cuda_mergetrans_mergepath", "Merge Path")):  # fmt: skip
        for sample in ratios(scan, of(cells, name)):
            counts = f"ScanTrans faster on {sample.wins}, slower on {sample.losses}"
            found.append((sample, faster(sample), f"against {words} {factor(sample)}, {counts}"))
    return merged(found)


def blocks(cells: pd.DataFrame) -> list[Evidence]:
    ideal = {
        "cuda_segmented_sort": ("sort", 128),
        "cuda_merge_splitters": ("merge", 256),
        "cuda_index_to_pointers": ("histogram", 32),
        "cuda_pointers_to_index": ("expand", 32),
    }
    found = []
    for name, (words, size) in ideal.items():
        for sample in cost_of_setting(of(cells, name), "block_size", size):
            found.append((sample, within(0.10)(sample), f"{words} {size}: {percent(sample)}"))
    return merged(found)


def histogram(cells: pd.DataFrame) -> list[Evidence]:
    name = "cuda_index_to_pointers"
    owner, atomic = (of(cells, name, counting=c) for c in ("owner", "atomic"))
    found = ratios(owner, atomic, "median_s", "median_s")
    return judged(found, faster, lambda s: f"an owner thread takes {factor(s.inverse)} as long")


def vertical(cells: pd.DataFrame) -> list[Evidence]:
    name = "cuda_index_to_pointers"
    columns, transposed = (of(cells, name, vertical_scan=v) for v in ("columns", "transpose"))
    found = ratios(columns, transposed, "median_s", "median_s")
    return judged(found, faster, lambda s: f"by columns {factor(s)} faster")


CLAIMS = (
    Claim("T1", "Counted with transfers, cuSPARSE gains more over the serial code (6 to 10 times) "
          "than ScanTrans (up to 2.5 times)", end_to_end),
    Claim("T2", "MergeTrans on a GPU is slower than the serial code", merge_is_slow),
    Claim("T3", r"ScanTrans is faster than MergeTrans, against~\cite{wang2016}", scan_or_merge),
    Claim("T4", "The best block sizes are 128 (sort), 256 (merge), 32 (histogram) and 32 "
          "(expand)", blocks),
    Claim("T5", "128 is the best distance of splitters",
          setting("cuda_merge_splitters", "sp_dist", 128, 0.10)),
    Claim("T6", "Merge Path would speed MergeTrans up",
          versus("cuda_mergetrans_mergepath", "cuda_mergetrans", "FACTOR faster")),
    Claim("T7", "A histogram in which a thread owns each value would be faster", histogram),
    Claim("T8", "A vertical scan goes better by columns than by transposing", vertical),
)  # fmt: skip
