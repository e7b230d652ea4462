"""report.html: one file without anything from outside, the same for the same cells, safe whatever
matrices are named, and with the numbers of the report."""

import base64
import hashlib
import html.parser
import json
import re
from pathlib import Path

import pandas as pd
import pytest

import hand_made
from sparserepro import cli, load_cells
from sparserepro.data import cells, columns
from sparserepro.records import RecordsError
from sparserepro.render.html import packing, page

ROOT = Path(__file__).resolve().parent.parent
SETS = sorted(path.parent.name for path in (ROOT / "report/measurements").glob("*/spmm.jsonl"))
HOSTILE = "</script><img src=x onerror=alert(1)>\u2028&'\""
MOST_BYTES = 2_000_000
LOADING = ("fetch(", "XMLHttpRequest", "import(", "WebSocket", "EventSource", "sendBeacon")
READING = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(")
"""What reads a text as HTML or as code."""


def table(folder: Path, *names: str) -> pd.DataFrame:
    """Cells of two algorithms and a library on matrices of these names."""
    made = [
        hand_made.record("spmm", algorithm, [seconds] * 10, matrix=name, **others)
        for name in names
        for algorithm, seconds, others in (
            ("serial_csr", 8.0, {"backend": "serial"}),
            ("omp_csr", 2.0, {"preprocess_s": [4.0] * 10}),
            ("eigen_csr", 3.0, {"library": "Eigen 3.4.0"}),
        )
    ]
    return cells.table(hand_made.loaded(folder, *made))


@pytest.fixture(scope="module")
def measured() -> pd.DataFrame:
    if not SETS:
        pytest.skip("no measurement set is archived here")
    return cells.table(cells.of_set(ROOT / "report/measurements" / SETS[0]))


class Elements(html.parser.HTMLParser):
    """Elements of a page with their attributes, and the text of scripts and style sheets."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.texts.append((tag, ""))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            self.texts[-1] = (self.texts[-1][0], self.texts[-1][1] + data)

    def data(self) -> dict:
        return json.loads(next(text for kind, text in self.texts if kind == "script"))


def unpacked(packed: dict, size: int) -> dict[str, list]:
    """As table.js does it."""
    found: dict[str, list] = {}

    def column(name: str) -> list:
        form = packed[name]
        if name in found:
            return found[name]
        if "l" in form:
            made = list(column(form["l"]))
            for row, value in zip(form["i"], form["v"], strict=True):
                made[row] = value
        elif "h" in form:
            made = [form["h"][row * form["w"] : (row + 1) * form["w"]] for row in range(size)]
        elif "c" in form:
            made = [form["d"][code] for code in form["c"]]
        elif "r" in form:
            pairs = zip(form["r"][::2], form["r"][1::2], strict=True)
            made = [form["d"][code] for code, count in pairs for _ in range(count)]
        else:
            made = form["v"]
        found[name] = made
        return made

    for name in packed:
        column(name)
    return found


def test_page_refers_to_nothing_outside(measured):
    text = page.render(measured, "set")
    elements = Elements(text)
    for tag, attributes in elements.found:
        assert tag not in ("link", "iframe", "object", "embed", "img", "base"), tag
        assert not attributes.get("src"), attributes
        assert attributes.get("href", "#").startswith("#")
        assert not any(name.startswith("on") for name in attributes)
    for kind, code in elements.texts:
        assert not re.search(r"@import|url\(|@font-face", code) or kind == "script"
    code = page.script()
    for word in LOADING + READING:
        assert word not in code, word
    # The one address is the name of SVG, which nobody loads.
    assert set(re.findall(r"https?://[^\s\"']+", code)) == {"http://www.w3.org/2000/svg"}


def test_policy_of_the_page_names_its_script_and_style(tmp_path):
    elements = Elements(page.render(table(tmp_path, "m"), "one"))
    policy = next(a["content"] for _, a in elements.found if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    script = elements.texts[-1][1]
    style = next(text for kind, text in elements.texts if kind == "style")
    for text in (script, style):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_page_depends_on_the_cells_alone(measured, tmp_path):
    files = [tmp_path / "one.html", tmp_path / "two.html"]
    stored = tmp_path / "mine/cells.parquet"
    cells.write(measured, [stored])
    for file in files:
        assert page.main(["--cells", str(stored), "--out", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].read_text(encoding="utf-8") == page.render(measured, "mine")
    assert "<title>mine: measured sparse kernels</title>" in files[0].read_text(encoding="utf-8")


def test_page_has_all_cells_and_stays_small(measured):
    text = page.render(measured, "set")
    assert len(text.encode()) < MOST_BYTES
    data = Elements(text).data()
    found = unpacked(data["cells"], data["size"])
    assert set(found) == {column.name for column in columns.EXPLORED}
    assert {len(values) for values in found.values()} == {len(measured)}
    for name in ("id", "algorithm", "instance", "k", "status", "reason", "chosen", "command"):
        assert found[name] == [None if pd.isna(v) else v for v in measured[name]], name
    for name in found.keys() & set(measured.select_dtypes("Float64").columns):
        values = pd.Series(found[name], dtype="Float64")
        pd.testing.assert_series_equal(
            values, measured[name], check_names=False, rtol=0.6 * 10.0 ** (1 - packing.DIGITS)
        )


def test_names_from_outside_stay_text(tmp_path):
    text = page.render(table(tmp_path, "m", HOSTILE), "</script><script>alert(2)</script>")
    assert "alert(1)" in text and "<img" not in text
    elements = Elements(text)
    assert [tag for tag, _ in elements.found].count("script") == 2
    data = elements.data()
    assert HOSTILE in unpacked(data["cells"], data["size"])["matrix"]
    assert data["name"].startswith("</script>")


def test_without_cells_there_is_no_page(tmp_path, capsys):
    nothing = table(tmp_path, "m").head(0)
    with pytest.raises(RecordsError, match="has no cells"):
        page.render(nothing, "empty")
    cells.write(nothing, [tmp_path / "empty/cells.parquet"])
    words = ["--cells", str(tmp_path / "empty/cells.parquet"), "--out", str(tmp_path / "x.html")]
    assert page.main(words) == 1
    assert capsys.readouterr().err == "explorer: empty has no cells to show\n"


@pytest.mark.parametrize("content", [b"garbage", b"", b"PAR1garbagePAR1", None])
def test_a_file_that_is_no_table_of_cells_is_named(content, tmp_path, capsys):
    file = tmp_path / "x.parquet"
    if content is None:
        pd.DataFrame({"id": ["a"], "machine": ["m"]}).to_parquet(file)
    else:
        file.write_bytes(content)
    assert cli.main(["explorer", str(file), "--out", str(tmp_path / "x.html")]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"sparserepro: {file} is no table of cells: ")
    assert told.count("\n") == 1
    assert page.main(["--cells", str(file), "--out", str(tmp_path / "x.html")]) == 1


def test_the_command_makes_the_page_of_a_set(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cells.write(table(tmp_path, "m"), [tmp_path / "results/mine/cells.parquet"])
    assert cli.main(["explorer", "mine", "--out", "mine.html"]) == 0
    assert capsys.readouterr().out == "mine.html\n"
    expected = page.render(load_cells("mine"), "mine")
    assert Path("mine.html").read_text(encoding="utf-8") == expected
    assert cli.main(["explorer", "nowhere", "--out", "x.html"]) == 2
