"""The figure of where matrices have their entries."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from sparserepro.plots import figures, spies

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "workflow/schemas/matrix_facts.schema.json").read_text())
SETS = sorted((ROOT / "report/measurements").glob("*/matrices/*.json"))


def facts(name: str, cls: str, stored: int = 16, **more) -> dict:
    bins = [{"from": 0, "to": 0, "count": 1}, {"from": 4, "to": 7, "count": 3}]
    return {
        "name": name, "class": cls, "origin": "generated", "stored": stored, "rows": 4, "cols": 4,
        "row_length": {"mean": 4.0, "histogram": bins},
    } | more  # fmt: skip


def names(*given: dict) -> list[str]:
    return [one["name"] for one in spies.chosen(given)]


def test_one_matrix_of_a_class_is_shown():
    spy = ["1"]
    large, small = facts("b", "fem", 20), facts("a", "fem", 10)
    assert names(large, small) == ["b"]
    assert names(large, small | {"spy": spy}) == ["a"]
    assert names(large | {"spy": spy}, small | {"spy": spy, "origin": "file"}) == ["a"]
    assert names(facts("b", "web", 5), facts("a", "web", 5), large) == ["b", "a"]
    assert names(facts("x", "order-degree"), facts("y", "fem") | {"class": None}) == []


def test_classes_of_most_matrices_come_first_and_are_nine():
    every = [facts(f"{cls}{n}", cls) for cls in "abcdefghij" for n in range(2 if cls > "a" else 1)]
    assert [one["class"] for one in spies.chosen(every)] == list("bcdefghij")


def test_shades_are_of_powers_of_two_over_the_mean():
    # 2 x 2 blocks of 0, 16, 8 and 4 entries: 7 in the mean.
    shades = spies.shades(facts("a", "fem", 28, spy=["05", "43"]))
    assert shades[0, 0] == 0
    assert np.diff(sorted(shades.flat)[1:]) == pytest.approx([1 / 12, 1 / 12])
    even = spies.shades(facts("a", "fem", 32, spy=["44", "44"]))
    assert even.max() == pytest.approx(0.5, abs=0.05)
    far = spies.shades(facts("a", "fem", 2**34, spy=["1" + 254 * "0" + "z"]))
    assert (far[0, 0], far[0, -1]) == (0.12, 1)


def test_a_matrix_without_blocks_says_so():
    figure = spies.draw([facts("a", "fem"), facts("b", "web", spy=["11", "01"])])
    texts = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert texts == [["not\nrecorded"], [], [], []]
    assert [len(axes.images) for axes in figure.axes] == [0, 0, 1, 0]


def test_a_file_is_all_that_a_new_figure_needs(tmp_path, monkeypatch):
    (tmp_path / "another_drawing.py").write_text(
        "from sparserepro.plots.spies import spies\nMAKERS = {'another': spies}\n"
    )
    known = figures.modules_of("sparserepro.plots")
    monkeypatch.setattr(figures, "modules_of", lambda package: [*known, "another_drawing"])
    monkeypatch.syspath_prepend(tmp_path)
    assert figures.makers()["another"] is spies.spies
    monkeypatch.setattr(
        figures, "modules_of", lambda package: ["another_drawing", "another_drawing"]
    )
    with pytest.raises(ValueError, match="key another"):
        figures.makers()


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_blocks_of_the_archive_hold_the_entries_of_the_matrix(path):
    told = json.loads(path.read_text())
    jsonschema.validate(told, SCHEMA)
    if "spy" not in told:
        pytest.skip("measured before blocks were recorded")
    found = spies.digits(told["spy"])
    assert found.shape == (min(48, told["rows"]), min(48, told["cols"]))
    least = np.where(found > 0, 2.0 ** (found - 1), 0).sum()
    assert least <= told["stored"] <= 2 * least
