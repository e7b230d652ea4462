"""The adapters for CuPy and PyTorch; what a wheel says of itself."""

import importlib
import importlib.metadata
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from homes import need, random_csr, transposed

import sparserepro
from sparserepro.adapters import cupy as swapped

HOSTS = ["numpy", "cupy"]


@pytest.mark.parametrize("name", HOSTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "bool"])
def test_transposed_takes_the_place_of_t_tocsr(name, dtype):
    home = need(name)
    a = random_csr(dtype=dtype)
    indptr, indices, order = transposed(a)
    answer = swapped.transposed(home.csr(a))
    parts = home.parts(answer)
    assert np.array_equal(parts[0], indptr)
    assert np.array_equal(parts[1], indices)
    assert np.array_equal(parts[2], a.data[order])
    if dtype == "bool":
        return  # CuPy has no conversion of its own for it
    # The library's own: without positions that are stored twice, which it adds.
    once = random_csr(dtype=dtype)
    once.sum_duplicates()
    own = home.csr(once).T.tocsr()
    own.sort_indices()
    for ours, theirs in zip(home.parts(swapped.transposed(home.csr(once))),
                            home.parts(own), strict=True):  # fmt: skip
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("name", HOSTS)
@pytest.mark.parametrize("dtype", ["float32", "complex128", "bool"])
@pytest.mark.parametrize("shape", [(30, 30), (30, 20)])
def test_transposed_refuses_other_formats(name, dtype, shape):
    home = need(name)
    a = home.csr(random_csr(*shape, dtype=dtype))
    other = type(home.csr(random_csr()).tocsc())(a.shape, dtype=a.dtype)
    with pytest.raises(TypeError, match=r"csc, not in CSR: call .tocsr\(\)"):
        swapped.transposed(other)
    for no_matrix in (3, [a], (a.indptr, a.indices)):
        with pytest.raises((TypeError, ValueError)):
            swapped.transposed(no_matrix)


def test_transposed_leaves_out_room_behind_the_last_row():
    a = random_csr(dtype="complex128")
    wanted = swapped.transposed(a)
    a.indices, a.data = np.append(a.indices, [999]), np.append(a.data, [7])
    for matrix in (a, a.real.astype("float64")):
        matrix.indices = np.append(matrix.indices[: a.indptr[-1]], [999])
        matrix.data = np.append(matrix.data[: a.indptr[-1]], [7])
        answer = swapped.transposed(matrix)
        assert np.array_equal(answer.indices, wanted.indices)
        assert np.array_equal(answer.data.real, wanted.data.real)


@pytest.fixture(params=["torch-host", "torch-device"])
def torch_home(request):
    return need(request.param)


@pytest.fixture
def operands(torch_home):
    a = random_csr(12, 9, density=0.3)
    a.sum_duplicates()
    arrays = [torch_home.put(x) for x in (a.indptr, a.indices, a.data / 1000)]
    return arrays, a.shape


@pytest.mark.parametrize("k", [None, 1, 3])
@pytest.mark.parametrize("transpose", [False, True])
def test_derivatives_of_the_operator(torch_home, operands, transpose, k):
    import torch

    from sparserepro.adapters import pytorch

    (indptr, indices, values), shape = operands
    extent = shape[0] if transpose else shape[1]
    x = torch.randn((extent, k) if k else extent, dtype=torch.float64, device=values.device)

    def product(values, x):
        return pytorch.spmm((indptr, indices, values), x, transpose, shape=shape)

    arguments = (values.requires_grad_(), x.requires_grad_())
    assert torch.autograd.gradcheck(product, arguments)
    assert torch.autograd.gradgradcheck(product, arguments)


def test_the_operator_keeps_the_rules_of_pytorch(torch_home, operands):
    import torch

    from sparserepro.adapters import pytorch  # registers it

    (indptr, indices, values), shape = operands
    x = torch.randn(shape[1], 2, dtype=torch.float64, device=values.device)
    arguments = (indptr, indices, values.requires_grad_(), x.requires_grad_(), shape[1], False)
    torch.library.opcheck(torch.ops.sparserepro.spmm, arguments)
    pytorch.clear_plans()


def test_a_sparse_tensor_with_derivative(torch_home, operands):
    import torch

    from sparserepro.adapters import pytorch

    (indptr, indices, values), shape = operands
    a = torch.sparse_csr_tensor(indptr, indices, values, shape, requires_grad=True)
    dense = a.detach().to_dense().requires_grad_()
    x = torch.randn(shape[1], 4, dtype=torch.float64, device=values.device, requires_grad=True)
    same = x.detach().clone().requires_grad_()
    pytorch.spmm(a, x).sin().sum().backward()
    (dense @ same).sin().sum().backward()
    torch.testing.assert_close(x.grad, same.grad)
    torch.testing.assert_close(a.grad.to_dense(), dense.grad * (dense != 0))


def test_plans_follow_values_and_are_kept(torch_home, operands):
    import torch

    from sparserepro.adapters import pytorch

    pytorch.clear_plans()
    (indptr, indices, values), shape = operands
    x = torch.randn(shape[1], 4, dtype=torch.float64, device=values.device)
    for step in range(4):
        values.mul_(1.5)
        if step == 2:
            values = values.clone()
        dense = torch.sparse_csr_tensor(indptr, indices, values, shape).to_dense()
        for transpose in (False, True):
            operand = x if not transpose else dense @ x
            wanted = (dense.T if transpose else dense) @ operand
            answer = pytorch.spmm((indptr, indices, values), operand, transpose, shape=shape)
            torch.testing.assert_close(answer, wanted)
    assert len(pytorch._plans) == 2
    with torch.inference_mode():
        fresh = values * 2
        for _ in range(2):
            fresh.add_(1)
            answer = pytorch.spmm((indptr, indices, fresh), x, shape=shape)
            dense = torch.sparse_csr_tensor(indptr, indices, fresh, shape).to_dense()
            torch.testing.assert_close(answer, dense @ x)
    pytorch.clear_plans()
    assert not pytorch._plans


def test_wrong_operands(torch_home, operands):
    import torch

    from sparserepro.adapters import pytorch

    arrays, shape = operands
    x = torch.ones(5, 2, dtype=torch.float64, device=arrays[0].device)
    with pytest.raises(ValueError, match=r"X is \[5, 2\]; A is \[12, 9\]"):
        pytorch.spmm(tuple(arrays), x, shape=shape)
    with pytest.raises(ValueError, match="shape is missing"):
        pytorch.spmm(tuple(arrays), x)
    with pytest.raises(ValueError, match="indptr has 13 elements"):
        pytorch.spmm(tuple(arrays), x, shape=(4, 5))
    with pytest.raises(TypeError, match="to_sparse_csr"):
        pytorch.spmm(x, x)
    for a, other in ((None, x), (tuple(arrays), np.ones((9, 2))), (([0], [0], [0]), x)):
        with pytest.raises(TypeError, match="no tensor"):
            pytorch.spmm(a, other, shape=shape)


def test_types_are_shipped():
    files = {path.name for path in importlib.metadata.files("sparserepro")}
    assert {"py.typed", "_host.pyi", "_cuda.pyi"} <= files


@pytest.mark.parametrize("module", ["_host", "_cuda"])
def test_stubs_name_what_the_module_has(module):
    if module == "_cuda" and not sparserepro.has_cuda():
        pytest.skip("the wheel is built without CUDA")
    native = importlib.import_module(f"sparserepro.{module}")
    (stub,) = (f for f in importlib.metadata.files("sparserepro") if f.name == f"{module}.pyi")
    text = stub.read_text()
    named = set(re.findall(r"^(?:def|class) (\w+)", text, re.MULTILINE))
    assert named == {name for name in vars(native) if not name.startswith("_")}
    for name in re.findall(r"^class (\w+)", text, re.MULTILINE):
        body = re.search(rf"^class {name}:\n((?:    .*\n|\n)+)", text, re.MULTILINE)[1]
        methods = set(re.findall(r"^    def (\w+)", body, re.MULTILINE)) - {"__init__", "__call__"}
        kind = getattr(native, name)
        assert methods == {name for name in vars(kind) if not name.startswith("_")}


def test_names_in_the_text_of_the_kernels_are_there():
    folder = Path(sparserepro.__file__).parent / "kernels"
    text = "".join(path.read_text() for path in sorted(folder.glob("*.py")))
    names = set(re.findall(r"(?<![\w./])sparserepro\.[a-z][\w.]*\w", text))
    assert "sparserepro.adapters.graphs.adjacency" in names
    assert not [name for name in names if pydoc.locate(name) is None]


def test_nothing_is_imported_that_nobody_asked_for():
    code = "import sys, sparserepro; sparserepro.transpose; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "sparserepro.kernels" in modules
    assert modules.isdisjoint({"torch", "cupy", "scipy", "pandas", "sparserepro._cuda"})
