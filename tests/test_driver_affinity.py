"""The cores that the threads of the drivers have, whatever OpenMP's settings and runtimes are."""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from driver_runs import BIN, CORES, FEW_SAMPLES, MATRIX, assert_refused, records_of, run

pytestmark = [
    pytest.mark.usefixtures("own_lock", "no_openmp_settings"),
    pytest.mark.skipif(CORES < 2, reason="one core: every run has one thread"),
]

SCANTRANS = ["transpose", MATRIX, "-a", "omp_scantrans"]
BOUND = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
ONE_PLACE = {"OMP_PROC_BIND": "close", "OMP_PLACES": f"{{{min(os.sched_getaffinity(0))}}}"}


@pytest.fixture
def no_openmp_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("OMP_", "GOMP_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def second_runtime(tmp_path: Path) -> dict[str, str]:
    """An environment that loads another libgomp beside the drivers' own, as a library may that is
    built elsewhere."""
    linked = subprocess.run(["ldd", BIN / "transpose"], capture_output=True, text=True, check=True)
    found = re.search(r"libgomp\.so\.1 => (\S+)", linked.stdout)
    if found is None:
        pytest.skip("the drivers are not linked with libgomp")
    path = tmp_path / "libgomp.so.9"
    path.write_bytes(Path(found[1]).read_bytes().replace(b"libgomp.so.1\0", b"libgomp.so.9\0"))
    return {"LD_PRELOAD": str(path)}


def team(*arguments: str, **environment: str) -> list[tuple[str, ...]]:
    """The lists of processors of two threads together, each time that they were looked at while a
    driver ran."""
    command = [
        BIN / "transpose",
        "200000",
        "200000",
        "2000000",
        "-a",
        "omp_scantrans",
        *FEW_SAMPLES,
    ]
    process = subprocess.Popen([*command, *arguments, "--quiet"], env=os.environ | environment)
    tasks = Path(f"/proc/{process.pid}/task")
    seen = []
    while process.poll() is None:
        try:
            texts = [(task / "status").read_text() for task in tasks.iterdir()]
        except OSError:  # a thread has ended
            continue
        found = [re.search(r"^Cpus_allowed_list:\s*(\S+)", text, re.MULTILINE)[1] for text in texts]
        if len(found) == 2:
            seen.append(tuple(sorted(found)))
        time.sleep(0.002)
    assert process.returncode == 0
    return seen


def processors(text: str) -> set[int]:
    """Of a list as "0-2,5"."""
    bounds = [part.split("-") for part in text.split(",")]
    return {p for low, *high in bounds for p in range(int(low), int(high[0] if high else low) + 1)}


def test_each_thread_has_a_core_of_its_own() -> None:
    seen = [tuple(map(processors, texts)) for texts in team("--threads", "2")]
    bound = [pair for pair in seen if all(len(cores) < CORES for cores in pair)]
    apart = [first for first, second in bound if first.isdisjoint(second)]
    # Until it binds itself, a thread that has just begun has the processors of the one that began
    # it: all, or the one core of that thread.
    assert len(apart) > 0.75 * len(seen) > 0


def test_a_second_runtime_takes_no_core_away(second_runtime: dict[str, str]) -> None:
    records = records_of(*SCANTRANS, "--threads", "1,2", **second_runtime)
    assert [record["status"] for record in records] == ["ok", "ok"], records[-1]["reason"]
    (record,) = records_of(*SCANTRANS, **second_runtime)
    assert record["machine"]["cores_available"] == record["parameters"]["threads"] == CORES
    seen = team("--threads", "2", **second_runtime)
    assert seen
    assert {len(processors(text)) for found in seen for text in found} == {CORES}


def test_a_second_runtime_is_told(second_runtime: dict[str, str]) -> None:
    done = run(*SCANTRANS, *FEW_SAMPLES, **second_runtime)
    assert done.returncode == 0, done.stderr
    told = "transpose: threads are not bound to cores: several OpenMP runtimes share this process"
    assert done.stderr.startswith(told)
    assert "libgomp.so.9" in done.stderr
    assert "runtimes" not in run(*SCANTRANS, *FEW_SAMPLES).stderr


@pytest.mark.parametrize("restart", ["yes", "no"])
@pytest.mark.parametrize("driver", ["transpose", "rates"])
def test_threads_that_two_runtimes_bind_are_refused(
    driver: str, restart: str, second_runtime: dict[str, str]
) -> None:
    settings = BOUND | second_runtime | {"SPARSEREPRO_RESTART": restart}
    done = run(driver, *([MATRIX] if driver == "transpose" else []), **settings)
    remedy = "set OMP_PROC_BIND=false, or unset it"
    assert_refused(done, driver, f"count the {CORES} processors", "libgomp.so.9", remedy)


def test_what_the_refusal_advises_helps(second_runtime: dict[str, str]) -> None:
    for settings in ({"OMP_PROC_BIND": "false"}, {"OMP_PLACES": "cores"}):
        (record,) = records_of(*SCANTRANS, "--threads", "2", **second_runtime, **settings)
        assert record["status"] == "ok", record["reason"]


@pytest.mark.parametrize(
    "settings", [ONE_PLACE, {"OMP_PROC_BIND": "master"}], ids=["place", "master"]
)
def test_threads_that_share_a_core_are_no_measurement(settings: dict[str, str]) -> None:
    (record,) = records_of(*SCANTRANS, "--threads", "2", **settings)
    assert record["reason"] == (
        "threads = 2: OpenMP binds them to 1 core (OMP_PROC_BIND, OMP_PLACES)"
    )
    (record,) = records_of(*SCANTRANS, **settings)
    assert (record["status"], record["parameters"]["threads"]) == ("ok", 1)
