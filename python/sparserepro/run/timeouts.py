"""Jobs that were ended because they took longer than `job_limit_s`: NAME.timeout beside the file of
records, which then has none."""

import json
from collections.abc import Iterable
from pathlib import Path

from sparserepro import program
from sparserepro.config.grid import Job


def beside(records: Path) -> Path:
    return records.with_suffix(".timeout")


def write(path: Path, job: Job, limit_s: float) -> None:
    facts = {
        "status": "timeout",
        "problem": job.problem,
        "matrix": job.matrix,
        "job": job.name,
        "limit_s": limit_s,
    }
    path.write_text(json.dumps(facts) + "\n")


def summary(files: Iterable[str]) -> str:
    """One line for each of these files of records whose job was ended, under a heading, or ""."""
    lines = []
    for file in files:
        path = beside(Path(file))
        if path.exists():
            told = program.read_json(path)
            lines.append(
                f"  {told['problem']} on {told['matrix']}, {told['job']}: {told['status']} after "
                f"{told['limit_s']:g} s; to try again delete {file}"
            )
    return "\n".join([f"Ended by the time limit ({len(lines)}):", *lines]) if lines else ""
