"""What the drivers refuse: exit codes, one line that names the cause, no records."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from driver_runs import (
    BIN,
    FEW_SAMPLES,
    MATRIX,
    MATRIX_PROBLEMS,
    PROBLEMS,
    SMALL_INSTANCE,
    assert_refused,
    first_algorithm,
    records_of,
    run,
)

pytestmark = pytest.mark.usefixtures("own_lock")


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
        (["--time-cap", "nan"], "not a number of seconds"),
        (["--time-cap", "-1"], "not a number of seconds from 0 to 1000000"),
        (["--time-cap", "inf"], "not a number of seconds"),
        (["--precision", "nan"], "not a number from 0 to 1"),
        (["--seed", "-1"], "--seed"),
        (["--machine-id", "../x"], "--machine-id"),
        (["--max-repetitions", "5", "--min-repetitions", "50"], "--min-repetitions 50"),
        (["--algorithm", "all,nosuch"], "nosuch"),
        (["--cache", "cold"], "--cache"),
        (["--threads", "1,,2"], "--threads: '1,,2' has an empty part"),
        (["--value-type", "fp64,"], "--value-type: 'fp64,' has an empty part"),
        (["-a", "serial,,omp_partition"], "--algorithm: 'serial,,omp_partition' has an empty"),
        (["--threads", ""], "--threads: '' has an empty part"),
    ],
)
def test_values_that_are_not_allowed(arguments: list[str], part: str) -> None:
    assert_refused(run("transpose", MATRIX, *arguments), "transpose", part)


@pytest.mark.parametrize(
    ("driver", "arguments", "part"),
    [
        ("spmm", ["--k", "1,2147483648"], "k = 2147483648: must be at most 2147483647"),
        ("spmm", ["--k", "1,0"], "k = 0: must be at least 1"),
        ("spmm", ["--value-type", "fp64,fp32"], "a value of A is beyond the largest of fp32"),
        ("transpose", ["--offset-bits", "32,33"], "offset_bits = 33: allowed are 32, 64"),
        ("transpose", ["--threads", "1,0"], "threads = 0: must be at least 1"),
        ("convert", ["--order", "random,rows"], "order = rows: allowed are column_major"),
        ("triangles", ["--strict", "0,1"], "is not a simple undirected graph (strict=1)"),
        ("primitives", ["--length", "9,2147483648"], "length = 2147483648 is more than"),
        ("primitives", ["--procedure", "scan,sort"], "procedure = sort: allowed are scan,"),
    ],
)
def test_a_bad_value_late_in_a_list_is_refused_before_a_measurement(
    driver: str, arguments: list[str], part: str, tmp_path: Path
) -> None:
    source = tmp_path / "matrix.mtx"
    source.write_text("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1e300\n2 3 1.0\n")
    asked = ["random"] if driver == "primitives" else [str(source)]
    done = run(driver, *asked, *arguments, "-a", first_algorithm(driver), *FEW_SAMPLES)
    assert_refused(done, driver, part)  # standard output has no table


@pytest.mark.parametrize(
    ("driver", "arguments", "part"),
    [
        ("transpose", ["--path", "nonsense"], "path = nonsense: allowed are auto, serial, direct"),
        ("transpose", ["--path", "auto,bucket", "-a", "serial"], "path = bucket: allowed are auto"),
        ("spmm", ["--block-size", "129"], "block_size = 129: allowed are 128, 256, 512, 1024"),
        ("spmm", ["--sub-warp", "rows"], "--sub-warp: 'rows' is not an integer"),
        ("spmm", ["--local-size", "33"], "local_size = 33: allowed are mean, 32, 64"),
    ],
)
def test_a_value_that_no_algorithm_knows_is_refused(
    driver: str, arguments: list[str], part: str
) -> None:
    assert_refused(run(driver, MATRIX, *arguments), driver, part)


def test_a_value_that_another_algorithm_knows_skips_a_cell() -> None:
    words = ["--threads", "1", "--path", "gather", "-a", "omp_partition,omp_plan"]
    records = records_of("transpose", MATRIX, *words)
    assert [(one["algorithm"], one["status"]) for one in records] == [
        ("omp_partition", "skipped"),
        ("omp_plan", "ok"),
    ]
    allowed = "auto, serial, direct, columns, buckets"
    assert records[0]["reason"] == f"path = gather: allowed are {allowed}"


def test_a_number_among_names_is_a_value() -> None:
    words = ["--local-size", "mean,32", "-a", "cuda_csr_adaptive"]
    sizes = [one["parameters"]["local_size"] for one in records_of("spmm", MATRIX, *words)]
    assert sizes == ["mean", 32]


def test_most_samples_alone_lower_the_other_limits() -> None:
    done = run("transpose", MATRIX, "-a", "serial", "--max-repetitions", "3", "--json", "-", "-q")
    assert len(json.loads(done.stdout)["timing"]["kernel_s"]) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["transpose", MATRIX, "-a", "serial", *FEW_SAMPLES],
        ["transpose", MATRIX, "-a", "serial", *FEW_SAMPLES, "--json", "-"],
        ["transpose", "--list"],
        ["transpose", "--list", "--json", "-"],
        ["matrix_info", MATRIX],
        ["matrix_info", MATRIX, "--json", "-"],
    ],
    ids=" ".join,
)
def test_lost_output_is_an_error(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [BIN / arguments[0], *arguments[1:]], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "cannot write to standard output; the output is incomplete"
    )


def test_an_unwritable_target_is_refused_before_the_matrix_is_made(tmp_path: Path) -> None:
    target = str(tmp_path / "no such folder" / "records.jsonl")
    refused = run("transpose", "no such generator:rows=1", "--json", target)
    assert_refused(refused, "transpose", f"cannot write {target}")
    assert_refused(run("matrix_info", "nothing", "--json", str(tmp_path)), "matrix_info", "cannot")


@pytest.mark.parametrize(
    ("driver", "options"),
    [
        *((driver, [option]) for driver in MATRIX_PROBLEMS for option in ("--json",)),
        ("transpose", ["--list", "--json"]),
        ("matrix_info", ["--json"]),
        ("matrix_info", ["--graph"]),
        ("matrix_info", ["--json", "-", "--graph"]),
    ],
)
@pytest.mark.parametrize("output", ["./matrix.mtx", "link.mtx"])
def test_the_source_is_not_overwritten(
    driver: str, options: list[str], output: str, tmp_path: Path
) -> None:
    source = tmp_path / "matrix.mtx"
    text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1.0\n"
    source.write_text(text)
    (tmp_path / "link.mtx").symlink_to("matrix.mtx")
    target = f"{tmp_path}/{output}"
    done = run(driver, str(source), *options, target)
    assert_refused(done, driver, f"cannot write {target}: it is the source {source}")
    assert source.read_text() == text


def test_doubled_values_are_measured_once(tmp_path: Path) -> None:
    words = ["--k", "2,2", "--threads", "1,1", "-a", "omp_csr,omp_csr"]
    assert len(records_of("spmm", MATRIX, *words)) == 1


@pytest.mark.parametrize("k", [2**31, 6148914691236517206, 2**63 - 1])
@pytest.mark.parametrize("size", ["3 3", "0 3", "0 0"])
def test_products_whose_size_wraps_are_refused(k: int, size: str, tmp_path: Path) -> None:
    source = tmp_path / "matrix.mtx"
    source.write_text(f"%%MatrixMarket matrix coordinate real general\n{size} 0\n")
    done = run("spmm", str(source), "--k", str(k), "-a", "serial_csr", "-q")
    shape = " x ".join(size.split())
    assert_refused(done, "spmm", f"k = {k}: must be at most 2147483647 for a matrix of {shape}")


def test_more_columns_than_an_algorithm_takes_skip_its_cell(tmp_path: Path) -> None:
    source = tmp_path / "empty.mtx"
    source.write_text("%%MatrixMarket matrix coordinate real general\n0 0 0\n")
    names = ["serial_csr", "omp_csr_blocked"]
    words = ["--k", str(2**28 + 1), "--threads", "1", "-a", ",".join(names)]
    records = records_of("spmm", str(source), *words)
    assert [(one["algorithm"], one["status"]) for one in records] == [
        ("serial_csr", "ok"),
        ("omp_csr_blocked", "skipped"),
    ]
    assert records[1]["reason"] == "268435457 columns; a row of X has at most 268435456"


def test_a_name_that_is_no_utf_8_is_recorded(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/na\xefve.mtx"
    Path(os.fsdecode(path)).write_text(
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"
    )
    records = records_of("transpose", path, "-a", "serial")
    assert records[0]["matrix"]["source"] == "na\ufffdve.mtx"


@pytest.mark.parametrize("spec", ["short_rows", "empty_rows"])
def test_a_matrix_beyond_the_limit_of_memory_is_refused_at_once(spec: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"ulimit -v 4000000; exec {BIN}/transpose {spec}:rows=2000000000"],
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert_refused(done, "transpose", "GiB; ulimit -v allows 3.8")
