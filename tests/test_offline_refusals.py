"""What `./measure` of a bundle refuses in its options and its files, and when it leaves jobs."""

import json

import pytest

from sparserepro.offline.errors import MeasureError
from sparserepro.offline.reading import command_of, lines_of, machine_in


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--limit-s=0", "--limit-s: 0 is not a number of seconds above 0"),
        ("--limit-s=-5", "-5 is not a number of seconds"),
        ("--limit-s=nan", "nan is not a number of seconds"),
        ("--limit-s=inf", "inf is not a number of seconds"),
        ("--limit-s=soon", "invalid seconds value: 'soon'"),
        ('--driver-options="', '--driver-options: ": No closing quotation'),
        ("--driver-options=--list", "with --list a driver measures nothing"),
        ("--driver-options=--seed 2 --help", "with --help a driver measures nothing"),
        ("--driver-options=--version=1", "with --version=1 a driver measures nothing"),
        ("--driver-options=-h", "with -h a driver measures nothing"),
    ],
)
def test_options_that_make_no_sense(other, option, words):
    """By an exit code that does not say that jobs are left."""
    done = other.measure(option)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr.splitlines()[-1]
    assert other.calls() == []


def test_jobs_that_are_all_left_are_told_by_the_exit_code(other):
    done = other.measure("--limit-s", "0.001", "--no-verify")
    assert (done.returncode, done.stderr) == (2, "")
    assert "3 left: " in done.stdout
    assert "there is nothing to pack: the same command goes on" in done.stdout
    assert not list(other.bundle.glob("results*"))
    assert other.calls() == []


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "7", "[]", '{"algorithms": 1}', b"\xff"])
def test_a_command_that_is_damaged_is_named(text, tmp_path):
    path = tmp_path / "a.command"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(MeasureError, match=r"a\.command is not as \./measure wrote it"):
        command_of(path)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "7", "{}", '{"machine": {"id": 1}}'])
def test_records_that_are_damaged_are_named(text, tmp_path):
    (tmp_path / "a.jsonl").write_text(f"{text}\n")
    with pytest.raises(MeasureError, match=r"a\.jsonl is not as \./measure wrote it"):
        machine_in(tmp_path / "a.jsonl")


@pytest.mark.parametrize("suffix", ["jsonl", "command"])
def test_damaged_files_of_an_earlier_call_end_it_with_one_line(other, suffix):
    assert other.measure("--only", "transpose", "--machine-id", "box").returncode == 0
    file = other.bundle / f"records/transpose/fem-small.1.{suffix}"
    file.write_text("{\n")
    for words in ([], ["--pack"]):
        done = other.measure("--only", "transpose", "--no-build", *words)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert done.stderr.startswith(f"measure: {file} is not as ./measure wrote it")


def test_a_newline_alone_ends_a_record():
    record = json.dumps({"a": "\u2028\x85"}, ensure_ascii=False)
    assert lines_of(f"{record}\n\n{record}\n") == [record, record]
