"""Jobs on several GPUs of one host: what each takes, the slots, and what runs beside what."""

import itertools
import json
import threading
import time

import pytest

from sparserepro.config.grid import Job
from sparserepro.paths import ROOT
from sparserepro.program import FileError
from sparserepro.run import gpus

DEVICE = Job("spmm", "m", {"k": 8}, ("cuda_csr_balanced", "cusparse_csr"))
SEVERAL = Job("spmm", "m", {"k": 8}, ("cuda_csr_balanced", "cuda_multi_csr_balanced"))
MIXED = Job("spmm", "m", {"k": 8}, ("cuda_csr_balanced", "serial_csr"))
EVERYTHING = Job("spmm", "m", {"k": 8}, ("all",))


@pytest.mark.parametrize(
    ("job", "there", "taken"),
    [
        (DEVICE, 4, (8, 1)),
        (DEVICE, 1, (32, 1)),
        (DEVICE, 64, (1, 1)),
        (SEVERAL, 4, (32, 4)),
        (MIXED, 4, (32, 4)),
        (EVERYTHING, 4, (32, 4)),
    ],
)
def test_a_job_takes_one_gpu_or_all(job, there, taken):
    assert gpus.share(ROOT, job, there, cores=32) == taken


def catalogue():
    def algorithm(name, backend, *parameters):
        return {"name": name, "backend": backend, "parameters": [{"name": p} for p in parameters]}

    return {
        "algorithms": [
            algorithm("serial_csr", "serial"),
            algorithm("cuda_csr_balanced", "cuda", "path"),
            algorithm("cusparse_csr", "cuda"),
            algorithm("cuda_multi_csr_balanced", "cuda", "gpus", "x"),
        ]
    }


def test_the_catalogue_says_the_same_as_the_sources():
    for job in (DEVICE, SEVERAL, MIXED, EVERYTHING):
        assert gpus.takes_a_slot(catalogue(), job, 4) == gpus.fits_one(ROOT, job)
        assert not gpus.takes_a_slot(catalogue(), job, 1)


def test_visible_gpus_are_the_first_of_those_that_the_environment_shows():
    assert gpus.visible(2, {}) == ["0", "1"]
    assert gpus.visible(2, {"CUDA_VISIBLE_DEVICES": "3, GPU-5,1"}) == ["3", "GPU-5"]
    with pytest.raises(FileError, match="shows 1 GPUs; the configuration has gpus: 2"):
        gpus.visible(2, {"CUDA_VISIBLE_DEVICES": "3"})


def test_a_slot_has_one_holder(tmp_path):
    where = {"SPARSEREPRO_LOCK": str(tmp_path / "lock"), "CUDA_VISIBLE_DEVICES": "5,GPU-a/b"}
    third = threading.Event()

    def hold():
        with gpus.slot(2, where):
            third.set()

    with gpus.slot(2, where) as first:
        with gpus.slot(2, where) as second:
            assert first["CUDA_VISIBLE_DEVICES"] == first["SPARSEREPRO_GPU_SLOT"] == "5"
            assert second["CUDA_VISIBLE_DEVICES"] == "GPU-a/b"
            waiting = threading.Thread(target=hold)
            waiting.start()
            assert not third.wait(0.5)
        assert third.wait(5)
        waiting.join()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lock.gpu-5", "lock.gpu-GPU-a-b"]


def test_what_is_no_file_is_no_slot(tmp_path):
    (tmp_path / "lock.gpu-0").mkdir()
    environment = {"SPARSEREPRO_LOCK": str(tmp_path / "lock")}
    with pytest.raises(FileError, match="cannot open the slot of GPU 0"), gpus.slot(1, environment):
        pass


def beside(a, b):
    return a["begin"] < b["end"] and b["begin"] < a["end"]


def config(there):
    def part(name, algorithm, k):
        return {"part": name, "instances": {"k": k}, "algorithms": [algorithm]}

    return {
        "matrices": ["uniform-small"],
        "problems": {
            "spmm": [
                part("one", "cuda_one", [1, 2, 3, 4]),
                part("several", "cuda_several", [1, 2]),
                part("host", "serial", [1, 2]),
            ]
        },
        "download": {"enabled": False},
        "gpus": there,
    }


def with_gpus(workdir, tmp_path):
    """Lets the made-up algorithms of the stand-in have sources, by which jobs are planned."""
    names = workdir.path / "kernels/spmm/algorithms.def"
    names.write_text(names.read_text() + "ALGORITHM(cuda_one)\nALGORITHM(cuda_several)\n")
    (workdir.path / "kernels/spmm/cuda_one.cu").write_text("// One GPU.\n")
    (workdir.path / "kernels/spmm/cuda_several.cu").write_text("auto p = gpus_parameter();\n")
    workdir.environment |= {"FAKE_GPUS": "yes", "SPARSEREPRO_LOCK": str(tmp_path / "lock")}
    workdir.environment.pop("CUDA_VISIBLE_DEVICES", None)


def measured(workdir, there):
    log = workdir.path / "gpus.log"
    log.unlink(missing_ok=True)
    file = workdir.write_config(**config(there))
    done = workdir.snakemake("results/test/collected/records.jsonl", "--configfile", file)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def test_jobs_of_one_gpu_run_beside_each_other_and_beside_nothing_else(pretended, tmp_path):
    with_gpus(pretended, tmp_path)
    found = measured(pretended, 2)
    assert sorted(job["algorithm"] for job in found) == (
        ["cuda_one"] * 4 + ["cuda_several"] * 2 + ["serial"] * 2
    )
    one = [job for job in found if job["algorithm"] == "cuda_one"]
    assert {job["device"] for job in one} == {"0", "1"}
    assert all(job["slot"] == job["device"] for job in one)
    assert all(job["device"] is job["slot"] is None for job in found if job not in one)
    pairs = [pair for pair in itertools.combinations(found, 2) if beside(*pair)]
    assert pairs
    for a, b in pairs:
        assert a["algorithm"] == b["algorithm"] == "cuda_one"
        assert a["device"] != b["device"]

    # The number of GPUs decides when something runs, and not what it gives.
    assert measured(pretended, 1) == []


def test_with_one_gpu_jobs_follow_one_another(pretended, tmp_path):
    with_gpus(pretended, tmp_path)
    begin = time.monotonic()
    found = measured(pretended, 1)
    assert time.monotonic() - begin > len(found) == 8
    assert not any(beside(*pair) for pair in itertools.combinations(found, 2))
    assert {(job["device"], job["slot"]) for job in found} == {(None, None)}
