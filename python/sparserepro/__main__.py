"""The command `sparserepro`; `python -m sparserepro` is the same."""

import sys

from sparserepro import program
from sparserepro.cli import main

if __name__ == "__main__":
    sys.exit(program.run(main))
