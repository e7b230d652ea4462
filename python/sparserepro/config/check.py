"""Checks a configuration and fills in its defaults; every error is one readable line.

Each job of the workflow imports this module for its errors. What only checks need, which takes
longer to import than such a job takes besides, is imported there.
"""

from __future__ import annotations

import copy
import difflib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparserepro.config import draws
from sparserepro.paths import SCHEMAS

if TYPE_CHECKING:
    import jsonschema


class ConfigError(Exception):
    """The user's configuration is wrong; the message says where and what is allowed."""


def nearest(word: str, candidates: Iterable[str]) -> str:
    """`; did you mean "x"?` for the nearest candidate, or the empty string when none is near."""
    found = difflib.get_close_matches(str(word), [str(c) for c in candidates], n=1, cutoff=0.5)
    return f'; did you mean "{found[0]}"?' if found else ""


@cache
def load_schema(name: str) -> dict[str, Any]:
    """Is not to be changed: all callers have the same."""
    import yaml

    schema: dict[str, Any] = yaml.safe_load((SCHEMAS / name).read_text())
    return schema


def _resolve(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """The schema with its local reference, if it has one, merged in; own keys win."""
    if "$ref" not in schema:
        return schema
    target = root
    for key in schema["$ref"].removeprefix("#/").split("/"):
        target = target[key]
    return {**_resolve(target, root), **{k: v for k, v in schema.items() if k != "$ref"}}


def fill_defaults(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """`value` with the defaults of `schema` for the keys that it lacks."""
    schema = _resolve(schema, root)
    if "if" in schema:
        wanted = {"array": list, "object": dict}[schema["if"]["type"]]
        schema = _resolve(schema["then" if isinstance(value, wanted) else "else"], root)
    if isinstance(value, list) and "items" in schema:
        return [fill_defaults(entry, schema["items"], root) for entry in value]
    if not isinstance(value, dict):
        return value
    for key, entry in schema.get("properties", {}).items():
        entry = _resolve(entry, root)
        if key not in value and "default" in entry:
            value[key] = copy.deepcopy(entry["default"])
        if key in value:
            value[key] = fill_defaults(value[key], entry, root)
    if isinstance(others := schema.get("additionalProperties"), dict):
        for key in value.keys() - schema.get("properties", {}).keys():
            value[key] = fill_defaults(value[key], others, root)
    return value


def _where(path: Iterable[Any]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "the top level"


_TYPES = {
    "integer": "an integer",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}


def _show(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _allowed(schema: dict[str, Any]) -> str:
    """What a schema allows, in words."""
    if "enum" in schema:
        return "one of " + ", ".join(v if isinstance(v, str) else _show(v) for v in schema["enum"])
    types = schema.get("type", [])
    text = " or ".join(_TYPES[t] for t in ([types] if isinstance(types, str) else types))
    if "minimum" in schema:
        text += f" from {schema['minimum']}"
    if "exclusiveMinimum" in schema:
        text += f" above {schema['exclusiveMinimum']}"
    if "maximum" in schema:
        text += f" to {schema['maximum']}"
    if "pattern" in schema:
        text += f" that matches {schema['pattern']}"
    if types == "number" or "number" in types:
        text = text.replace("a number", "a finite number")
    return text


def _explain(error: jsonschema.ValidationError) -> str:
    where = _where(error.absolute_path)
    # Their types say that they may be unset; those of an error that was found are set.
    schema: Any = error.schema
    value: Any = error.instance
    rule: Any = error.validator_value
    if error.validator == "additionalProperties":
        known = list(schema.get("properties", {}))
        unknown = next(key for key in value if key not in known)
        hint = nearest(unknown, known)
        return f'unknown key "{unknown}" in {where}{hint} (known: {", ".join(known)})'
    if error.validator == "required":
        missing = [f'"{key}"' for key in rule if key not in value]
        some = (
            f"the key {missing[0]} is"
            if len(missing) == 1
            else f"the keys {', '.join(missing)} are"
        )
        return f"{some} missing in {where}"
    if "propertyNames" in error.absolute_schema_path:
        return (
            f'"{value}" in {where} is not a name that is allowed; it must match {schema["pattern"]}'
        )
    if error.validator in ("minItems", "minProperties"):
        return f"{where} is empty; name at least one"
    if error.validator == "uniqueItems":
        twice = next(v for i, v in enumerate(value) if v in value[:i])
        return f"{where} names {_show(twice)} twice"
    hint = nearest(value, schema["enum"]) if error.validator == "enum" else ""
    meaning = f" ({schema['description']})" if "description" in schema else ""
    return f"{where} is {_show(value)}; allowed: {_allowed(schema)}{meaning}{hint}"


def validate(value: Any, schema_name: str, file: str) -> Any:
    """A copy of `value` with defaults filled in. Raises ConfigError with one line per error."""
    from sparserepro.schemas import Validator

    schema = load_schema(schema_name)
    errors = sorted(
        Validator(schema).iter_errors(value),
        key=lambda error: [str(part) for part in error.absolute_path],
    )
    if errors:
        # Of several keys that a mapping lacks, there is an error for each, and one line names all.
        lines = dict.fromkeys(f"{file}: {_explain(error)}" for error in errors)
        raise ConfigError("\n".join(lines))
    return fill_defaults(copy.deepcopy(value), schema, schema)


SHARED = "shared"
"""Folder of results/ that holds what runs have in common; no name of a run."""


def check_config(config: dict[str, Any], *files: str) -> dict[str, Any]:
    """The configuration that these files make together, complete: its name, defaults, each problem
    as a list of its parts with a timing of their own, staging as a list of paths. Raises
    ConfigError."""
    file = " + ".join(files) or "configuration"
    given = dict(config)
    if "name" not in given:
        seed = given.get("seed")
        given["name"] = _stem(files) + (f"-{seed}" if seed is not None else "")
    elif isinstance(given["name"], int | float):  # as `--config name=2` brings it
        given["name"] = str(given["name"])
    if given["name"] == SHARED:
        raise ConfigError(
            f'{file}: name is "{SHARED}", which is reserved for files that all runs share'
        )
    for key in ("strict", "measure", "cuda"):
        if given.get(key) in ("true", "false"):  # as `--config strict=true` brings it
            given[key] = given[key] == "true"
    config = _drawn(validate(given, "config.schema.yaml", file), file)
    staging = config["staging"]
    folders = [staging] if isinstance(staging, str) else staging
    config["staging"] = [str(Path(folder).expanduser()) for folder in folders if folder]
    for folder in config["staging"]:
        if not Path(folder).is_dir():
            raise ConfigError(f"{file}: staging: {folder} is not a folder")
    for name, asked in config["problems"].items():
        several = isinstance(asked, list)
        parts = asked if several else [asked]
        written = given["problems"][name] if several else [given["problems"][name]]
        for number, part in enumerate(parts):
            where = f"problems.{name}[{number}]" if several else f"problems.{name}"
            part["timing"] = config["timing"] | written[number].get("timing", {})
            _check_part(part, f"{file}: {where}")
        config["problems"][name] = parts
    return config


def _drawn(config: dict[str, Any], file: str) -> dict[str, Any]:
    """With the values that its seed draws. Raises ConfigError."""
    if not draws.draws_anything(config):
        if config["seed"] is not None:
            raise ConfigError(f"{file}: seed: nothing is drawn here; leave the seed out")
        return config
    if config["seed"] is None:
        raise ConfigError(
            f"{file} draws what it measures and needs a seed: add --config seed=123 (snakemake) or "
            "--seed 123 (sparserepro)"
        )
    for name, asked in config["unseen"].items():
        _check_bounds(asked["entries"], f"{file}: unseen.{name}.entries")
    for where, asked in draws.asked(config):
        if ("of" in asked) == ("between" in asked):
            raise ConfigError(f'{file}: {where} needs one of "of" and "between"')
        if "of" in asked and asked["draw"] > len(asked["of"]):
            raise ConfigError(f"{file}: {where} draws more values than there are")
        if "between" in asked:
            _check_bounds(asked["between"], f"{file}: {where}.between")
    try:
        return draws.with_drawn_values(config)
    except ValueError as error:
        raise ConfigError(f"{file}: {error}") from None


def seeded(config: dict[str, Any], seed: int | None) -> dict[str, Any]:
    """The configuration with the seed that a command line gives."""
    return config if seed is None else config | {"seed": seed}


def _check_bounds(bounds: list[int], where: str) -> None:
    if bounds[0] > bounds[1]:
        raise ConfigError(f"{where} is {_show(bounds)}; the first must not exceed the second")


def _stem(files: Sequence[str]) -> str:
    """The name of a run without a `name`: of the last file, which decides over those before."""
    from sparserepro.schemas import matches

    stem = Path(files[-1]).stem if files else "run"
    pattern = load_schema("config.schema.yaml")["properties"]["name"]["pattern"]
    if not matches(pattern, stem):
        raise ConfigError(
            f'{files[-1]}: "{stem}" cannot name the run (letters, digits, ".", "_", "-"); '
            "give the configuration a name"
        )
    return stem


def _check_part(part: dict[str, Any], where: str) -> None:
    """What the schema cannot say of a part. Raises ConfigError."""
    asked = part["algorithms"]
    if isinstance(asked, str) and asked != "all":
        raise ConfigError(
            f'{where}.algorithms is {_show(asked)}; allowed: "all" or a list of names'
        )
    low, middle, high = (
        part["timing"][key] for key in ("min_repetitions", "repetitions", "max_repetitions")
    )
    if not low <= middle <= high:
        raise ConfigError(
            f"{where}: of its timing, min_repetitions ({low}) <= repetitions ({middle}) <= "
            f"max_repetitions ({high}) must hold"
        )
