"""The command that measures the cell of a record again: this cell alone, timed as it was."""

import json
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sparserepro.records import RUNS, Record, parameters
from sparserepro.run.expression import NAME as EXPRESSION

SHORT = {"-a": "--algorithm", "-r": "--repetitions", "-q": "--quiet"}
FLAGS = ("--quiet", "--list")
TIMING = (
    "--matrix-name", "--repetitions", "--min-repetitions", "--max-repetitions", "--time-cap",
    "--again", "--warmup", "--end-to-end", "--precision", "--cache", "--seed", "--huge-pages",
)  # fmt: skip
"""Options that stay as they were; each takes one value."""
LEFT_OUT = ("--json", "--machine-id", "--repeat")
"""Of the record, not of the measurement; each takes one value."""
DOWNLOADS = Path("resources/matrices")


@dataclass
class Words:
    """The words of a driver's command line."""

    positionals: list[str] = field(default_factory=list)
    options: dict[str, list[str]] = field(default_factory=dict)


def parse(words: list[str]) -> Words:
    """As the drivers read them: an option of parameters takes all words up to the next option."""
    found = Words()
    option, room = "", 0
    for word in words:
        name, given, value = word.partition("=")
        name = SHORT.get(name, name)
        if name.startswith("--"):
            option = name
            found.options[option] = [value] if given else []
            single = option in TIMING + LEFT_OUT
            room = 0 if option in FLAGS or (single and given) else 1 if single else len(words)
        elif room:
            found.options[option].append(word)
            room -= 1
        else:
            found.positionals.append(word)
    return found


def matrix_file(record: Record) -> str:
    """Where the file of the record's matrix lies here, else its name."""
    matrix = record["matrix"]
    described = RUNS / "shared" / "matrices" / f"{matrix['name']}.json"
    if described.is_file() and (path := json.loads(described.read_text()).get("path")):
        found = Path(path)
        return str(found.relative_to(Path.cwd()) if found.is_relative_to(Path.cwd()) else found)
    downloaded = DOWNLOADS / matrix["source"]
    return str(downloaded) if downloaded.exists() else str(matrix["source"])


def command(record: Record) -> list[str]:
    """To paste in the root of the checkout after a build."""
    program, *given_words = record["argv"]
    given = parse(given_words[1:] if program == "sparserepro" else given_words)
    source = given.positionals
    if record["matrix"]["origin"] == "file":
        source = [matrix_file(record)]
    words = [f"build/bin/{record['problem']}", *source, "--algorithm", record["algorithm"]]
    if record["algorithm"] == EXPRESSION:  # also of records from when a driver had it
        words = ["sparserepro", "expression", *source]
    for name, value in parameters(record).items():
        words += ["--" + name.replace("_", "-"), str(value)]
    for option in TIMING:
        if option in given.options:
            words += [option, *given.options[option]]
    return words


@cache
def head() -> str | None:
    """The commit that is checked out; None outside of a checkout."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
