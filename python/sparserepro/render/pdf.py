"""Runs latexmk on a document of report/ and refuses a PDF that is not clean.

The PDF depends on its inputs alone: the date in it is the start of the newest record. The build
fails on undefined references or citations, labels that are defined twice, and boxes that overrun
the text by more than a point.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from sparserepro import program
from sparserepro.paths import REPORT

OVERFULL_PT = 1.0


def epoch_of(cells: Path) -> int:
    """Start of the newest record in seconds since 1970."""
    newest = pd.read_parquet(cells, columns=["started_utc"])["started_utc"].max()
    parsed = datetime.strptime(newest, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    return int(parsed.timestamp())


def complaints(log: str) -> list[str]:
    """What is wrong according to the log of the last LaTeX run."""
    joined = unwrap(log)
    found = re.findall(
        r"(?:LaTeX|Package \w+) Warning: ((?:Reference|Citation) .*? undefined)", joined
    )
    found += re.findall(r"LaTeX Warning: (Label .*? multiply defined)", joined)
    for match in re.finditer(
        r"Overfull \\([hv])box \(([\d.]+)pt too (?:wide|high)\)[^\n]*", joined
    ):
        if float(match[2]) > OVERFULL_PT:
            found.append(match[0])
    found += re.findall(r"LaTeX Warning: (Float too large for page by .*?pt)", joined)
    found += re.findall(r"Missing character: There is no .*", joined)
    return list(dict.fromkeys(found))


def unwrap(log: str) -> str:
    """Joins the lines that TeX breaks after 79 characters."""
    return re.sub(r"(?<=^.{79})\n", "", log, flags=re.MULTILINE)


def environment(epoch: int, generated: Path) -> dict[str, str]:
    """Search paths of TeX and BibTeX, and a fixed date; long log lines keep messages whole."""
    search = os.pathsep.join([str(REPORT), str(generated), str(generated / "figures"), ""])
    return os.environ | {
        "SOURCE_DATE_EPOCH": str(epoch),
        "FORCE_SOURCE_DATE": "1",
        "TZ": "UTC",
        "TEXINPUTS": search,
        "BIBINPUTS": search,
        "max_print_line": "2000",
    }


def first_error(log: str) -> str:
    lines = log.splitlines()
    for number, line in enumerate(lines):
        if re.match(r"(?:!|.*\.tex:\d+:)", line):
            return "\n".join(lines[number : number + 6])
    return "\n".join(lines[-20:])


def build(cells: Path, generated: Path, out: Path) -> list[str]:
    """Builds `out` from the document of its name; returns what is wrong with it (then `out` is not
    written)."""
    work = (generated / "latex").resolve()
    work.mkdir(parents=True, exist_ok=True)
    command = ["latexmk", "-pdf", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error",
               "-silent", "-latexoption=-no-shell-escape",
               f"-outdir={work}", f"{out.stem}.tex"]  # fmt: skip
    run = subprocess.run(
        command,
        cwd=REPORT,
        env=environment(epoch_of(cells), generated.resolve()),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        preexec_fn=program.ending_with_us(),
    )
    log_file = work / f"{out.stem}.log"
    log = log_file.read_text(errors="replace") if log_file.exists() else run.stdout + run.stderr
    if run.returncode:
        return [first_error(log)]
    found = complaints(log)
    if not found:
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(work / out.name, out)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=Path, required=True, help="cells.parquet (for the date)")
    parser.add_argument(
        "--generated", type=Path, required=True, help="folder of what the document includes"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="the PDF: report.pdf is made of report.tex"
    )
    args = parser.parse_args()
    found = build(args.cells, args.generated, args.out)
    for complaint in found:
        print(f"{args.out.stem}: {complaint}", file=sys.stderr)
    if found:
        print(f"see {args.generated}/latex/{args.out.stem}.log", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(program.run(main))
