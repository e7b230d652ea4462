"""Arrays of any other library that has DLPack, `shape` and `dtype`, as those of JAX do.

Answers lie in memory of this package, which the library's own `from_dlpack` takes in place. On a
device the work goes to the legacy default stream, which DLPack's protocol orders behind the arrays'
own streams, and each call waits for its end: this package knows neither the library's allocator nor
its streams.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from sparserepro.kernels.frameworks import HOST, Framework, dtype_of
from sparserepro.kernels.native import module_for

ON_HOST, ON_CUDA = 1, 2
"""Kinds of devices in DLPack."""
KINDS = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5}
"""Kinds of numbers in DLPack."""
LEGACY_DEFAULT_STREAM = 1
"""In DLPack's numbering."""


class Memory:
    """An array in memory of this package, on the host or on a device: an answer of a kernel. It has
    DLPack, `shape` and `dtype`."""

    def __init__(
        self, native: Any, shape: tuple[int, ...], dtype: str, framework: Exchange
    ) -> None:
        self.native, self.shape, self.dtype, self.framework = native, shape, dtype, framework

    def __dlpack__(self, **options: Any) -> Any:
        return self.native.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.native.__dlpack_device__()
        return device


class Exchange(Framework):
    """A library that is known by its arrays alone."""

    def __init__(self, name: str, from_dlpack: Callable[[Any], Any] | None) -> None:
        self.name = name
        self._from_dlpack = from_dlpack

    def device(self, array: Any) -> int:
        kind, number = array.__dlpack_device__()
        if kind not in (ON_HOST, ON_CUDA):
            raise TypeError(
                f"an array of {self.name} on a device of DLPack's kind {int(kind)}; "
                "arrays are on the host or on CUDA"
            )
        return HOST if kind == ON_HOST else int(number)

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> Any:
        match = re.fullmatch(r"([a-z]+)(\d+)", dtype)
        if match is None or match[1] not in KINDS:
            raise TypeError(f"an array of {dtype} of {self.name}")
        native = module_for(device).empty(list(shape), KINDS[match[1]], int(match[2]), device)
        return Memory(native, shape, dtype, self)

    def exported(self, array: Any) -> Any:
        if isinstance(array, Memory):
            return array.native
        if self.device(array) == HOST:
            return array
        return array.__dlpack__(stream=LEGACY_DEFAULT_STREAM)

    def taken(self, array: Any) -> Any:
        return array if self._from_dlpack is None else self._from_dlpack(array)

    def given_back(self, array: Any) -> Any:
        return self.taken(array) if isinstance(array, Memory) else array

    def number(self, array: Any) -> int:
        return int(module_for(self.device(array)).first(self.exported(array)))

    def last(self, array: Any) -> int:
        # JAX takes a hundred times as long for an element of its array.
        on_host = self.device(array) == HOST
        return int((np.from_dlpack(array) if on_host else array)[-1])

    def in_rows(self, array: Any) -> bool:
        return bool(module_for(self.device(array)).in_rows(self.exported(array)))

    def writable(self, array: Any) -> bool:
        return isinstance(array, Memory)

    def current(self, device: int) -> AbstractContextManager[Any]:
        return nullcontext() if device == HOST else _finished(device)


@contextmanager
def _finished(device: int) -> Iterator[None]:
    try:
        yield
    finally:
        module_for(device).synchronize(device)


_libraries: dict[type, Exchange] = {}


def exchange_of(array: Any) -> Exchange | None:
    """Whose the array is; None where it has no DLPack, shape or dtype."""
    if isinstance(array, Memory):
        return array.framework
    if not all(hasattr(array, name) for name in ("__dlpack__", "__dlpack_device__", "shape")):
        return None
    if not hasattr(array, "dtype") or not re.fullmatch(r"[a-z]+\d*", dtype_of(array)):
        return None
    kind = type(array)
    if kind not in _libraries:
        _libraries[kind] = Exchange(f"{kind.__module__}.{kind.__qualname__}", _importer(array))
    return _libraries[kind]


def _importer(array: Any) -> Callable[[Any], Any] | None:
    """The library's from_dlpack: of its array API, else of the package that defines the class."""
    places = [sys.modules.get(type(array).__module__.partition(".")[0])]
    if hasattr(array, "__array_namespace__"):
        places.insert(0, array.__array_namespace__())
    for place in places:
        importer: Callable[[Any], Any] | None = getattr(place, "from_dlpack", None)
        if importer is not None:
            return importer
    return None
