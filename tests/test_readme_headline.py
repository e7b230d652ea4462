"""The README's headline table and figure are those of the archive."""

from pathlib import Path

import pytest
from PIL import Image

from sparserepro.paper import readme

ROOT = Path(__file__).resolve().parent.parent
SETS = sorted({path.parent.name for path in (ROOT / "report/measurements").glob("*/*.jsonl")})


@pytest.fixture(scope="module")
def found():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return readme.archived(SETS)


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


def test_the_rule_makes_both_and_then_rests(checkout, found):
    readme_file, figure_file = checkout.path / "README.md", checkout.path / "docs/headline.png"
    whole = readme_file.read_text()
    begin, end = whole.index(readme.BEGIN), whole.index(readme.END)
    readme_file.write_text(whole[:begin] + readme.BEGIN + "\nstale\n" + whole[end:])
    done = checkout.snakemake("headline", "--cores", "1")
    assert done.returncode == 0, done.stderr
    assert readme_file.read_text() == whole
    with Image.open(figure_file) as figure:
        assert figure.info["Source"] == readme.digest(found)
    again = checkout.snakemake("-n", "headline")
    assert "Nothing to be done" in again.stdout + again.stderr
