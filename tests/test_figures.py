"""All figures of both documents: their width, their type, and labels that keep apart."""

from pathlib import Path

import pytest
from matplotlib.text import Text

import tabled
from greyscale import alike
from sparserepro import load_cells
from sparserepro.paper import figures as paper_figures
from sparserepro.paper.contests import contests, leading
from sparserepro.plots import figures, style, sweeps

ROOT = Path(__file__).resolve().parents[1]
SMALLEST_PT = 7


@pytest.fixture(scope="module")
def drawn():
    """Of the archived machine, by name."""
    style.apply()
    archive = ROOT / "report/measurements/h200"
    report, cells = tabled.of_set(archive), load_cells(archive)
    found = {d.stem: d.figure for make in figures.makers().values() for d in make(report)}
    met = {(c.problem, c.side): c for c in leading(contests(cells))}
    for name, plate in paper_figures.plates().items():
        if (made := plate.draw(met, cells)) is not None:
            found[name] = made.figure
    return found


def test_figures_are_as_wide_as_the_text_and_no_higher_than_the_page(drawn):
    assert len(drawn) > 30
    for name, figure in drawn.items():
        width, height = figure.get_size_inches()
        assert width == pytest.approx(style.TEXT_WIDTH_IN), name
        assert height < style.TEXT_HEIGHT_IN, name


def test_type_is_large_enough(drawn):
    for name, figure in drawn.items():
        texts = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]
        assert texts, name
        small = {t.get_text() for t in texts if t.get_fontsize() < SMALLEST_PT}
        assert not small, name


def test_series_are_told_apart_in_greyscale(drawn):
    failed = {name: pairs for name, figure in drawn.items() if (pairs := alike(figure))}
    assert not failed


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([8], [8]),
        ([1, 8, 32], [1, 8, 32]),
        ([32, 64, 128, 256, 512, 1024], [32, 64, 128, 256, 512, 1024]),
        ([1, 16, 32, 64, 128, 256, 512, 1024], [1, 16, 64, 256, 1024]),
    ],
)
def test_labels_of_a_swept_axis_keep_apart(values, kept):
    assert sweeps.apart(values) == kept
