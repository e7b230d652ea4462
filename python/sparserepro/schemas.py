"""JSON Schemas as their standard means them, which Python's `re` and `float` do not: the `$` of a
pattern is the end of the text and no line end before it, and nan and infinity are no numbers,
nor are integers that no double holds."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

_BASE = jsonschema.Draft202012Validator


def matches(pattern: str, text: str) -> bool:
    return re.search(re.sub(r"(?<!\\)\$", r"\\Z", pattern), text) is not None


def _pattern(
    validator: Any, pattern: str, instance: Any, schema: Any
) -> Iterator[jsonschema.ValidationError]:
    if validator.is_type(instance, "string") and not matches(pattern, instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


def _is_number(checker: Any, instance: Any) -> bool:
    if not _BASE.TYPE_CHECKER.is_type(instance, "number"):
        return False
    try:
        return math.isfinite(instance)
    except OverflowError:  # an integer beyond the doubles, as which every reader takes it
        return False


Validator: Any = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    _BASE, {"pattern": _pattern}, type_checker=_BASE.TYPE_CHECKER.redefine("number", _is_number)
)


def validator_of(schema: Path) -> Any:
    """The validator by a file in JSON."""
    return Validator(json.loads(schema.read_text()))
