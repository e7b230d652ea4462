"""What the scripts of report.html count, run by node without a document; its findings are those of
the report."""

import json
import shutil
import subprocess

import pandas as pd
import pytest

import tabled
from sparserepro.data import comparisons
from sparserepro.render.html import packing, page
from sparserepro.stats import geometric_mean
from test_explorer import ROOT, SETS, measured, table

__all__ = ["measured"]


def node(body: str, data: object = None) -> object:
    """What a function body returns that sees the scripts without a document."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed")
    code = "\n".join(
        [
            '"use strict";',
            page.joined(page.PURE, "js"),
            "const data = JSON.parse(require('fs').readFileSync(0, 'utf8'));",
            f"const made = (() => {{ {body} }})();",
            "process.stdout.write(JSON.stringify(made));",
        ]
    )
    done = subprocess.run(
        [program, "-e", code], input=packing.text(data), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_ratios_and_means():
    assert node("return ratiosToBest([2, null, 1, 4])") == [2, None, 1, 4]
    assert node("return ratiosToBest([null])") == [None]
    assert node("return geometricMean([1, 4, null])") == pytest.approx(2)
    assert node("return geometricMean([])") is None
    assert node("return logMarks(1, 10)") == [1, 2, 5, 10]


def test_numbers_have_units_and_digits():
    written = node(
        "return [duration(6.29e-5), duration(0.9999), duration(1234), times(0.0988), percent(.328),"
        " significant(9.996), bytes(11.9 * 1048576), grouped(5122), durationInterval(1e-3, 2e-3)]"
    )
    assert [text.replace("\u00a0", " ").replace("\u202f", " ") for text in written] == [
        "62.9 µs", "1.00 s", "1 230 s", "0.0988×", "32.8 %", "10.0", "11.9 MiB", "5 122",
        "1.000 to 2.000 ms",
    ]  # fmt: skip


def test_the_address_holds_the_selection():
    body = """
      const state = { ...emptyState(), view: "classes", problem: "spmm", class: ["a,b", "ü&=#"],
        given: new Map([["k", ["1", "8"]]]), matrix: "100 %" };
      const text = encodeHash(state);
      const back = decodeHash("#" + text);
      return [text, back.view, back.class, [...back.given], back.matrix, encodeHash(back) === text,
        encodeHash(emptyState()), decodeHash("#view=nowhere&__proto__=1&k&class=%E0%A4%A").view,
        Object.hasOwn(decodeHash("#__proto__=1"), "__proto__")];
    """
    text, view, classes, given, matrix, same, empty, wrong, proto = node(body)
    assert (
        text == "view=classes&problem=spmm&matrix=100%20%25&class=a%2Cb,%C3%BC%26%3D%23&given.k=1,8"
    )
    assert (view, classes, given) == ("classes", ["a,b", "ü&=#"], [["k", ["1", "8"]]])
    assert (matrix, same, empty, wrong, proto) == ("100 %", True, "", "winners", False)


SELECTED = """
  const cells = makeCells(data);
  const places = placesOf(cells, data.titles);
  const chosen = (changes) => {
    const state = settled({ ...emptyState(), ...changes }, places);
    return { state, selection: select(cells, state, data.grid) };
  };
"""


def test_missing_results_are_counted_and_have_a_reason(tmp_path):
    found = table(tmp_path, "m", "n")
    gone = (found["matrix"] == "n") & (found["algorithm"] == "eigen_csr")
    found.loc[gone, "status"] = "skipped"
    found.loc[gone, "reason"] = "no memory"
    found.loc[gone, ["headline_s", "library_ratio"]] = pd.NA
    found.loc[gone, "chosen"] = False
    found = found[~((found["matrix"] == "n") & (found["algorithm"] == "serial_csr"))]
    data = page.embedded(found, "two")
    body = (
        SELECTED
        + """
      const { selection } = chosen({});
      const { selection: common } = chosen({ rows: "common" });
      return [standings(selection.rows, selection.series).map((one) =>
        [one.one.name, one.measured.length, one.total, one.mean, one.leaderMean, [...one.missing]]),
        common.rows.map((row) => row.matrix), selection.rows.map((row) => row.matrix)];
    """
    )
    lines, common, every = node(body, data)
    assert lines == [
        ["omp_csr", 2, 2, 1, 1, []],
        ["eigen_csr", 1, 2, 1.5, 1, [["skipped: no memory", 1]]],
        ["serial_csr", 1, 2, 4, 1, [["not measured on this row", 1]]],
    ]
    assert (common, every) == (["m"], ["m", "n"])


def test_only_cells_that_compete_take_part(measured):
    body = (
        SELECTED
        + """
      const { state, selection } = chosen({ problem: "spmm", side: "device" });
      const used = selection.rows.flatMap((row) => [...row.entrants.values()])
        .map((entrant) => entrant.cell).filter(Boolean);
      return [state.machine, used.every((cell) => cell.chosen && cell.role === "compared"),
        used.length];
    """
    )
    machine, only, count = node(body, page.embedded(measured, "set"))
    pool = measured[(measured["problem"] == "spmm") & (measured["side"] == "device")]
    assert only
    assert count == (pool["chosen"] & (pool["machine"] == machine)).sum()


@pytest.mark.parametrize("problem", ["spmm", "transpose", "triangles"])
@pytest.mark.parametrize("side", ["device", "host"])
def test_the_findings_are_those_of_the_report(measured, problem, side):
    folder = ROOT / "report/measurements" / SETS[0]
    pairs = comparisons.compared(tabled.of_set(folder), SETS[0], problem, side)
    if not pairs:
        pytest.skip(f"the set has no such comparison of {problem}")
    body = (
        SELECTED
        + f"""
      const {{ selection }} = chosen({{ problem: "{problem}", side: "{side}" }});
      const rows = selection.rows.filter((row) =>
        row.cells.some((cell) => !cell.peer && isNumber(cell.library_ratio)));
      const found = againstLibraries(bestOwn(rows, selection.series), rows);
      return [found.one.name, found.mean, found.pairs.length, found.lost.length];
    """
    )
    name, mean, count, lost = node(body, page.embedded(measured, "set"))
    assert name == pairs[0].algorithm
    assert count == len(pairs)
    assert mean == pytest.approx(geometric_mean([pair.ratio.value for pair in pairs]), rel=1e-4)
    assert lost <= sum(pair.ratio.value < 1 for pair in pairs)


def test_the_command_measures_one_cell_again():
    cell = {
        "problem": "spmm", "algorithm": "cusparse_csr", "parameters": "alg=alg1, layout=row",
        "command": "spmm /data/my/cant.mtx.gz --matrix-name cant --algorithm a,b --k 1 4 --alg "
        "alg1,alg2 --repetitions 15 --quiet --json /tmp/x.part",
    }  # fmt: skip
    body = "return againCommand({ ...data, given: parsePairs('k=4, x_range=signed') })"
    assert node(body, cell) == (
        "build/bin/spmm cant.mtx.gz --algorithm cusparse_csr --k 4 --x-range signed --alg alg1"
        " --layout row --matrix-name cant --repetitions 15"
    )


def test_fields_of_csv_are_quoted():
    cell = {"matrix": 'a "b", c', "rows": None, "k": 8}
    assert node("return toCsv([data], ['matrix', 'rows', 'k'])", cell) == (
        'matrix,rows,k\n"a ""b"", c",,8\n'
    )


def test_a_run_of_its_own_comes_before_the_sets(tmp_path):
    found = table(tmp_path, "m")
    archived = found.assign(machine="archive", set="archive").convert_dtypes()
    both = pd.concat([archived, found], ignore_index=True)
    body = SELECTED + "return [places.machines, chosen({}).selection.rows.length]"
    assert node(body, page.embedded(both, "both")) == [["gpu-box", "archive"], 1]


def test_the_set_with_most_rows_beside_libraries_comes_first(tmp_path):
    """As in the report, whatever the machines are called."""
    found = table(tmp_path, "m").convert_dtypes()
    more = table(tmp_path, "n").convert_dtypes()
    sets = [found.assign(machine="a", set="a")]
    sets += [one.assign(machine="b", set="b") for one in (found, more)]
    both = pd.concat(sets, ignore_index=True)
    body = SELECTED + "return places.machines"
    assert node(body, page.embedded(both, "both")) == ["b", "a"]
