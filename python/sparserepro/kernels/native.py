"""The extension modules, loaded when they are needed."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from sparserepro.kernels.frameworks import HOST


def module_for(device: int) -> Any:
    """sparserepro._host or sparserepro._cuda. ImportError that says how it is built."""
    name = "_host" if device == HOST else "_cuda"
    try:
        return importlib.import_module(f"sparserepro.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"sparserepro.{name}":
            raise
        how = "" if device == HOST else " -C cmake.define.SPARSEREPRO_CUDA=ON"
        raise ImportError(
            f"sparserepro.{name} is not built here: pip install{how} CHECKOUT builds it"
        ) from None


def has_cuda() -> bool:
    """Whether this installation has the kernels for CUDA devices. No device need be there."""
    return importlib.util.find_spec("sparserepro._cuda") is not None
