"""transpose and TransposePlan against NumPy's stable sort."""

import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse
from homes import random_csr, transposed

import sparserepro
from sparserepro import CsrArrays, TransposePlan, spmm, transpose, triangle_count

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


def test_broken_indices_are_found_when_asked_for():
    a = random_csr()
    a.indices[7] = 200
    with pytest.raises(ValueError, match="200"):
        transpose(a, check=True)
    a.indices[7] = -1
    with pytest.raises(ValueError, match="-1"):
        TransposePlan(a, check=True)


WRONG = {
    "indices too short": (lambda a: (a.indptr, a.indices[:-1], a.data, a.shape), ValueError,
                          r"data is float64 \[\d+\] on .*must have the shape \[\d+\]"),
    "indptr of another shape": (lambda a: (a.indptr, a.indices, a.data, (9, 200)), ValueError,
                                r"indptr is int32 \[301\] on .*must have the shape \[10\]"),
    "no shape": (lambda a: (a.indptr, a.indices, a.data), ValueError, r"shape.*indptr \[301\]"),
    "indices of floats": (lambda a: (a.indptr, a.data, a.data, a.shape), TypeError,
                          r"indices is float64 \[\d+\] on .*int32 or int64"),
    "data of 16 bytes": (lambda a: (a.indptr, a.indices, a.data.astype("complex128"), a.shape),
                         TypeError, r"data is complex128 \[\d+\].*2, 4 or 8 bytes"),
    "data of 1 byte": (lambda a: (a.indptr, a.indices, a.data > 0, a.shape), TypeError,
                       r"data is bool \[\d+\]"),
    "two extents": (lambda a: (a.indptr, a.indices[None], a.data, a.shape), ValueError,
                    r"indices is int32 \[1, \d+\].*one extent"),
    "negative": (lambda a: (a.indptr[:0], a.indices, a.data, (-1, 2)), ValueError, "from 0 to"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_named_with_shapes_and_dtypes(home, name):
    make, error, text = WRONG[name]
    a = random_csr()
    arguments = [home.put(x) if isinstance(x, np.ndarray) else x for x in make(a)]
    with pytest.raises(error, match=text):
        transpose(*arguments)
    with pytest.raises(error, match=text):
        TransposePlan(*arguments)


def test_gaps_are_refused(home):
    a = random_csr()
    gaps = home.put(np.repeat(a.indices, 2))[::2]
    with pytest.raises(ValueError, match=r"indices is int32 .*contiguous"):
        transpose(home.put(a.indptr), gaps, home.put(a.data), a.shape)


def test_values_of_a_plan_are_checked(home):
    a = random_csr()
    plan = TransposePlan(home.csr(a))
    with pytest.raises(ValueError, match=rf"data is float64 \[3\] on .*\[{a.nnz}\]"):
        plan(home.put(a.data[:3].copy()))
    with pytest.raises(TypeError, match=r"out is float32 .*data is float64"):
        plan(home.put(a.data), home.put(a.data.astype("float32")))
    if home.on_device:
        with pytest.raises(TypeError, match=r"data is float32 .*8 bytes"):
            plan(home.put(a.data.astype("float32")))
        with pytest.raises(ValueError, match="permutation=True"):
            _ = plan.permutation


@pytest.mark.parametrize("what", [[0, 1], "text", None, 3])
def test_what_is_no_matrix_is_refused(what):
    with pytest.raises(TypeError, match=type(what).__name__):
        transpose(what)


@pytest.mark.parametrize("dtype", ["object", ">f8", "datetime64[s]", "S4"])
def test_values_that_are_no_numbers_are_refused(dtype):
    a = random_csr()
    with pytest.raises(TypeError, match="2, 4 or 8 bytes"):
        transpose(a.indptr, a.indices, np.zeros(a.nnz, dtype), a.shape)
    with pytest.raises(TypeError, match="dtype is 'text'"):
        TransposePlan(a.indptr, a.indices, shape=a.shape, dtype="text")


def with_room(a, room=3):
    """The matrix with arrays that go on behind its last row, as SciPy allows."""
    made = scipy.sparse.csr_array(a.shape)
    made.indptr = a.indptr
    made.indices = np.append(a.indices, np.full(room, a.shape[1], a.indices.dtype))
    made.data = np.append(a.data, np.full(room, 7, a.data.dtype))
    return made


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


@pytest.mark.parametrize("index", ["int32", "int64"])
def test_pointers_that_do_not_end_with_the_entries_are_refused(index):
    a = random_csr(index=index)
    b = with_room(a)
    last = rf"runs from 0 to {a.nnz}; it must run from 0 to .*, {a.nnz + 3}"
    first = rf"runs from 1 to {a.nnz}; it must run from 0 to"
    broken = a.indptr.copy()
    broken[0] = 1
    for indptr, indices, data, text in (
        (b.indptr, b.indices, b.data, last),
        (broken, a.indices, a.data, first),
    ):
        for call in (transpose, TransposePlan):
            with pytest.raises(ValueError, match=text):
                call(indptr, indices, data, a.shape)
        with pytest.raises(ValueError, match=text):
            spmm((indptr, indices, data), np.ones((a.shape[1], 2)), shape=a.shape)
        with pytest.raises(ValueError, match=text):
            triangle_count((indptr, indices))


def test_other_formats_are_refused():
    with pytest.raises(TypeError, match=r"csc.*tocsr"):
        transpose(random_csr().tocsc())
    with pytest.raises(TypeError, match="indices is missing"):
        transpose(random_csr(), shape=(1, 2))


def test_the_package_is_the_installed_one():
    assert "site-packages" in sparserepro.__file__
