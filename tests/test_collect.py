"""Collecting records: what is refused, and which record of a cell stands."""

import copy
import json
import random
from pathlib import Path

import pytest

import collect
import report_fixtures

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())


@pytest.fixture
def record():
    """A valid record of a peer on machine gpu-box."""
    rng = random.Random(1)
    facts = report_fixtures.matrix_facts(1, rng)
    entry = ("cusparse_csr", "cuda", True, 3.0)
    return report_fixtures.record("spmm", entry, facts, {"k": 8}, {}, "gpu-box", rng)


@pytest.fixture
def written(tmp_path):
    """A function that writes records to a file of the folder of a machine."""

    def write(*records, folder="gpu-box", name="a.jsonl"):
        path = tmp_path / folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(r) + "\n" for r in records))
        return path

    return write


def changed(record, **values):
    """A copy with some values, named as in machine__id."""
    made = copy.deepcopy(record)
    for key, value in values.items():
        *path, last = key.split("__")
        at = made
        for part in path:
            at = at[part]
        at[last] = value
    return made


def test_the_later_record_of_a_cell_stands_whatever_the_order(record, written):
    later = changed(record, started_utc="2026-05-01T00:00:00Z", workspace_bytes=7)

    for order in ((record, later), (later, record)):
        found, replaced = collect.collect([written(*order)], [], SCHEMA)
        assert found == [later]
        assert replaced == 1


@pytest.mark.parametrize(
    "other",
    [
        {"machine__id": "desk-1"},
        {"timing__cache": "flushed"},
        {"library": "cuSPARSE 12.6.3"},
        {"run__repeat": 1},
        {"parameters": {"k": 8, "layout": "row"}},
        {"matrix__name": "another"},
        {"algorithm": "cusparse_spmv"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_what_makes_another_cell_replaces_none(record, written, other):
    second = changed(record, started_utc="2026-05-01T00:00:00Z", **other)

    found, replaced = collect.collect([written(record, second)], [], SCHEMA)

    assert len(found) == 2
    assert replaced == 0
    assert all(r in found for r in (record, second))


def test_an_invalid_record_is_refused_with_its_line_and_field(record, written):
    path = written(record, changed(record, timing__kernel_s=[]))

    with pytest.raises(collect.RecordError, match=r"a\.jsonl:2: timing\.kernel_s: "):
        collect.collect([path], [], SCHEMA)


def test_records_of_another_schema_are_refused_by_name(record, written):
    path = written(changed(record, schema=1))

    with pytest.raises(collect.RecordError, match=r":1: a record of schema 1, .* schema 2 alone"):
        collect.collect([path], [], SCHEMA)


def test_a_line_that_is_no_json_is_refused(written):
    path = written()
    path.write_text("{\n")

    with pytest.raises(collect.RecordError, match=":1: no JSON"):
        collect.collect([path], [], SCHEMA)


def test_the_archive_wants_ten_samples_of_its_machine(record, written):
    enough = changed(record, timing__kernel_s=[0.1] * 10)
    few = changed(record, timing__kernel_s=[0.1] * 9)
    skipped = changed(
        record, status="skipped", reason="no GPU", timing=None, check=None, matrix__name="other"
    )

    found, _ = collect.collect([], [written(enough, skipped)], SCHEMA)
    assert len(found) == 2
    with pytest.raises(collect.RecordError, match=r"9 samples of cusparse_csr on .* wants 10"):
        collect.collect([], [written(few)], SCHEMA)
    assert collect.collect([written(few)], [], SCHEMA)[0] == [few]  # this run's own may have less
    with pytest.raises(collect.RecordError, match="machine gpu-box in the folder of h200"):
        collect.collect([], [written(enough, folder="h200")], SCHEMA)


def test_the_job_writes_records_and_counts(record, written, tmp_path, capsys):
    schema, out, log = tmp_path / "schema.json", tmp_path / "records.jsonl", tmp_path / "log"
    schema.write_text(json.dumps(SCHEMA))
    later = changed(record, started_utc="2026-05-01T00:00:00Z")
    own, kept = written(record, name="own.jsonl"), written(later, name="kept.jsonl")

    assert collect.main([str(own)], [str(kept)], str(schema), str(out), str(log)) == 0
    assert [json.loads(line) for line in out.read_text().splitlines()] == [later]
    assert (
        log.read_text() == "1 cells from 2 files: 1 measured, 0 skipped, 1 replaced by later ones\n"
    )

    own.write_text("[")
    assert collect.main([str(own)], [], str(schema), str(out), str(log)) == 1
    assert "own.jsonl:1: no JSON" in capsys.readouterr().err


def test_a_run_without_an_archive_is_collected(record, written):
    assert collect.collect([written(record)], [], SCHEMA) == ([record], 0)


@pytest.mark.parametrize(
    ("own", "peers"), [("avx512", "sse2"), ("avx512", "avx2"), ("avx2", "sse2"), ("neon", "other")]
)
def test_peers_narrower_than_own_code_are_refused(own, peers, record, written):
    sets = {"own": own, "peers": peers}
    for backend in ("serial", "omp"):
        narrow = changed(record, backend=backend, build__instruction_sets=sets)
        with pytest.raises(collect.RecordError, match=f"compiled for {peers}, own code .* {own}"):
            collect.collect([written(record, narrow)], [], SCHEMA)
    on_device = changed(record, build__instruction_sets=sets)
    assert collect.collect([written(on_device)], [], SCHEMA)[0] == [on_device]


@pytest.mark.parametrize(
    ("own", "peers"),
    [("avx512", "avx512"), ("avx2", "avx512"), ("neon", "neon"), ("other", "other")],
)
def test_peers_as_wide_as_own_code_are_taken(own, peers, record):
    sets = {"own": own, "peers": peers}
    wide = changed(record, backend="omp", build__instruction_sets=sets)
    assert collect.narrow_peers(wide) == ""
