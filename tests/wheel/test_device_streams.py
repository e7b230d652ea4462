"""On a device: work is queued on the framework's current stream, in the framework's memory."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from homes import need, random_csr, transposed

from sparserepro import SpmmPlan, TransposePlan, spmm, transpose
from sparserepro.kernels.frameworks import CUPY

LONG = 400_000_000  # cycles: some tenths of a second


@pytest.fixture
def torch():
    need("torch-device")
    import torch

    return torch


@pytest.fixture
def cupy():
    need("cupy")
    import cupy

    return cupy


def test_torch_work_is_queued_behind_the_current_stream_and_does_not_wait(torch):
    a = random_csr(2000, 1500)
    order = transposed(a)[2]
    host = torch.from_numpy(a.data).pin_memory()
    indptr, indices = torch.from_numpy(a.indptr).cuda(), torch.from_numpy(a.indices).cuda()
    plan = TransposePlan(indptr, indices, shape=a.shape)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    for cycles in (1, LONG):  # the first time loads kernels and allocates memory
        with torch.cuda.stream(stream):
            torch.cuda._sleep(cycles)
            data = host.to("cuda", non_blocking=True)  # there once the stream has slept
            answers = plan(data), transpose(indptr, indices, data, a.shape).data
            queued = not stream.query()
        stream.synchronize()
        for answer in answers:
            assert np.array_equal(answer.cpu().numpy(), a.data[order])
        del data, answers, answer
    assert queued


def test_torch_products_are_queued_on_the_current_stream(torch):
    a = random_csr(2000, 1500)
    arrays = [torch.from_numpy(x).cuda() for x in (a.indptr, a.indices, a.data)]
    x = torch.randn(1500, 4, dtype=torch.float64)
    plan = SpmmPlan(tuple(arrays), 4, shape=a.shape)
    wanted = plan(x.cuda())
    pinned = x.pin_memory()
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    for cycles in (1, LONG):
        with torch.cuda.stream(stream):
            torch.cuda._sleep(cycles)
            answer = plan(pinned.to("cuda", non_blocking=True))
            queued = not stream.query()
        stream.synchronize()
        assert torch.equal(answer, wanted)
        del answer
    assert queued


def test_torch_memory_is_that_of_its_allocator(torch):
    a = random_csr(4000, 3000)
    indptr, indices = torch.from_numpy(a.indptr).cuda(), torch.from_numpy(a.indices).cuda()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    plan = TransposePlan(indptr, indices, shape=a.shape)
    held = torch.cuda.memory_allocated() - before
    assert held >= plan.workspace_bytes + 4 * a.nnz
    data = torch.zeros(a.nnz, dtype=torch.float64, device="cuda")
    plan(data), transpose(indptr, indices, data, a.shape)
    torch.cuda.synchronize()
    free = torch.cuda.mem_get_info()[0]
    for _ in range(20):
        plan(data), transpose(indptr, indices, data, a.shape)
    torch.cuda.synchronize()
    assert torch.cuda.mem_get_info()[0] == free
    del plan, data
    assert torch.cuda.memory_allocated() == before


def test_torch_misaligned_arrays_are_refused(torch):
    a = random_csr()
    arrays = [torch.from_numpy(x).cuda() for x in (a.indptr, a.indices)]
    data = torch.zeros(a.nnz + 1, dtype=torch.float64, device="cuda")[1:]
    with pytest.raises(ValueError, match="multiple of 16 bytes"):
        transpose(*arrays, data, a.shape)


def test_torch_arrays_of_two_places_are_refused(torch):
    a = random_csr()
    indptr, indices = torch.from_numpy(a.indptr).cuda(), torch.from_numpy(a.indices)
    with pytest.raises(ValueError, match=r"indices is int32 .*on the host.*matrix is on cuda:0"):
        transpose(indptr, indices, None, a.shape)


def test_check_is_for_the_host(torch):
    a = random_csr()
    indptr, indices = torch.from_numpy(a.indptr).cuda(), torch.from_numpy(a.indices).cuda()
    with pytest.raises(ValueError, match=r"check looks at arrays on the host; .*cuda:0"):
        transpose(indptr, indices, None, a.shape, check=True)


def test_torch_plan_is_too_large(torch):
    entries = 2**28 + 1
    indices = torch.zeros(entries, dtype=torch.int32, device="cuda")
    indptr = torch.tensor([0, entries], device="cuda")
    with pytest.raises(ValueError, match=str(2**28)):
        TransposePlan(indptr, indices, shape=(1, 1))


def test_torch_compile_takes_the_operator(torch):
    from sparserepro.adapters import pytorch

    a = random_csr()
    arrays = tuple(torch.from_numpy(x).cuda() for x in (a.indptr, a.indices, a.data))
    x = torch.randn(a.shape[1], 3, dtype=torch.float64, device="cuda", requires_grad=True)

    def layer(x):
        return pytorch.spmm(arrays, x.sin(), shape=a.shape).cos()

    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    upstream = torch.randn(a.shape[0], 3, dtype=torch.float64, device="cuda")
    torch.testing.assert_close(compiled(x), layer(x))
    (one,) = torch.autograd.grad(compiled(x), x, upstream)
    (other,) = torch.autograd.grad(layer(x), x, upstream)
    torch.testing.assert_close(one, other)
    pytorch.clear_plans()


def test_the_stream_of_cupy_is_that_of_the_device_of_the_arrays(monkeypatch):
    """With a stand-in for CuPy that has two devices, of which the first one is current."""
    current = [0]

    class Device:
        def __init__(self, number):
            self.number = number

        def __enter__(self):
            current.append(self.number)

        def __exit__(self, *_):
            current.pop()

    cuda = SimpleNamespace(
        Device=Device,
        get_current_stream=lambda: SimpleNamespace(ptr=100 + current[-1]),
    )
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    assert [CUPY.stream(device) for device in (0, 1)] == [100, 101]
    assert current == [0]


@pytest.fixture
def spin(cupy):
    """Keeps the current stream busy for a number of cycles."""
    kernel = cupy.RawKernel(
        'extern "C" __global__ void spin(long long cycles) {'
        " const long long begin = clock64(); while (clock64() - begin < cycles) {} }",
        "spin",
    )
    return lambda cycles: kernel((1,), (1,), (np.int64(cycles),))


def test_cupy_work_is_queued_on_the_current_stream(cupy, spin):
    import cupyx

    a = random_csr(2000, 1500)
    order = transposed(a)[2]
    pinned = cupyx.empty_pinned(a.nnz, "float64")
    pinned[:] = a.data
    indptr, indices = cupy.asarray(a.indptr), cupy.asarray(a.indices)
    plan = TransposePlan(indptr, indices, shape=a.shape)
    cupy.cuda.Device().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    for cycles in (1, LONG):
        with stream:
            data = cupy.zeros(a.nnz)
            spin(cycles)
            data.set(pinned, stream)
            answers = plan(data), transpose(indptr, indices, data, a.shape).data
            queued = not stream.done
        stream.synchronize()
        for answer in answers:
            assert np.array_equal(answer.get(), a.data[order])
        del data, answers, answer
    assert queued


def test_cupy_matrices_are_made_without_a_wait(cupy, spin):
    import cupyx.scipy.sparse

    a = cupyx.scipy.sparse.random(2000, 1500, density=0.01, format="csr")
    plan = TransposePlan(a)
    stream = cupy.cuda.get_current_stream()
    for cycles in (1, LONG):
        spin(cycles)
        answers = plan.matrix(a.data), transpose(a)
        queued = not stream.done
        for answer in answers:
            assert abs(answer - a.T.tocsr()).max() == 0
            assert spmm(answer, cupy.ones(2000)).shape == (1500,)
    assert queued
