"""Collecting records: what is refused, and which record of a cell stands."""

import copy
import json
import random
from pathlib import Path

import pytest

import report_fixture_matrices
import report_fixtures
from sparserepro.data import collect, digests, records

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())


@pytest.fixture
def record():
    """A valid record of a peer on machine gpu-box."""
    rng = random.Random(1)
    facts = report_fixture_matrices.matrix_facts(1, rng)
    entry = ("cusparse_csr", "cuda", True, 3.0)
    return report_fixtures.record("spmm", entry, facts, {"k": 8}, {}, "gpu-box", rng)


@pytest.fixture
def written(tmp_path):
    """A function that writes records to a file of the folder of a machine."""

    def write(*records, folder="gpu-box", name="a.jsonl"):
        path = tmp_path / folder / name
        for r in records:
            for told in (f"catalogue/{r['problem']}", f"matrices/{r['matrix']['name']}"):
                beside = path.parent / f"{told}.json"
                beside.parent.mkdir(parents=True, exist_ok=True)
                beside.write_text("{}")
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

    with pytest.raises(collect.RecordError, match=r"the record has schema 1; .* schema 2 alone"):
        collect.collect([path], [], SCHEMA)


def test_a_line_that_is_no_json_is_refused(written):
    path = written()
    path.write_text("{\n")

    with pytest.raises(collect.RecordError, match=":1: not JSON"):
        collect.collect([path], [], SCHEMA)


def test_the_archive_takes_what_keeps_its_rules(record, written):
    enough = changed(record, timing__kernel_s=[0.1] * 10)
    few = changed(record, timing__kernel_s=[0.1] * 9)
    skipped = changed(
        record, status="skipped", reason="no GPU", timing=None, check=None, matrix__name="other"
    )

    found, _ = collect.collect([], [written(enough, skipped)], SCHEMA)
    assert len(found) == 2
    with pytest.raises(collect.RecordError, match=r"gpu-box breaks .*:\n1 record: fewer than 10"):
        collect.collect([], [written(few)], SCHEMA)
    assert collect.collect([written(few)], [], SCHEMA)[0] == [few]  # this run's own may have less
    dirty = changed(enough, build__dirty=True)
    with pytest.raises(collect.RecordError, match="not committed"):
        collect.collect([], [written(dirty)], SCHEMA)
    with pytest.raises(collect.RecordError, match="h200 has records of another machine: gpu-box"):
        collect.collect([], [written(enough, folder="h200")], SCHEMA)


@pytest.mark.parametrize("lost", ["catalogue", "matrices"])
def test_a_set_without_catalogue_or_facts_is_refused(record, written, lost):
    path = written(changed(record, timing__kernel_s=[0.1] * 10))
    for file in (path.parent / lost).glob("*.json"):
        file.unlink()
    with pytest.raises(collect.RecordError, match=r"no (catalogue|facts) of"):
        collect.collect([], [path], SCHEMA)


def test_the_files_of_a_folder_are_of_one_commit(record, written):
    first = changed(record, timing__kernel_s=[0.1] * 10)
    other = changed(first, build__commit="f" * 40, matrix__name="another")
    paths = [written(first, name="a.jsonl"), written(other, name="b.jsonl")]

    with pytest.raises(collect.RecordError, match="of several commits"):
        collect.collect([], paths, SCHEMA)
    desk = changed(other, machine__id="desk-1")
    apart = [written(first, name="a.jsonl"), written(desk, folder="desk-1")]
    assert len(collect.collect([], apart, SCHEMA)[0]) == 2


@pytest.mark.parametrize("library", [None, "cuSPARSE", "cuSPARSE 12.9.4"])
def test_of_a_cell_that_was_skipped_and_measured_the_later_record_stands(record, written, library):
    skipped = changed(
        record, status="skipped", reason="memory", timing=None, check=None, library=library
    )
    early, late = "2026-01-01T00:00:00Z", "2026-05-01T00:00:00Z"
    for first, second in ((skipped, record), (record, skipped)):
        records = [changed(first, started_utc=early), changed(second, started_utc=late)]
        found, replaced = collect.collect([written(*records)], [], SCHEMA)
        assert found == records[1:]
        assert replaced == 1


def test_a_skipped_cell_of_another_version_replaces_none(record, written):
    skipped = changed(
        record, status="skipped", reason="too old", timing=None, check=None,
        library="cuSPARSE 12.6.3", started_utc="2026-05-01T00:00:00Z",
    )  # fmt: skip
    assert len(collect.collect([written(record, skipped)], [], SCHEMA)[0]) == 2


def test_the_job_writes_records_and_counts(record, written, tmp_path, capsys):
    out, log = tmp_path / "records.jsonl", tmp_path / "log"
    later = changed(record, started_utc="2026-05-01T00:00:00Z")
    own, kept = written(record, later, name="own.jsonl"), written(record, name="kept.jsonl")

    digests.write_set(kept.parent)
    digests.write_beside(own)
    assert collect.job([own], [kept], SCHEMA, out, log) == 0
    assert [json.loads(line) for line in out.read_text().splitlines()] == [later]
    assert (
        log.read_text() == "1 cells from 2 files: 1 measured, 0 skipped, 1 replaced by later ones\n"
    )
    assert "gpu-box is left out, because this run measured gpu-box" in capsys.readouterr().err

    own.write_text("[")
    digests.write_beside(own)
    assert collect.job([own], [], SCHEMA, out, log) == 1
    assert "own.jsonl:1: not JSON" in capsys.readouterr().err


def test_records_above_their_bound_are_told(record, written, tmp_path, capsys):
    # A second at the copy rate, done in a tenth of it.
    fast = changed(record, model__bytes=1e12, copy_bytes_per_s=1e12, timing__kernel_s=[0.1] * 10)
    own, log = written(fast, name="own.jsonl"), tmp_path / "log"
    digests.write_beside(own)
    assert collect.job([own], [], SCHEMA, tmp_path / "records.jsonl", log) == 0
    told = f"above the lower bound: gpu-box, spmm, {record['matrix']['name']}"
    assert told in capsys.readouterr().err
    assert told in log.read_text()


def test_the_set_of_a_machine_that_the_run_measured_does_not_fill_its_gaps(record, written):
    other = changed(record, matrix__name="another", timing__kernel_s=[0.1] * 10)
    own, kept = written(record, name="own.jsonl"), written(other, name="kept.jsonl")
    desk = written(changed(other, machine__id="desk-1"), folder="desk-1")
    found, _ = collect.collect([own], [kept, desk], SCHEMA)
    machines = [(r["machine"]["id"], r["matrix"]["name"]) for r in found]
    assert machines == [("desk-1", "another"), ("gpu-box", record["matrix"]["name"])]


@pytest.mark.parametrize(
    "other",
    [
        {"machine__cpu": "Another"},
        {"machine__gpu__name": "Other"},
        {"machine__memory_bytes": 27_000_000_000},  # 25e9 elsewhere: 8 % more
    ],
)
def test_two_machines_with_one_id_are_refused(record, written, other):
    second = changed(record, matrix__name="another", **other)
    with pytest.raises(collect.RecordError, match=r"different machines have the id gpu-box: \S+"):
        collect.collect([written(record, second)], [], SCHEMA)
    near = changed(record, matrix__name="another", machine__memory_bytes=25_500_000_000)
    assert len(collect.collect([written(record, near)], [], SCHEMA)[0]) == 2
    without = changed(record, matrix__name="another", machine__gpu=None)
    assert len(collect.collect([written(record, without)], [], SCHEMA)[0]) == 2


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
        alone = changed(narrow, peer=False, library=None)
        absent = changed(narrow, status="skipped", reason="not built", timing=None, check=None)
        for compared_with_none in (alone, absent):
            found, _ = collect.collect([written(compared_with_none)], [], SCHEMA)
            assert found == [compared_with_none]
    on_device = changed(record, build__instruction_sets=sets)
    assert collect.collect([written(on_device)], [], SCHEMA)[0] == [on_device]


@pytest.mark.parametrize(
    ("own", "peers"),
    [("avx512", "avx512"), ("avx2", "avx512"), ("neon", "neon"), ("other", "other")],
)
def test_peers_as_wide_as_own_code_are_taken(own, peers, record):
    sets = {"own": own, "peers": peers}
    wide = changed(record, backend="omp", build__instruction_sets=sets)
    assert records.narrow_peers(wide) == ""
