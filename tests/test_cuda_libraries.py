"""The folders of newer cuSPARSE and CUB and of research codes: one that lacks them ends the
configuration."""

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no CUDA compiler")
@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("SPARSEREPRO_CUSPARSE_ROOT", "include/cusparse.h"),
        ("SPARSEREPRO_CCCL_ROOT", "include/cccl/cub/version.cuh"),
        ("SPARSEREPRO_RODE_ROOT", "RoDe_SpMM/RoDeSpmm.cu"),
        ("SPARSEREPRO_SPUTNIK_ROOT", "sputnik/spmm/cuda_spmm.cu.cc"),
        ("SPARSEREPRO_GESPMM_ROOT", "src/ge-spmm/csrspmm_parreduce.cu"),
    ],
)
def test_a_folder_without_the_library_is_refused(tmp_path, name, missing):
    folder = tmp_path / "empty"
    folder.mkdir()
    done = subprocess.run(
        ["cmake", "-S", SOURCE, "-B", tmp_path / "build", f"-D{name}={folder}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    assert f"{name}={folder} lacks" in said
    assert missing in said
