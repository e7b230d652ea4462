"""The drivers as a user meets them: help, lists, exit codes, messages, records, threads, lock."""

import fcntl
import itertools
import json
import os
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / os.environ.get("SPARSEREPRO_BUILD", "build") / "bin"
SCHEMA = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
CORES = len(os.sched_getaffinity(0))

MATRIX = "uniform:rows=300,cols=300,nnz=2500,seed=3"
SMALL_INSTANCE = {
    "primitives": [
        "--length=5000",
        "--procedure=scan,segmented_sort,merge,index_to_pointers,pointers_to_index",
    ],
    "transpose": [MATRIX],
    "convert": [MATRIX],
    "spmm": [MATRIX, "--k", "1,4"],  # some algorithms are for one column alone
    "triangles": ["rmat:scale=8,edge_factor=8,seed=1"],
}
PROBLEMS = list(SMALL_INSTANCE)
MATRIX_PROBLEMS = [problem for problem in PROBLEMS if problem != "primitives"]
FEW_SAMPLES = [
    "--repetitions",
    "3",
    "--min-repetitions",
    "2",
    "--max-repetitions",
    "3",
    "--warmup",
    "1",
    "--end-to-end",
    "1",
]


@pytest.fixture(autouse=True)
def own_lock(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the drivers run here while somebody measures: the lock lies in the temporary folder."""
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("lock")))


def run(driver: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / driver, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def catalogue(driver: str) -> dict:
    done = run(driver, "--list", "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def first_algorithm(driver: str) -> str:
    """A serial one: it runs on every machine."""
    entry = catalogue(driver)["algorithms"][0]
    assert entry["backend"] == "serial"
    return entry["name"]


def records_of(driver: str, *arguments: str, **environment: str) -> list[dict]:
    done = run(driver, *arguments, *FEW_SAMPLES, "--quiet", "--json", "-", **environment)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def assert_refused(done: subprocess.CompletedProcess[str], driver: str, *parts: str) -> None:
    """Exit code 1, nothing on standard output, and one line that starts with the driver's name."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith(f"{driver}: ")
    for part in parts:
        assert part in done.stderr


def test_every_driver_has_been_built() -> None:
    sources = {path.stem for path in (ROOT / "drivers").glob("*.cpp")}
    assert sources == {*PROBLEMS, "matrix_info"}
    assert sources <= {path.name for path in BIN.iterdir()}


@pytest.mark.parametrize("driver", [*PROBLEMS, "matrix_info"])
def test_help_names_the_options(driver: str) -> None:
    done = run(driver, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    for option in ("--json", "--matrix-name"):
        assert option in done.stdout


@pytest.mark.parametrize("driver", PROBLEMS)
def test_help_has_an_option_for_every_parameter(driver: str) -> None:
    text = run(driver, "--help").stdout
    listed = catalogue(driver)
    parameters = listed["instance_parameters"] + list(
        itertools.chain.from_iterable(a["parameters"] for a in listed["algorithms"])
    )
    assert parameters
    for parameter in parameters:
        assert f"--{parameter['name'].replace('_', '-')} " in text
        assert parameter["help"] in " ".join(text.split())


@pytest.mark.parametrize("driver", PROBLEMS)
def test_list_shows_every_algorithm_and_whether_it_runs_here(driver: str, tmp_path: Path) -> None:
    listed = catalogue(driver)
    assert listed["problem"] == driver
    names = [algorithm["name"] for algorithm in listed["algorithms"]]
    assert len(names) == len(set(names)) > 1
    done = run(driver, "--list")
    lines = done.stdout.splitlines()
    for algorithm in listed["algorithms"]:
        assert algorithm["summary"] and algorithm["source"]
        (line,) = [line for line in lines if line.split()[:1] == [algorithm["name"]]]
        assert algorithm["backend"] in line
        if algorithm["unavailable"]:
            assert algorithm["unavailable"] in done.stdout
        else:
            assert line.rstrip().endswith("yes")
    target = tmp_path / "catalogue.json"
    assert run(driver, "--list", "--json", str(target)).returncode == 0
    assert json.loads(target.read_text()) == listed


@pytest.mark.parametrize("driver", PROBLEMS)
def test_records_are_valid_and_cover_every_algorithm(driver: str) -> None:
    records = records_of(driver, *SMALL_INSTANCE[driver])
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for record in records:
        validator.validate(record)
        assert record["problem"] == driver
        assert record["argv"][0] == driver
    listed = catalogue(driver)["algorithms"]
    assert {record["algorithm"] for record in records} == {entry["name"] for entry in listed}
    skipped = {record["algorithm"] for record in records if record["status"] == "skipped"}
    assert {entry["name"] for entry in listed if entry["unavailable"]} <= skipped
    assert any(record["status"] == "ok" for record in records)


@pytest.mark.parametrize("driver", PROBLEMS)
def test_table_names_every_measured_algorithm(driver: str) -> None:
    done = run(driver, *SMALL_INSTANCE[driver], *FEW_SAMPLES)
    assert (done.returncode, done.stderr) == (0, "")
    assert "speedup" in done.stdout
    for record in records_of(driver, *SMALL_INSTANCE[driver]):
        assert record["algorithm"] in done.stdout
        if record["status"] == "skipped":
            assert record["reason"] in done.stdout


@pytest.mark.parametrize("driver", PROBLEMS)
def test_quiet_prints_nothing(driver: str, tmp_path: Path) -> None:
    target = tmp_path / "records.jsonl"
    name = first_algorithm(driver)
    arguments = [*SMALL_INSTANCE[driver], *FEW_SAMPLES, "-a", name, "-q", "--json", str(target)]
    done = run(driver, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {json.loads(line)["algorithm"] for line in target.read_text().splitlines()} == {name}


@pytest.mark.parametrize("driver", PROBLEMS)
def test_unknown_algorithm_is_named_with_the_nearest(driver: str) -> None:
    name = first_algorithm(driver)
    done = run(driver, *SMALL_INSTANCE[driver], "--algorithm", name[:-1])
    assert_refused(done, driver, f"'{name[:-1]}'", f"did you mean '{name}")


@pytest.mark.parametrize("driver", [*PROBLEMS, "matrix_info"])
def test_unknown_option(driver: str) -> None:
    assert_refused(run(driver, "--bogus", "1"), driver, "--bogus", "--help")


BAD_FILES = {
    "empty.mtx": ("", ""),
    "banner.mtx": ("%%MatrixMarkt matrix coordinate real general\n1 1 0\n", ":1"),
    "hermitian.mtx": ("%%MatrixMarket matrix coordinate complex hermitian\n1 1 0\n", "complex"),
    "range.mtx": ("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n", ":3"),
    "text.mtx": ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 abc\n", ":3"),
    "short.mtx": ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n", "2"),
}


@pytest.mark.parametrize("driver", [*MATRIX_PROBLEMS, "matrix_info"])
@pytest.mark.parametrize("name", [*BAD_FILES, "missing.mtx", "uniform:rows=abc", "nosuch:rows=3"])
def test_bad_source_is_refused_and_leaves_no_records(
    driver: str, name: str, tmp_path: Path
) -> None:
    target = tmp_path / "records.jsonl"
    source = name if ":" in name else str(tmp_path / name)
    text, part = BAD_FILES.get(name, ("", ""))
    if name in BAD_FILES:
        Path(source).write_text(text)
    done = run(driver, source, "--json", str(target))
    assert_refused(done, driver, part, name.split(":")[0])
    assert list(tmp_path.glob("records*")) == []


@pytest.mark.parametrize("driver", PROBLEMS)
def test_records_that_cannot_be_written(driver: str, tmp_path: Path) -> None:
    target = str(tmp_path / "no such folder" / "records.jsonl")
    name = first_algorithm(driver)
    done = run(driver, *SMALL_INSTANCE[driver], *FEW_SAMPLES, "-a", name, "-q", "--json", target)
    assert_refused(done, driver, target)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--offset-bits", "33"], "offset_bits"),
        (["--value-type", "fp16"], "fp64, fp32, pattern"),
        (["--repetitions", "0"], "--repetitions"),
        (["--cache", "cold"], "--cache"),
    ],
)
def test_values_that_are_not_allowed(arguments: list[str], part: str) -> None:
    assert_refused(run("transpose", MATRIX, *arguments), "transpose", part)


def test_lists_of_values_give_the_cross_product() -> None:
    records = records_of(
        "transpose",
        MATRIX,
        "-a",
        "serial",
        "--value-type",
        "fp64,pattern",
        "--offset-bits",
        "32,64",
    )
    got = {
        (record["parameters"]["value_type"], record["parameters"]["offset_bits"])
        for record in records
    }
    assert got == set(itertools.product(("fp64", "pattern"), (32, 64)))
    assert len(records) == 4


def test_matrix_name_and_machine_id_reach_the_record() -> None:
    (record,) = records_of(
        "transpose", MATRIX, "-a", "serial", "--matrix-name", "chosen", "--machine-id", "mine"
    )
    assert record["matrix"]["name"] == "chosen"
    assert record["matrix"]["source"] == MATRIX
    assert record["machine"]["id"] == "mine"


def test_file_source_is_recorded_without_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "tiny.mtx"
    path.write_text("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n")
    (record,) = records_of("transpose", str(path), "-a", "serial")
    assert record["matrix"]["source"] == record["matrix"]["name"] + ".mtx" == "tiny.mtx"
    assert (record["matrix"]["rows"], record["matrix"]["cols"]) == (2, 3)


def test_transpose_takes_rows_columns_entries() -> None:
    (record,) = records_of("transpose", "100", "200", "500", "-a", "serial")
    matrix = record["matrix"]
    assert (matrix["rows"], matrix["cols"], matrix["stored"]) == (100, 200, 500)
    assert matrix["origin"] == "generated"
    assert_refused(run("transpose", "100", "200"), "transpose", "ROWS COLS NNZ")


def test_transpose_documents_its_default_instance() -> None:
    text = " ".join(run("transpose", "--help").stdout.split())
    assert "uniform:rows=500000,cols=500000,nnz=10000000" in text


def test_threads_are_those_of_the_option_whatever_the_environment_says() -> None:
    for inherited in ("1", "7"):
        (record,) = records_of(
            "transpose", MATRIX, "-a", "omp_scantrans", OMP_NUM_THREADS=inherited
        )
        assert record["parameters"]["threads"] == CORES
        (record,) = records_of(
            "transpose",
            MATRIX,
            "-a",
            "omp_scantrans",
            "--threads",
            "1",
            OMP_NUM_THREADS=inherited,
        )
        assert record["parameters"]["threads"] == 1


def most_threads(*arguments: str, **environment: str) -> int:
    """The largest number of threads that a transposition was seen to have while it ran."""
    process = subprocess.Popen(
        [BIN / "transpose", *arguments, "--quiet"], env=os.environ | environment
    )
    status = Path(f"/proc/{process.pid}/status")
    most = 0
    while process.poll() is None:
        lines = status.read_text().splitlines()
        most = max([most, *(int(x.split()[1]) for x in lines if x.startswith("Threads:"))])
        time.sleep(0.002)
    assert process.returncode == 0
    return most


@pytest.mark.skipif(CORES < 2, reason="one core: every run has one thread")
def test_kernels_run_with_the_threads_asked_for() -> None:
    big = ["200000", "200000", "2000000", "-a", "omp_scantrans", *FEW_SAMPLES]
    assert most_threads(*big, "--threads", "2", OMP_NUM_THREADS="1") == 2
    assert most_threads(*big, "--threads", "2", OMP_NUM_THREADS="7") <= CORES


def test_more_threads_than_cores_is_skipped_with_the_reason() -> None:
    records = records_of("transpose", MATRIX, "-a", "omp_scantrans", "--threads", f"1,{CORES + 1}")
    assert [record["status"] for record in records] == ["ok", "skipped"]
    assert f"only {CORES} core" in records[1]["reason"]


def test_a_second_measurement_waits_for_the_first(tmp_path: Path) -> None:
    path = tmp_path / "sparserepro-measurement.lock"
    with path.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = subprocess.Popen(
            [BIN / "transpose", MATRIX, "-a", "serial", *FEW_SAMPLES],
            env=os.environ | {"TMPDIR": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert waiting.stderr.readline() == f"waiting: another measurement holds {path}\n"
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(timeout=0.5)
    out, _ = waiting.communicate(timeout=60)
    assert waiting.returncode == 0
    assert "serial" in out


@pytest.fixture
def hand_made(tmp_path: Path) -> Path:
    """4 x 4, symmetric, an explicit zero; rows of the expanded matrix hold 2, 0, 2, 0 entries."""
    path = tmp_path / "hand-made.mtx"
    path.write_text(
        "%%MatrixMarket matrix coordinate real symmetric\n% comment\n4 4 3\n"
        "1 1 2.0\n3 1 -1.5\n3 3 0\n"
    )
    return path


def test_matrix_info_counts(hand_made: Path) -> None:
    done = run("matrix_info", str(hand_made), "--json", "-")
    assert done.returncode == 0, done.stderr
    info = json.loads(done.stdout)
    assert info["name"] == "hand-made"
    assert (info["field"], info["symmetry"], info["origin"]) == ("real", "symmetric", "file")
    assert (info["rows"], info["cols"]) == (4, 4)
    assert (info["entries_in_file"], info["stored"], info["nnz"]) == (3, 4, 3)
    assert (info["explicit_zeros"], info["duplicates"], info["bandwidth"]) == (1, 0, 2)
    assert info["pattern_symmetric"] is True
    lengths = info["row_length"]
    assert (lengths["min"], lengths["median"], lengths["mean"], lengths["max"]) == (0, 1, 1, 2)
    assert lengths["empty"] == 2
    assert sum(bin_["count"] for bin_ in lengths["histogram"]) == 4
    assert info["col_length"] == lengths
    assert info["read_seconds"] > 0


def test_matrix_info_in_words(hand_made: Path) -> None:
    done = run("matrix_info", str(hand_made))
    assert (done.returncode, done.stderr) == (0, "")
    assert "hand-made" in done.stdout
    assert "symmetric" in done.stdout
