"""Reads a YAML file of the user and names the line of each mistake.

As a program it checks the files that a command line of snakemake reads. The workflow's profile runs
it first, because Snakemake's own message names no line.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from sparserepro import program
from sparserepro.config.check import ConfigError

DEFAULT = Path("config/config.yaml")

# Parts of PyYAML's messages, and what to write instead. The first that fits is taken.
_ADVICE = (
    ("character '\\t'", "a tab; write spaces instead"),
    ("character '@'", 'a text that begins with @ needs quotes, as in ["@fem"]'),
    ("cannot start any token", "a text that begins with this character needs quotes"),
    ("expected ',' or ']'", "the list [ is not closed; write ] after its last value"),
    ("expected ',' or '}'", "the mapping { is not closed; write } after its last value"),
    ("found '<stream end>'", "the file ends within a list [ or a mapping {; close it"),
    ("mapping values are not", "a colon in the wrong place; indent the line like the keys beside "
     "it, write a space after the colon of each key, and quote a text with a colon"),
    ("could not find expected ':'", "a key without its colon; write KEY: VALUE"),
    ("expected <block end>", "the line does not belong to the one above; give all keys of a "
     "mapping the same indentation, and quote a text as a whole"),
    ("another document", "a second document; leave out the line ---"),
    ("unhashable key", "a list or a mapping as a key; write one { or [ less"),
)  # fmt: skip


def _fast_loader() -> Any:
    """Reads by libyaml where it is there, several times as fast as PyYAML's own code."""
    if not yaml.__with_libyaml__:
        return yaml.SafeLoader
    parser: Any = yaml.cyaml.CParser  # type: ignore[attr-defined]

    class Loader(Composer, parser, SafeConstructor, Resolver):  # type: ignore[misc]
        def __init__(self, text: str):
            parser.__init__(self, text)
            for base in (Composer, SafeConstructor, Resolver):
                base.__init__(self)

    return Loader


_LOADER = _fast_loader()


def _root(text: str) -> tuple[Any, yaml.Node | None]:
    """A loader, and the node of the one document of the text. Raises errors of PyYAML, whose
    messages are known here."""
    for kind in (_LOADER, yaml.SafeLoader):
        try:
            loader = kind(text)
            return loader, loader.get_single_node()
        except yaml.YAMLError:
            if kind is yaml.SafeLoader:
                raise
    raise AssertionError("the last loader returns or raises")


def load_config_file(path: Path) -> dict[str, Any]:
    """The mapping of a YAML file. Raises ConfigError with one line for each mistake."""
    text = _text(path)
    if path.suffix == ".json":
        text = _checked_json(text, path)
    try:
        loader, root = _root(text)
        if root is None:
            raise ConfigError(f"{path}:1: the file is empty; write keys, as in problems: {{...}}")
        if not isinstance(root, yaml.MappingNode):
            line = root.start_mark.line + 1
            raise ConfigError(f"{path}:{line}: not a mapping; write keys, as in problems: {{...}}")
        mistakes = sorted(set(_mistakes(root)))
        if mistakes:
            raise ConfigError("\n".join(f"{path}:{line}: {what}" for line, what in mistakes))
        loaded: dict[str, Any] = loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        line, what = _explained(error, text)
        raise ConfigError(f"{path}:{line}: {what}") from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise ConfigError(
            f"{path}:{line}: the character {error.character:#04x} is not allowed in YAML; delete it"
        ) from None
    except RecursionError:
        raise ConfigError(f"{path}:1: brackets are nested too deeply") from None
    except ValueError as error:  # a date or a number that does not exist
        raise ConfigError(f"{path}: {error}; quote a text that looks like a date") from None
    return loaded


def _text(path: Path) -> str:
    """The content of a file in UTF-8. Raises ConfigError."""
    try:
        content = path.read_bytes()
    except IsADirectoryError:
        raise ConfigError(
            f"{path}: a folder; name a file (snakemake's targets stand before --configfile, "
            "which takes all words up to the next option)"
        ) from None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; name a file that can be read") from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ConfigError(
            f"{path}:{line}: the byte {content[error.start]:#04x} is not UTF-8; "
            "save the file as UTF-8"
        ) from None


def _checked_json(text: str, path: Path) -> str:
    """A form of the JSON text that YAML reads too. Raises ConfigError."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    return text.replace("\t", " ")


def _mistakes(root: yaml.Node) -> Iterator[tuple[int, str]]:
    """(line, explanation) of keys that are there twice and of keys in braces without a value."""
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:  # an alias
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode):
            waiting += [value for _, value in node.value]
            yield from _repeated(node)
            if node.flow_style:
                yield from _bare(node)


def _repeated(node: yaml.MappingNode) -> Iterator[tuple[int, str]]:
    lines: dict[tuple[str, str], int] = {}
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode):
            name, line = (key.tag, key.value), key.start_mark.line + 1
            if name in lines:
                yield line, f'the key "{key.value}" is in line {lines[name]} too; keep one of them'
            lines.setdefault(name, line)


def _bare(node: yaml.MappingNode) -> Iterator[tuple[int, str]]:
    """Of a mapping in braces, the keys that have no value: often a list was meant."""
    bare = [
        key
        for key, value in node.value
        if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode)
        and value.start_mark.index == value.end_mark.index
    ]  # fmt: skip
    if not bare:
        return
    line = bare[0].start_mark.line + 1
    names = [key.value for key in bare]
    if len(bare) == len(node.value) and not any(":" in name for name in names):
        listed = ", ".join(names)
        keys = ", ".join(f"{name}: ..." for name in names)
        yield line, f"{{{listed}}} has keys alone; write [{listed}] for a list, or {{{keys}}}"
    else:
        name, colon, rest = names[0].partition(":")
        example = f"{name}: {rest}" if colon else f"{name}: ..."
        yield line, f'the key "{names[0]}" has no value; write {example}'


def _explained(error: yaml.MarkedYAMLError, text: str) -> tuple[int, str]:
    """Line of a mistake in the form of YAML, and what to write instead."""
    problem = error.problem or error.context or "no YAML"
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    opened = error.context_mark.line + 1 if error.context_mark else line
    if error.context == "while scanning a quoted scalar":
        return opened, "the quote is not closed; write another one at the end of the text"
    if (start := _quote_that_ends_in(line, text)) is not None:
        return start, f"the quote is closed in line {line} only; close it at the end of the text"
    if problem.startswith(("expected ',' or", "could not find expected ':'")):
        line = opened
    return line, next((advice for part, advice in _ADVICE if part in problem), problem)


def _quote_that_ends_in(line: int, text: str) -> int | None:
    """The line where a quoted text begins that ends in this one, if it begins in another."""
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            first, last = int(token.start_mark.line) + 1, int(token.end_mark.line) + 1
            if isinstance(token, yaml.ScalarToken) and token.style and first < last == line:
                return first
    except yaml.YAMLError:
        pass
    return None


def files_of(arguments: list[str]) -> list[Path]:
    """The configurations that snakemake reads with these arguments."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="*", type=Path, default=[])
    given: list[Path] = parser.parse_known_args(arguments)[0].configfile
    return given or [DEFAULT]


def problems(files: Iterable[Path]) -> str:
    """What is wrong with the files, one mistake a line; empty when all can be read."""
    lines = []
    for file in files:
        try:
            load_config_file(file)
        except ConfigError as error:
            lines.append(str(error))
    return "\n".join(lines)


def main() -> int:
    wrong = problems(files_of(sys.argv[1:]))
    if wrong:
        print(f"Configuration refused.\n{wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(program.run(main))
