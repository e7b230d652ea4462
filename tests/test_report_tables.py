"""Tables of small reports, each figure worked out by hand."""

import dataclasses

import hand_made
from hand_made import constant, part_of
from sparserepro.data import published
from sparserepro.render.latex import code
from sparserepro.views import (
    classes,
    errors,
    measured,
    padding,
    parameters,
    peers,
    published_transpose,
    sections,
    speedups,
    spmm_published,
    times,
)

EIGEN = "Eigen 3.4.0"


def shown(value):
    """What a cell of a table shows, without LaTeX around numbers."""
    text = value.text if hasattr(value, "text") else value.latex_text
    return text.removeprefix(r"\num{").removesuffix("}") if text.startswith(r"\num{") else text


def lines(table):
    """By the name of the algorithm: what stands behind it in its lines."""
    found = {}
    for line in table.body:
        found.setdefault(name_of(line[table.grouped]), []).append(
            [shown(v) for v in line[table.grouped + 1 :]]
        )
    return found


def name_of(value):
    """Without LaTeX around it."""
    text = shown(value).replace(r"\allowbreak{}", "").split("}")[0]
    return text.removeprefix(r"\code{").replace("\\", "")


def transposed(name, seconds, **others):
    backend = "serial" if name == "serial" else "omp"
    return constant(
        "transpose", name, seconds, backend=backend, bounds__copy_s=1e-3,
        bounds__second={"name": "two_passes", "seconds": 2e-3}, **others,
    )  # fmt: skip


def test_times_speedups_rates_and_shares_of_a_transposition(tmp_path):
    part = part_of(
        tmp_path, "transpose", transposed("serial", 4e-3), transposed("omp_scantrans", 5e-4)
    )
    (table,) = times.times(part)
    # 100 entries: 4 ms are 40 us each; bounds of 1 and 2 ms are 25 and 50 % of it.
    assert lines(table) == {
        "serial": [["4.000(1)", "1.00", "40000", "25.0", "50.0"]],
        "omp_scantrans": [["0.5000(1)", "8.00", "5000", "200", "400"]],
    }
    assert r"\milli\second" in table.columns[-5].head
    assert r"\nano\second" in table.columns[-3].head
    assert f"median over median against {code('serial')}" in table.caption


def test_a_speedup_that_is_not_decided_has_a_mark(tmp_path):
    serial = hand_made.record("transpose", "serial", hand_made.around(2.2, 0.2), backend="serial")
    # In the rounds of one run the quotients are 0.6 to 2.5.
    other = hand_made.record("transpose", "omp_scantrans", hand_made.around(2.0, -0.2))
    (table,) = times.times(part_of(tmp_path, "transpose", serial, other))
    (at,) = [i for i, column in enumerate(table.columns) if column.head == "speedup"]
    assert [(line[at].text, line[at].mark) for line in table.body] == [
        ("1.00", ""), ("1.10", r"{\unclear}"),
    ]  # fmt: skip


def test_rates_of_products_are_in_gflops_and_of_triangles_in_millions_of_edges(tmp_path):
    product = constant("spmm", "omp_csr", 4e-3, model__flops=8e6)
    assert lines(times.times(part_of(tmp_path, "spmm", product))[0])["omp_csr"][0][1] == "2.00"
    # 50 edges in 3 ms and 1 ms of preparation.
    graph = constant("triangles", "omp_forward", 3e-3, preprocess_s=[1e-3] * 12)
    part = part_of(tmp_path, "triangles", graph)
    ((row, cell),) = [(c.row, c) for c in part.cells]
    assert measured.rate(part).value(row, cell).text == "0.0125"
    assert measured.time(part).value(row, cell).text == "4.000(1)"
    assert measured.preparation(part).value(row, cell).text == "1.000(1)"


def test_edges_that_no_measure_counts_are_half_of_the_entries(tmp_path):
    graph = constant("triangles", "omp_forward", 3e-3, measures={})
    (cell,) = part_of(tmp_path, "triangles", graph).cells
    assert cell.work == (50.0, "edge")


def test_end_to_end_times_are_not_those_of_the_kernel(tmp_path):
    cycle = {"transfers": "none", "total_s": [7e-3] * 6, "allocation_s": [1e-3] * 6,
             "transfer_s": [0.0] * 6, "kernel_s": [6e-3] * 6}  # fmt: skip
    part = part_of(tmp_path, "spmm", constant("spmm", "omp_csr", 4e-3, timing__end_to_end=[cycle]))
    (cell,) = part.cells
    assert measured.end_to_end(part).value(cell.row, cell).text == "7.000(1)"


def test_the_unit_is_that_of_the_middle(tmp_path):
    assert sections.unit_of([2.0, 3.0]) == (1.0, r"\second")
    assert sections.unit_of([1e-6, 2e-3, 3.0]) == (1e3, r"\milli\second")
    assert sections.unit_of([1e-6, 2e-5, 3.0]) == (1e6, r"\micro\second")


def test_host_and_device_have_a_fastest_each(tmp_path):
    part = part_of(
        tmp_path, "spmm",
        constant("spmm", "serial_csr", 8.0, backend="serial"),
        constant("spmm", "omp_csr", 2.0),
        constant("spmm", "cuda_csr_scalar_v3", 1.0, backend="cuda"),
        constant("spmm", "cuda_csr_vector_sub_warp", 3.0, backend="cuda"),
    )  # fmt: skip
    (table,) = times.times(part)
    at = table.grouped
    bold = {name_of(line[at]) for line in table.body if line[at + 1].bold}
    assert bold == {"omp_csr", "cuda_csr_scalar_v3"}
    assert not any("dagger" in note for note in table.notes)


def test_the_note_of_the_dagger_has_the_versions(tmp_path):
    part = part_of(
        tmp_path, "spmm", constant("spmm", "omp_csr", 2.0),
        constant("spmm", "eigen_csr", 3.0, library=EIGEN),
    )  # fmt: skip
    (table,) = times.times(part)
    assert any(r"\textdagger}~Third-party library: " in n and EIGEN in n for n in table.notes)


def test_which_k_tables_of_one_k_have(tmp_path):
    def of(*ks):
        records = [constant("spmm", "omp_csr", 1.0, parameters={"k": k}) for k in ks]
        return sections.headline_k(hand_made.report(tmp_path, *records), "gpu-box")

    assert of(1, 8, 32) == 8  # the drivers' default
    assert of(1, 4, 32) == 4
    assert of(2, 16) == 16


def test_algorithms_without_a_time_are_named_with_the_reason(tmp_path):
    skipped = constant("spmm", "omp_ellpack", 1.0) | {
        "status": "skipped", "reason": "too large", "timing": None, "check": None,
    }  # fmt: skip
    part = part_of(tmp_path, "spmm", constant("spmm", "omp_csr", 1.0), skipped)
    assert f"{code('omp_ellpack')} (too large)" in part.left_out()
    assert code("omp_csr") not in part.left_out()


def test_baselines_are_named_where_all_have_one(tmp_path):
    names = (
        "coo_to_csr_serial",
        "coo_to_csr_linear",
        "coo_to_ellpack_serial",
        "coo_to_ellpack_parallel",
    )
    both = part_of(tmp_path, "convert", *[constant("convert", n, 1.0) for n in names])
    assert sections.baseline_words(both).startswith("each algorithm's serial baseline")
    one = part_of(tmp_path, "convert", *[constant("convert", n, 1.0) for n in names[:2]])
    assert sections.baseline_words(one) == code("coo_to_csr_serial")


def test_mean_least_and_largest_speedups_and_their_verdicts(tmp_path):
    records = []
    for matrix, seconds in (("a", 2.0), ("b", 4.0), ("c", 8.0), ("d", 16.0)):
        records.append(constant("spmm", "serial_csr", 8.0, backend="serial", matrix=matrix))
        records.append(constant("spmm", "omp_csr", seconds, matrix=matrix))
    (table,) = speedups.speedups(part_of(tmp_path, "spmm", *records))
    # 4, 2, 1 and 0.5 times: the geometric mean is the fourth root of 4; one is the same.
    assert lines(table) == {"omp_csr": [["4", "1.41", "0.500", "4.00", "2", "1", "1", "0"]]}
    assert [c.head for c in table.columns[-4:]] == ["faster", "same", "slower", "unclear"]


def test_the_largest_error_stands_beside_its_bound(tmp_path):
    records = [
        constant(
            "spmm", "omp_csr", 1.0, matrix=matrix, workspace_bytes=workspace,
            check={"method": "componentwise_bound", "error": error, "bound": bound,
                   "measures": {"max_relative_error": relative}, "verified_after": True},
        )
        for matrix, error, bound, relative, workspace in (
            ("a", 0.25, 1.0, 0.04, 500), ("b", 0.75, 2.0, 0.02, 300),
        )
    ]  # fmt: skip
    (table,) = errors.errors(part_of(tmp_path, "spmm", *records))
    assert lines(table)["omp_csr"] == [["2", "componentwise", "0.75", "2.0", "0.040", "5.0"]]


def test_what_each_value_of_a_parameter_costs(tmp_path):
    def swept(*settings):
        return [
            constant("spmm", "cuda_csr_scalar_v3", seconds, backend="cuda", matrix=matrix,
                     parameters={"k": 8, "block_size": size})
            for matrix, size, seconds in settings
        ]  # fmt: skip

    two = swept(("a", 32, 4.0), ("a", 64, 1.0), ("b", 32, 2.0), ("b", 64, 4.0))
    (table,) = parameters.parameters(part_of(tmp_path, "spmm", *two))
    ((_, name, values),) = table.body
    assert shown(name) == code("block_size")
    # 64: 1 and 4 / 2; 32: 4 / 1 and 1.
    assert shown(values) == (
        rf"{code(64)} \num{{1.41}} (\num{{1}}), {code(32)} \num{{2.00}} (\num{{1}})"
    )
    three = [*two, *swept(("b", 128, 1.5))]
    (table,) = parameters.parameters(part_of(tmp_path, "spmm", *three))
    # On b 128 is the fastest now: 4 / 1.5 and 2 / 1.5; a lacks it, so it is left out.
    assert shown(table.body[0][2]) == (
        rf"{code(64)} \num{{1.63}} (\num{{1}}), {code(32)} \num{{2.31}} (\num{{0}})"
    )


def test_class_means_are_over_all_matrices_of_a_class(tmp_path):
    records = [
        constant("spmm", name, seconds, matrix=matrix, model__flops=8e9, bounds__copy_s=0.5)
        for name, matrix, seconds in (
            ("omp_csr", "a", 1.0), ("omp_csr", "b", 4.0), ("omp_ellpack", "a", 1.0),
        )
    ]  # fmt: skip
    (table,) = classes.classes(part_of(tmp_path, "spmm", *records))
    # 8 and 2 GFLOP/s; 50 and 12.5 % of the bound.
    assert lines(table) == {"omp_csr": [["4.00", "25.0"]]}
    assert classes.classes(part_of(tmp_path, "spmm", records[0])) == []


def test_padding_is_the_padded_time_over_the_other(tmp_path):
    report = hand_made.report(
        tmp_path,
        constant("spmm", "omp_ellpack", 6.0, parameters={"k": 8}),
        constant("spmm", "omp_ellpack_no_padding", 2.0, parameters={"k": 8}),
    )
    facts = {"name": "m", "class": "c", "padding_factor": 4.0, "stored": 1_000_000,
             "row_length": {"mean": 2.0, "max": 8}}  # fmt: skip
    (table,) = padding.padding(dataclasses.replace(report, matrices={"m": facts}))
    assert [shown(v) for v in table.body[0][2:]] == ["2.00", "8", "4.00", "48.0", "3.00"]


def test_ours_and_the_fastest_library(tmp_path):
    records = []
    for matrix, ours, theirs in (("a", 2e-3, 3e-3), ("b", 1e-3, 4e-3), ("c", 4e-3, 3e-3)):
        records.append(
            constant(
                "spmm", "omp_csr", ours, matrix=matrix, bounds__copy_s=1e-3, workspace_bytes=800
            )
        )
        records.append(constant("spmm", "eigen_csr", theirs, matrix=matrix, library=EIGEN))
    report = hand_made.report(tmp_path, *records)
    (table,) = peers.against_peers(report, "spmm")
    found = [[shown(v) for v in line] for line in table.body]
    assert [line[-6:] for line in found[:3]] == [
        ["2.00", "3.00", found[0][-4], "1.50", "50.0", "8.00"],
        ["1.00", "4.00", found[1][-4], "4.00", "100", "8.00"],
        ["4.00", "3.00", found[2][-4], "0.750", "25.0", "8.00"],
    ]
    assert found[3][-3] == "1.65"  # the cube root of 4.5
    assert "below 1 on 1 of 3 rows" in table.caption


def test_rates_stand_beside_the_printed_ones(tmp_path):
    one = constant(
        "spmm", "serial_csr", 4e-3, backend="serial", matrix="ML_Laplace", parameters={"k": 8},
        model__flops=8e6,
    )  # fmt: skip
    name = "cuda_csr_scalar_v3"
    on_device = constant(
        "spmm",
        name,
        2e-3,
        backend="cuda",
        matrix="ML_Laplace",
        parameters={"k": 8},
        model__flops=8e6,
    )
    (table,) = spmm_published.spmm_gflops(hand_made.report(tmp_path, one, on_device))
    assert {shown(v) for line in table.body for v in line} >= {"4.00"}


def test_fp32_stands_for_the_seeds_matrix_where_it_was_measured(tmp_path):
    line = next(x for x in published.read("transpose-times") if x["name"] != "random")
    records = [
        constant("transpose", "serial", 1.0, backend="serial", matrix=line["name"],
                 parameters={"value_type": kind, "offset_bits": 32})
        for kind in ("fp64", "fp32")
    ]  # fmt: skip
    found = published_transpose.matching_rows(hand_made.report(tmp_path, *records), "gpu-box", line)
    assert found.value("value_type") == "fp32"
