"""What the collection of records refuses."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from collect import RecordError, narrow_peers, read_records


def record(own: str, peers: str, backend: str = "omp") -> dict[str, Any]:
    return {
        "backend": backend,
        "build": {"instruction_sets": {"own": own, "peers": peers}},
    }


@pytest.mark.parametrize(
    ("own", "peers"), [("avx512", "sse2"), ("avx512", "avx2"), ("avx2", "sse2"), ("neon", "other")]
)
def test_peers_narrower_than_own_code_are_refused(own: str, peers: str, tmp_path: Path) -> None:
    for backend in ("serial", "omp"):
        reason = narrow_peers(record(own, peers, backend))
        assert f"compiled for {peers}, own code runs with {own}" in reason
    assert narrow_peers(record(own, peers, "cuda")) == ""
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(record(own, own)) + "\n" + json.dumps(record(own, peers)) + "\n")
    anything = jsonschema.Draft202012Validator({})
    with pytest.raises(RecordError, match=r"records\.jsonl:2: build\.instruction_sets: peers are"):
        list(read_records(path, anything))


@pytest.mark.parametrize(
    ("own", "peers"),
    [("avx512", "avx512"), ("avx2", "avx512"), ("neon", "neon"), ("other", "other")],
)
def test_peers_as_wide_as_own_code_are_taken(own: str, peers: str) -> None:
    assert narrow_peers(record(own, peers)) == ""
