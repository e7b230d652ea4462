"""Arguments that are of no use: broken index arrays that `check` finds, numbers that are no
integers or too large, masked arrays, vertices beyond the limit."""

import numpy as np
import pytest

from sparserepro import (
    SpmmPlan,
    TransposePlan,
    edge_support,
    spmm,
    transpose,
    triangle_count,
)
from sparserepro.adapters import graphs

ARRAYS = (np.array([0, 1, 2]), np.array([0, 2]), np.array([1.0, 2.0]))
SQUARE = (np.array([0, 1, 2]), np.array([1, 0]))
X = np.ones((3, 8))


def plan(k=8, **options):
    return SpmmPlan(ARRAYS, k, shape=(2, 3), **options)


@pytest.mark.parametrize("column", [-1, 3, 7])
def test_check_finds_a_column_out_of_range(column):
    arrays = (ARRAYS[0], np.array([0, column]), ARRAYS[2])
    for call in (
        lambda: spmm(arrays, X, shape=(2, 3), check=True),
        lambda: SpmmPlan(arrays, 8, shape=(2, 3), check=True),
        lambda: SpmmPlan(arrays, 8, True, shape=(2, 3), check=True),
    ):
        with pytest.raises(ValueError, match=str(column)):
            call()


def test_check_of_right_arrays_changes_nothing():
    assert np.array_equal(spmm(ARRAYS, X, shape=(2, 3), check=True), spmm(ARRAYS, X, shape=(2, 3)))


CALLS = {
    "spmm": lambda **given: spmm(ARRAYS, X, shape=(2, 3), **given),
    "SpmmPlan": plan,
    "transpose": lambda **given: transpose(*ARRAYS, (2, 3), **given),
    "TransposePlan": lambda **given: TransposePlan(*ARRAYS, (2, 3), **given),
    "triangle_count": lambda **given: triangle_count(SQUARE, **given),
    "edge_support": lambda **given: edge_support(SQUARE, **given),
}


@pytest.mark.parametrize("name", CALLS)
def test_threads_are_integers(name):
    for value, kind in ((1.5, "builtins.float"), ("2", "builtins.str"), (None, "NoneType")):
        with pytest.raises(TypeError, match=rf"^threads is of .*{kind}; it must be an integer$"):
            CALLS[name](threads=value)
    for value in (
        -1,
        2**31 - 1,
        2**31,
        -(2**31) - 1,
        2**63 - 1,
    ):
        with pytest.raises(ValueError, match=rf"^threads is {value}; it must be from 0 to \d+$"):
            CALLS[name](threads=value)
    CALLS[name](threads=np.int64(1))


@pytest.mark.parametrize(
    ("k", "error", "words"),
    [
        (8.0, TypeError, "k is of builtins.float; it must be an integer"),
        (2**64, ValueError, f"k is {2**64}; integers of 64 bits are taken"),
        (-(2**64), ValueError, "integers of 64 bits are taken"),
    ],
)
def test_k_is_an_integer(k, error, words):
    with pytest.raises(error, match=words):
        plan(k)
    assert plan(np.int32(8))(X).shape == (2, 8)


def test_a_shape_is_a_pair():
    for call in (lambda s: transpose(*ARRAYS, s), lambda s: spmm(ARRAYS, X, shape=s)):
        for shape in ((2,), (2, 3, 4), ()):
            with pytest.raises(ValueError, match=r"^shape is \(.*\); it is \(rows, columns\)$"):
                call(shape)
        with pytest.raises(TypeError, match=r"^shape is 5; it is \(rows, columns\)$"):
            call(5)


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_factors_are_real_numbers(name):
    out = np.zeros((2, 8))
    for value in ("2", b"2", None, 1j, np.ones(2), [1.0]):
        with pytest.raises(TypeError, match=rf"^{name} is of .*; it must be a real number$"):
            spmm(ARRAYS, X, out, shape=(2, 3), **{name: value})
    with pytest.raises(ValueError, match=rf"^{name} is an integer beyond the range of float64$"):
        spmm(ARRAYS, X, out, shape=(2, 3), **{name: 10**400})
    for value in (2, np.float32(2), np.int8(2), np.array(2.0)):
        spmm(ARRAYS, X, out, shape=(2, 3), **{name: value})


def test_the_type_of_values_to_come_is_a_name():
    for value in (np.float64, np.dtype("float32"), 8):
        with pytest.raises(TypeError, match=r"^dtype is .*; it is the name of a type"):
            TransposePlan(*ARRAYS[:2], None, (2, 3), dtype=value)


def test_bfloat16_of_numpy_is_refused_with_the_reason():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    values, x = ARRAYS[2].astype(bfloat16), X.astype(bfloat16)
    for call in (
        lambda: transpose(*ARRAYS[:2], values, (2, 3)),
        lambda: spmm((*ARRAYS[:2], values), x, shape=(2, 3)),
        lambda: TransposePlan(*ARRAYS[:2], None, (2, 3))(values),
    ):
        with pytest.raises(TypeError, match=r"^data is bfloat16 \[2\] on the host, of a package"):
            call()


def test_a_graph_has_row_pointers():
    none = np.zeros(0, np.int64)
    for call in (triangle_count, edge_support):
        with pytest.raises(ValueError, match=r"^indptr is int64 \[0\] .*one extent, of 1 or more"):
            call((none, none))
    with pytest.raises(ValueError, match=r"^num_vertices is -1; it must not be negative"):
        graphs.adjacency(np.zeros((0, 2), np.int64), -1)


def test_extents_are_integers():
    with pytest.raises(TypeError, match=r"shape\[0\] is of builtins.float"):
        transpose(*ARRAYS, (2.0, 3))
    with pytest.raises(ValueError, match=r"shape\[1\] is .*integers of 64 bits"):
        transpose(*ARRAYS, (2, 2**70))
    assert np.array_equal(spmm(ARRAYS, X, shape=(2, 3), transpose=np.bool_(False)), plan()(X))


@pytest.mark.parametrize("place", range(3))
def test_masked_arrays_are_refused(place):
    masked = list(ARRAYS)
    masked[place] = np.ma.masked_array(masked[place], [True, False, False][: len(masked[place])])
    name = ("indptr", "indices", "data")[place]
    for call in (
        lambda: transpose(*masked, (2, 3)),
        lambda: spmm(tuple(masked), X, shape=(2, 3)),
        lambda: TransposePlan(*ARRAYS, (2, 3))(np.ma.masked_array(ARRAYS[2])),
    ):
        with pytest.raises(TypeError, match="is a masked array, whose mask"):
            call()
    with pytest.raises(TypeError, match=f"^{name} is a masked array"):
        transpose(*masked, (2, 3))
    with pytest.raises(TypeError, match=r"^X is a masked array"):
        spmm(ARRAYS, np.ma.masked_array(X), shape=(2, 3))
    with pytest.raises(TypeError, match=r"^out is a masked array"):
        plan()(X, np.ma.masked_array(np.zeros((2, 8))))
    with pytest.raises(TypeError, match=r"^edges is a masked array"):
        graphs.adjacency(np.ma.masked_array([[0, 1]]))


@pytest.mark.parametrize("count", [None, 2**41])
def test_vertices_beyond_the_limit_are_refused_before_they_are_narrowed(count):
    for call in (graphs.adjacency, graphs.count_triangles, graphs.triangles):
        with pytest.raises(ValueError, match=r"vertices; at most 2147483647 are taken"):
            call(np.array([[0, 2**40]]), count)
    with pytest.raises(TypeError, match=r"num_vertices is of builtins.float"):
        graphs.adjacency(np.array([[0, 1]]), 2.0)
