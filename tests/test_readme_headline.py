"""The README's headline, and the tables in the pages of kernels, are those of the archive."""

from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from sparserepro.paper import pages, readme
from sparserepro.paper.contests import contests

ROOT = Path(__file__).resolve().parent.parent
SETS = sorted({path.parent.name for path in (ROOT / "report/measurements").glob("*/*.jsonl")})


@pytest.fixture(scope="module")
def cells():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return readme.archived_cells(SETS)


@pytest.fixture(scope="module")
def found(cells):
    return list(contests(cells))


def test_the_table_is_that_of_the_archive(found):
    text = (ROOT / "README.md").read_text()
    assert readme.update(text, found) == text
    assert readme.update(text, found[:1]) != text


def test_the_figure_is_that_of_the_archive(found):
    with Image.open(readme.FIGURE) as figure:
        assert figure.info["Source"] == readme.digest(found)
        assert figure.width > 800
    assert readme.digest(found[:1]) != readme.digest(found)


def test_a_readme_without_the_place_is_refused(found):
    with pytest.raises(ValueError, match="has no"):
        readme.update("# Project", found)


@pytest.mark.parametrize("page", pages.pages(), ids=lambda path: path.parent.name)
def test_the_table_of_a_page_is_that_of_the_archive(cells, page):
    rows = pages.own(cells, page.parent.name)
    assert pages.update(page.read_text(), rows) == page.read_text()
    assert pages.update(page.read_text(), rows[:0]) != page.read_text() or rows.empty


def test_a_page_has_the_records_of_the_first_machine_of_the_headline(cells):
    first, second = [one.machine for one in contests(cells) if one.side == "device"][:2]
    rows = pages.own(cells, "cuda_csr_balanced")
    assert set(rows["machine"]) == {first}
    others = cells[cells["machine"] != first]
    assert set(pages.own(others, "cuda_csr_balanced")["machine"]) == {second}


def test_each_own_algorithm_has_a_place_for_records():
    rooms = {path.parent for path in ROOT.glob("kernels/*/*/layout.svg")}
    assert {path.parent for path in pages.pages()} == rooms


def test_a_table_names_the_extremes_and_where_a_library_is_faster(cells):
    rows = pages.own(cells, "cuda_csr_balanced")
    text = pages.table(rows)
    least = rows.loc[rows["library_ratio"].astype(float).idxmin()]
    assert least["library_ratio"] < 1
    told = f"{least['matrix']} K = {least['k']} (`{least['id']}`)"
    assert f"{least['library_ratio']:.2f} {told}" in text
    slower = (rows["library_verdict"] == "slower").sum()
    assert f"on {slower} cell{'' if slower == 1 else 's'}: " in text


def test_the_rule_makes_all_and_then_rests(checkout, found):
    readme_file, figure_file = checkout.path / "README.md", checkout.path / "docs/headline.png"
    whole = readme_file.read_text()
    begin, end = whole.index(readme.BEGIN), whole.index(readme.END)
    readme_file.write_text(whole[:begin] + readme.BEGIN + "\nstale\n" + whole[end:])
    page = checkout.path / pages.pages()[0].relative_to(ROOT)
    told = page.read_text()
    page.write_text(pages.update(told, pd.DataFrame()))
    done = checkout.snakemake("headline", "--cores", "1")
    assert done.returncode == 0, done.stderr
    assert readme_file.read_text() == whole
    assert page.read_text() == told
    with Image.open(figure_file) as figure:
        assert figure.info["Source"] == readme.digest(found)
    again = checkout.snakemake("-n", "headline")
    assert "Nothing to be done" in again.stdout + again.stderr
