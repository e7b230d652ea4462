"""What the kernels need of NumPy, CuPy and PyTorch: memory, the current stream, DLPack. Arrays of
other libraries are those of exchange.py.

No framework is imported that the caller has not imported: an array tells whose it is.
"""

from __future__ import annotations

import operator
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

HOST = -1
"""The number of the host among the devices."""


class Framework:
    """NumPy, and what the others share with it."""

    name = "NumPy"

    def device(self, array: Any) -> int:
        """The number of the CUDA device that holds the array, or HOST."""
        return HOST

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> Any:
        """An array in rows, whose elements are not set; on a device, of the current stream."""
        return np.empty(shape, dtype)

    def exported(self, array: Any) -> Any:
        """What the extension modules read in place: an object with DLPack or a capsule."""
        return array

    def taken(self, array: Any) -> Any:
        """An array of this framework on memory of an extension module."""
        return np.from_dlpack(array)

    def not_to_be_written(self, array: Any) -> Any:
        """Likewise, on memory that an extension module goes on reading and has marked read-only."""
        return self.taken(array)

    def given_back(self, array: Any) -> Any:
        """What the caller gets for an array of `empty`, once it is filled."""
        return array

    def number(self, array: Any) -> int:
        """The first element of an array of `empty`."""
        return int(array[0])

    def last(self, array: Any) -> int:
        """The last element of the caller's array of integers; on a device it waits."""
        return int(array[-1])

    def in_rows(self, array: Any) -> bool:
        return bool(array.flags.c_contiguous)

    def writable(self, array: Any) -> bool:
        return bool(array.flags.writeable)

    def stream(self, device: int) -> int:
        """The current stream, as CUDA's own pointer."""
        return 0

    def current(self, device: int) -> AbstractContextManager[Any]:
        """A block in which `device` is the current one."""
        return nullcontext()

    def used_on_current_stream(self, memory: Any) -> None:
        """Has memory of another stream wait for the current one before it is given to others."""


class CuPy(Framework):
    name = "CuPy"

    def device(self, array: Any) -> int:
        return int(array.device.id)

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> Any:
        with self.current(device):
            return sys.modules["cupy"].empty(shape, dtype)

    def exported(self, array: Any) -> Any:
        return array.__dlpack__(stream=-1)  # the work is queued on the array's own stream

    def taken(self, array: Any) -> Any:
        return sys.modules["cupy"].from_dlpack(array)

    def writable(self, array: Any) -> bool:
        return True

    def stream(self, device: int) -> int:
        with self.current(device):  # each device has a current stream of its own
            return int(sys.modules["cupy"].cuda.get_current_stream().ptr)

    def current(self, device: int) -> AbstractContextManager[Any]:
        context: AbstractContextManager[Any] = sys.modules["cupy"].cuda.Device(device)
        return context


class PyTorch(Framework):
    name = "PyTorch"

    def device(self, array: Any) -> int:
        kind = array.device.type
        if kind not in ("cpu", "cuda"):
            raise TypeError(f"a tensor on {array.device}; tensors are on the host or on CUDA")
        return HOST if kind == "cpu" else int(array.device.index)

    def empty(self, shape: tuple[int, ...], dtype: str, device: int) -> Any:
        torch = sys.modules["torch"]
        where = "cpu" if device == HOST else f"cuda:{device}"
        return torch.empty(shape, dtype=getattr(torch, dtype), device=where)

    def exported(self, array: Any) -> Any:
        stream = None if self.device(array) == HOST else -1
        return array.detach().__dlpack__(stream=stream)

    def taken(self, array: Any) -> Any:
        return sys.modules["torch"].from_dlpack(array)

    def not_to_be_written(self, array: Any) -> Any:
        # A copy: there are no read-only tensors.
        return sys.modules["torch"].from_numpy(np.from_dlpack(array).copy())

    def in_rows(self, array: Any) -> bool:
        return bool(array.is_contiguous())

    def writable(self, array: Any) -> bool:
        return True

    def stream(self, device: int) -> int:
        return 0 if device == HOST else int(_stream(device).cuda_stream)

    def current(self, device: int) -> AbstractContextManager[Any]:
        if device == HOST:
            return nullcontext()
        context: AbstractContextManager[Any] = sys.modules["torch"].cuda.device(device)
        return context

    def used_on_current_stream(self, memory: Any) -> None:
        device = self.device(memory)
        if device != HOST:
            memory.record_stream(_stream(device))


def _stream(device: int) -> Any:
    return sys.modules["torch"].cuda.current_stream(device)


NUMPY, CUPY, TORCH = Framework(), CuPy(), PyTorch()


def framework_of(name: str, array: Any) -> Framework:
    """Whose the array `name` is. TypeError where it is nobody's."""
    if isinstance(array, np.ndarray):
        if isinstance(array, np.ma.MaskedArray):
            raise TypeError(f"{name} is a masked array, whose mask the kernels know nothing of")
        return NUMPY
    for framework, module, kind in ((CUPY, "cupy", "ndarray"), (TORCH, "torch", "Tensor")):
        if module in sys.modules and isinstance(array, getattr(sys.modules[module], kind)):
            return framework
    from sparserepro.kernels.exchange import exchange_of

    if (other := exchange_of(array)) is not None:
        return other
    raise TypeError(
        f"{name} is a {type(array).__module__}.{type(array).__qualname__}; the kernels take "
        "arrays of NumPy and CuPy, tensors of PyTorch, and others with DLPack, shape and dtype"
    )


def integer(name: str, value: Any) -> int:
    """TypeError unless it is an integer, ValueError unless 64 bits hold it."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is of {kind_of(value)}; it must be an integer") from None
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{name} is {number}; integers of 64 bits are taken")
    return number


def real(name: str, value: Any) -> float:
    """TypeError unless it is a real number, ValueError where no float64 holds it."""
    try:
        if isinstance(value, str | bytes | bytearray):
            raise TypeError
        return float(value)
    except TypeError:
        raise TypeError(f"{name} is of {kind_of(value)}; it must be a real number") from None
    except OverflowError:
        raise ValueError(f"{name} is an integer beyond the range of float64") from None


def kind_of(value: Any) -> str:
    """The full name of its class."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def dtype_of(array: Any) -> str:
    """ "int32", "float64", "bfloat16", ..."""
    return str(array.dtype).rpartition(".")[2]


def described(array: Any) -> str:
    """For messages: "float32 [3, 4] on cuda:0"."""
    device = framework_of("it", array).device(array)
    place = "the host" if device == HOST else f"cuda:{device}"
    return f"{dtype_of(array)} {list(array.shape)} on {place}"
