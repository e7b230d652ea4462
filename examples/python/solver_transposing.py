"""A Gauss-Newton solver that needs the transpose of a Jacobian with new values in each step.

Least squares of F(x) = A sin(x) - b: the Jacobian is A diag(cos(x)), whose pattern stays. A step
solves min |J d + F| by conjugate gradients on the normal equations (CGLS; Paige and Saunders, ACM
TOMS 8, 1982), which multiplies by J and by J^T in CSR. The users' way is J.T.tocsr() in each step,
of CuPy on a device and of SciPy on the host; ours moves the values by a plan.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from measuring import arguments, record, rounded, show, side_by_side

import sparserepro

STEPS, INNER = 6, 10


def problem(unknowns: int, equations: int, per_row: int) -> tuple[scipy.sparse.csr_matrix, Any]:
    """A, and the solution, small enough for the solver to find it from 0."""
    rng = np.random.default_rng(0)
    columns = rng.integers(0, unknowns, (equations, per_row), dtype=np.int32)
    columns[:, 0] = np.arange(equations) % unknowns
    columns.sort(axis=1)
    values = rng.standard_normal((equations, per_row))
    indptr = np.arange(0, equations * per_row + 1, per_row, dtype=np.int32)
    a = scipy.sparse.csr_matrix(
        (values.ravel(), columns.ravel(), indptr), shape=(equations, unknowns)
    )
    a.sum_duplicates()
    return a, 0.5 * rng.uniform(-1, 1, unknowns)


def cgls(j: Any, jt: Any, right: Any) -> Any:
    """Some steps towards min |j d - right|."""
    d, residual = 0.0, right
    gradient = jt @ residual
    direction, size = gradient, gradient @ gradient
    for _ in range(INNER):
        along = j @ direction
        step = size / (along @ along)
        d = d + step * direction
        residual = residual - step * along
        gradient = jt @ residual
        before, size = size, gradient @ gradient
        direction = gradient + (size / before) * direction
    return d


class Solver:
    """Gauss-Newton from x = 0; `transposed` gives J^T of the Jacobian."""

    def __init__(self, xp: Any, a: Any, b: Any, transposed: Callable[[Any], Any]) -> None:
        self.xp, self.a, self.b, self.transposed = xp, a, b, transposed

    def solve(self) -> Any:
        x = self.xp.zeros(self.a.shape[1])
        j = self.a.copy()
        for _ in range(STEPS):
            j.data = self.a.data * self.xp.cos(x)[self.a.indices]
            x = x - cgls(j, self.transposed(j), self.a @ self.xp.sin(x) - self.b)
        return x


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--unknowns", type=int, default=50_000)
    parser.add_argument("--equations", type=int, default=200_000)
    parser.add_argument("--per-row", type=int, default=10)
    options = parser.parse_args()
    a, solution = problem(options.unknowns, options.equations, options.per_row)
    xp: Any = np
    synchronize: Callable[[], None] = lambda: None  # noqa: E731
    library = "SciPy's J.T.tocsr()"
    if options.device == "cuda":
        import cupy
        import cupyx.scipy.sparse

        xp, library = cupy, "CuPy's J.T.tocsr()"
        a, solution = cupyx.scipy.sparse.csr_matrix(a), cupy.asarray(solution)
        synchronize = cupy.cuda.get_current_stream().synchronize
    b = a @ xp.sin(solution)
    synchronize()
    begin = time.perf_counter()
    plan = sparserepro.TransposePlan(a)
    synchronize()
    preparation = {"the plan, once": [rounded(1e3 * (time.perf_counter() - begin))]}

    transposers = {
        "sparserepro, a plan": lambda j: plan.matrix(j.data),
        "sparserepro, without a plan": sparserepro.transpose,
        library: lambda j: j.T.tocsr(),
    }
    solvers = {name: Solver(xp, a, b, way) for name, way in transposers.items()}
    for name, solver in solvers.items():
        error = float(xp.abs(solver.solve() - solution).max())
        assert error < 1e-4, f"{name}: error {error}"

    calls = {name: lambda way=way: way(a) for name, way in transposers.items()}
    alone = side_by_side(calls, options.samples, synchronize)
    whole = side_by_side(
        {name: solver.solve for name, solver in solvers.items()},
        max(3, options.samples // 3),
        synchronize,
    )
    sizes = {"equations": a.shape[0], "unknowns": a.shape[1], "entries": int(a.nnz)}
    print(", ".join(f"{size} {name}" for name, size in sizes.items()))
    show("preparation", preparation)
    show("one transposition with new values", alone)
    show(f"the solver, {STEPS} steps", whole)
    times = {"preparation": preparation, "transposition": alone, "solver": whole}
    record(options, "solver_transposing", sizes, times)


if __name__ == "__main__":
    main()
