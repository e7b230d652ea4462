"""Where the project's own files lie: its text, its lists and its schemas; folders of options."""

import argparse
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""
REPORT = ROOT / "report"
SCHEMAS = ROOT / "workflow" / "schemas"
MATRIX_LIST = ROOT / "config" / "matrices.yaml"
MEASUREMENTS = REPORT / "measurements"


def folder(text: str) -> str:
    """The type of an option that names a folder."""
    path = Path(text).expanduser()
    if not text or not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return str(path)
