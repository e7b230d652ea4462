"""Where the project's own files lie: its text, its lists and its schemas."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""
REPORT = ROOT / "report"
SCHEMAS = ROOT / "workflow" / "schemas"
MATRIX_LIST = ROOT / "config" / "matrices.yaml"
MEASUREMENTS = REPORT / "measurements"
