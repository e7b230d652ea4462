"""The mutants of tests/mutants/*.yaml, and where they change the sources."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "tests/mutants"
FORMS = ("expression", "statement")
KEYS = {"name", "what", "text", "becomes", "within", "form", "also", "tests", "equivalent"}
CPP_SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}
DEVICE_SUFFIXES = {".cu", ".cuh"}


class BadMutant(Exception):
    """A mutant that does not fit its source, or is not described completely."""


@dataclass(frozen=True)
class Mutant:
    """A fault: `text`, found once in `file`, becomes `becomes`."""

    name: str
    what: str  # in a few words, for the reader
    area: str
    file: str  # relative to the root of the checkout
    text: str
    becomes: str
    tests: tuple[str, ...]  # "test_sampling", "test_matrix: case", or "tests/test_stats.py[::test]"
    within: str = ""  # longer text, found once in the file, that contains `text` once
    form: str = "expression"  # in C++; "statement": whole statements, without declarations
    also: str = ""  # in C++: a mutant that is on whenever this one is
    equivalent: str = ""  # why no test can tell it from the original; "": a test has to

    @property
    def is_cpp(self) -> bool:
        return Path(self.file).suffix in CPP_SUFFIXES

    @property
    def on_device(self) -> bool:
        """Whether its tests need a CUDA device."""
        return Path(self.file).suffix in DEVICE_SUFFIXES


@dataclass
class Span:
    """A place of a source, the mutants that replace it, and the places within."""

    begin: int
    end: int
    mutants: list[Mutant] = field(default_factory=list)
    inner: list["Span"] = field(default_factory=list)


def once(text: str, part: str, where: str) -> int:
    """Position of `part` in `text`. Throws BadMutant unless it is there exactly once."""
    if (count := text.count(part)) != 1:
        raise BadMutant(f"{where} is found {count} times, not once: {part.strip()!r}")
    return text.index(part)


def place(mutant: Mutant, source: str) -> tuple[int, int]:
    """Where the mutant's text begins and ends in its source. Throws BadMutant."""
    start = 0
    if mutant.within:
        start = once(source, mutant.within, f"{mutant.name}: {mutant.file}: `within`")
        begin = start + once(mutant.within, mutant.text, f"{mutant.name}: `within`: the text")
    else:
        begin = once(source, mutant.text, f"{mutant.name}: {mutant.file}: the text")
    declared = re.match(r"\w+ = ", mutant.text) and re.search(r"[\w>&*] $", source[:begin])
    if declared and not re.search(r"\b(return|else) $", source[:begin]) and _is_compiled(mutant):
        raise BadMutant(f"{mutant.name}: form expression takes no declaration")
    return begin, begin + len(mutant.text)


def mutated(mutant: Mutant, source: str) -> str:
    """The source with this mutant alone. Throws BadMutant."""
    begin, end = place(mutant, source)
    return source[:begin] + mutant.becomes + source[end:]


def spans(mutants: Iterable[Mutant], source: str) -> list[Span]:
    """The changed places of a source as a forest. Throws BadMutant where two overlap in part."""
    places: dict[tuple[int, int], Span] = {}
    for mutant in mutants:
        begin, end = place(mutant, source)
        places.setdefault((begin, end), Span(begin, end)).mutants.append(mutant)
    forest: list[Span] = []
    for span in sorted(places.values(), key=lambda span: (span.begin, -span.end)):
        siblings = forest
        while siblings and siblings[-1].end > span.begin:
            if siblings[-1].end < span.end:
                names = ", ".join(m.name for m in siblings[-1].mutants + span.mutants)
                raise BadMutant(f"places overlap: {names}")
            siblings = siblings[-1].inner
        siblings.append(span)
    return forest


def _is_compiled(mutant: Mutant) -> bool:
    """Whether it is an expression of C++."""
    return not mutant.file.endswith(".py") and mutant.form == "expression"


def _is_closed(text: str) -> bool:
    """Whether it closes what it opens."""
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))


def _is_whole(statements: str) -> bool:
    """Whether they end like statements and close what they open; nothing is whole."""
    last = statements.strip().rpartition("\n")[2]
    ends = last[-1:] in ("", ";", "}") or last.startswith("#pragma")
    return ends and _is_closed(statements)


def _mutant(area: str, group: dict[str, Any], entry: dict[str, Any]) -> Mutant:
    name = str(entry.get("name"))
    if unknown := entry.keys() - KEYS:
        raise BadMutant(f"{area}: {name}: unknown keys {sorted(unknown)}")
    made = Mutant(area=area, file=group["file"], **{"tests": group.get("tests", []), **entry})
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", made.name):
        raise BadMutant(f"{area}: {name}: a name is made of a-z, 0-9 and -")
    if made.text == made.becomes or not made.text or not made.what or not made.tests:
        raise BadMutant(f"{area}: {name}: text, another text, a description and tests are needed")
    if made.form not in FORMS:
        raise BadMutant(f"{area}: {name}: form is one of {', '.join(FORMS)}")
    if made.form == "statement" and not all(map(_is_whole, (made.text, made.becomes))):
        raise BadMutant(f"{area}: {name}: form statement takes whole statements")
    compiled = _is_compiled(made)
    if compiled and re.match(r"(const )?[\w:<>]+[ *&]+\w+ = ", made.text):
        raise BadMutant(f"{area}: {name}: form expression takes no declaration")
    closed = _is_closed(made.text) and _is_closed(made.becomes) and ";" not in made.text
    if compiled and not closed:
        raise BadMutant(f"{area}: {name}: form expression takes a whole expression")
    return Mutant(**{**made.__dict__, "tests": tuple(made.tests)})


def load(folder: Path = FOLDER) -> list[Mutant]:
    """All mutants in the order of their files. Throws BadMutant."""
    import yaml  # where packed tests run there may be none

    mutants: list[Mutant] = []
    for path in sorted(folder.glob("*.yaml")):
        for group in yaml.safe_load(path.read_text(encoding="utf-8"))["files"]:
            mutants += [_mutant(path.stem, group, entry) for entry in group["mutants"]]
    names = [mutant.name for mutant in mutants]
    if twice := {name for name in names if names.count(name) > 1}:
        raise BadMutant(f"names are used twice: {', '.join(sorted(twice))}")
    by_name = {mutant.name: mutant for mutant in mutants}
    for mutant in mutants:
        if mutant.also and (other := by_name.get(mutant.also)) is None:
            raise BadMutant(f"{mutant.name}: also: there is no mutant {mutant.also}")
        if mutant.also and (other.on_device, other.is_cpp) != (mutant.on_device, True):
            raise BadMutant(f"{mutant.name}: also: {mutant.also} is not in the same build")
    return mutants


def by_file(mutants: Iterable[Mutant]) -> dict[str, list[Mutant]]:
    files: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        files.setdefault(mutant.file, []).append(mutant)
    return files
