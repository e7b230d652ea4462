"""Fuzzes the reader of records with atheris (`pip install atheris`): bytes become a file, and both
readers answer with records or with an error of their own in one line. What the schema admits also
makes a line of the table of cells. Arguments are those of libFuzzer."""

import json
import os
import random
import sys
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parents[2]
with atheris.instrument_imports(include=["sparserepro"]):
    from sparserepro import records as by_name
    from sparserepro.data import lines
    from sparserepro.data.records import RecordError, read_records
    from sparserepro.schemas import validator_of

VALIDATOR = validator_of(ROOT / "workflow/schemas/record.schema.json")
AWKWARD = (None, True, 0, -1, 10**400, 1e308, float("nan"), "", "\u2028", "x\n", [], {}, [[]], "ok")
FILE = os.memfd_create("records")
PATH = Path(f"/proc/self/fd/{FILE}")


def test_one_input(data: bytes) -> None:
    os.ftruncate(FILE, 0)
    os.pwrite(FILE, data, 0)
    try:
        admitted = list(read_records(PATH, VALIDATOR))
    except RecordError:
        admitted = []
    for record in admitted:
        lines.of_record(record, ("k", "value_type"))
        by_name.identity(record)
    try:
        for record in by_name.read(PATH):
            by_name.identity(record)
    except by_name.RecordsError:
        pass


def changed(value, rng: random.Random):
    """A copy with one value, at any depth, replaced, removed or put twice."""
    if isinstance(value, dict) and value and rng.random() < 0.95:
        key = rng.choice(list(value))
        rest = {name: part for name, part in value.items() if name != key}
        return rest if rng.random() < 0.05 else value | {key: changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        if rng.random() < 0.2:
            return value[:at] + value[at + 1 :] * rng.randrange(3)
        return [*value[:at], changed(value[at], rng), *value[at + 1 :]]
    return rng.choice(AWKWARD)


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """Changes a value of the last record, or bytes."""
    rng = random.Random(seed)
    if rng.random() < 0.7:
        try:
            record = json.loads(data.splitlines()[-1])
            text = json.dumps(changed(record, rng), ensure_ascii=rng.random() < 0.5)
            return text.encode("utf-8", "surrogatepass")[:most]
        except (ValueError, IndexError, RecursionError):
            pass
    return atheris.Mutate(data, most)


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input, custom_mutator=mutate)
    atheris.Fuzz()
