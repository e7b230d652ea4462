"""report.html in a browser: every view is drawn, fits a phone, and obeys the keyboard.

Debian's package chromium (about 300 MB) runs them; without it they are skipped.
"""

import pytest

import browser
from sparserepro.render.html import page
from test_explorer import HOSTILE, measured, table

__all__ = ["measured"]

VIEWS = ("winners", "classes", "matrices", "calls", "cells")
PROBLEMS = ("primitives", "transpose", "spmm", "triangles")

pytestmark = pytest.mark.skipif(
    browser.program() is None, reason="no chromium (apt-get install chromium)"
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    found = browser.Browser(tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.fixture(autouse=True)
def no_errors(chromium):
    chromium.errors.clear()
    chromium.size(1280, 900)
    chromium.scheme("light")
    yield
    assert chromium.errors == []


@pytest.fixture(scope="module")
def shown(measured, tmp_path_factory):
    """The page of a measurement set."""
    path = tmp_path_factory.mktemp("page") / "set.html"
    page.write(measured, "set", path)
    return path


def count(chromium, selector: str) -> int:
    return chromium.run(f"document.querySelectorAll({selector!r}).length")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [1280, 390])
def test_each_view_fits_the_window(chromium, shown, view, width):
    chromium.size(width, 844)
    for problem in PROBLEMS:
        chromium.open(shown, f"view={view}&problem={problem}")
        assert count(chromium, "#view > *") > 1
        assert count(chromium, "#view .notice") == 0
        wide = chromium.run("document.documentElement.scrollWidth")
        assert wide <= width, f"{problem}: {wide} pixels"
        # What is wider than the page scrolls by itself.
        outside = chromium.run(
            """[...document.querySelectorAll("#view *, #filters-body *")].filter((one) =>
              !one.closest(".scroll, .unseen, svg") && one.getBoundingClientRect().width > 0
              && one.getBoundingClientRect().right > innerWidth + 1).length"""
        )
        assert outside == 0, problem


def test_the_address_selects_and_follows(chromium, shown):
    chromium.open(shown, "view=matrices&problem=spmm&given.k=8&class=fem")
    assert chromium.run("document.querySelector('[role=tab][aria-selected=true]').textContent") == (
        "By matrix"
    )
    rows = count(chromium, ".plot-row")
    assert rows > 0
    names = "[...document.querySelectorAll('.row-label .quiet')].map((one) => one.textContent)"
    assert all(name.startswith("k=8") for name in chromium.run(names))
    # Another choice changes the address, and "back" undoes a change of view.
    chromium.run("document.getElementById('tab-cells').click()")
    assert chromium.run("location.hash").startswith("#view=cells&")
    chromium.run("history.back()")
    chromium.wait("document.querySelectorAll('.plot-row').length > 0")
    assert count(chromium, ".plot-row") == rows


def test_a_wrong_address_shows_the_usual_page(chromium, shown):
    chromium.open(shown, "view=none&problem=none&machine=%E0&given.k=&class=none&record=none")
    assert count(chromium, "table.standings tbody tr") > 1


def test_a_record_opens_and_closes_by_keys(chromium, shown):
    chromium.open(shown, "view=matrices&problem=spmm")
    chromium.run('document.querySelector(\'.mark[data-line="0"][data-place="0"]\').focus()')
    assert "95 % interval" in chromium.run("document.getElementById('tip').textContent")
    chromium.key("ArrowDown")
    assert chromium.run("document.activeElement.dataset.line") == "1"
    chromium.key("Enter")
    text = chromium.run("document.getElementById('record').innerText")
    for word in ("record", "commit", "95 % interval", "build/bin/spmm", "--algorithm"):
        assert word in text
    assert "record=" in chromium.run("location.hash")
    chromium.key("Escape")
    assert chromium.run("document.getElementById('record').hidden")
    assert chromium.run("document.activeElement.dataset.line") == "1"


def test_tabs_move_by_arrow_keys(chromium, shown):
    chromium.open(shown)
    chromium.run("document.querySelector('[role=tab][aria-selected=true]').focus()")
    for name in VIEWS[1:]:
        chromium.key("ArrowRight")
        assert chromium.run("document.activeElement.id") == f"tab-{name}"


def test_missing_results_have_their_reason(chromium, shown):
    chromium.open(shown, "view=classes&problem=spmm")
    assert count(chromium, "#view .gap") > 0
    chromium.run("document.querySelector('#view .gap').focus()")
    text = chromium.run("document.getElementById('tip').textContent")
    assert text.startswith("No result") and len(text) > len("No result") + 5


def test_cells_sort_and_go_to_a_file(chromium, shown):
    chromium.open(shown, "view=cells&problem=transpose&sort=headline_s")
    assert chromium.run("document.querySelector('[aria-sort]').getAttribute('aria-sort')") == (
        "ascending"
    )
    chromium.run("document.querySelector('[data-sort=headline_s]').click()")
    assert "sort=-headline_s" in chromium.run("location.hash")
    assert chromium.run("document.activeElement.dataset.sort") == "headline_s"
    chromium.run(
        """URL.createObjectURL = (blob) => { blob.text().then((text) => { window.csv = text; });
          return "#"; };
          [...document.querySelectorAll("#view button")].find((one) =>
            one.textContent.startsWith("Download")).click()"""
    )
    chromium.wait("typeof csv === 'string'")
    lines = chromium.run("csv").splitlines()
    assert lines[0].startswith("id,set,machine,problem,matrix,")
    assert len(lines) > 100


def test_the_page_is_dark_where_the_system_is_or_the_reader_says_so(chromium, shown):
    ground = "getComputedStyle(document.body).backgroundColor"
    chromium.open(shown)
    light = chromium.run(ground)
    chromium.scheme("dark")
    dark = chromium.run(ground)
    assert dark != light
    choose = """document.getElementById("theme").value = "{}";
      document.getElementById("theme").dispatchEvent(new Event("change"))"""
    chromium.run(choose.format("light"))
    assert chromium.run(ground) == light
    chromium.scheme("light")
    chromium.run(choose.format("dark"))
    assert chromium.run(ground) == dark
    chromium.run(choose.format("auto"))


CONTRAST = """(() => {
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const colour = (text) => {
    const found = text.match(/[\\d.]+/g).map(Number);
    return text.startsWith("color(") ? found : [...found.slice(0, 3).map((v) => v / 255), ...found.slice(3)];
  };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const found = colour(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [1, 1, 1];
  };
  const low = new Set();
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || one.closest("svg, script, style, noscript") || !one.getClientRects().length) continue;
    const [a, b] = [light(colour(getComputedStyle(one).color)), light(ground(one))].sort();
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.add(`${one.className} "${one.textContent.slice(0, 30)}" ${ratio.toFixed(2)}`);
  }
  return [...low];
})()"""  # fmt: skip # noqa: E501


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_text_stands_out_from_its_ground(chromium, shown, view, scheme):
    chromium.scheme(scheme)
    chromium.open(shown, f"view={view}&problem=spmm&metric=library")
    assert chromium.run(CONTRAST) == []


def test_a_hostile_name_is_shown_as_text(chromium, tmp_path):
    path = tmp_path / "hostile.html"
    page.write(table(tmp_path, HOSTILE, "m"), HOSTILE, path)
    chromium.open(path, "view=matrices")
    assert "<img src=x onerror=alert(1)>" in chromium.run("document.body.innerText")
    for view in VIEWS:
        chromium.open(path, f"view={view}")
        assert count(chromium, "img") == 0


def test_writing_in_the_search_keeps_the_focus(chromium, shown):
    chromium.open(shown, "view=matrices&problem=spmm")
    rows = count(chromium, ".plot-row")
    chromium.run("document.getElementById('matrix').focus()")
    for letter in "fem":
        chromium.call("Input.insertText", text=letter)
    assert chromium.run("document.activeElement.id") == "matrix"
    assert "matrix=fem" in chromium.run("location.hash")
    assert 0 < count(chromium, ".plot-row") < rows
