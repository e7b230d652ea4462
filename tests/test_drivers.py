"""The drivers as a user meets them: help, lists, tables, records."""

import itertools
import json
import statistics
from pathlib import Path

import jsonschema
import pytest

from driver_runs import (
    BIN,
    FEW_SAMPLES,
    MATRIX,
    PROBLEMS,
    ROOT,
    SMALL_INSTANCE,
    assert_refused,
    catalogue,
    first_algorithm,
    records_of,
    run,
    small_records,
)
from sparserepro.build.catalogue import registered
from test_algorithm_names import names_in_list

pytestmark = pytest.mark.usefixtures("own_lock")

SCHEMA = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())


def test_every_driver_has_been_built() -> None:
    sources = {path.stem for path in (ROOT / "drivers").glob("*.cpp")}
    assert sources == {*PROBLEMS, "matrix_info", "rates"}
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
    assert names == names_in_list(driver)  # each is also the stem of its file
    # What configurations are checked against before a build.
    assert [*names, *(["matrix_expression"] * (driver == "triangles"))] == registered(ROOT, driver)
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
    records = list(small_records(driver))
    if driver == "spmm":  # some algorithms are for A^T alone
        records += records_of(driver, *SMALL_INSTANCE[driver], "--op", "transpose")
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
    for record in small_records(driver):
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
    assert record["machine"]["load_before"] >= 0
    assert record["matrix"]["source"] == MATRIX
    assert record["machine"]["id"] == "mine"


def test_cells_of_one_process_share_a_run() -> None:
    first = records_of("transpose", MATRIX, "-a", "serial,omp_scantrans", "--repeat", "3")
    second = records_of("transpose", MATRIX, "-a", "serial")
    assert {record["run"]["repeat"] for record in first} == {3}
    assert len({record["run"]["id"] for record in first}) == 1
    assert second[0]["run"]["repeat"] == 0
    assert second[0]["run"]["id"] != first[0]["run"]["id"]


def test_a_cell_on_the_host_has_no_transfers_and_no_clock_of_a_device() -> None:
    (record,) = records_of("transpose", MATRIX, "-a", "serial")
    timing = record["timing"]
    (whole,) = timing["end_to_end"]
    assert whole["transfers"] == "none"
    assert (timing["queued"], timing["clock_mhz"], timing["throttled"]) == (None, [], 0)
    assert len(whole["total_s"]) == len(whole["kernel_s"]) == 1
    assert whole["total_s"][0] > whole["kernel_s"][0] > whole["transfer_s"][0] == 0
    assert record["check"]["verified_after"] is True
    least = record["model"]["bytes"] / record["copy_bytes_per_s"]
    assert record["bounds"]["copy_s"] == pytest.approx(least)


def test_peers_name_their_library() -> None:
    for record in records_of("transpose", MATRIX):
        assert (record["library"] is not None) == record["peer"]


def test_flushed_samples_are_single_executions() -> None:
    (warm,) = records_of("transpose", MATRIX, "-a", "serial")
    (flushed,) = records_of("transpose", MATRIX, "-a", "serial", "--cache", "flushed")
    assert (warm["timing"]["cache"], flushed["timing"]["cache"]) == ("warm", "flushed")
    assert warm["timing"]["batch"] > 1
    assert flushed["timing"]["batch"] == 1
    emptied, full = (statistics.median(r["timing"]["kernel_s"]) for r in (flushed, warm))
    assert emptied > full


def test_file_source_is_recorded_without_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "tiny.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 3 3\n1 3 1\n2 1 0\n2 2 5\n")
    (record,) = records_of("transpose", str(path), "-a", "serial")
    assert record["matrix"]["source"] == record["matrix"]["name"] + ".mtx" == "tiny.mtx"
    assert (record["matrix"]["rows"], record["matrix"]["cols"]) == (2, 3)
    assert (record["matrix"]["nnz"], record["matrix"]["stored"]) == (2, 3)


def test_transpose_takes_rows_columns_entries() -> None:
    (record,) = records_of("transpose", "100", "200", "500", "-a", "serial")
    matrix = record["matrix"]
    assert (matrix["rows"], matrix["cols"], matrix["stored"]) == (100, 200, 500)
    assert matrix["origin"] == "generated"
    assert_refused(run("transpose", "100", "200"), "transpose", "ROWS COLS NNZ")


def test_transpose_documents_its_default_instance() -> None:
    text = " ".join(run("transpose", "--help").stdout.split())
    assert "uniform:rows=500000,cols=500000,nnz=10000000" in text
