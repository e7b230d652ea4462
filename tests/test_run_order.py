"""In which order a run does its work, what it needs, and what a dry run touches.

The drivers only pretend (conftest.py).
"""

import http.server
import re
import threading
from pathlib import Path

import pytest

from sparserepro.run import plan
from test_workflow import COLLECTED, CONFIG, ROOT, append, measured, replace, resolved, run


class Refusing(http.server.BaseHTTPRequestHandler):
    requests: list[str]

    def do_GET(self):
        self.requests.append(self.command)
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_):
        pass


@pytest.fixture
def requests_and_url():
    handler = type("Handler", (Refusing,), {"requests": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield handler.requests, f"http://127.0.0.1:{server.server_port}/MM"
    server.shutdown()
    thread.join()
    server.server_close()


def content(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Time and bytes of every file but those that Snakemake and Python keep for themselves."""
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and not {".snakemake", "__pycache__"} & set(path.parts)
    }


def test_only_a_run_touches_disk_and_network(pretended, requests_and_url):
    requests, url = requests_and_url
    config = {
        "matrices": ["olm1000"],
        "problems": {"transpose": {}},
        "download": {"base_url": url},
    }
    assert run(pretended, config) == []
    assert requests == ["GET"]

    matrices = pretended.path / "results/shared/matrices/olm1000.json"
    replace(matrices, '"unavailable"', '"path": "gone.mtx", "unavailable"')
    before = content(pretended.path)
    for arguments in (["-n"], ["--lint"], ["--unlock"], ["--summary"], ["--list-params-changes"]):
        done = pretended.snakemake(COLLECTED, "--configfile", "test.yaml", *arguments)
        assert "Plan: 1 measuring jobs on 1 matrices" in done.stderr
        assert content(pretended.path) == before, arguments
    assert requests == ["GET"]

    assert run(pretended, config) == []
    assert requests == ["GET", "HEAD", "GET"]


def test_names_are_checked_before_anything_else(pretended, measured_once):
    wrong = CONFIG | {"problems": CONFIG["problems"] | {"spmm": {"algorithms": ["serail"]}}}
    refusal = 'problems.spmm.algorithms: no algorithm "serail"; did you mean "serial"?'
    name = pretended.write_config(**wrong)
    done = pretended.snakemake(COLLECTED, "--configfile", name)
    assert done.returncode == 1
    assert refusal in done.stderr
    assert pretended.calls() == []  # no build either

    name = measured_once.write_config(**wrong)
    for arguments in ([], ["-n"]):
        done = measured_once.snakemake(COLLECTED, "--configfile", name, *arguments)
        assert done.returncode == 1
        assert refusal in done.stderr
        assert "Traceback" not in done.stderr
        assert measured_once.calls() == []


def test_an_outdated_catalogue_refuses_no_name(measured_once):
    replace(measured_once.path / "results/shared/catalogue/spmm.json", '"omp_rows"', '"omp_old"')
    (measured_once.path / "kernels/spmm/papers/omp_new.cpp").write_text("// A new algorithm.\n")
    problems = CONFIG["problems"] | {"spmm": {"algorithms": ["omp_rows"]}}
    assert run(measured_once, CONFIG | {"problems": problems}) == ["spmm"]


def test_building_and_matrices_come_first(pretended):
    config = CONFIG | {"matrices": ["uniform-small", "banded-small", "fem-small"]}
    done = pretended.snakemake(COLLECTED, "--configfile", pretended.write_config(**config))
    assert done.returncode == 0, done.stderr
    calls = pretended.calls()
    assert sum(call.startswith("cmake --preset") for call in calls) == 1
    (build,) = (call for call in calls if call.startswith("cmake --build"))
    assert set(build.partition("--target ")[2].split()) == {
        *CONFIG["problems"],
        "matrix_info",
    }
    first = next(place for place, call in enumerate(calls) if measured([call]))
    assert len(measured(calls[first:])) == len(calls[first:])
    assert resolved(calls) == 3

    append(pretended.path / "kernels/transpose/papers/serial.cpp", "\n// One more line.\n")
    assert pretended.snakemake(COLLECTED, "--configfile", "test.yaml").returncode == 0
    calls = pretended.calls()
    (build,) = (call for call in calls if call.startswith("cmake --build"))
    assert build.endswith(" --target transpose")


def test_file_that_vanishes_costs_its_own_jobs(pretended, tmp_path):
    staging = tmp_path / "staging"
    staging.mkdir()
    file = staging / "vanishing.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n2 2 0\n")
    matrices = pretended.path / "config/matrices.yaml"
    replace(matrices, "matrices:\n", "matrices:\n  vanishing: {class: fem, name: vanishing}\n")
    config = CONFIG | {"matrices": ["vanishing", "uniform-small"], "staging": [str(staging)]}
    done = pretended.snakemake(COLLECTED, "--configfile", pretended.write_config(**config))
    assert done.returncode == 1
    records = pretended.path / "results/test/records"
    assert {str(path.relative_to(records)) for path in records.rglob("*.jsonl")} == {
        "primitives/array/default.jsonl",
        "spmm/uniform-small/k-1.jsonl",
        "spmm/uniform-small/k-4.jsonl",
        "transpose/uniform-small/default.jsonl",
    }
    logs = "results/test/logs/measure"
    assert done.stderr.rpartition("Failed (3), with their logs:\n")[2].splitlines()[:3] == [
        f"  measure spmm vanishing k-1  {logs}/spmm/vanishing/k-1.log",
        f"  measure spmm vanishing k-4  {logs}/spmm/vanishing/k-4.log",
        f"  measure transpose vanishing default  {logs}/transpose/vanishing/default.log",
    ]
    assert "vanishing.mtx: no such file" in done.stderr


def test_cuda_is_left_out_in_one_word(pretended):
    name = pretended.write_config(**CONFIG)
    done = pretended.snakemake("-n", COLLECTED, "--configfile", name, "--config", "cuda=false")
    assert done.returncode == 0, done.stderr
    assert "Build: " in done.stderr
    assert "CUDA" not in done.stderr.partition("Build: ")[2].partition("\n")[0]

    done = pretended.snakemake(COLLECTED, "--configfile", name, "--config", "cuda=false")
    assert done.returncode == 0, done.stderr
    (configured,) = (call for call in pretended.calls() if call.startswith("cmake --preset"))
    assert configured.endswith(" -DSPARSEREPRO_CUDA=OFF")


def test_the_plan_says_what_a_build_costs():
    without = plan.build(ROOT, ["spmm"], cuda=False, cores=2)
    assert re.fullmatch(r"Build: spmm; about \d+ minutes", without)
    with_cuda = plan.build(ROOT, ["spmm"], cuda=True, cores=2)
    assert "of them for CUDA, which cuda=false leaves out" in with_cuda
