"""Properties that hold for all inputs: configurations, grids, statistics, cells, and what is
rendered."""

import itertools
import json
import math
import re
import string

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hand_made
from sparserepro import schemas, stats
from sparserepro.config.check import ConfigError, check_config, load_schema
from sparserepro.config.file import load_config_file
from sparserepro.config.grid import Job, make_jobs, thread_counts
from sparserepro.config.matrix_list import MatrixEntry, MatrixList
from sparserepro.data import cells, collect
from sparserepro.data.digests import Altered, listed
from sparserepro.render import latex, plain_text

settings.register_profile("short", max_examples=60, deadline=None, database=None, derandomize=True)
settings.load_profile("short")

MATRICES = MatrixList(
    {name: MatrixEntry(name, "fem", spec="mesh:width=3,height=3") for name in ("one", "two")}, {}
)
# What YAML may hold.
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=4)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from([*load_schema("config.schema.yaml")["properties"], "other"])
VALUES = st.lists(st.integers(1, 100), min_size=1, max_size=4, unique=True)
GRIDS = st.dictionaries(
    st.sampled_from(["k", "offset_bits", "x"]), VALUES | st.integers(1, 9), max_size=3
)
TIMES = st.floats(1e-9, 1e6, allow_nan=False)
SAMPLES = st.lists(TIMES, min_size=1, max_size=60)
SUMMARIES = SAMPLES.map(stats.summarise)


def values(given):
    return given if isinstance(given, list) else [given]


@given(st.dictionaries(KEYS, ANY, max_size=4))
def test_a_configuration_is_completed_or_refused_in_lines(config):
    try:
        checked = check_config(config, "test.yaml")
    except ConfigError as refusal:
        assert str(refusal).startswith("test.yaml: ")
        return
    assert check_config(checked, "test.yaml") == checked


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_a_file_is_a_mapping_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(content)
    try:
        loaded = load_config_file(path)
    except ConfigError as refusal:
        assert all(line.startswith(f"{path}:") for line in str(refusal).splitlines())
        return
    assert isinstance(loaded, dict)


@given(st.one_of(GRIDS, st.lists(GRIDS, min_size=1, max_size=3)), st.integers(1, 40))
def test_jobs_are_the_union_of_the_grids_or_too_many(grids, most):
    config = {
        "matrices": ["one", "two"],
        "problems": {"spmm": {"instances": grids}},
        "max_jobs": most,
    }
    each = values(grids)
    wanted = {
        tuple(sorted(zip(grid, combination, strict=True)))
        for grid in each
        for combination in combinations([values(v) for v in grid.values()])
    }
    try:
        jobs = make_jobs(check_config(config, "test.yaml"), MATRICES, cores=2)
    except ConfigError as refusal:
        assert "max_jobs" in str(refusal)
        assert 2 * len(wanted) > most
        return
    found = [(job.matrix, tuple(sorted(job.instance.items()))) for job in jobs]
    assert sorted(found) == sorted((m, w) for m in ("one", "two") for w in wanted)
    assert len({job.key for job in jobs}) == len(jobs) <= most
    assert all(Job.from_json(job.to_json()).to_json() == job.to_json() for job in jobs)


def combinations(lists):
    """Every choice of one of each list."""
    if not lists:
        return [()]
    return [(first, *rest) for first in lists[0] for rest in combinations(lists[1:])]


@given(st.integers(1, 10**6))
def test_counts_of_threads_are_doubled_up_to_the_cores(cores):
    counts = thread_counts(cores)
    assert counts[0] == 1 and counts[-1] <= cores < 2 * counts[-1]
    assert all(b == 2 * a for a, b in itertools.pairwise(counts))


@given(st.text(string.ascii_lowercase + "\n", max_size=6))
def test_a_pattern_ends_where_the_text_ends(text):
    assert schemas.matches("^[a-z]+$", text) == (text.isalpha() and text.isascii())


@given(SAMPLES)
def test_a_median_lies_in_its_interval_and_the_interval_among_the_samples(samples):
    summary = stats.summarise(samples)
    low, high = summary.ends
    assert low <= summary.median <= high
    assert summary.has_interval == (len(samples) >= 6)
    if summary.has_interval:
        assert {low, high} <= set(samples)
    assert stats.summarise(samples[::-1]) == summary
    choosing, reporting = stats.divided(samples)
    if len(samples) > 1:
        assert sorted([*choosing, *reporting]) == sorted(samples)
        assert choosing and reporting


@given(st.integers(6, 300))
def test_an_interval_is_the_narrowest_that_covers(n):
    lower, upper = stats.interval_ranks(n)
    assert lower + upper == n + 1

    def coverage(rank):
        return 1 - 2 * sum(math.comb(n, b) for b in range(rank)) / 2**n

    assert coverage(lower) >= stats.CONFIDENCE > coverage(lower + 1)


@given(SUMMARIES, SUMMARIES, st.floats(1e-3, 1e3))
def test_a_ratio_does_not_know_units_and_turns_round(base, other, unit):
    ratio, back = stats.speedup(base, other), stats.speedup(other, base)
    assert ratio.value * back.value == pytest.approx(1)
    if ratio.low is not None and ratio.high is not None:
        assert ratio.low <= ratio.value * (1 + 1e-12) and ratio.value <= ratio.high * (1 + 1e-12)
        opposite = {"faster": "slower", "slower": "faster"}
        said, answered = str(stats.verdict(ratio)), str(stats.verdict(back))
        if said in opposite and answered in opposite:
            assert answered == opposite[said]
    scaled = stats.speedup(scale(base, unit), scale(other, unit))
    assert scaled.value == pytest.approx(ratio.value)


def scale(summary, unit):
    ends = (None, None)
    if summary.has_interval:
        ends = tuple(unit * end for end in summary.ends)
    return stats.Summary(summary.n, unit * summary.median, *ends)


@given(st.lists(TIMES, min_size=1, max_size=20))
def test_a_geometric_mean_lies_between_the_ends(ratios):
    mean = stats.geometric_mean(ratios)
    assert min(ratios) * (1 - 1e-9) <= mean <= max(ratios) * (1 + 1e-9)
    assert stats.geometric_mean([1 / r for r in ratios]) == pytest.approx(1 / mean)


@given(st.text(max_size=80))
def test_text_from_outside_has_nothing_that_latex_takes_for_more(text):
    shown = latex.escape(text)
    bare = re.sub(r"\\(?:text\w+|allowbreak)\{\}|\\[{}$&#%_]", "", shown)
    assert not set(bare) & set("\\{}$&#%_~^\n\r\x00")
    assert not re.search(r"[^\s{}\\]{60,}", shown)
    for made in (latex.prose(text), latex.code(text), latex.command([text])):
        assert made.count("{") - made.count(r"\{") == made.count("}") - made.count(r"\}")


@given(st.text(string.printable, max_size=23))
def test_plain_text_gives_back_what_was_escaped(text):
    words = " ".join(text.split())
    assert plain_text.plain(latex.escape(text)).replace(" ", "") == words.replace(" ", "")


@given(SUMMARIES, st.sampled_from([1.0, 1e3, 1e6]))
def test_a_figure_with_uncertainty_is_near_the_median(summary, unit):
    shown = latex.with_uncertainty(summary, unit)
    assert re.fullmatch(r"\d+(\.\d+)?(\(\d+\))?", shown)
    value = float(shown.partition("(")[0])
    low, high = (unit * end for end in summary.ends)
    slack = 0.06 * unit * summary.median + (high - low)
    assert abs(value - unit * summary.median) <= slack


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 9)), min_size=1, max_size=6), st.data())
def test_the_newest_record_of_a_cell_stands_in_any_order(tmp_path_factory, starts, data):
    records = [
        hand_made.record(
            "spmm", ("omp_csr", "omp_csr_blocked")[which], [1.0] * 10,
            started_utc=f"2026-01-0{day}T00:00:00Z", workspace_bytes=number,
        )
        for number, (which, day) in enumerate(starts)
    ]  # fmt: skip
    path = tmp_path_factory.getbasetemp() / "records.jsonl"
    order = data.draw(st.permutations(records))
    path.write_text("".join(json.dumps(r) + "\n" for r in order))
    found, replaced = collect.collect([path], [], {})
    newest: dict[str, str] = {}
    for record in records:
        name, start = record["algorithm"], record["started_utc"]
        newest[name] = max(start, newest.get(name, start))
    assert {r["algorithm"]: r["started_utc"] for r in found} == newest
    assert len(found) + replaced == len(records)


@settings(max_examples=6)
@given(st.tuples(*[st.lists(TIMES, min_size=10, max_size=14)] * 4), st.sampled_from([0.5, 1024.0]))
def test_the_table_of_cells_compares_alike_in_all_units(tmp_path_factory, samples, unit):
    folder = tmp_path_factory.mktemp("cells")

    def table(factor):
        first, second, third, fourth = ([factor * s for s in times] for times in samples)
        return cells.table(
            hand_made.loaded(
                folder,
                hand_made.record("spmm", "serial_csr", first, backend="serial"),
                hand_made.record("spmm", "omp_csr", second, parameters={"threads": 1}),
                hand_made.record("spmm", "omp_csr", third, parameters={"threads": 16}),
                hand_made.record("spmm", "eigen_csr", fourth, library="Eigen 3.4.0"),
            )
        )

    one, other = table(1.0), table(unit)
    assert one["id"].is_unique
    assert one[one["chosen"]]["algorithm"].is_unique
    same = ["algorithm", "parameters", "verdict", "library_verdict", "chosen", "speedup"]
    pd.testing.assert_frame_equal(one[same], other[same])
    assert (one["low_s"].dropna() <= one["median_s"][one["low_s"].notna()]).all()
    cells.write(one, [folder / "cells.parquet"])
    pd.testing.assert_frame_equal(cells.load_cells(folder / "cells.parquet"), one)


@given(st.binary(max_size=120))
def test_a_file_of_hashes_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "SHA256SUMS"
    path.write_bytes(content)
    try:
        found = listed(path)
    except Altered as refusal:
        assert str(refusal).startswith(str(path))
        return
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in found.values())
