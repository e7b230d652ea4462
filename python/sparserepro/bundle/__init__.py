"""Bundles: what a machine without a network needs to measure, and the results that come back."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
"""Of the checkout."""

# The scripts of the workflow, which these modules import, are no package.
sys.path.append(str(ROOT / "workflow" / "scripts"))
