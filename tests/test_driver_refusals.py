"""What the drivers refuse: exit codes, one line that names the cause, no records."""

from pathlib import Path

import pytest

from driver_runs import (
    FEW_SAMPLES,
    MATRIX,
    MATRIX_PROBLEMS,
    PROBLEMS,
    SMALL_INSTANCE,
    assert_refused,
    first_algorithm,
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
        (["--cache", "cold"], "--cache"),
    ],
)
def test_values_that_are_not_allowed(arguments: list[str], part: str) -> None:
    assert_refused(run("transpose", MATRIX, *arguments), "transpose", part)
