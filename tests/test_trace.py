"""`sparserepro trace`: from a number of the report to its records."""

import json
import os
import re
import statistics
from pathlib import Path

import pytest

import tabled
from sparserepro import cli, stats, trace, trace_text, traced
from sparserepro.records import identity
from sparserepro.render import latex
from sparserepro.views import tables

ROOT = Path(__file__).resolve().parent.parent
ARCHIVE = ROOT / "report/measurements/h200"
MILLI, MICRO = 1e3, 1e6


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    """A folder with the run `h200`: the tables of the archived records alone."""
    folder = tmp_path_factory.mktemp("work")
    run = folder / "results" / "h200"
    (run / "collected").mkdir(parents=True)
    records = run / "collected" / "records.jsonl"
    records.write_text("".join(path.read_text() for path in sorted(ARCHIVE.glob("*.jsonl"))))
    report = tabled.report(
        records, sorted(ARCHIVE.glob("matrices/*.json")), ARCHIVE.glob("catalogue/*.json")
    )
    tables.write(report, run / "report" / "tables")
    return folder


@pytest.fixture
def call(archive, monkeypatch, capsys):
    """Runs the command there; returns exit code and what it said."""
    monkeypatch.chdir(archive)

    def run(*arguments):
        code = cli.main(["trace", *arguments])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


@pytest.fixture
def value(call):
    def parsed(*arguments):
        code, text = call(*arguments, "--json")
        assert code == 0, text
        return json.loads(text)

    return parsed


def archived_record(matrix, algorithm, **parameters):
    """The first of the cell in the archive's file of SpMM."""
    for text in (ARCHIVE / "spmm.jsonl").read_text().splitlines():
        record = json.loads(text)
        if (record["matrix"]["name"], record["algorithm"]) == (matrix, algorithm) and all(
            record["parameters"].get(name) == value for name, value in parameters.items()
        ):
            return record
    raise AssertionError(f"no record of {algorithm} on {matrix} with {parameters}")


def timing_of(told):
    path, line = Path(told["file"]), told["line"]
    record = json.loads(path.read_text().splitlines()[line - 1])
    assert identity(record) == told["id"]
    return record["timing"]


def rounded(value, told):
    """The value with as many decimals as the figure that is shown, or as many zeros at its end as
    its uncertainty has: 12.31(4), 40(10)."""
    number, _, uncertainty = told.rstrip(")").partition("(")
    decimals = len(number.partition(".")[2]) or 1 - max(1, len(uncertainty))
    return f"{round(value, decimals):.{max(0, decimals)}f}"


def tex_cell(archive, file, row, algorithm):
    """What stands in the .tex file on the algorithm's line below that of the row."""
    text = (archive / "results/h200/report/tables" / file).read_text().splitlines()
    words = [latex.code(word.partition("=")[2] or word) for word in row.split()]
    found = (n for n, line in enumerate(text) if r"\multicolumn" in line)
    head = next(n for n in found if all(word in text[n] for word in words))
    line = next(line for line in text[head:] if line.startswith(latex.code(algorithm)))
    return line.split(" & ")[1].strip()


@pytest.mark.parametrize(
    ("table", "matrix", "algorithm", "chosen"),
    [
        ("transpose-times-h200", "circuit-680k value_type=fp64", "serial", False),
        ("transpose-times-h200", "short-rows-1M value_type=fp64", "omp_scantrans", True),
        ("spmm-times-h200", "circuit-680k", "omp_csr_blocked", True),
        ("spmm-times-h200", "rmat-20", "cusparse_csr", True),
        ("triangles-times-h200", "rmat_20", "cuda_adaptive", False),
    ],
)
def test_a_time_is_the_median_of_its_record(value, archive, table, matrix, algorithm, chosen):
    told = value(table, matrix, algorithm)
    (record,) = told["records"]
    timing = timing_of(record)

    def counted(samples):
        return stats.divided(samples)[1] if chosen else samples

    seconds = statistics.median(counted(timing["kernel_s"]))
    if record["problem"] == "triangles":
        seconds += statistics.median(counted(timing["preprocess_s"]))
    shown = re.sub(r"\(\d+\)", "", told["shown"])
    tex = tex_cell(archive, f"{table.removesuffix('-h200')}.tex", matrix, algorithm)

    assert rounded(seconds * MILLI, told["shown"]) == shown
    assert told["shown"] in tex
    assert record["algorithm"] == algorithm
    assert record["matrix"]["name"] == matrix.partition(" ")[0]
    assert (len(record["chosen_among"]) > 1) is chosen


def test_every_time_of_the_archive_is_the_median_of_its_record(archive, monkeypatch):
    monkeypatch.chdir(archive)
    folder = traced.run_folder("h200")
    book = traced.records(folder)
    checked = 0
    for label, one in traced.floats(folder).items():
        if not re.match("tab:(primitives|transpose|spmm|triangles)-times", label):
            continue
        scale = {"ms": MILLI, "µs": MICRO}[re.search(r"in (\S+),", one.title)[1]]
        for row in one.rows:
            for column in (name for name in one.columns if ": " not in name):
                (source,) = one.sources(row, column) or [None]
                if source is None or "(" in one.shown(row, column)[:1]:
                    continue
                (located,) = book[source.id]
                samples = trace_text.summaries(located.record, len(source.among) > 1)
                summary, _ = samples.get("with preparation") or samples["execution"]
                shown = latex.with_uncertainty(summary, scale)
                assert shown == one.shown(row, column), (label, row, column)
                checked += 1
    assert checked > 300


def test_a_mean_is_that_of_the_ratios_of_its_records(value):
    told = value("spmm-cusparse-h200", "geometric mean", "32")
    samples = [
        next(s["median_s"] for what, s in record["samples"].items() if what == "execution")
        for record in told["records"]
    ]
    ratios = [library / own for library, own in zip(samples[::2], samples[1::2], strict=True)]

    assert len(ratios) > 10
    assert {r["library"] for r in told["records"][::2]} == {"cuSPARSE 12.9.4"}
    assert {r["algorithm"] for r in told["records"][1::2]} == {"cuda_csr_balanced"}
    assert latex.significant(stats.geometric_mean(ratios)) == told["shown"]


def test_the_text_has_what_a_reader_needs(call):
    code, text = call("tab:spmm-times-h200", "circuit-680k k=8", "omp_csr_blocked")
    assert code == 0
    record = archived_record("circuit-680k", "omp_csr_blocked", k=8, threads=16)
    samples = len(record["timing"]["kernel_s"])
    for words in (
        "row:    circuit-680k k=8 x_range=signed offset_bits=32",
        "results/h200/collected/records.jsonl:",
        f"is the median of {samples // 2} samples ({samples} were taken; the other ",
        "as the best of 4 settings",
        "this one: ",
        "threads=1: ",
        f"commit       {record['build']['commit']}",
        "machine      h200, Intel(R) Xeon(R) Processor, NVIDIA H200",
        f"started      {record['started_utc']}",
        f"sha256 {record['matrix']['sha256']}",
        "build/bin/spmm circuit:rows=680000",
        "--algorithm omp_csr_blocked --k 8 --offset-bits 32 --x-range signed --calls 0 --path auto",
    ):
        assert words in text, text


def test_many_records_are_short_and_whole_where_it_is_asked_for(call):
    asked = ("spmm-cusparse-h200", "geometric mean", "8")
    _, short = call(*asked)
    _, whole = call(*asked, "--all")
    count = int(re.search(r"(\d+) records, whole with --all", short)[1])
    assert count > 10
    assert len(short.splitlines()) == count + 6
    assert whole.count("build/bin/spmm") == count


def test_without_a_row_or_column_the_names_are_listed(call):
    _, every = call()
    assert "tab:spmm-times-h200 " in every
    assert "tab:matrices" not in every
    _, table = call("tab:spmm-times-h200")
    assert "  circuit-680k k=8 x_range=signed offset_bits=32" in table.splitlines()
    assert "  omp_csr_blocked" in table.splitlines()
    _, row = call("tab:spmm-times-h200", "circuit-680k")
    assert re.search(r"^  omp_csr_blocked: \d\.\d+\(\d\) [0-9a-f]{8}$", row, re.MULTILINE)


def test_another_page_of_a_figure_may_have_what_one_has_not():
    def page(label, row):
        return traced.Float(label, "Rates", [row], ["omp_csr"], {}, [], [])

    first, second = page("fig:spmm-k", "a k=1"), page("fig:spmm-k-2", "b k=1")
    known = {one.label: one for one in (first, second, page("fig:spmm-k-cuda", "b k=1"))}
    assert trace.elsewhere(known, first, "b", "omp_csr") == "\nfig:spmm-k-2 may have it"
    assert trace.elsewhere(known, second, "b", None) == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["spmm-timez-h200"], "the nearest: tab:spmm-times-h200"),
        (["spmm-times-h200", "circuit-68k"], "the nearest: circuit-680k"),
        (["spmm-times-h200", "circuit-680k", "omp_cs"], "has several of 'omp_cs':\n  omp_csr\n"),
        (["spmm-times-h200", "circuit-680k", "opm_csr"], "the nearest: omp_csr"),
        (["peers-device"], "  tab:spmm-peers-device-h200\n"),
        (["spmm-peers-host-h200", "cnr-2000"], "  cnr-2000 k=32 x_range=signed"),
        (["Table 1"], "only after the PDFs are made"),
        (["matrices", "--run", "other"], "other has no report yet"),
    ],
)
def test_what_is_not_one_name_is_told(call, arguments, words):
    code, text = call(*arguments)
    assert code == 2
    assert words in text, text


def test_a_figure_of_others_and_a_reason_have_no_record(call):
    _, printed = call("transpose-printed-times", "language", "Serial")
    assert "shown:  55.75" in printed
    assert "No record is behind it" in printed
    _, gap = call("spmm-cusparse-h200", "G3_circuit", "8")
    assert "shown:  (a)\n        (a) not in the measured grid." in gap


def test_a_skipped_record_says_why(archive, call, value):
    (label, row, column) = next(
        (one.label, row, column)
        for one in traced.floats(archive / "results/h200").values()
        if one.label.startswith("tab:spmm-times")
        for row in one.rows
        for column in one.columns
        if ": " not in column and one.shown(row, column).startswith("(")
        if one.sources(row, column)
    )
    (record,) = value(label, row, column)["records"]
    assert record["status"] == "skipped" and record["samples"] == {}
    assert f"skipped  {record['reason']}" in call(label, row, column)[1]


def test_numbers_are_those_that_latex_gave(archive, call):
    folder = archive / "results/h200/report/latex"
    folder.mkdir()
    entries = (
        r"\newlabel{tab:spmm-times-h200}{{12}{34}{SpMM}{table.12}{}}"
        "\n"
        r"\newlabel{tab:spmm-times-h200@cref}{{[table][12][]12}{[1][34][]34}}"
        "\n"
    )
    (folder / "supplement.aux").write_text(entries)
    pdf = folder.parents[1] / "supplement.pdf"
    pdf.touch()
    place = "tab:spmm-times-h200 (Table 12, page 34 of the supplement)"
    try:
        assert call("table 12")[1].startswith(f"{place}: SpMM")
        code, text = call("Table 13")
        assert code == 2 and "has no 'Table 13'" in text
        assert call()[1].splitlines()[-1].startswith(f"{place} ")
        os.utime(pdf, (1000, 1000))  # of earlier tables
        assert call("table 12")[0] == 2
    finally:
        pdf.unlink()
        (folder / "supplement.aux").unlink()
        folder.rmdir()
