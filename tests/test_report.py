"""The report's parts, from invented records: tables, figures and macros."""

import dataclasses
import json
import re
from pathlib import Path

import jsonschema
import pytest

import report_fixtures
import tabled
from sparserepro.data import frames, loading
from sparserepro.plots import dots, figures, style
from sparserepro.render import latex, tabular
from sparserepro.stats import divided, median
from sparserepro.text import macros
from sparserepro.views import measured as tables_measured
from sparserepro.views import sections, tables, triangle_counts

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    report_fixtures.write(folder, machines=2, matrices=5)
    return folder


@pytest.fixture(scope="session")
def report(results):
    return tabled.made_up(results)


def test_the_fixtures_are_valid_records(results):
    schema = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    lines = list(loading.read_lines(results / "collected" / "records.jsonl"))

    assert {r["problem"] for r in lines} == set(frames.PROBLEMS)
    for record in lines[::7]:
        validator.validate(record)


def test_best_is_chosen_on_one_part_of_the_samples_and_reported_from_the_other(results, report):
    row = report.rows("gpu-box", "transpose")[0]
    cells = report.cells_of(row, "omp_scantrans")
    best = report.best(row, "omp_scantrans")
    (chosen,) = [c for c in cells if c.params == best.params]
    samples = tabled.record_of(results / "collected/records.jsonl", chosen.id)["timing"]["kernel_s"]
    choosing, reporting = divided(samples)

    assert len(cells) == 2
    assert chosen.choosing.execution == min(c.choosing.execution for c in cells)
    assert chosen.choosing.execution == median(choosing)
    assert best.held_out and best.seconds == median(reporting)
    alone = report.best(row, "serial")
    assert alone.seconds == alone.line["median_s"]


def test_baselines_are_those_of_the_catalogue(report):
    row = report.rows("desk-1", "convert")[0]

    assert report.baseline(row, "coo_to_csr_linear").algorithm == "coo_to_csr_serial"
    name = "coo_to_ellpack_no_zero_padding_parallel_optimized"
    assert report.baseline(row, name).algorithm == "coo_to_ellpack_no_zero_padding_serial"
    row = report.rows("desk-1", "spmm")[0]
    assert report.baseline(row, "omp_ellpack").algorithm == "serial_csr"


def test_an_algorithm_that_the_catalogue_lacks_has_no_speedup(report):
    book = report.catalogues["spmm"]
    others = tuple(a for a in book.algorithms if a.name != "omp_csr")
    books = report.catalogues | {"spmm": dataclasses.replace(book, algorithms=others)}
    without = dataclasses.replace(report, catalogues=books)
    archived = tabled.again(without, [cell.line for cell in report.cells])
    row = archived.rows("desk-1", "spmm")[0]

    assert archived.best(row, "omp_csr").ok
    assert archived.speedup(row, "omp_csr") is None
    assert archived.speedup(row, "omp_ellpack") is not None


def test_a_baseline_beside_others_is_one_without_a_mark(report):
    part = sections.section(report, "desk-1", "convert")
    shared = dataclasses.replace(part, algorithms=["coo_to_csr_serial", "coo_to_csr_linear"])
    cell = shared.report.best(shared.rows[0], "coo_to_csr_serial")

    assert tables_measured.speedup_number(shared, shared.rows[0], cell) == tabular.Number("1.00")


def test_every_table_and_caption_is_complete(report, tmp_path):
    tables.write(report, tmp_path)
    labels = re.findall(r"\\label\{(.*?)\}", "".join(p.read_text() for p in tmp_path.glob("*.tex")))

    assert len(labels) == len(set(labels))
    for problem in frames.PROBLEMS:
        text = (tmp_path / f"{problem}-times.tex").read_text()
        caption = re.search(r"\\caption\[.*?\]\{(.*?)\}\\label", text, re.DOTALL)[1]
        for words in ("samples", "warm-up", "caches warm", "machine", "commit"):
            assert words in caption, problem
        assert not re.search(r"& *(&|\\\\)", text), f"{problem}: an empty cell"


def test_skipped_cells_say_why(report, tmp_path):
    tables.write(report, tmp_path)
    text = (tmp_path / "transpose-times.tex").read_text()

    assert "this build has no CUDA" in text
    assert "padded ELLPACK would need" in (tmp_path / "skipped.tex").read_text()
    assert "cannot reach the collection" in (tmp_path / "unavailable.tex").read_text()


def test_printed_figures_stand_apart_from_ours(report, tmp_path):
    tables.write(report, tmp_path)
    text = (tmp_path / "transpose-published-times.tex").read_text()

    assert "9481.42" in text
    assert "not in this configuration" in (tmp_path / "spmm-published.tex").read_text()


def test_sections_ask_only_for_keys_that_exist(report):
    text = "".join(p.read_text() for p in (ROOT / "report" / "sections").glob("*.tex"))
    generated = macros.values(report)

    assert set(re.findall(r"\\res\{(.*?)\}", text)) <= set(generated)
    views = tables.views()
    assert set(re.findall(r"\\fragment\{(.*?)\}", text)) <= set(views)
    assert set(re.findall(r"\\remaining\{(.*?)\}", text)) == {v.section for v in views.values()}
    assert set(re.findall(r"\\drawing\{(.*?)\}", text)) == set(figures.makers())


def test_each_algorithm_has_its_own_look():
    names = [f"algorithm_{number}" for number in range(70)]
    made = style.looks(names, names[1::2])
    assert len({(look.colour, look.marker, look.filling) for look in made.values()}) == len(made)
    hollow = [look.filling == style.HOLLOW for look in made.values()]
    assert hollow == [False, True] * 35
    assert style.looks(names[:9], names[1::2])[names[8]] == made[names[8]]


def test_looks_differ_without_colour():
    names = [f"algorithm_{number}" for number in range(44)]
    made = style.looks(names, names[::4])
    assert len({(look.marker, look.filling) for look in made.values()}) == len(made)


def test_a_machine_of_a_set_stands_after_this_runs_own_and_in_fewer_tables(results):
    first, second = tabled.made_up(results).machines
    beside = tabled.made_up(results, frozenset([first]))
    assert beside.machines == [second, first]
    assert beside.of_this_run().machines == [second]
    alone = tabled.made_up(results, frozenset([first, second]))  # of sets, nothing of this run
    assert alone.of_this_run().machines == [first, second]

    def of_machines(report, key):
        made = tables.views()[f"spmm-{key}"].tables(report)
        return {table.label.rpartition(f"-{key}-")[2] for table in made}

    assert of_machines(beside, "times") == {first, second}
    assert of_machines(beside, "errors") == {second}
    assert of_machines(alone, "errors") == {first, second}


def test_preparation_counts_in_the_headline_of_triangles_alone(report):
    def cell(problem, algorithm):
        return report.best(report.rows("desk-1", problem)[0], algorithm)

    counting, product = cell("triangles", "omp_forward"), cell("spmm", "omp_csr")
    alone = counting.summary("kernel_s").median

    assert counting.seconds > 1.1 * alone
    assert product.count("preprocess_s")
    assert product.seconds == product.summary("kernel_s").median


def test_row_names_leave_out_what_a_procedure_does_not_have(report):
    rows = [
        frames.Row("m", "primitives", "array", instance)
        for instance in (
            (("procedure", "scan"), ("length", 1000000)),
            (("procedure", "merge"), ("length", 1000000), ("segment", 128)),
        )
    ]

    assert dots.row_name(rows[0], rows) == "scan, $10^{6}$"
    assert dots.row_name(rows[1], rows) == "merge, $10^{6}$, segment 128"


def test_counts_show_what_was_dropped_and_who_agrees(report):
    cells = report.select(problem="triangles", ok=True)
    table = triangle_counts.triangle_counts(report)[0]
    graph = [c for c in cells if latex.code(c.row.matrix) == table.body[0][0].latex_text]
    first = [cell.latex_text for cell in table.body[0]]

    assert first[2] == latex.integer(graph[0].measure("edges"))
    assert first[5] == latex.integer(graph[0].measure("loops_dropped"))
    assert first[8] == latex.integer(graph[0].measure("triangles"))
    assert first[9] == f"all {len({c.algorithm for c in graph})}"


def test_an_algorithm_that_counts_otherwise_is_told(report):
    cells = report.select(problem="triangles", machine="desk-1", ok=True)
    own = [c for c in cells if c.row == cells[0].row]
    wrong = own[-1].line | {"triangles": own[-1].line["triangles"] + 1}
    differing = [*own[:-1], dataclasses.replace(own[-1], line=wrong)]
    several = len({c.algorithm for c in own})

    assert triangle_counts.agreement(differing) == f"{several - 1} of {several}"
