"""Every figure of the report names the records that it comes from."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import report_fixtures
import tabled
from sparserepro.data import frames, traces
from sparserepro.plots import figures
from sparserepro.render.plain_text import first_sentence, plain
from sparserepro.render.tabular import Column, Number, Table, Text
from sparserepro.views import tables

ROOT = Path(__file__).resolve().parent.parent
ARCHIVE = ROOT / "report/measurements/h200"

WITHOUT = [
    (r"matrices|sources|unavailable", ".*", "facts of the matrices"),
    (r".*-algorithms|runs", ".*", "the catalogue, and command lines"),
    (r"machine-.*", "value", "facts of the machine and counts of cells"),
    (r"spmm-forms-.*", "K", "a parameter"),
    (r"transpose-printed-.*", ".*", "published"),
    (r"primitives-block-size|triangles-printed", "printed|figure|length|threads", "published"),
    (r"spmm-printed", "printed: .*", "published"),
    (r"spmm-ranking-.*", "then: .*", "published"),
    (r"padding", "mean row|longest row|factor|MB", "facts of the matrices"),
    (r"padding-published", ".*", "published, and facts of the matrices"),
    (r"triangles-datasets", "(?!triangles: here).*", "published"),
    (r"transpose-ours-.*", "M|N|NNZ", "facts of the matrices"),
]
"""Tables, columns, and why their figures come from no record."""


def unsourced(table: Table) -> list[str]:
    """The figures without records, by row and column, but for those with a reason, and counts of
    nothing."""
    used = traces.naming(table)
    names = traces.column_names(table, used)
    return [
        f"{table.label} {traces.row_name(table, line, used)} {names[index]}: {line[index]}"
        for line in table.body
        for index in names
        if traces.is_figure(line[index]) and not line[index].sources
        if r"\gap" not in getattr(line[index], "latex_text", "")
        if traces.text_of(line[index]) != "0"
        if not any(
            re.fullmatch(label, table.label.removeprefix("tab:"))
            and re.fullmatch(column, names[index])
            for label, column, _ in WITHOUT
        )
    ]


@pytest.fixture(scope="module")
def invented(tmp_path_factory) -> frames.Report:
    """With matrices of the names that published figures are of."""
    folder = tmp_path_factory.mktemp("invented")
    report_fixtures.write(folder, machines=2, matrices=5)
    records = folder / "collected" / "records.jsonl"
    text = records.read_text()
    for old, new in (("circuit_n00", "ML_Laplace"), ("FEM_n01", "auto")):
        assert old in text
        text = text.replace(old, new)
        path = folder / "matrices" / f"{old}.json"
        path.write_text(path.read_text().replace(old, new))
    records.write_text(text)
    return tabled.report(
        records, (folder / "matrices").glob("*.json"), (folder / "catalogue").glob("*.json")
    )


@pytest.fixture(scope="module")
def archived(tmp_path_factory) -> frames.Report:
    records = tmp_path_factory.mktemp("archived") / "records.jsonl"
    records.write_text("".join(path.read_text() for path in sorted(ARCHIVE.glob("*.jsonl"))))
    return tabled.report(
        records, sorted(ARCHIVE.glob("matrices/*.json")), ARCHIVE.glob("catalogue/*.json")
    )


@pytest.mark.parametrize("which", ["invented", "archived"])
def test_every_figure_of_a_table_names_its_records(which, request):
    report = request.getfixturevalue(which)
    made = [table for view in tables.views().values() for table in view.tables(report)]
    measured = [t for t in made if any(value.sources for line in t.body for value in line)]

    assert [text for table in made for text in unsourced(table)] == []
    assert len(measured) > 40


def test_a_figure_without_records_is_found():
    def table(*values):
        heads = [Column("matrix", "l"), *[Column(name) for name in "abcd"]]
        return Table("tab:new", "New.", heads, [[Text("m"), *values]])

    cell = object()
    bare = [Number("1.5"), Text(r"\num{3}"), Text("12"), Text("words")]
    assert [text.split()[2] for text in unsourced(table(*bare))] == ["a:", "b:", "c:"]
    figure = traces.lead(table(Number("1.5", sources=(cell,)), *bare[1:]))
    assert figure == 1


def test_every_exception_is_needed(invented, archived):
    """Each names a figure without records in a table of today."""
    needed = Counter()
    for report in (invented, archived):
        for view in tables.views().values():
            for table in view.tables(report):
                names = traces.column_names(table, traces.naming(table))
                for label, column, _ in WITHOUT:
                    if re.fullmatch(label, table.label.removeprefix("tab:")):
                        needed[label, column] += any(
                            traces.is_figure(line[i]) and not line[i].sources
                            for line in table.body
                            for i, name in names.items()
                            if re.fullmatch(column, name)
                        )
    assert set(needed) == {(label, column) for label, column, _ in WITHOUT}


def test_a_ratio_has_its_two_records_and_a_mean_all(archived):
    made = tables.views()["spmm-peers"].tables(archived)
    (table,) = [table for table in made if table.label == "tab:spmm-peers-host-h200"]
    column = [plain(c.head) for c in table.columns].index("inf")
    *lines, last = table.body
    ratios = [line[column] for line in lines]

    assert {len(value.sources) for value in ratios} == {2}
    for value in ratios:
        library, own = value.sources
        assert library.peer and not own.peer and library.row == own.row
        assert float(value.text) == pytest.approx(library.seconds / own.seconds, rel=0.006)
    assert [c.id for c in last[column].sources] == [c.id for v in ratios for c in v.sources]


def test_a_chosen_cell_names_its_rivals(archived):
    rows = archived.rows("h200", "spmm", k=8)
    row = next(r for r in rows if r.matrix == "fem-27-3dof-31M")
    best = archived.best(row, "cusparse_csr")
    alone = archived.best(row, "cuda_csr_vector")

    assert {c.name for c in best.among} == {"cusparse_csr"}
    measured = [c for c in archived.cells_of(row, "cusparse_csr") if c.ok]
    assert len(best.among) == len(measured) > 5
    assert any(c.id == best.id for c in best.among)
    assert alone.among == ()


@pytest.fixture(scope="module")
def drawn(invented):
    figures.style.apply()
    return [d for maker in figures.makers().values() for d in maker(invented)]


def test_every_figure_of_measured_cells_names_its_records(drawn):
    measured = {d.stem for d in drawn if "Median of" in d.caption}

    assert len(measured) > 25
    assert {d.stem for d in drawn if d.points} == measured


def test_each_marker_of_a_figure_of_times_has_a_point(drawn):
    shown = [d for d in drawn if "-times-" in d.stem]

    assert len(shown) >= 10
    for drawing in shown:
        (axes,) = drawing.figure.axes
        marks = [line for line in axes.lines if line.get_marker() not in ("None", None, "")]
        points = [p for p in drawing.points if p.series != "copy bound"]
        values = sorted(float(line.get_xdata()[0]) for line in marks)
        assert values == pytest.approx(sorted(p.cells[0].seconds for p in points))


@pytest.mark.parametrize("stem", ["spmm-k-gpu-box", "transpose-threads-gpu-box"])
def test_each_value_of_a_curve_has_a_point(drawn, stem):
    (drawing,) = [d for d in drawn if d.stem == stem]
    curves = [
        line for axes in drawing.figure.axes for line in axes.lines
        if line.get_marker() not in ("None", None, "")
    ]  # fmt: skip
    shown = sum(len(line.get_xdata()) for line in curves)

    assert shown == len([p for p in drawing.points if p.series != "copy bound"]) > 0


def test_names_are_plain_text(invented, drawn, tmp_path):
    tables.write(invented, tmp_path)
    told = json.loads((tmp_path / "trace.json").read_text())
    ledger = traces.Ledger()
    floats = [*told["floats"].values()]
    floats += [traces.of_drawing(d.caption, d.points, ledger) for d in drawn]
    for one in floats:
        words = [one["title"], *one["rows"], *one["columns"], *one["notes"]]
        words += [c.get("shown", "") for line in one["cells"].values() for c in line.values()]
        assert not [w for w in words if re.search(r"\\|\{|\}|~|\$", w.replace("$10^{", ""))]
        assert len(set(one["rows"])) == len(one["rows"])
        assert len(set(one["columns"])) == len(one["columns"])
    source = told["sources"][0]
    assert re.fullmatch("[0-9a-f]{8}", source["record"])


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"\code{omp\_\allowbreak{}csr}", "omp_csr"),
        (r"a-{}-b \& c", "a--b & c"),
        (r"rate (\unit{\giga\flop\per\second})", "rate (GFLOP/s)"),
        (r"\qty{3}{\gibi\byte} of \num{12}", "3 GiB of 12"),
        (r"\shortstack[r]{preci-\\sion}", "precision"),
        (r"$K = 8$", "K = 8"),
        (r"$\infty$", "inf"),
        (r"\gap{a}~not here.", "(a) not here."),
        (r"printed \cite{one2020}, in \cref{tab:x}", "printed, in tab:x"),
        (r"\{braces\} \textbackslash{} \textasciitilde{}", r"{braces} \ ~"),
    ],
)
def test_plain_text(latex, words):
    assert plain(latex) == words


def test_a_title_is_the_first_sentence():
    assert first_sentence(r"SpMM: time in \unit{\milli\second}, one. More.") == (
        "SpMM: time in ms, one"
    )
