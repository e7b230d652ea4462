#!/usr/bin/env python3
"""The command `./measure` of a bundle: Python 3.9 or newer and nothing else; --help says more."""

import sys
from pathlib import Path

BUNDLE = Path(__file__).resolve().parent


def main() -> int:
    if sys.version_info < (3, 9):  # noqa: UP036  # that is what is to be found out
        print(f"measure: Python 3.9 or newer is needed; {sys.executable} is older", file=sys.stderr)
        return 1
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(BUNDLE / "sources/python"))
    from sparserepro.offline.measure import main as measure

    return measure(BUNDLE)


if __name__ == "__main__":
    sys.exit(main())
