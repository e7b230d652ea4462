"""Without a CUDA compiler the *.cu files are compiled as C++: that any compiler can do that."""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from test_layers import installed_sources

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
COMPILER = os.environ.get("CXX") or shutil.which("c++") or "c++"


def errors(source):
    folders = ["-I", KERNELS, "-I", KERNELS.parent / "include"]
    command = [COMPILER, "-std=c++20", "-fsyntax-only", *folders, "-x", "c++", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr


@pytest.mark.slow
def test_every_entry_is_there_without_cuda():
    installed = set(installed_sources())  # these are not built without CUDA
    sources = [source for source in sorted(KERNELS.rglob("*.cu")) if source not in installed]
    assert len(sources) > 40
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(errors, sources))
    assert not any(found), next(filter(None, found))
