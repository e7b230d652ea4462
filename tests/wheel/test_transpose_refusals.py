"""What transpose and TransposePlan refuse, and what they say of it."""

import numpy as np
import pytest
from homes import random_csr, with_room

from sparserepro import TransposePlan, spmm, transpose, triangle_count


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
