"""Why an algorithm of a printed table has no time here."""

from __future__ import annotations

from sparserepro.data.frames import Report

HERE = "not measured here"


def because(report: Report, problem: str, algorithm: str, otherwise: str = HERE) -> str:
    """Why an algorithm has no time here, as its catalogue says."""
    book = report.catalogues.get(problem)
    for entry in book.algorithms if book else ():
        if entry.name == algorithm:
            return f"{HERE}: {entry.unavailable}" if entry.unavailable else otherwise
    return f"{HERE}: {algorithm} is not among the algorithms"
