"""What `sparserepro expression` refuses: options out of the drivers' ranges, broken records."""

import json
from pathlib import Path

import pytest

import hand_made
from driver_runs import run
from expression_runs import RMAT
from sparserepro import cli
from sparserepro.run.expression import command, timing

pytestmark = pytest.mark.usefixtures("own_lock")


@pytest.fixture
def records(tmp_path) -> Path:
    """A file with a record of `serial`."""
    measures = {"products": 9.0, "edges": 3.0, "triangles": 1.0}
    made = hand_made.record("triangles", "serial", [1.0] * 10, backend="serial", measures=measures)
    (tmp_path / "records.jsonl").write_text(json.dumps(made) + "\n")
    return tmp_path / "records.jsonl"


@pytest.mark.parametrize(
    "option",
    [
        "--max-repetitions=0", "--repetitions=-5", "--min-repetitions=0", "--time-cap=nan",
        "--time-cap=-1", "--precision=-1", "--precision=1.5", "--warmup=-3", "--warmup=1001",
        "--end-to-end=-1", "--seed=-1", "--seed=x", "--cache=nosuch",
    ],
)  # fmt: skip
def test_options_that_the_drivers_refuse_are_refused(option, records, tmp_path, capsys):
    out, name = tmp_path / "out.jsonl", option.partition("=")[0]
    with pytest.raises(SystemExit) as ended:
        cli.main(["expression", RMAT, "--records", str(records), "--json", str(out), option])
    assert (ended.value.code, out.exists()) == (2, False)
    assert f"argument {name}: " in capsys.readouterr().err


def test_ranges_are_those_of_the_drivers(tmp_path):
    for name, (low, high) in timing.RANGES.items():
        for value in (low - 1, high + 2):
            option = f"{command.option_of(name)}={value}"
            done = run("triangles", RMAT, option, "--algorithm", "serial", "--quiet")
            assert done.returncode == 1, option
            assert command.option_of(name) in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"matrix": None}, "matrix"),
        ({"machine": {}}, "machine.id is missing"),
        ({"measures": {}}, "products, edges or triangles are not told"),
        ({"measures": {"products": "x", "edges": 1, "triangles": 1}}, "are not told"),
        ({"schema": 1}, "schema 1"),
    ],
)
def test_broken_records_are_one_line(change, words, records, capsys):
    records.write_text(json.dumps(json.loads(records.read_text()) | change) + "\n")
    assert cli.main(["expression", RMAT, "--records", str(records)]) == 2
    said = capsys.readouterr().err
    assert (words in said, said.count("\n")) == (True, 1)
    for text in ("{", "[" * 100_000, "7", '"x"'):
        records.write_text(text)
        assert cli.main(["expression", RMAT, "--records", str(records)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("place", ["nosuch/out.jsonl", "."])
def test_records_that_cannot_be_written_are_refused_before_the_measurement(
    place, records, tmp_path, capsys, monkeypatch
):
    for step in ("restart_with", "with_reference"):
        monkeypatch.setattr(command, step, lambda *_: pytest.fail("begun in vain"))
    out = tmp_path / place
    for given in (["--records", str(records)], []):
        assert cli.main(["expression", RMAT, *given, "--json", str(out)]) == 2
        assert capsys.readouterr().err == f"sparserepro: cannot write {out}\n"
