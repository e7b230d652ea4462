"""transpose and TransposePlan against NumPy's stable sort."""

import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from homes import random_csr, transposed, with_room

import sparserepro
from sparserepro import CsrArrays, TransposePlan, transpose

# Widths of 2, 4 and 8 bytes; CuPy's and PyTorch's matrices have floats and complex numbers alone.
DTYPES = ("float16", "int16", "float32", "int32", "uint32", "float64", "int64", "complex64")


def check(home, a, answer, has_data=True):
    indptr, indices, order = transposed(a)
    assert isinstance(answer, CsrArrays)
    assert np.array_equal(home.get(answer.indptr), indptr)
    assert np.array_equal(home.get(answer.indices), indices)
    assert home.get(answer.indptr).dtype == a.indptr.dtype
    assert home.get(answer.indices).dtype == a.indices.dtype
    if has_data:
        assert np.array_equal(home.get(answer.data), a.data[order])
        assert home.get(answer.data).dtype == a.data.dtype
    else:
        assert answer.data is None


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("dtype", [*DTYPES, None])
def test_bare_arrays(home, dtype, index):
    a = random_csr(dtype=dtype or "float64", index=index)
    data = home.put(a.data) if dtype else None
    answer = transpose(home.put(a.indptr), home.put(a.indices), data, a.shape)
    check(home, a, answer, dtype is not None)


def test_bfloat16_is_moved(home):
    if home.module != "torch":
        pytest.skip(f"{home.module} has no bfloat16")
    import torch

    a = random_csr(dtype="int16")
    data = home.put(a.data).view(torch.bfloat16)
    answer = transpose(home.put(a.indptr), home.put(a.indices), data, a.shape)
    assert answer.data.dtype == torch.bfloat16
    check(home, a, answer._replace(data=answer.data.view(torch.int16)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_matrices_come_back_in_their_class(home, dtype):
    a = random_csr(dtype=dtype)
    answer = transpose(home.csr(a))
    assert tuple(answer.shape) == a.shape[::-1]
    check(home, a, CsrArrays(*map(home.put, home.parts(answer))))


@pytest.mark.parametrize("index", ["int32", "int64"])
def test_permutation(home, index):
    a = random_csr(index=index)
    arrays = (home.put(a.indptr), home.put(a.indices))
    for data in (None, home.put(a.data)):
        answer, permutation = transpose(*arrays, data, a.shape, permutation=True)
        check(home, a, answer, data is not None)
        assert np.array_equal(home.get(permutation), transposed(a)[2])
        assert home.get(permutation).dtype == np.int32
    matrix, permutation = transpose(home.csr(a), permutation=True)
    assert np.array_equal(home.parts(matrix)[2], a.data[home.get(permutation)])


@pytest.mark.parametrize("dtype", DTYPES)
def test_plan_moves_new_values(home, dtype):
    a = random_csr(dtype=dtype)
    plan = TransposePlan(
        home.put(a.indptr), home.put(a.indices), shape=a.shape, dtype=dtype, permutation=True
    )
    indptr, indices, order = transposed(a)
    assert np.array_equal(home.get(plan.indptr), indptr)
    assert np.array_equal(home.get(plan.indices), indices)
    assert np.array_equal(home.get(plan.permutation), order)
    assert plan.shape == a.shape[::-1]
    assert plan.workspace_bytes >= 4 * a.nnz
    for step in range(3):
        values = (a.data + step).astype(dtype)
        assert np.array_equal(home.get(plan(home.put(values))), values[order])
    out = home.put(np.zeros_like(a.data))
    assert plan(home.put(a.data), out) is out
    assert np.array_equal(home.get(out), a.data[order])


def test_plan_of_a_matrix_makes_matrices(home):
    a = random_csr()
    plan = TransposePlan(home.csr(a))
    for factor in (1, -2):
        answer = plan.matrix(home.put(a.data * factor))
        assert tuple(answer.shape) == a.shape[::-1]
        assert np.array_equal(home.parts(answer)[2], a.data[transposed(a)[2]] * factor)


def test_threads_may_call_one_plan_at_once():
    a = random_csr(3000, 2000)
    order = transposed(a)[2]
    plan = TransposePlan(a)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda factor: plan(a.data * factor), range(40)))
    for factor, answer in enumerate(answers):
        assert np.array_equal(answer, (a.data * factor)[order])


def test_a_plan_keeps_no_array_of_the_matrix():
    a = random_csr()
    plan = TransposePlan(a)
    kept = [weakref.ref(array) for array in (a.indptr, a.indices, a.data)]
    values, order = a.data * 2, transposed(a)[2]
    del a
    assert [array() for array in kept] == [None] * 3
    assert np.array_equal(plan(values), values[order])


def test_the_permutation_of_a_plan_cannot_be_broken(home):
    a = random_csr()
    plan = TransposePlan(home.csr(a), permutation=True)
    permutation = plan.permutation
    if home.module == "numpy":
        with pytest.raises(ValueError, match="read-only"):
            permutation[:] = 10**9
    else:
        permutation[:] = 10**9
    assert np.array_equal(home.get(plan(home.put(a.data))), a.data[transposed(a)[2]])
    _, own = transpose(home.csr(a), permutation=True)
    own[:] = 0  # nobody reads it any more


@pytest.mark.parametrize("offset", [0, 1, -1])
def test_values_are_not_moved_in_place(home, offset):
    if home.on_device and offset:
        pytest.skip("slices that begin at any element are refused on a device")
    a = random_csr()
    plan = TransposePlan(home.csr(a))
    both = home.put(np.concatenate([a.data, [0.0]]))
    data, out = (both[max(shift, 0) :][: a.nnz] for shift in (offset, -offset))
    with pytest.raises(ValueError, match="values of the answer and values of A share memory"):
        plan(data, out)
    both = home.put(np.concatenate([a.data, a.data]))
    if not home.on_device:
        plan(both[: a.nnz], both[a.nnz :])  # side by side
        assert np.array_equal(home.get(both[a.nnz :]), a.data[transposed(a)[2]])


def test_permutation_outlives_the_plan():
    a = random_csr()
    permutation = TransposePlan(a).permutation
    assert np.array_equal(permutation, transposed(a)[2])


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (4, 6)])
def test_no_entries(home, shape):
    indptr = np.zeros(shape[0] + 1, np.int32)
    none = np.zeros(0, np.int32)
    answer = transpose(home.put(indptr), home.put(none), home.put(np.zeros(0)), shape)
    assert np.array_equal(home.get(answer.indptr), np.zeros(shape[1] + 1))
    assert home.get(answer.indices).size == home.get(answer.data).size == 0
    plan = TransposePlan(home.put(indptr), home.put(none), shape=shape)
    assert home.get(plan(home.put(np.zeros(0)))).size == 0


def test_what_is_known_of_the_order_of_entries_is_kept():
    a = random_csr()
    assert not a.has_canonical_format
    assert transpose(a).has_sorted_indices
    assert not transpose(a).has_canonical_format
    a.sum_duplicates()
    for answer in (transpose(a), TransposePlan(a).matrix(a.data)):
        assert answer._has_canonical_format is True  # known, not looked for


def test_twice_is_the_matrix_with_its_columns_in_order(home):
    a = random_csr()
    twice = home.parts(transpose(transpose(home.csr(a))))
    a.sort_indices()
    assert np.array_equal(twice[0], a.indptr)
    assert np.array_equal(twice[1], a.indices)


def test_inputs_are_not_written():
    a = random_csr()
    for array in (a.indptr, a.indices, a.data):
        array.flags.writeable = False
    answer = transpose(a)
    assert np.array_equal(answer.data, a.data[transposed(a)[2]])
    assert np.array_equal(TransposePlan(a)(a.data), answer.data)
    out = np.zeros_like(a.data)
    out.flags.writeable = False
    with pytest.raises(ValueError, match=r"out is float64 .*read-only"):
        TransposePlan(a)(a.data, out)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_do_not_matter(threads):
    a = random_csr(3000, 2000)
    check_against = transposed(a)
    answer = transpose(a, threads=threads)
    assert np.array_equal(answer.indices, check_against[1])
    assert np.array_equal(answer.data, a.data[check_against[2]])


def test_room_behind_the_last_row_is_left_out():
    a = random_csr()
    b = with_room(a)
    indptr, indices, order = transposed(a)
    for answer in (transpose(b), transpose(b, permutation=True)[0], transpose(b, check=True),
                   TransposePlan(b).matrix(a.data)):  # fmt: skip
        assert np.array_equal(answer.indptr, indptr)
        assert np.array_equal(answer.indices, indices)
        assert np.array_equal(answer.data, a.data[order])
    with pytest.raises(ValueError, match=rf"data is float64 \[{a.nnz + 3}\].*\[{a.nnz}\]"):
        TransposePlan(b)(b.data)


@dataclass
class Bcsr:
    """Attributes and constructor of JAX's BCSR, on arrays of NumPy."""

    arrays: tuple
    shape: tuple[int, int]
    indices_sorted: bool = False
    unique_indices: bool = False
    n_batch = n_dense = 0
    data = property(lambda self: self.arrays[0])
    indices = property(lambda self: self.arrays[1])
    indptr = property(lambda self: self.arrays[2])


def test_padding_of_bcsr_is_left_out():
    a = random_csr()
    b = with_room(a)
    indptr, indices, order = transposed(a)
    answer = transpose(Bcsr((b.data, b.indices, b.indptr), a.shape))
    assert type(answer) is Bcsr
    assert answer.indices_sorted
    assert np.array_equal(answer.indptr, indptr)
    assert np.array_equal(answer.indices, indices)
    assert np.array_equal(answer.data, a.data[order])


def test_the_package_is_the_installed_one():
    assert "site-packages" in sparserepro.__file__
