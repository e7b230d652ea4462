"""The Python packages of the workflow, for a machine that is to run all of it."""

import subprocess
import sys
from pathlib import Path

from sparserepro.bundle.errors import BundleError
from sparserepro.offline.packing import Member

# connection-pool is published as a source archive only; the others make its wheel.
DOWNLOADS = (
    ("--require-hashes", "--no-binary", "connection-pool", "-r", "requirements.txt"),
    ("setuptools", "wheel"),
)


def members(root: Path, folder: Path) -> list[Member]:
    """Downloads the packages for this version of Python into the folder. Raises BundleError."""
    for wanted in DOWNLOADS:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--disable-pip-version-check",
            "--quiet",
        ]
        line = [*command, "--only-binary", ":all:", "--dest", str(folder), *wanted]
        done = subprocess.run(line, cwd=root, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            end = "\n".join(f"  {text}" for text in done.stderr.splitlines()[-5:])
            raise BundleError(f"pip download failed:\n{end}")
    return [Member(f"wheels/{path.name}", path) for path in sorted(folder.iterdir())]
