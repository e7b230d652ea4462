"""Writes report.html from a table of cells."""

import sys

from sparserepro.render.html.page import main

if __name__ == "__main__":
    sys.exit(main())
