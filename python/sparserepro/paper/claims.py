"""The claims of the three original reports, and what the cells say of each.

A claim names what its authors say and how the cells decide. Where no machine has the cells, the
claim is not answered. A ratio counts as better or worse from the smallest effect of interest on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

from sparserepro.paper.samples import Sample, compared, cost_of_setting, of, ratios
from sparserepro.stats import rank_correlation


class Answer(StrEnum):
    holds = "holds"
    fails = "does not hold"
    depends = "depends"
    unanswered = "not measured"


@dataclass(frozen=True)
class Evidence:
    """What one machine says of a claim: the answer, and its numbers in LaTeX."""

    machine: str
    answer: Answer
    words: str
    ids: tuple[str, ...] = ()
    """Of the records behind the numbers."""


@dataclass(frozen=True)
class Claim:
    key: str
    text: str
    """In LaTeX."""
    look: Callable[[pd.DataFrame], Sequence[Evidence]]

    def evidence(self, cells: pd.DataFrame) -> list[Evidence]:
        return list(self.look(cells))


def number(value: float) -> str:
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return rf"\num{{{value:.{digits}f}}}"


def factor(sample: Sample) -> str:
    """ "7.1 times (3.7 to 18; 24 rows)"."""
    if len(sample) == 1:
        return f"{number(sample.mean)} times (1 row)"
    return (
        f"{number(sample.mean)} times ({number(sample.low)} to {number(sample.high)}; "
        f"{len(sample)} rows)"
    )


def ids_of(cells: pd.DataFrame) -> tuple[str, ...]:
    return tuple(map(str, cells["id"]))


def faster(sample: Sample) -> Answer:
    """Holds when the first way is better on all rows, fails when it is on none."""
    if sample.wins == len(sample):
        return Answer.holds
    return Answer.depends if sample.wins else Answer.fails


def judged(
    samples: Sequence[Sample], judge: Callable[[Sample], Answer], words: Callable[[Sample], str]
) -> list[Evidence]:
    return [Evidence(s.machine, judge(s), words(s), s.ids) for s in samples]


def within(effect: float) -> Callable[[Sample], Answer]:
    """Whether a setting costs at most this share more than the best one, on all rows or some."""

    def judge(sample: Sample) -> Answer:
        near = sum(ratio <= 1 + effect for ratio in sample.ratios)
        if near == len(sample):
            return Answer.holds
        return Answer.depends if near else Answer.fails

    return judge


def percent(sample: Sample) -> str:
    """ "0 to 9 % slower than the best (6 rows)"."""
    low, high = (100 * (ratio - 1) for ratio in (sample.low, sample.high))
    span = rf"\qtyrange{{{low:.0f}}}{{{high:.0f}}}{{\percent}}"
    if round(low) == round(high):
        span = rf"\qty{{{high:.0f}}}{{\percent}}"
    return f"{span} slower than the best ({len(sample)} rows)"


def versus(better: str, other: str, words: str) -> Callable[[pd.DataFrame], list[Evidence]]:
    """That one algorithm takes less than another."""

    def look(cells: pd.DataFrame) -> list[Evidence]:
        found = ratios(of(cells, better), of(cells, other))
        return judged(found, faster, lambda s: words.replace("FACTOR", factor(s)))

    return look


def end_to_end(cells: pd.DataFrame) -> list[Evidence]:
    serial = of(cells, "serial")
    serial = serial[serial["problem"] == "transpose"]
    found = []
    for name, words in (("cuda_scantrans", "ScanTrans"), ("cusparse_csr2csc", "cuSPARSE")):
        for sample in ratios(of(cells, name), serial, "end_to_end_s", "median_s"):
            found.append((sample, words))
    by_machine: dict[str, list[tuple[Sample, str]]] = {}
    for sample, words in found:
        by_machine.setdefault(sample.machine, []).append((sample, words))

    def judged_pair(pairs: list[tuple[Sample, str]]) -> Answer:
        """Both beat the serial code, and the library by more."""
        if any(s.high <= 1 for s, _ in pairs):
            return Answer.fails
        ordered = len(pairs) == 2 and pairs[1][0].mean > pairs[0][0].mean
        return Answer.holds if ordered and all(s.low > 1 for s, _ in pairs) else Answer.depends

    return [
        Evidence(
            machine,
            judged_pair(pairs),
            "; ".join(f"{words} {factor(s)}" for s, words in pairs),
            tuple(id_ for s, _ in pairs for id_ in s.ids),
        )
        for machine, pairs in by_machine.items()
    ]


def merge_is_slow(cells: pd.DataFrame) -> list[Evidence]:
    serial = of(cells, "serial")
    serial = serial[serial["problem"] == "transpose"]
    every = []
    for name, time in (("cuda_mergetrans", "end_to_end_s"), ("omp_mergetrans", "headline_s")):
        for sample in ratios(of(cells, name), serial, time, "median_s"):
            place = "GPU, with transfers" if name.startswith("cuda") else "host"
            answer = Answer.holds if sample.high <= 1 else Answer.fails
            if sample.low <= 1 < sample.high:
                answer = Answer.depends
            every.append((sample, answer, f"{place}: {factor(sample)} faster"))
    return merged(every)


def merged(found: Sequence[tuple[Sample, Answer, str]]) -> list[Evidence]:
    """Several parts of one answer, by machine: it depends where they differ."""
    by_machine: dict[str, list[tuple[Sample, Answer, str]]] = {}
    for part in found:
        by_machine.setdefault(part[0].machine, []).append(part)
    return [
        Evidence(
            machine,
            parts[0][1] if len({answer for _, answer, _ in parts}) == 1 else Answer.depends,
            "; ".join(words for _, _, words in parts),
            tuple(id_ for sample, _, _ in parts for id_ in sample.ids),
        )
        for machine, parts in by_machine.items()
    ]


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


def setting(name: str, parameter: str, value: int, effect: float):  # type: ignore[no-untyped-def]
    def look(cells: pd.DataFrame) -> list[Evidence]:
        found = cost_of_setting(of(cells, name), parameter, value)
        return judged(found, within(effect), percent)

    return look


def histogram(cells: pd.DataFrame) -> list[Evidence]:
    name = "cuda_index_to_pointers"
    owner, atomic = (of(cells, name, counting=c) for c in ("owner", "atomic"))
    found = ratios(owner, atomic, "median_s", "median_s")
    return judged(
        found, faster, lambda s: f"an owner thread takes {number(1 / s.mean)} times as long"
    )


def vertical(cells: pd.DataFrame) -> list[Evidence]:
    name = "cuda_index_to_pointers"
    columns, transposed = (of(cells, name, vertical_scan=v) for v in ("columns", "transpose"))
    found = ratios(columns, transposed, "median_s", "median_s")
    return judged(found, faster, lambda s: f"by columns {factor(s)} faster")


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
    spmm = cells[(cells["problem"] == "spmm") & cells["algorithm"].str.contains("ellpack")]
    skipped = spmm[spmm["status"] == "skipped"]
    out = skipped[skipped["reason"].str.contains("padd", case=False, na=False)]
    padded = out[~out["algorithm"].str.contains("no_padding")]
    return [
        Evidence(
            str(machine),
            Answer.holds,
            f"exceeded on {own['matrix'].nunique()} of {spmm['matrix'].nunique()} matrices",
            ids_of(own),
        )
        for machine, own in padded.groupby("machine")
    ]


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


def half(cells: pd.DataFrame) -> list[Evidence]:
    serial = compared(cells)
    serial = serial[(serial["problem"] == "triangles") & (serial["algorithm"] == "serial")]
    found = ratios(of(cells, "serial_upper"), serial)
    return judged(
        found,
        lambda s: Answer.holds if 1.8 <= s.mean <= 2.2 else Answer.depends,
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
        answer = Answer.holds if by_density > by_degree else Answer.fails
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


CLAIMS: dict[str, tuple[Claim, ...]] = {
    r"Transposition \cite{incudini2020}": (
        Claim("T1", "Counted with transfers, ScanTrans on a GPU is up to 2.5 times and cuSPARSE 6 "
              "to 10 times as fast as the serial code", end_to_end),
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
    ),
    r"SpMM \cite{capotombolo2023}": (
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
    ),
    r"Triangle counting \cite{antoniadis2019}": (
        Claim("C1", "The sparse product of cuSPARSE is far slower than a block a row",
              versus("cuda_block_per_row", "cusparse_spgemm", "FACTOR")),
        Claim("C2", r"$(LL)\circ L$ takes less than $(AA)\circ A$", forms),
        Claim("C3", "Half of the comparisons take half of the time", half),
        Claim("C4", "Shared memory gains nothing", shared_memory),
        Claim("C5", "Blocks of one warp are the best",
              setting("cuda_block_per_row", "block_size", 32, 0.03)),
        Claim("C6", "The speedup follows the density of the graph", density),
        Claim("C7", "A serial count takes a quarter of the matrix expression",
              versus("serial", "matrix_expression", "FACTOR")),
        Claim("C8", r"The count is half of $\sum (LL)\circ L$", correct_count),
    ),
}  # fmt: skip
