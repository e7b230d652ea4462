"""Records that the repository keeps beside its measurement sets (report/large, report/several,
report/research-codes, report/every-k)."""

import json
from pathlib import Path
from typing import Any

import jsonschema

ROOT = Path(__file__).resolve().parent.parent


def page_and_records(folder: str) -> tuple[str, list[dict[str, Any]]]:
    """The page of a folder of the report, and its records, each valid by the schema and without an
    absolute path in its command."""
    here = ROOT / "report" / folder
    lines = [
        line for file in sorted(here.glob("*.jsonl")) for line in file.read_text().splitlines()
    ]
    records = [json.loads(line) for line in lines]
    schema = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
    for record in records:
        jsonschema.validate(record, schema)
        assert not any(word.startswith("/") for word in record["argv"]), record["argv"]
    return (here / "README.md").read_text(), records
