"""Reads what a run's tables and figures say of the records behind them, and finds names in it."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.records import RUNS, Record, RecordsError, identity

DOCUMENTS = {"report": ("parts",), "supplement": ("tables", "figures")}
"""What each document includes of the folder report/ of a run."""
PARTS = tuple(part for parts in DOCUMENTS.values() for part in parts)
KINDS = {"tab": "Table", "fig": "Figure"}


@dataclass(frozen=True)
class Located:
    """A record and where it stands."""

    id: str
    path: Path
    line: int
    record: Record = field(repr=False)


@dataclass(frozen=True)
class Source:
    """A record behind a figure, and the ids of those among which it was chosen."""

    id: str
    among: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """The number of a table or figure, and the page of the document that has it."""

    number: str
    page: str
    document: str


@dataclass(frozen=True)
class Float:
    """A table or figure: the plain names of its rows and columns, and the sources of its cells."""

    label: str
    title: str
    rows: list[str]
    columns: list[str]
    cells: dict[str, dict[str, dict[str, Any]]]
    notes: list[str]
    table: list[Source] = field(repr=False)

    @property
    def has_records(self) -> bool:
        return any(cell["sources"] for line in self.cells.values() for cell in line.values())

    def shown(self, row: str, column: str) -> str:
        return str(self.cells.get(row, {}).get(column, {}).get("shown", ""))

    def sources(self, row: str, column: str) -> list[Source]:
        return [self.table[n] for n in self.cells.get(row, {}).get(column, {}).get("sources", [])]


def trace_files(folder: Path) -> list[Path]:
    paths = (folder / "report" / part / "trace.json" for part in PARTS)
    return [path for path in paths if path.is_file()]


def run_folder(name: str | None) -> Path:
    """The folder of a run by its name, else of the one whose report was made last. Raises
    RecordsError where there is no report."""
    made = {f.name: found for f in sorted(RUNS.glob("*")) if (found := trace_files(f))}
    known = f"runs with a report: {', '.join(made) or 'none'}"
    if name is not None:
        if name not in made:
            raise RecordsError(
                f"run {name} has no report yet: no trace.json in {RUNS / name / 'report'} ({known})"
            )
        return RUNS / name
    if not made:
        raise RecordsError(
            f"there is no report yet: no {RUNS}/*/report/tables/trace.json; "
            "`snakemake --cores 2 report` makes one, also of the archived machines alone"
        )
    newest = max(made, key=lambda run: max(path.stat().st_mtime for path in made[run]))
    return RUNS / newest


def floats(folder: Path) -> dict[str, Float]:
    """By label. Raises RecordsError."""
    found: dict[str, Float] = {}
    for path in trace_files(folder):
        try:
            told = json.loads(path.read_text())
            table = [Source(s["record"], tuple(s["among"])) for s in told["sources"]]
            for label, one in told["floats"].items():
                found[label] = Float(label, **one, table=table)
        except (json.JSONDecodeError, KeyError, TypeError):
            raise RecordsError(
                f"{path} has the format of another version: make the report again, then trace"
            ) from None
    return found


def records(folder: Path) -> dict[str, list[Located]]:
    """The collected records of a run by their ids. Raises RecordsError."""
    path = folder / "collected" / "records.jsonl"
    if not path.is_file():
        raise RecordsError(f"{path} is missing: make the report again, then trace")
    found: dict[str, list[Located]] = {}
    for line, text in program.json_lines(path.read_text(encoding="utf-8")):
        record = json.loads(text)
        located = Located(identity(record), path, line, record)
        found.setdefault(located.id, []).append(located)
    return found


def numbers(folder: Path) -> dict[str, Place]:
    """Where each label stands, as LaTeX has it; nothing of a document that it has not set yet."""
    found: dict[str, Place] = {}
    for document, parts in DOCUMENTS.items():
        aux = folder / "report" / "latex" / f"{document}.aux"
        made = [path for path in trace_files(folder) if path.parent.name in parts]
        # LaTeX leaves the numbers' file as it is where nothing in it changes, but not the document.
        pdf = folder / f"{document}.pdf"
        if not made or not aux.is_file() or not pdf.is_file():
            continue
        if written(pdf) < max(map(written, made)):
            continue
        entry = r"\\newlabel\{((?:tab|fig):[^}@]+)\}\{\{([^{}]*)\}\{([^{}]*)\}"
        for label, number, page in re.findall(entry, aux.read_text()):
            found[label] = Place(number, page, document)
    return found


def written(path: Path) -> float:
    return path.stat().st_mtime


def matches(names: Iterable[str], asked: str) -> list[str]:
    """The name itself, else the names that have all words of what is asked for, else those in which
    the words occur."""
    names = list(names)
    if asked in names:
        return [asked]
    words = asked.casefold().split()

    def whole(name: str) -> set[str]:
        return {*name.casefold().split(), *re.split(r"[\s=:,()]+", name.casefold())}

    found = [name for name in names if all(word in whole(name) for word in words)]
    return found or [name for name in names if all(word in name.casefold() for word in words)]


def nearest(names: Iterable[str], asked: str, count: int = 3) -> list[str]:
    """Names that are written much like what is asked for."""
    lower = {name.casefold(): name for name in names}
    close = get_close_matches(asked.casefold(), lower, count, 0.3)
    return [lower[name] for name in close]


def labels(known: dict[str, Float], numbered: dict[str, Place], asked: str) -> list[str]:
    """The labels that are meant, of a table before those of a figure: by name, with or without
    "tab:" and "fig:", or by number, which both documents may have: "Table 12". Raises RecordsError
    while there are no numbers."""
    kind, _, number = asked.casefold().partition(" ")
    for prefix, word in KINDS.items():
        if kind == word.casefold():
            if not numbered:
                raise RecordsError(
                    f"{asked}: tables and figures have numbers only after the PDFs are made; "
                    "until then give the label, which `sparserepro trace` lists"
                )
            return [
                label
                for label, place in numbered.items()
                if label.startswith(prefix) and place.number == number.strip() and label in known
            ]
    exact = [label for prefix in ("", "tab:", "fig:") if (label := prefix + asked) in known]
    return exact[:1] or matches(known, asked)
