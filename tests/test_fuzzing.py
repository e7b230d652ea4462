"""Short runs of the fuzzing targets, and the seeds of the reader of records without a fuzzer. Those
of the C++ targets run in test_fuzz_seeds.cpp."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sparserepro import program, records, schemas
from sparserepro.data import lines
from sparserepro.data.records import RecordError, read_records
from sparserepro.paths import SCHEMAS

ROOT = Path(__file__).resolve().parents[1]
SEEDS = ROOT / "tests/fuzz/seeds"
VALIDATOR = schemas.validator_of(ROOT / SCHEMAS / "record.schema.json")
PROGRAMS = ("matrix_market", "matrix_file", "generator", "command_line")


def fuzz(*arguments):
    return subprocess.run(
        [ROOT / "tests/fuzz/run", *arguments], capture_output=True, text=True, timeout=900
    )


def missing(target):
    if target == "records":
        found = importlib.util.find_spec("atheris")
        return "" if found else "atheris is not installed"
    for tool in ("clang++", "cmake", "ninja"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("target", [*PROGRAMS, "records"])
def test_some_thousand_inputs_find_nothing(target, tmp_path):
    if reason := missing(target):
        pytest.skip(reason)
    done = fuzz("--target", target, "--executions", "5000", "--seconds", "10",
                "--corpus", str(tmp_path))  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    count = re.search(rf"^{target}: (\d+) executions in \d+ s, exit code 0$", done.stdout, re.M)
    assert count and int(count[1]) > 100, done.stdout


def test_arguments_are_checked():
    assert "--executions" in fuzz("--help").stdout
    for wrong in (["--target", "nosuch"], ["--executions", "0"], ["--other"], ["--seconds"]):
        done = fuzz(*wrong)
        assert done.returncode == 2 and done.stderr.startswith("tests/fuzz/run: "), wrong


def admitted(path):
    return list(read_records(path, VALIDATOR))


@pytest.mark.parametrize("name", ["host", "device", "skipped", "other_line_end"])
def test_seeds_of_records_are_admitted(name):
    path = SEEDS / f"records/{name}.jsonl"
    (record,) = admitted(path)
    assert lines.of_record(record, ["k"])["algorithm"] == record["algorithm"]
    assert list(records.read(path)) == [record]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("deep", "not JSON: nested too deeply"),
        ("too_many_digits", "not JSON: Exceeds the limit"),
        ("large_integer", "machine.load_before"),
        ("not_utf8", "not UTF-8"),
    ],
)
def test_other_seeds_of_records_are_refused_in_a_line(name, says):
    path = SEEDS / f"records/{name}.jsonl"
    with pytest.raises(RecordError, match=says) as refusal:
        admitted(path)
    assert str(refusal.value).startswith(str(path)) and "\n" not in str(refusal.value)
    if "not JSON" in says:
        with pytest.raises(records.RecordsError, match=says):
            list(records.read(path))


def test_every_length_of_a_record_is_admitted_or_refused(tmp_path):
    whole = (SEEDS / "records/skipped.jsonl").read_bytes().strip()
    path = tmp_path / "records.jsonl"
    for length in range(1, len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(RecordError):
            admitted(path)


def test_lines_end_at_newlines_alone():
    assert list(program.json_lines("1\n\n \n\u20282\x0c\n3")) == [
        (1, "1"),
        (4, "\u20282\x0c"),
        (5, "3"),
    ]
