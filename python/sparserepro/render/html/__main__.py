"""Writes report.html from a table of cells."""

import sys

from sparserepro import program
from sparserepro.render.html.page import main

if __name__ == "__main__":
    sys.exit(program.run(main))
