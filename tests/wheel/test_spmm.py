"""spmm and SpmmPlan against products by NumPy in fp64."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from homes import random_csr

from sparserepro import SpmmPlan, spmm

# Of one rounding of the answer; sums are in fp64 of fp64, else in fp32.
ROUNDING = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
SUMS = {"float64": 2.0**-53}


def matrix(dtype="float64", index="int32"):
    a = random_csr(index=index)
    a.data = (a.data / 1000).astype("float32" if dtype == "bfloat16" else dtype)
    return a


def arrays(home, dtype, *parts):
    """In the home, of `dtype`; NumPy and CuPy have no bfloat16."""
    if dtype != "bfloat16":
        return [home.put(x if x.dtype.kind == "i" else x.astype(dtype)) for x in parts]
    torch = pytest.importorskip("torch")
    if home.module != "torch":
        pytest.skip(f"{home.module} has no bfloat16")
    put = [home.put(x if x.dtype.kind == "i" else x.astype("float32")) for x in parts]
    return [x.to(torch.bfloat16) if x.is_floating_point() else x for x in put]


def in_fp64(home, array):
    if home.module == "torch":
        return home.get(array.double())
    return home.get(array).astype("float64")


def check(home, dtype, a, x, answer, transpose=False, alpha=1.0, beta=0.0, before=None):
    """Componentwise: sums of n products, scaled, and one rounding to the type."""
    dense = np.zeros(a.shape)
    magnitudes = np.zeros(a.shape)
    rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
    np.add.at(dense, (rows, a.indices), a.data.astype("float64"))
    np.add.at(magnitudes, (rows, a.indices), np.abs(a.data.astype("float64")))
    if transpose:
        dense, magnitudes = dense.T, magnitudes.T
    x64 = x.astype("float64")
    wanted = alpha * (dense @ x64)
    size = abs(alpha) * (magnitudes @ np.abs(x64))
    if beta:
        wanted, size = wanted + beta * before, size + np.abs(beta * before)
    terms = a.shape[0] + a.shape[1] + 4
    unit = SUMS.get(dtype, 2.0**-24)
    bound = (
        2 * terms * unit * size + 2 * ROUNDING[dtype] * np.abs(wanted) + 1e-7 * (dtype == "float16")
    )
    assert np.all(np.abs(in_fp64(home, answer) - wanted) <= bound)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("k", [None, 1, 2, 3, 8, 33])
@pytest.mark.parametrize("dtype", ROUNDING)
def test_products(home, dtype, k, transpose):
    a = matrix(dtype)
    rows, cols = a.shape[::-1] if transpose else a.shape
    x = np.random.default_rng(1).standard_normal((cols, k) if k else cols)
    indptr, indices, data, put_x = arrays(home, dtype, a.indptr, a.indices, a.data, x)
    x, a.data = in_fp64(home, put_x), in_fp64(home, data)
    answer = spmm((indptr, indices, data), put_x, transpose=transpose, shape=a.shape)
    assert tuple(answer.shape) == (rows, *x.shape[1:])
    assert answer.dtype == put_x.dtype
    check(home, dtype, a, x, answer, transpose)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_scalars_and_out(home, index, transpose):
    a = matrix(index=index)
    rows, cols = a.shape[::-1] if transpose else a.shape
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((cols, 5)), rng.standard_normal((rows, 5))
    for alpha, beta in ((1, 0), (-2.5, 0), (1, 1), (0.5, -3)):
        out = home.put(y.copy())
        assert spmm(home.csr(a), home.put(x), out, alpha, beta, transpose) is out
        check(home, "float64", a, x, out, transpose, alpha, beta, y)
    nothing = home.put(np.full((rows, 5), np.nan))
    check(home, "float64", a, x, spmm(home.csr(a), home.put(x), nothing, transpose=transpose),
          transpose)  # fmt: skip


@pytest.mark.parametrize("transpose", [False, True])
def test_layouts_give_the_same_bits(home, transpose):
    a = matrix()
    rows, cols = a.shape[::-1] if transpose else a.shape
    x = np.random.default_rng(3).standard_normal((cols, 6))
    plain = home.get(spmm(home.csr(a), home.put(x), transpose=transpose))
    columns = home.put(np.ascontiguousarray(x.T)).T
    wide = home.put(np.concatenate([x, x], axis=1))[:, :6]
    for other in (columns, wide):
        assert np.array_equal(home.get(spmm(home.csr(a), other, transpose=transpose)), plain)
    out = home.put(np.zeros((6, rows))).T
    assert spmm(home.csr(a), columns, out, transpose=transpose) is out
    assert np.array_equal(home.get(out), plain)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("k", [None, 1, 4])
def test_answers_in_memory_of_x_are_refused(home, k, transpose):
    a = random_csr(200, 200)
    x = home.put(np.ones((200, k) if k else 200))
    with pytest.raises(ValueError, match="Y and X share memory"):
        spmm(home.csr(a), x, out=x, transpose=transpose)
    assert np.array_equal(home.get(x), np.ones(x.shape))
    plan = SpmmPlan(home.csr(a), k or 1, transpose)
    for beta in (0, 1):
        with pytest.raises(ValueError, match="Y and X share memory"):
            plan(x, x, 1, beta)


def test_answers_in_memory_of_a_are_refused(home):
    a = random_csr(200, 200)
    indptr, indices, data = map(home.put, (a.indptr, a.indices, a.data))
    x = home.put(np.ones(200))
    with pytest.raises(ValueError, match="Y and values of A share memory"):
        spmm((indptr, indices, data), x, data[:200], shape=a.shape)
    assert np.array_equal(home.get(data), a.data)


def test_x_and_out_may_be_columns_of_one_array(home):
    a = random_csr(200, 200)
    x = np.random.default_rng(6).standard_normal((200, 4))
    wanted = home.get(spmm(home.csr(a), home.put(x)))
    both = home.put(np.concatenate([x, 0 * x], axis=1))
    spmm(home.csr(a), both[:, :4], both[:, 4:])
    assert np.array_equal(home.get(both), np.concatenate([x, wanted], axis=1))
    with pytest.raises(ValueError, match="Y and X share memory"):
        spmm(home.csr(a), both[:, :4], both[:, 2:6])


def test_other_strides_are_refused(home):
    x = home.put(np.zeros((200, 12)))[:, ::2]
    with pytest.raises(ValueError, match="200 x 6 with strides 12 and 2"):
        spmm(home.csr(matrix()), x)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_plan_takes_new_values(home, dtype, transpose):
    a = matrix(dtype)
    plan = SpmmPlan(home.csr(a), 4, transpose)
    assert plan.shape == (a.shape[::-1] if transpose else a.shape)
    assert plan.workspace_bytes >= 0
    x = np.random.default_rng(4).standard_normal((plan.shape[1], 4)).astype(dtype)
    check(home, dtype, a, x, plan(home.put(x)), transpose)
    for step in (1, 2):
        a.data = (a.data * -1.5 + step).astype(dtype)
        plan.set_values(home.put(a.data))
        check(home, dtype, a, x, plan(home.put(x)), transpose)


def test_plan_keeps_its_matrix_alive(home):
    a = matrix()
    x = np.random.default_rng(5).standard_normal((200, 2))
    plan = SpmmPlan((home.put(a.indptr), home.put(a.indices), home.put(a.data)), 2, shape=a.shape)
    wanted = home.get(plan(home.put(x)))
    others = [home.put(np.full(a.nnz, 7.0)) for _ in range(20)]
    assert np.array_equal(home.get(plan(home.put(x))), wanted)
    assert len(others) == 20


def test_threads_may_call_one_plan_at_once():
    a = matrix()
    plan = SpmmPlan(a, 3)
    xs = [np.random.default_rng(n).standard_normal((200, 3)) for n in range(40)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(plan, xs))
    for x, answer in zip(xs, answers, strict=True):
        assert np.array_equal(answer, spmm(a, x))


WRONG = {
    "rows": (lambda x: x[:7].copy(), {}, ValueError, r"X is float64 \[7, 3\] on .*\[300, 200\]"),
    "extents": (
        lambda x: x[None],
        {},
        ValueError,
        r"X is float64 \[1, 200, 3\] .*one extent or two",
    ),
    "dtype": (lambda x: x.astype("float32"), {}, TypeError, r"X is float32 .*float64 \[\d+\]"),
    "beta": (lambda x: x, {"beta": 2}, ValueError, "beta is 2.*out is missing"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(home, name):
    change, more, error, text = WRONG[name]
    with pytest.raises(error, match=text):
        spmm(home.csr(matrix()), home.put(change(np.ones((200, 3)))), **more)


def test_what_is_no_array_is_refused():
    with pytest.raises(TypeError, match=r"X is a builtins.list"):
        spmm(matrix(), [1.0] * 200)


def test_wrong_answers_and_matrices(home):
    a, x = home.csr(matrix()), home.put(np.ones((200, 3)))
    with pytest.raises(ValueError, match=r"out is float64 \[200, 3\].*\[300, 3\]"):
        spmm(a, x, home.put(np.ones((200, 3))))
    with pytest.raises(TypeError, match="out is float32"):
        spmm(a, x, home.put(np.ones((300, 3), "float32")))
    b = matrix()
    with pytest.raises(TypeError, match="pattern"):
        spmm((home.put(b.indptr), home.put(b.indices)), x, shape=b.shape)
    with pytest.raises(TypeError, match=r"data is int32 .*float64, float32, float16 or bfloat16"):
        spmm((home.put(b.indptr), home.put(b.indices), home.put(b.data.astype("int32"))), x,
             shape=b.shape)  # fmt: skip
    with pytest.raises(TypeError, match=r"float32 .*the plan is of float64"):
        SpmmPlan(a, 3).set_values(home.put(b.data.astype("float32")))


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (3, 0), (3, 4)])
@pytest.mark.parametrize("transpose", [False, True])
def test_no_entries(home, shape, transpose):
    indptr = np.zeros(shape[0] + 1, np.int32)
    empty = (home.put(indptr), home.put(np.zeros(0, np.int32)), home.put(np.zeros(0)))
    rows, cols = shape[::-1] if transpose else shape
    answer = spmm(empty, home.put(np.ones((cols, 2))), transpose=transpose, shape=shape)
    assert np.array_equal(home.get(answer), np.zeros((rows, 2)))
