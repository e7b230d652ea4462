"""The kernels on the host, on arrays with DLPack or the buffer protocol. `sparserepro.kernels` has
the functions for users."""

from typing import Any

def transpose(
    indptr: Any,
    indices: Any,
    data: Any | None,
    cols: int,
    out_indptr: Any,
    out_indices: Any,
    out_data: Any | None,
    threads: int,
) -> None: ...
def empty(shape: list[int], kind: int, bits: int, device: int) -> Any: ...
def in_rows(array: Any) -> bool: ...
def validate(indptr: Any, indices: Any, cols: int) -> None: ...
def triangle_count(
    indptr: Any, indices: Any, of_vertex: Any | None, of_entry: Any | None, threads: int
) -> int: ...

class TransposePlan:
    def __init__(
        self,
        indptr: Any,
        indices: Any,
        cols: int,
        out_indptr: Any,
        out_indices: Any,
        threads: int,
        once: bool,
    ) -> None: ...
    def __call__(self, data: Any, out: Any) -> None: ...
    @property
    def permutation(self) -> Any: ...
    @property
    def workspace_bytes(self) -> int: ...

class SpmmPlan:
    def __init__(
        self,
        indptr: Any,
        indices: Any,
        data: Any,
        cols: int,
        k: int,
        transpose: bool,
        threads: int,
    ) -> None: ...
    def set_values(self, data: Any) -> None: ...
    def __call__(self, alpha: float, x: Any, beta: float, y: Any) -> None: ...
    @property
    def workspace_bytes(self) -> int: ...
