"""The notebook: its two files agree, and it runs on archived cells, on a run without SpMM, and in
the workflow."""

import json
import math
import os
import re
import runpy
import shlex
import subprocess
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tabled
from sparserepro import load_cells, stats
from sparserepro.data import cells, comparisons

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "workflow/notebooks/explore.py.ipynb"
SCRIPT = ROOT / "workflow/notebooks/explore.py"
ARCHIVED = ROOT / "report/measurements/h200"


def run(job: Any = None) -> dict[str, Any]:
    """The names that the notebook has at its end; `job` is what Snakemake gives it."""
    import matplotlib.pyplot as plt

    plt.switch_backend("agg")
    try:
        return runpy.run_path(str(SCRIPT), {"snakemake": job} if job else {})
    finally:
        plt.close("all")


def job_of(table: Any, folder: Path) -> Any:
    """A job of Snakemake with these cells, of archived records."""
    file = folder / "cells.parquet"
    cells.write(table, [file])
    if not (folder / "collected").exists():
        (folder / "collected").symlink_to(ARCHIVED)
    return SimpleNamespace(
        input=SimpleNamespace(cells=str(file)),
        output=SimpleNamespace(figures=str(folder / "figures")),
    )


@pytest.fixture(scope="module")
def explored() -> dict[str, Any]:
    return run()


@pytest.fixture(scope="module")
def pairs() -> list[comparisons.Pair]:
    """What the report sets against libraries in SpMM."""
    return comparisons.compared(tabled.of_set(ARCHIVED), "h200", "spmm", "device")


def script_cells(text: str) -> list[tuple[str, str]]:
    """(kind, source) of each cell of a script in jupytext's format py:percent."""
    found = []
    for mark, body in re.findall(r"^# %%(.*)\n((?:(?!# %%).*\n?)*)", text, re.MULTILINE):
        body = body.strip("\n")
        if "[markdown]" in mark:
            lines = [re.sub(r"^# ?", "", line) for line in body.splitlines()]
            found.append(("markdown", "\n".join(lines)))
        else:
            found.append(("code", body))
    return found


def test_the_two_files_of_the_notebook_agree() -> None:
    notebook = json.loads(NOTEBOOK.read_text())
    found = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    assert found == script_cells(SCRIPT.read_text()), "jupytext --sync makes them agree"


def test_the_notebook_is_kept_without_what_a_run_leaves() -> None:
    notebook = json.loads(NOTEBOOK.read_text())
    assert notebook["metadata"]["language_info"]["name"] == "python"
    for cell in notebook["cells"]:
        assert "snakemake-job-properties" not in cell["metadata"].get("tags", [])
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_its_text_has_no_results_typed() -> None:
    """Digits stand in the text as parameters, names and examples in code, and in nothing else."""
    text = "\n".join(source for kind, source in script_cells(SCRIPT.read_text()) if kind != "code")
    prose = re.sub(r"`[^`]*`|^#.*$|[Ff]igure \d", "", text, flags=re.MULTILINE)
    assert set(re.findall(r"\d+(?:\.\d+)?", prose)) <= {"95", "1", "0.5"}


def test_figure_1_has_the_ratios_of_the_report(explored, pairs) -> None:
    ratios = [pair.ratio.value for pair in pairs]
    assert len(explored["spmm"]) == len(pairs)
    lost = sum(stats.verdict(pair.ratio) == stats.Verdict.slower for pair in pairs)
    assert (
        len(explored["lost"]) == lost == len(explored["losses"]) == explored["verdicts"]["slower"]
    )
    mean = f"{stats.geometric_mean(ratios):.3g}"
    assert explored["spmm_answer"].startswith(f"{len(explored['lost'])} of {len(pairs)} points")
    assert explored["spmm_answer"].endswith(f"{mean}.")


def test_figure_2_has_the_rows_that_the_report_compares(explored) -> None:
    report = tabled.of_set(ARCHIVED)
    rows = {
        (pair.row.matrix, pair.row.value("value_type"))
        for pair in comparisons.compared(report, "h200", "transpose", "device")
    }
    order = explored["order"]
    assert set(zip(order["matrix"], order["value_type"], strict=True)) == rows
    assert len(explored["fastest"]) == 2 * len(rows)
    assert (explored["fastest"]["share_of_bound"] < 1).all()


def test_the_break_even_is_the_first_call_that_costs_less(explored) -> None:
    table = zip(
        *(explored[name] for name in ("P", "T", "P_library", "T_library", "first")), strict=True
    )
    for own, each, library, library_each, first in table:
        if math.isinf(first):
            assert library_each <= each
            continue
        assert own + first * each < library + first * library_each
        assert first == 1 or own + (first - 1) * each >= library + (first - 1) * library_each


def test_another_question_divides_the_points(explored) -> None:
    changed = explored["changed"]
    assert changed.loc["large", "points"] > 0
    for column in ("points", "losses"):
        assert (
            changed.loc["large", column] + changed.loc["others", column]
            == (changed.loc["all", column])
        )


def test_the_command_is_of_the_cell_that_lies_lowest(explored) -> None:
    lowest = explored["spmm"].loc[explored["spmm"]["library_ratio"].idxmin()]
    assert lowest["id"] == explored["losses"].index[0]
    own, library = map(shlex.split, explored["commands"])
    assert explored["found"]["id"].tolist() == [lowest["id"]]
    assert own[own.index("--algorithm") + 1] == lowest["algorithm"]
    assert own[own.index("--k") + 1] == str(lowest["k"])
    assert own[1] == library[1]
    rival = explored["cells"].set_index("id").loc[lowest["library_id"]]
    assert library[library.index("--algorithm") + 1] == rival["algorithm"]


@pytest.mark.usefixtures("own_lock")
def test_a_command_measures_the_cell_again(explored, tmp_path) -> None:
    build = ROOT / os.environ.get("SPARSEREPRO_BUILD", "build")
    if not (build / "bin/transpose").exists():
        pytest.skip(f"{build / 'bin/transpose'} is not built")
    table = explored["cells"]
    cell = table[(table["algorithm"] == "serial") & (table["problem"] == "transpose")].iloc[0]
    program, *words = explored["command"](explored["records"][cell["id"]])
    limits = ["--json", str(tmp_path / "again.jsonl")]
    subprocess.run(
        [build / Path(program).relative_to("build"), *words, *limits],
        check=True,
        capture_output=True,
    )
    again = json.loads((tmp_path / "again.jsonl").read_text())
    assert again["algorithm"] == cell["algorithm"]
    assert again["matrix"]["stored"] == cell["entries"]
    assert again["parameters"]["value_type"] == cell["value_type"]


def test_it_runs_on_a_run_without_spmm_and_gpu(tmp_path) -> None:
    table = load_cells("h200")
    table = table[(table["problem"] == "triangles") & (table["side"] == "host")]
    explored = run(job_of(table, tmp_path))
    assert explored["side"] == "host"
    assert explored["spmm_answer"].startswith("0 of 0 points")
    assert explored["commands"] == []


def test_it_takes_the_machine_of_the_run_and_keeps_the_figures(tmp_path) -> None:
    table = load_cells("h200")
    own = table[table["side"] == "host"].assign(machine="mine", set=None)
    own["set"] = own["set"].astype(table["set"].dtype)
    explored = run(job_of(cells.pd.concat([table, own]), tmp_path))
    assert (explored["machine"], explored["side"]) == ("mine", "host")
    assert len(explored["spmm"]) > 0
    figures = sorted(file.name for file in (tmp_path / "figures").iterdir())
    assert figures == ["calls.svg", "spmm.svg", "transpose.svg"]
    first = (tmp_path / "figures/spmm.svg").read_bytes()
    run(job_of(cells.pd.concat([table, own]), tmp_path))
    assert (tmp_path / "figures/spmm.svg").read_bytes() == first


MEASURE_NOTHING = ("--config", "measure=false")


def test_without_its_packages_the_workflow_says_what_to_install(checkout) -> None:
    rules = checkout.path / "workflow/rules/notebook.smk"
    rules.write_text(rules.read_text().replace('"nbconvert"', '"no_such_package"'))
    done = checkout.snakemake("notebook", *MEASURE_NOTHING)
    assert done.returncode == 1
    assert "needs packages that are not installed: no_such_package" in done.stderr
    assert "  ./bootstrap --notebook\n" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (checkout.path / "results/tour/collected").exists()
    planned = checkout.snakemake("notebook", "-n", *MEASURE_NOTHING)
    assert planned.returncode == 0, planned.stderr


@pytest.mark.slow
@pytest.mark.skipif(
    not (find_spec("nbconvert") and find_spec("ipykernel")),
    reason="nbconvert and ipykernel are not installed: ./bootstrap --notebook",
)
def test_the_workflow_makes_a_page_that_needs_no_network(checkout) -> None:
    done = checkout.snakemake("notebook", *MEASURE_NOTHING)
    assert done.returncode == 0, done.stderr
    results = checkout.path / "results/tour"
    executed = json.loads((results / "notebook.ipynb").read_text())
    code = [cell for cell in executed["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in code)
    assert sum("image/png" in o.get("data", {}) for cell in code for o in cell["outputs"]) == 3
    page = (results / "notebook.html").read_text()
    assert "build/bin/spmm" in page
    assert "snakemake_interface" not in page
    assert not re.search(r'<(?:script|link|img)[^>]*(?:src|href)="https?:', page)
