"""The command `sparserepro`; `python -m sparserepro` is the same."""

import sys

from sparserepro.cli import main

if __name__ == "__main__":
    sys.exit(main())
