"""Python of the pipeline, and the command `sparserepro`. `load_cells` gives the measured cells."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparserepro.data.cells import load_cells

__all__ = ["load_cells"]


def __getattr__(name: str) -> Any:
    """Loads pandas when somebody asks for it: the pipeline's jobs do without."""
    if name == "load_cells":
        from sparserepro.data.cells import load_cells

        return load_cells
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
