"""The workflow as its users meet it: what runs when, what is said, and how it fails.

Most tests run Snakemake with drivers that only pretend (conftest.py); the one whole run to the PDF
has the real ones.
"""

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import snakemakes

ROOT = Path(__file__).resolve().parent.parent
COLLECTED = "results/test/collected/records.jsonl"
NOTHING = "Nothing to be done"
CONFIG = {
    "matrices": ["uniform-small"],
    "problems": {
        "transpose": {"parameters": {"threads": [1, 2]}},
        "spmm": {"instances": {"k": [1, 4]}},
        "primitives": {},
    },
    "download": {"enabled": False},
}


def own_records(workdir):
    """The collected records without those of the machines in the archive."""
    archived = {path.name for path in (ROOT / "report/measurements").iterdir()}
    lines = (workdir.path / COLLECTED).read_text().splitlines()
    return [r for r in map(json.loads, lines) if r["machine"]["id"] not in archived]


def run(workdir, config, *arguments, target=COLLECTED):
    """Runs to the collected records; returns what was measured as "problem" or "problem k"."""
    done = workdir.snakemake(target, "--configfile", workdir.write_config(**config), *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return measured(workdir.calls())


def measured(calls):
    found = []
    for call in calls:
        words = call.split()
        if words[0] not in ("cmake", "matrix_info") and "--list" not in words:
            k = f" {words[words.index('--k') + 1]}" if "--k" in words else ""
            found.append(words[0] + k)
    return sorted(found)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def resolved(calls: list[str]) -> int:
    return sum(call.startswith("matrix_info") for call in calls)


def append(path, text):
    time.sleep(0.05)
    path.write_text(path.read_text() + text)


def test_only_what_changed_runs_again(pretended):
    everything = ["primitives", "spmm 1", "spmm 4", "transpose"]
    assert run(pretended, CONFIG) == everything
    assert {record["status"] for record in own_records(pretended)} == {"ok"}

    done = pretended.snakemake(COLLECTED, "--configfile", "test.yaml")
    assert NOTHING in done.stdout + done.stderr
    assert pretended.calls() == []

    problems = CONFIG["problems"]
    wider = CONFIG | {"problems": problems | {"spmm": {"instances": {"k": [1, 4, 16]}}}}
    assert run(pretended, wider) == ["spmm 16"]
    assert run(pretended, CONFIG) == []
    assert 16 not in {record["parameters"].get("k") for record in own_records(pretended)}
    assert run(pretended, wider) == []

    longer = CONFIG | {"timing": {"repetitions": 30}}
    assert run(pretended, longer) == everything
    staged = longer | {"staging": [str(pretended.path)]}
    assert run(pretended, staged) == []


def test_sources_decide_what_is_out_of_date(measured_once):
    everything = ["primitives", "spmm 1", "spmm 4", "transpose"]
    kernels = measured_once.path / "kernels"
    (measured_once.path / "README.md").write_text("More.\n")
    (kernels / "README.md").write_text("Layers.\n")
    (kernels / "formats/types.hpp").touch()
    (measured_once.path / "build/bin/transpose").touch()
    assert run(measured_once, CONFIG) == []

    append(kernels / "transpose/papers/serial.cpp", "\n// One more line.\n")
    assert run(measured_once, CONFIG) == ["transpose"]
    (kernels / "spmm/papers/omp_new.cpp").write_text("// A new algorithm.\n")
    assert run(measured_once, CONFIG) == ["spmm 1", "spmm 4"]
    append(kernels / "formats/types.hpp", "\n// One more line.\n")
    assert run(measured_once, CONFIG) == everything
    append(measured_once.path / "drivers/common/bench_loop.hpp", "\n// One more line.\n")
    assert run(measured_once, CONFIG) == everything


def test_sources_and_parameters_that_change_together(measured_once):
    everything = ["primitives", "spmm 1", "spmm 4", "transpose"]
    append(measured_once.path / "kernels/transpose/papers/serial.cpp", "\n// One more line.\n")
    longer = CONFIG | {"timing": {"repetitions": 30}}
    assert run(measured_once, longer) == everything
    assert run(measured_once, longer) == []


def test_commit_reruns_nothing(pretended):
    def git(*arguments):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=pretended.path, check=True)

    git("init", "-q")
    git("add", "--", "kernels", "workflow")
    git("commit", "-q", "-m", "First")
    assert run(pretended, CONFIG) != []
    git("add", "--", "config")
    git("commit", "-q", "-m", "Second")
    shutil.rmtree(pretended.path / "kernels")
    git("checkout", "-q", "--", "kernels")
    assert run(pretended, CONFIG) == []


def test_matrix_that_cannot_be_had(pretended, tmp_path):
    config = CONFIG | {"matrices": ["uniform-small", "olm1000"]}
    name = pretended.write_config(**config)
    done = pretended.snakemake(COLLECTED, "--configfile", name)
    assert done.returncode == 0, done.stderr
    assert (
        "Not measured, because they are unavailable (1):\n"
        "  olm1000  not staged, and downloads are off\n"
    ) in done.stderr
    assert measured(pretended.calls()) == ["primitives", "spmm 1", "spmm 4", "transpose"]
    described = json.loads((pretended.path / "results/shared/matrices/olm1000.json").read_text())
    assert described["unavailable"] == "not staged, and downloads are off"

    done = pretended.snakemake(COLLECTED, "--configfile", name)
    assert NOTHING in done.stdout + done.stderr
    assert "Still unavailable (1):\n  olm1000" in done.stderr

    done = pretended.snakemake(COLLECTED, "--configfile", name, "--config", "strict=true")
    assert done.returncode == 1
    assert "matrix olm1000 is unavailable: not staged" in done.stderr

    staging = tmp_path / "staging"
    staging.mkdir()
    (staging / "olm1000.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 0\n")
    done = pretended.snakemake(COLLECTED, "--configfile", name, "--config", f"staging={staging}")
    assert "staged olm1000.mtx has 2 rows, expected 1000" in done.stderr
    assert pretended.calls() == []

    matrices = pretended.path / "config/matrices.yaml"
    free = "  olm1000: {class: banded, group: Bai}"
    matrices.with_suffix(".lock").unlink()
    matrices.write_text(re.sub(r"  olm1000: .*", free, matrices.read_text()))
    done = pretended.snakemake(COLLECTED, "--configfile", name, "--config", f"staging={staging}")
    assert done.returncode == 0, done.stderr
    assert measured(pretended.calls()) == ["spmm 1", "spmm 4", "transpose"]
    (staging / "olm1000.mtx").rename(staging / "moved.mtx")
    done = pretended.snakemake(COLLECTED, "--configfile", name)
    assert "Not measured, because they are unavailable (1):\n  olm1000" in done.stderr


def test_wrong_answer_stops_the_run(pretended):
    matrices = pretended.path / "config/matrices.yaml"
    lines = 'matrices:\n  wrong-one: {class: uniform, spec: "uniform:rows=3"}'
    matrices.write_text(matrices.read_text().replace("matrices:", lines, 1))
    name = pretended.write_config(matrices=["wrong-one"], problems={"transpose": {}})
    done = pretended.snakemake(COLLECTED, "--configfile", name)
    assert done.returncode == 1
    assert "transpose exits with 1" in done.stderr
    assert "serial: wrong answer in execution 1: row_ptr[3] is 4, expected 5" in done.stderr
    log = pretended.path / "results/test/logs/measure/transpose/wrong-one/default.log"
    assert "wrong answer" in log.read_text()
    assert not (pretended.path / "results/test/records/transpose/wrong-one/default.jsonl").exists()


def test_bad_generator_spec_is_an_error(pretended):
    matrices = pretended.path / "config/matrices.yaml"
    lines = 'matrices:\n  odd: {class: uniform, spec: "refused:rows=3"}'
    matrices.write_text(matrices.read_text().replace("matrices:", lines, 1))
    name = pretended.write_config(matrices=["odd"], problems={"transpose": {}})
    done = pretended.snakemake(COLLECTED, "--configfile", name)
    assert done.returncode == 1
    assert "matrix odd (refused:rows=3): matrix_info: no generator 'refused'" in done.stderr


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"parameters": {"thread": 1}}, 'no parameter "thread"; did you mean "threads"?'),
        ({"instances": {"q": 1}}, 'no instance parameter "q"'),
    ],
)
def test_names_that_the_build_does_not_have(pretended, settings, words):
    name = pretended.write_config(matrices=["uniform-small"], problems={"spmm": settings})
    done = pretended.snakemake(COLLECTED, "--configfile", name)
    assert done.returncode == 1
    assert f"problems.spmm.{next(iter(settings))}: {words}" in done.stderr


def test_parameters_for_cuda_algorithms_wait_for_some(pretended):
    settings = {"cuda_parameters": {"block_size": [32, 64]}}
    assert run(pretended, CONFIG | {"problems": {"transpose": settings}}) == ["transpose"]


def test_refusal_is_short_and_comes_before_any_job(checkout):
    name = checkout.write_config(problems={"spmm": {"instancs": {}}})
    done = checkout.snakemake("report", "--configfile", name)
    assert done.returncode == 1
    assert 'unknown key "instancs" in problems.spmm; did you mean "instances"?' in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert not (checkout.path / "build").exists()


def test_settings_on_the_command_line(checkout, tmp_path):
    settings = [f"staging={tmp_path}", "strict=true"]
    done = checkout.snakemake("-n", "report", "--config", *settings)
    assert done.returncode == 0, done.stderr
    done = checkout.snakemake("-n", "report", "--config", "staging=/no/such/folder")
    assert done.returncode == 1
    assert "/no/such/folder is not a folder" in done.stderr


@pytest.mark.parametrize("name", ["config", "smoke", "seeds", "archive"])
def test_dry_run_says_what_and_why(checkout, name):
    arguments = [] if name == "config" else ["--configfile", f"config/{name}.yaml"]
    done = checkout.snakemake("-n", "report", *arguments)
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    jobs, matrices = map(int, re.search(r"Plan: (\d+) measuring jobs on (\d+)", text).groups())
    stages = dict(re.findall(r"^(measure|measure_arrays|resolve_matrix)\s+(\d+)$", text, re.M))
    assert int(stages["measure"]) + int(stages["measure_arrays"]) == jobs
    assert int(stages["resolve_matrix"]) == matrices
    assert re.search(r"at most [\d.]+ (minutes|hours) of sampling", text)
    assert "Reason: Missing output files" in text
    config = yaml.safe_load((ROOT / f"config/{name}.yaml").read_text())
    assert all(f" {problem} " in text for problem in config["problems"])


def test_lint_finds_nothing_but_environments():
    command = [sys.executable, "-m", "snakemake", "--lint"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    titles = set(re.findall(r"^    \* (.*):$", done.stdout + done.stderr, re.M))
    assert titles == {"Specify a conda environment or container for each rule."}


@pytest.mark.slow
def test_smoke_run_to_the_report(built):
    """The real thing, with the drivers that are built already, and by Snakemake as users start it;
    archived machines beside a run's own are of test_two_machines.py."""
    shipped = yaml.safe_load((ROOT / "config/smoke.yaml").read_text())
    arguments = ["report", "--configfile", built.write_config("smoke.yaml", **shipped)]
    done = built.snakemake(*arguments, timeout=900, run=snakemakes.fresh)
    assert done.returncode == 0, done.stdout + done.stderr
    report = built.path / "results/smoke/report.pdf"
    assert report.read_bytes().startswith(b"%PDF")
    assert f"Report: {report}" in done.stderr
    verdicts = (built.path / "results/smoke/verdicts.txt").read_text()
    assert verdicts.startswith("On this machine (")
    assert verdicts in done.stderr
    files = list((built.path / "results/smoke/records/triangles").glob("*/*.jsonl"))
    last = [json.loads(path.read_text().splitlines()[-1]) for path in files]
    assert {(record["algorithm"], record["status"]) for record in last} == {
        ("matrix_expression", "ok")
    }
    done = built.snakemake(*arguments)
    assert NOTHING in done.stdout + done.stderr
    done = built.snakemake("-n", *arguments, "--config", "staging=.")
    assert NOTHING in done.stdout + done.stderr
