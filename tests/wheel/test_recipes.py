"""Each block of Python in docs/python.md runs by itself."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from homes import need

PAGE = Path(__file__).resolve().parents[2] / "docs/python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_page_has_recipes_of_every_kind():
    text = "".join(BLOCKS)
    for name in ("transpose(", "TransposePlan(", "spmm(", "SpmmPlan(", "triangle_count(",
                 "edge_support(", "permutation=True", "graphs.", "pytorch.spmm",
                 "transposed(", "jax"):  # fmt: skip
        assert name in text


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_recipe(number, tmp_path):
    block = BLOCKS[number]
    if "import networkx" in block:
        pytest.importorskip("networkx")
    if "import jax" in block:
        pytest.importorskip("jax")
    if "import cupy" in block:
        need("cupy")
    if "import torch" in block:
        need("torch-device" if "cuda" in block else "torch-host")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", block], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
