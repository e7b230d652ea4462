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
    with pytest.raises(ValueError, match=f"^threads is {2**31}; integers of 32 bits are taken$"):
        CALLS[name](threads=2**31)
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
