"""The report's parts for triangle counting alone."""

import dataclasses
import re

import pytest

import report_fixtures
import tabled
from sparserepro.data import frames
from sparserepro.plots import triangles as figures_triangles
from sparserepro.ranks import rank_correlation
from sparserepro.views import triangles_datasets as tables_triangles


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> frames.Report:
    folder = tmp_path_factory.mktemp("results")
    report_fixtures.write(folder, machines=2, matrices=5)
    return tabled.report(
        folder / "collected" / "records.jsonl",
        (folder / "matrices").glob("*.json"),
        (folder / "catalogue").glob("*.json"),
    )


def renamed(report: frames.Report, name: str, triangles: int) -> frames.Report:
    """The report with the cells of its first graph as cells of a graph of the seed."""
    first = report.select(problem="triangles", ok=True)[0].row.matrix
    cells = []
    for cell in report.select(problem="triangles", matrix=first):
        line = cell.line | ({"triangles": triangles} if cell.ok else {})
        row = dataclasses.replace(cell.row, matrix=name)
        cells.append(dataclasses.replace(cell, row=row, line=line))
    return dataclasses.replace(report, cells=tuple(cells))


def texts(report: frames.Report, name: str) -> list[str]:
    (table,) = tables_triangles.datasets(report)
    return next(
        [getattr(cell, "latex_text", None) or cell.text for cell in line]
        for line in table.body
        if name in line[0].latex_text.replace("\\allowbreak{}", "")
    )


@pytest.mark.parametrize(
    ("x", "y", "value"),
    [
        ([1, 2, 3], [10, 20, 30], 1),
        ([1, 2, 3], [3, 2, 1], -1),
        ([1, 2, 3, 4], [1, 3, 2, 4], 0.8),
        ([1, 1, 2], [5, 5, 9], 1),
    ],
)
def test_rank_correlation(x, y, value):
    assert rank_correlation(x, y) == pytest.approx(value)


def test_a_correlation_needs_pairs():
    with pytest.raises(ValueError, match="two or more"):
        rank_correlation([1], [1])


def test_the_seeds_graphs_have_printed_and_recomputed_densities(report):
    central = texts(report, "road\\_central")

    assert central[3:6] == [r"\num{1.68e-07}", r"\num{1.71e-07}", "2.41"]
    assert texts(report, "auto")[6] == r"\num{6245184}"


def test_a_count_of_ours_stands_beside_the_printed(report):
    assert "gap" in texts(report, "auto")[7]
    assert texts(renamed(report, "auto", 6245185), "auto")[7] == r"\num{6245185}"


def test_the_printed_speedups_follow_the_degree_more_than_the_density(report):
    graphs = figures_triangles.seed_graphs()
    speedups = [g.speedup for g in graphs]
    ((_, caption, figure, _),) = figures_triangles.explanations(report)
    by_density, by_degree = map(float, re.findall(r"(0\.\d\d) with the", caption))

    assert len(graphs) == 10
    assert speedups[0] == pytest.approx(30.4, abs=0.1)
    assert by_density == round(rank_correlation([g.density for g in graphs], speedups), 2)
    assert by_density < by_degree
    assert len(figure.axes) == 3


def test_without_both_algorithms_the_printed_graphs_stand_alone(report):
    lacking = dataclasses.replace(
        report, cells=tuple(c for c in report.cells if c.algorithm != "matrix_expression")
    )
    ((_, caption, figure, _),) = figures_triangles.explanations(lacking)

    assert len(figure.axes) == 2
    assert "No graph was measured" in caption


def test_the_seeds_figures_take_times_of_its_graphs(report):
    assert figures_triangles.seed_figures(report) == []
    ((_, caption, *_),) = figures_triangles.seed_figures(renamed(report, "auto", 6245184))
    assert "Median of" in caption


def test_preparation_is_a_share_of_the_headline(report):
    drawings = figures_triangles.split(report)

    assert [drawn.stem for drawn in drawings] == [
        "triangles-split-desk-1",
        "triangles-split-gpu-box",
    ]
    bars = drawings[0][2].axes[0].patches
    prepared, counted = bars[0].get_width(), bars[1].get_width()
    assert prepared + counted == pytest.approx(100)
    assert prepared == pytest.approx(100 / 6, rel=0.1)
