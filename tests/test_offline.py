"""The command `./measure` of a bundle: what it runs, what it leaves, how it goes on."""

import json
import signal
import subprocess
import tarfile
import time
from pathlib import Path

import pytest

from bundle_support import TWO
from sparserepro.offline import runner
from sparserepro.offline.packing import MANIFEST


def expect(other, seconds):
    """Changes what jobs are expected to take."""
    path = other.bundle / "jobs/jobs.json"
    listed = json.loads(path.read_text())
    for job in listed["jobs"]:
        job["expected_s"] = seconds
    path.write_text(json.dumps(listed))


def test_it_measures_and_resumes(other):
    first = other.measure("--only", "transpose", "--machine-id", "box")
    assert first.returncode == 0, first.stdout + first.stderr
    assert len(other.calls()) == 2
    assert "2 jobs, 0 of them already done" in first.stdout

    second = other.measure("--machine-id", "box")
    assert second.returncode == 0, second.stdout + second.stderr
    (call,) = other.calls()
    assert call.startswith("spmm ")
    assert "4 jobs, 2 of them already done" in second.stdout
    lines = [p.read_text() for p in sorted((other.bundle / "records/transpose").glob("*.jsonl"))]
    records = [json.loads(line) for text in lines for line in text.splitlines()]
    assert {record["machine"]["id"] for record in records} == {"box"}
    assert {record["matrix"]["name"] for record in records} == set(TWO["matrices"])
    for record in records:
        program, _source, *words = record["argv"]
        assert Path(program).name == "transpose"
        assert words[-1] == f"records/transpose/{record['matrix']['name']}.1.part"
        assert not any(word.startswith("/") for word in record["argv"][1:])

    (other.path / "cant.mtx.gz").touch()
    other.measure("--matrices", str(other.path), "--machine-id", "box")
    (call,) = other.calls()
    assert "cant.mtx.gz --matrix-name cant" in call


def test_a_file_of_another_matrix_gives_no_records(other):
    (other.path / "cant.mtx").write_text("%%MatrixMarket matrix coordinate real general\n4 4 1\n")
    done = other.measure("--only", "spmm", "--matrices", str(other.path))
    assert done.returncode == 1
    told = "not the matrix cant: rows 4, expected 62451; cols 4, expected 62451; stored 1, expected"
    assert f"FAILED: {told}" in done.stdout
    assert not (other.bundle / "records/spmm/cant.1.jsonl").exists()
    assert (other.bundle / "records/spmm/uniform-small.1.jsonl").exists()


def test_progress_says_what_is_done_and_how_long_it_takes(other):
    expect(other, 100)
    done = other.measure("--no-verify")
    assert "[1 of 3] transpose/uniform-small.1.jsonl: about 5 min left" in done.stdout
    # The first took less than was expected, so the others are expected to.
    assert "[2 of 3] transpose/fem-small.1.jsonl: about 0 s left" in done.stdout
    assert " s, 3 records" in done.stdout
    assert [runner.duration(s) for s in (40.4, 600, 7200)] == ["40 s", "10 min", "2.0 h"]


def test_an_interrupted_call_ends_its_driver_and_the_next_goes_on(other):
    assert other.measure("--matrix", "uniform-small", "--only", "transpose").returncode == 0
    other.calls()
    real = (other.bundle / "build/bin/transpose").read_text()
    other.driver("transpose", "#!/bin/sh\necho $$ > pid.txt\nexec sleep 60\n")
    line = other.line("--only", "transpose", "--no-build")
    with subprocess.Popen(
        line, cwd=other.path, env=other.environment, stderr=subprocess.PIPE, text=True
    ) as running:
        pid = other.bundle / "pid.txt"
        deadline = time.monotonic() + 20
        while not (pid.exists() and pid.read_text().strip()) and time.monotonic() < deadline:
            time.sleep(0.05)
        second = other.measure("--only", "spmm", "--no-build")
        assert second.returncode == 1
        assert "another ./measure writes" in second.stderr
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 130
        assert "the same command continues" in running.stderr.read()
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()

    other.driver("transpose", real)
    done = other.measure("--only", "transpose", "--no-build")
    assert done.returncode == 0, done.stdout + done.stderr
    (call,) = other.calls()
    assert "--matrix-name fem-small" in call


def test_what_was_measured_is_packed_after_an_interrupt(other):
    assert other.measure("--pack").returncode == 1
    assert other.measure("--only", "transpose", "--machine-id", "box").returncode == 0
    results = other.bundle / "results-box.tar.gz"
    before = results.read_bytes()
    results.unlink()
    other.calls()
    assert other.measure("--pack").returncode == 0
    assert other.calls() == []
    assert len(results.read_bytes()) == pytest.approx(len(before), rel=0.2)


def test_records_are_of_one_machine(other):
    assert other.measure("--only", "transpose", "--machine-id", "box").returncode == 0
    assert other.calls()
    done = other.measure("--only", "spmm", "--machine-id", "node")
    assert done.returncode == 1
    assert "the folder has records of machine box, not of node" in done.stderr
    assert other.calls() == []
    # Without a name those that follow get the same.
    assert other.measure("--only", "spmm").returncode == 0
    (call,) = other.calls()
    assert "--machine-id box" in call
    done = other.measure("--machine-id", "My Box")
    assert "My Box: only lower-case letters, digits and - are allowed" in done.stderr


def test_records_of_earlier_calls_are_taken(other):
    assert other.measure("--out", "old", "--only", "transpose").returncode == 0
    assert (other.bundle / "results-test-machine-old.tar.gz").exists()
    other.calls()
    other.measure("--out", "new", "--done", "old")
    assert all(call.startswith("spmm") for call in other.calls())


def test_algorithms_and_libraries_can_be_chosen(other):
    more = ["--algorithms", "omp_rows", "--driver-options=--huge-pages no"]
    done = other.measure("--only", "transpose", *more, "--dry-run")
    assert " --huge-pages no " in done.stdout
    assert "--algorithm omp_rows " in done.stdout
    assert "serial" not in done.stdout
    assert other.calls() == []
    done = other.measure("--matrix", "cant", "--only", "transpose")
    assert done.returncode == 1
    assert "no job matches the options" in done.stderr
    done = other.measure("--algorithms", "omp_rows", "--dry-run")
    lines = [line for line in done.stdout.splitlines() if "--algorithm " in line]
    assert any("/spmm " in line for line in lines)
    assert all(" --algorithm omp_rows " in line for line in lines)

    other.driver("transpose", '#!/bin/sh\necho "$LD_LIBRARY_PATH" > path.txt\nexit 1\n')
    other.driver("matrix_info", "#!/bin/sh\nexit 1\n")
    other.measure("--only", "transpose", "--library-path", "/opt/old", "--no-build")
    assert (other.bundle / "path.txt").read_text().startswith("/opt/old")


def test_names_that_no_job_has_are_refused(other):
    names = ("--only", "spmm,nosuch", "--matrix", "uniform-smal,cant", "--algorithms", "serial,x")
    done = other.measure(*names)
    assert done.returncode == 1
    assert "--only: no job has nosuch" in done.stderr
    assert "--matrix: no job has uniform-smal; did you mean uniform-small?" in done.stderr
    assert "--algorithms: no job has x" in done.stderr
    assert "has cant" not in done.stderr
    assert other.calls() == []
    # Those of other shards are known.
    done = other.measure("--shard", "1/4", "--matrix", "uniform-small,fem-small,cant", "--dry-run")
    assert "no job has" not in done.stderr


def manifest_of(path):
    with tarfile.open(path) as archive:
        (member,) = (m for m in archive.getmembers() if m.name.endswith(MANIFEST))
        return json.load(archive.extractfile(member))


def test_a_part_of_the_algorithms_is_not_the_job(other):
    some = ("--only", "transpose", "--machine-id", "box")
    assert other.measure("--algorithms", "serial", *some).returncode == 0
    name, results = "transpose/fem-small.1.jsonl", other.bundle / "results-box.tar.gz"
    assert manifest_of(results)["changed"][name] == "measured with --algorithms serial"
    other.calls()
    done = other.measure("--algorithms", "omp_rows", "--no-build", *some)
    assert "2 jobs, 0 of them already done" in done.stdout
    assert all(" --algorithm serial,omp_rows " in call for call in other.calls())
    assert manifest_of(results)["changed"] == {}
    # The whole has the parts.
    for words in ([], ["--algorithms", "serial"]):
        done = other.measure(*words, "--no-build", *some)
        assert "2 jobs, 2 of them already done" in done.stdout
    assert other.calls() == []


@pytest.mark.parametrize("words", [["--library-path", "/opt/old"], ["--driver-options=--seed 2"]])
def test_records_of_other_options_are_not_those_of_the_job(other, words):
    some = ("--only", "spmm", "--machine-id", "box")
    assert other.measure(*some, *words).returncode == 0
    changed = manifest_of(other.bundle / "results-box.tar.gz")["changed"]
    assert changed["spmm/uniform-small.1.jsonl"].startswith(f"measured with {words[0][:9]}")
    other.calls()
    done = other.measure(*some)
    assert done.returncode == 1
    assert "records/spmm/uniform-small.1.jsonl was measured with the options " in done.stderr
    assert "or measure into another folder with --out" in done.stderr
    assert other.calls() == []
    again = other.measure(*some, *words)
    assert again.returncode == 0
    assert "2 jobs, 1 of them already done" in again.stdout


def limit(other, seconds):
    """Changes what jobs may take."""
    path = other.bundle / "jobs/jobs.json"
    listed = json.loads(path.read_text())
    for job in listed["jobs"]:
        job["limit_s"] = seconds
    path.write_text(json.dumps(listed))


def test_a_job_that_never_ends_does_not_take_the_others_along(other):
    assert other.measure("--only", "spmm", "--machine-id", "box").returncode == 0
    real = (other.path / "driver").read_text().partition("\n")
    script = (
        f"{real[0]}\nimport sys, time\n"
        'if any("uniform" in word for word in sys.argv) and "--quiet" in sys.argv: time.sleep(60)\n'
    )
    other.driver("transpose", script + real[2])
    limit(other, 2)
    start = time.monotonic()
    done = other.measure("--no-build", "--no-verify", "--results", "all.tar")
    assert time.monotonic() - start < 30
    assert done.returncode == 0, done.stdout + done.stderr
    name = "transpose/uniform-small.1"
    assert "TIMEOUT: ended after 2 s (job_limit_s)" in done.stdout
    assert f"1 ended by job_limit_s (to try again delete NAME.timeout): {name}.jsonl" in done.stdout
    records = other.bundle / "records"
    assert (records / "transpose/fem-small.1.jsonl").exists()
    assert not (records / f"{name}.jsonl").exists()
    with tarfile.open(other.path / "all.tar") as archive:
        (member,) = (m for m in archive.getmembers() if m.name.endswith(MANIFEST))
        missing = json.load(archive.extractfile(member))["missing"]
    assert missing[f"{name}.jsonl"] == "timeout: it was ended by job_limit_s"

    # It is not tried again before its file is deleted.
    again = other.measure("--no-build", "--no-verify", "--results", "all.tar")
    assert "[1 of " not in again.stdout
    (records / f"{name}.timeout").unlink()
    other.driver("transpose", "".join(real))
    done = other.measure("--no-build", "--no-verify", "--results", "all.tar")
    assert "[1 of 1] transpose/uniform-small.1.jsonl" in done.stdout
    assert "ended by" not in done.stdout


def test_a_limit_of_hardly_any_time_leaves_all(other):
    done = other.measure("--only", "transpose", "--limit-s", "0.001", "--dry-run")
    assert done.returncode == 2
    assert "--quiet" not in done.stdout


def test_it_stops_at_its_limit_and_leaves_no_half_file(other):
    other.driver("transpose", "#!/bin/sh\nexec sleep 60\n")
    other.driver("matrix_info", "#!/bin/sh\nexit 1\n")
    expect(other, 0.1)
    start = time.monotonic()
    done = other.measure("--only", "transpose", "--limit-s", "2", "--no-build", "--no-verify")
    assert time.monotonic() - start < 20
    assert (done.returncode, done.stderr) == (2, "")
    assert "2 left:" in done.stdout
    assert not list(other.bundle.glob("records/**/*.jsonl"))


def test_it_goes_on_after_a_failure_and_names_it(other):
    assert other.measure("--only", "spmm").returncode == 0
    script = '#!/bin/sh\ncase "$*" in *fem*) echo "no luck"; exit 1;; esac\nexit 0\n'
    other.driver("transpose", script)
    done = other.measure("--no-build", "--results", "all.tar")
    assert done.returncode == 1
    assert "FAILED with exit code 1: no luck" in done.stdout
    # The other ends well but writes nothing, which is a failure as well.
    assert "2 failed: transpose/uniform-small.1.jsonl, transpose/fem-small.1" in done.stdout
    assert (other.path / "all.tar").exists()


def test_a_failure_without_text_or_with_bytes_that_are_none_is_named(other):
    assert other.measure("--only", "spmm").returncode == 0
    script = '#!/bin/sh\ncase "$*" in *fem*) printf "no lib\\220\\n";; esac\nexit 3\n'
    other.driver("transpose", script)
    done = other.measure("--no-build", "--results", "all.tar")
    assert (done.returncode, done.stderr) == (1, "")
    assert "FAILED with exit code 3: no lib\N{REPLACEMENT CHARACTER}" in done.stdout
    assert "2 failed: " in done.stdout
