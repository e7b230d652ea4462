"""The settings of memory that the drivers start themselves with, as the records tell them."""

from pathlib import Path

import pytest

from driver_runs import CORES, MATRIX, records_of, run

pytestmark = pytest.mark.usefixtures("own_lock")

MODE = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def has_huge_pages() -> bool:
    return MODE.exists() and "[never]" not in MODE.read_text()


def machine_of(*options: str, **environment: str) -> dict:
    (record,) = records_of("transpose", MATRIX, "-a", "serial", *options, **environment)
    return record["machine"]


@pytest.mark.skipif(not has_huge_pages(), reason="the system has no transparent huge pages")
def test_arrays_of_all_lie_on_huge_pages_or_none_do() -> None:
    assert machine_of()["huge_pages"]["operands"]
    assert machine_of("--huge-pages", "yes")["huge_pages"]["operands"]
    assert not machine_of("--huge-pages=no")["huge_pages"]["operands"]


def test_blocks_of_any_size_are_kept_for_the_next_use() -> None:
    for option in ("yes", "no"):
        allocator = machine_of("--huge-pages", option)["allocator"]
        assert "mmap_max=0, trim_threshold=" in allocator
        assert ("hugetlb=1" in allocator) == (option == "yes")


@pytest.mark.parametrize("places", [{}, {"OMP_PLACES": "cores"}, {"OMP_PLACES": "threads"}])
def test_settings_hold_where_the_threads_are_bound_already(places: dict[str, str]) -> None:
    machine = machine_of(OMP_PROC_BIND="close", **places)
    assert "mmap_max=0" in machine["allocator"]
    assert machine["cores_available"] == CORES  # the first thread's own processor is not all


def test_settings_of_the_user_stand() -> None:
    allocator = machine_of(GLIBC_TUNABLES="glibc.malloc.arena_max=1")["allocator"]
    assert allocator.endswith(": arena_max=1")


def test_a_driver_that_a_tool_follows_does_not_start_again() -> None:
    assert machine_of(SPARSEREPRO_RESTART="no")["allocator"].endswith(": defaults")


def test_huge_pages_are_yes_or_no() -> None:
    done = run("transpose", MATRIX, "--huge-pages", "perhaps")
    assert done.returncode == 1
    assert "--huge-pages" in done.stderr


def test_records_tell_instruction_sets_and_layout() -> None:
    (record,) = records_of("transpose", MATRIX, "-a", "serial")
    sets = record["build"]["instruction_sets"]
    assert set(sets) == {"own", "peers"}
    if "-march=native" in record["build"]["flags"]:
        assert sets["own"] == sets["peers"]
    assert record["machine"]["numa_nodes"] >= 1
    assert record["machine"]["huge_pages"]["mode"] in {"always", "madvise", "never", "unknown"}
