"""Parts of the report that compare: with libraries, over classes, over order and degree."""

import dataclasses
import json
import random

import pytest

import hand_made
import report_fixture_catalogue
import report_fixture_matrices
import report_fixtures
import tabled
from sparserepro.data import comparisons, frames
from sparserepro.plots import crossover as figures_crossover
from sparserepro.render import latex
from sparserepro.text import macros, scan_merge
from sparserepro.views import classes as tables_classes
from sparserepro.views import parameters as tables_parameters
from sparserepro.views import peers as tables_peers
from sparserepro.views.sections import section

ORDERS = (1024, 4096, 16384)
DEGREES = (4, 16)
SECONDS = {"serial": 9.0, "cuda_scantrans": 2.0, "cuda_mergetrans": 3.0, "cusparse_csr2csc": 4.0}


def uniform_facts(order, degree):
    facts = report_fixture_matrices.matrix_facts(1, random.Random(1))
    spec = f"uniform:rows={order},cols={order},nnz={order * degree},seed=1"
    return facts | {
        "name": f"u{order}-{degree}", "source": spec, "class": "uniform",
        "rows": order, "cols": order, "stored": order * degree, "nnz": order * degree,
    }  # fmt: skip


def timed(record, seconds):
    record["timing"]["kernel_s"] = [seconds] * 10
    return record


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uniform")
    report_fixtures.write(folder, machines=2, matrices=2)
    rng = random.Random(3)
    entries = [e for e in report_fixture_catalogue.ALGORITHMS["transpose"] if e[0] in SECONDS]
    instance = {"value_type": "fp64", "offset_bits": 32}
    records = []
    for order in ORDERS:
        for degree in DEGREES:
            facts = uniform_facts(order, degree)
            (folder / "matrices" / f"{facts['name']}.json").write_text(json.dumps(facts))
            for entry in entries:
                made = report_fixtures.record(
                    "transpose", entry, facts, instance, {}, "gpu-box", rng
                )
                records.append(timed(made, SECONDS[entry[0]] * order * 1e-9))
    path = folder / "collected" / "records.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return tabled.report(
        path, (folder / "matrices").glob("*.json"), (folder / "catalogue").glob("*.json")
    )


def test_crossover_has_a_panel_a_degree_and_a_map(report):
    curves, fastest = figures_crossover.crossover(report)

    titles = [axes.get_title() for axes in curves[2].axes if axes.get_visible()]
    assert titles == ["mean degree 4", "mean degree 16"]
    line = next(line for line in curves[2].axes[0].lines if len(line.get_xdata()) == len(ORDERS))
    assert list(line.get_xdata()) == list(ORDERS)
    assert line.get_ydata()[0] == pytest.approx(SECONDS["serial"] / DEGREES[0])
    leads = {text.get_text() for text in fastest[2].axes[0].texts}
    assert leads == {"1.50"}  # 3.0 over 2.0 everywhere


def test_crossover_needs_several_orders_and_degrees(report):
    some = [c for c in report.cells if c.row.matrix.endswith("-4")]
    assert figures_crossover.crossover(frames.Report(tuple(some), {}, report.catalogues)) == []


def test_the_library_is_compared_with_one_own_algorithm(report):
    pairs = comparisons.compared(report, "gpu-box", "transpose", "device")

    assert {pair.own().algorithm for pair in pairs} == {"cuda_scantrans"}
    assert {pair.peer().algorithm for pair in pairs} == {"cusparse_csr2csc"}
    (table,) = tables_peers.against_peers(report, "transpose")
    ratios = [line[4].text for line in table.body]
    assert ratios == ["2.00"] * (len(ORDERS) * len(DEGREES) + 1)  # the last is the mean
    assert "below 1 on 0 of 6 rows" in table.caption


def primitive(procedure, name, seconds, library=None):
    return hand_made.record(
        "primitives", f"{name}_{procedure}", [seconds] * 12, backend="cuda", library=library,
        parameters={"procedure": procedure, "length": 1000},
    )  # fmt: skip


def test_each_procedure_has_its_own_algorithm_beside_the_library(tmp_path):
    cub = "CUB 3.5.0"
    merges = {"cuda_merge_small": 5.0, "cuda_merge_splitters": 3.0, "cuda_merge_path": 2.0}
    report = hand_made.report(
        tmp_path,
        primitive("scan", "cuda", 1.0),
        primitive("scan", "cub", 2.0, cub),
        *[primitive("merge", "cuda", s) | {"algorithm": name} for name, s in merges.items()],
        primitive("merge", "cub", 1.0, cub),
    )
    pairs = comparisons.compared(report, "gpu-box", "primitives", "device")
    (table,) = tables_peers.against_peers(report, "primitives")
    (sentence,) = macros.against_libraries(section(report, "gpu-box", "primitives"))
    names = rf"{latex.code('cuda_merge_path')} and {latex.code('cuda_scan')}"

    assert {p.row.value("procedure"): p.ratio.value for p in pairs} == {"scan": 2.0, "merge": 0.5}
    assert names in table.caption and "for each procedure" in table.caption
    assert f"times as long as {names} in geometric mean" in sentence


def test_rows_without_the_own_algorithm_are_told(tmp_path):
    def on(matrix, **seconds):
        return [
            hand_made.record(
                "spmm", name, [s] * 12, backend="cuda", matrix=matrix,
                library="cuSPARSE 12.9.4" if name.startswith("cusparse") else None,
            )
            for name, s in seconds.items()
        ]  # fmt: skip

    report = hand_made.report(
        tmp_path,
        *on("a", cuda_one=1.0, cuda_two=0.9, cusparse_csr=4.0),
        *on("b", cuda_one=1.0, cusparse_csr=4.0),
        *on("c", cuda_two=0.1, cusparse_csr=4.0),
        *on("d", cuda_one=1.0, cusparse_csr=4.0),
        *on("e", cuda_one=1.0),
    )
    pairs = comparisons.compared(report, "gpu-box", "spmm", "device")
    (table,) = tables_peers.against_peers(report, "spmm")
    (sentence,) = macros.against_libraries(section(report, "gpu-box", "spmm"))

    assert [(p.row.matrix, p.algorithm) for p in pairs] == [(m, "cuda_one") for m in "abd"]
    assert r"below 1 on 0 of 3 rows (on \num{1} more it has no time)" in table.caption
    assert r"\num{0} of \num{3} rows (on \num{1} more it has no time)" in sentence


def test_the_own_algorithm_is_chosen_by_the_samples_that_choose(tmp_path):
    # Even samples choose: 3 against 4 seconds. The median of all is 6 against 4.
    samples = {"cuda_one": [3.0, 9.0] * 6, "cuda_two": [4.0] * 12, "cusparse_csr": [5.0] * 12}
    report = hand_made.report(
        tmp_path,
        *[
            hand_made.record(
                "spmm", name, kernel_s, backend="cuda",
                library="cuSPARSE 12.9.4" if name == "cusparse_csr" else None,
            )
            for name, kernel_s in samples.items()
        ],
    )  # fmt: skip
    (pair,) = comparisons.compared(report, "gpu-box", "spmm", "device")

    assert pair.algorithm == "cuda_one"


def retimed(report, times):
    """The report with other seconds for some (algorithm, matrix)."""
    lines = []
    for cell in report.cells:
        line = dict(cell.line)
        if (seconds := times.get((cell.algorithm, cell.row.matrix))) is not None:
            named = (name for name in line if name.startswith(("median", "reported", "choosing")))
            line |= {name: seconds for name in named if name.endswith("_s") and line[name]}
            line |= {"low_s": seconds, "high_s": seconds}
        lines.append(line)
    return tabled.again(report, lines)


def without(report, *names):
    """The report without these algorithms."""
    return tabled.again(report, (c.line for c in report.cells if c.algorithm not in names))


def test_losses_against_libraries_are_counted(report):
    lost = retimed(report, {("cusparse_csr2csc", "u1024-4"): 1e-9})

    (table,) = tables_peers.against_peers(lost, "transpose")
    (sentence,) = macros.against_libraries(section(lost, "gpu-box", "transpose"))

    assert "below 1 on 1 of 6 rows" in table.caption
    assert r"less on \num{1} of \num{6} rows" in sentence


def test_scantrans_is_set_against_mergetrans(report):
    (always,) = scan_merge.sentences(report)
    assert "takes 1.50 times as long as" in always
    assert always.endswith(r"ScanTrans is faster on \num{6} of \num{6} rows.")

    (once,) = scan_merge.sentences(retimed(report, {("cuda_mergetrans", "u4096-16"): 1e-9}))
    assert r"faster on \num{5} and slower on \num{1} (\code{u4096-\allowbreak{}16}) of" in once
    assert macros.of_problem(report, "transpose")["transpose/scan-merge"] == always


def test_the_grid_of_order_and_degree_is_apart_from_the_mean(report):
    lost = retimed(report, {("cuda_mergetrans", "u4096-16"): 1e-9})
    facts = report.matrices | {"u4096-16": {"class": frames.GRID}}
    (text,) = scan_merge.sentences(frames.Report(lost.cells, facts, report.catalogues))

    assert r"takes 1.50 times" in text and r"faster on \num{5} of \num{5} rows, and" in text
    assert text.endswith(r"order and mean degree slower on \num{1} of \num{1}.")


def test_without_both_algorithms_nothing_is_said(report):
    alone = without(report, "cuda_mergetrans")
    assert scan_merge.sentences(alone) == []
    assert "transpose/scan-merge" not in macros.of_problem(alone, "transpose")


def test_classes_are_geometric_means(report):
    (table,) = tables_classes.classes(section(report, "gpu-box", "transpose"))

    (line,) = [x for x in table.body if x[table.grouped].latex_text == latex.code("cuda_scantrans")]
    # 2 ns a row over the degree: the mean of 2/4 and 2/16 on equally many matrices each.
    assert float(line[-2].text) == pytest.approx((0.5 * 0.125) ** 0.5, rel=1e-2)
    assert line[1].latex_text == r"\num{6}"
    assert table.label == "tab:transpose-class-gpu-box"


def test_a_class_of_one_matrix_is_left_out(report):
    """The table of times has all there is of it."""
    part = section(report, "gpu-box", "transpose")
    alone = dataclasses.replace(part, rows=part.rows[:1])
    assert tables_classes.classes(alone) == []


def test_swept_parameters_have_a_cost(tmp_path):
    report_fixtures.write(tmp_path, machines=2, matrices=2)
    report = tabled.report(
        tmp_path / "collected" / "records.jsonl", [], (tmp_path / "catalogue").glob("*.json")
    )
    part = section(report, "gpu-box", "primitives")

    (table,) = tables_parameters.parameters(part)

    text = next(line[2].latex_text for line in table.body if "block" in line[1].latex_text)
    assert r"\code{32}" in text and r"\code{256}" in text
    costs = tables_parameters.by_value(part, part.rows[0], "cuda", "block_size")
    assert sorted(costs) == [32, 128, 256]
