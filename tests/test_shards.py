"""Shards of a sweep: disjoint, complete, alike everywhere; merged only when all are there, each
once; and what a sweep that is killed loses."""

import collections
import json
import random
import shutil
import signal
import subprocess
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bundle_support import Home, Other, changed
from conftest import Workdir, copy_checkout, pretend
from sparserepro.offline.errors import MeasureError
from sparserepro.offline.shards import Shard, shard
from test_workflow import COLLECTED, measured

SECONDS = st.lists(st.integers(0, 50), min_size=1, max_size=60)


def jobs_of(seconds):
    return [{"output": f"spmm/{n}.jsonl", "expected_s": s} for n, s in enumerate(seconds)]


@given(SECONDS, st.integers(1, 12), st.randoms())
def test_shards_are_disjoint_complete_and_the_same_everywhere(seconds, of, rng):
    jobs = jobs_of(seconds)
    of = min(of, len(jobs))
    shards = [Shard(n, of).jobs(jobs) for n in range(1, of + 1)]
    names = [job["output"] for each in shards for job in each]
    assert sorted(names) == sorted(job["output"] for job in jobs)
    assert all(each == [job for job in jobs if job in each] for each in shards)
    shuffled = rng.sample(jobs, len(jobs))
    for number, each in enumerate(shards, start=1):
        there = {job["output"] for job in Shard(number, of).jobs(shuffled)}
        assert there == {job["output"] for job in each}


@given(SECONDS, st.integers(2, 12))
def test_no_shard_waits_for_another_by_more_than_a_job(seconds, of):
    jobs = jobs_of(seconds)
    of = min(of, len(jobs))
    loads = [sum(j["expected_s"] for j in Shard(n, of).jobs(jobs)) for n in range(1, of + 1)]
    assert max(loads) - min(loads) <= max(seconds)
    assert all(Shard(n, of).jobs(jobs) for n in range(1, of + 1))


def test_what_is_no_shard_is_refused():
    assert shard("2/5") == Shard(2, 5)
    for text in ("0/5", "6/5", "2", "2/", "a/b", "-1/2"):
        with pytest.raises(Exception, match="2/5"):
            shard(text)
    with pytest.raises(MeasureError, match="there are 2 jobs"):
        Shard(1, 3).jobs(jobs_of([1, 1]))


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    """A repository, the results of its whole bundle, and those of three shards, whose job without
    a matrix is one of theirs."""
    folder = tmp_path_factory.mktemp("sent")
    home = Home(folder / "home")
    with pytest.MonkeyPatch.context() as patch:
        other = Other(folder / "other", home.export(patch))
    for words in ([], *(["--shard", f"{n}/3"] for n in (1, 2, 3))):
        done = other.measure("--machine-id", "box", *words)
        assert done.returncode == 0, done.stdout + done.stderr
    shards = [other.bundle / f"results-box-shard-{n}-of-3.tar.gz" for n in (1, 2, 3)]
    assert len(other.calls()) == 3 + 3  # cant is not there
    return home, other.bundle / "results-box.tar.gz", shards


@pytest.fixture
def merge(sent, monkeypatch, capsys):
    """`sparserepro import` without the sets of earlier tests: its code and what it says."""
    home = sent[0]
    shutil.rmtree(home.path / "report", ignore_errors=True)

    def run(*words):
        code = home.run(monkeypatch, "import", *map(str, words))
        told = capsys.readouterr()
        return code, told.out + told.err

    return run


def cells(home):
    folder = home.path / "report/measurements/box"
    records = [json.loads(x) for p in sorted(folder.glob("*.jsonl")) for x in p.open()]
    keys = ("problem", "algorithm", "parameters")
    return sorted(json.dumps([r["matrix"]["name"], *(r[k] for k in keys)]) for r in records)


def test_merged_shards_are_the_whole(sent, merge):
    home, whole, shards = sent
    code, told = merge(*shards)
    assert code == 0, told
    found = cells(home)
    assert len(set(found)) == len(found)
    assert "1 of 4 jobs have no records:\n  spmm/cant.1.jsonl: its matrix is not there" in told
    shutil.rmtree(home.path / "report")
    assert merge(whole)[0] == 0
    assert cells(home) == found


def refused(merge, *files):
    code, told = merge(*files)
    assert code == 2
    assert "not merged:" in told
    return told


def test_gaps_and_duplicates_are_named(sent, merge):
    _, whole, (first, second, third) = sent
    told = refused(merge, first, third)
    assert "of 4 jobs are in shards that are missing: 2/3" in told
    assert "given more than once: shard 2/3" in refused(merge, first, second, second, third)
    assert "some are not" in refused(merge, first, second, whole)


def test_shards_of_different_bundles_or_cuts_are_refused(sent, merge, tmp_path):
    _, _, (first, second, third) = sent

    def with_other(**about):
        return changed(second, tmp_path / f"{next(iter(about))}.tar.gz", lambda _: None, **about)

    assert "several bundles" in refused(merge, first, with_other(bundle="b" * 64), third)
    other = with_other(configuration="three.yaml")
    assert "several configurations: three.yaml, two.yaml" in refused(merge, first, other, third)
    cut = {"number": 2, "of": 5, "jobs": []}
    assert "cut into 3, 5 shards" in refused(merge, first, with_other(shard=cut), third)


def test_records_of_another_shards_job_are_refused(sent, merge, tmp_path):
    _, _, (first, second, third) = sent
    name = "transpose/more.1.jsonl"

    def more(folder):
        (folder / "records" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "records" / name).write_text("")

    told = refused(merge, first, changed(second, tmp_path / "x.tar.gz", more), third)
    assert f"shard 2/3 has records of jobs that are not its own: {name}" in told


# A sweep of 1,000 cells: 100 driver runs of ten.
MATRICES = ["uniform-small", "fem-small", "circuit-small", "road-small", "mesh-small"]
PART = {
    "algorithms": ["serial", "omp_rows"],
    "instances": {"value_type": "fp64"},
    "parameters": {"threads": list(range(1, 10))},
}
SWEEP = {
    "matrices": MATRICES,
    "problems": {"transpose": [{**PART, "part": f"part{n:02d}"} for n in range(20)]},
    "download": {"enabled": False},
}
RUNS, CELLS = 100, 1000


def killed_at(process, calls, counts, by):
    """Kills the process when one of the numbers of calls is there; whether it had to."""
    least = next(counts, None)
    while process.poll() is None:
        if least is not None and calls() >= least:
            process.send_signal(by)
            process.wait()
            return True
        time.sleep(0.01)
    return False


def killed_often(command, folder, environment, calls, kills, then=lambda: None):
    """Runs the command until it ends by itself, killed at so many numbers of calls; `then` follows
    each kill. How often it was killed."""
    at = iter(sorted(random.Random(kills).sample(range(1, 95), kills)))
    killed = 0
    while True:
        with subprocess.Popen(
            command, cwd=folder, env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            if not killed_at(process, calls, at, signal.SIGKILL):
                assert process.returncode == 0
                return killed
        killed += 1
        then()


def lines(folder):
    return [x for p in folder.rglob("*.jsonl") for x in p.read_text().splitlines()]


def check(records, calls, kills):
    assert len(records) == CELLS
    keys = collections.Counter(
        json.dumps([r["matrix"]["name"], r["argv"], r["algorithm"], r["parameters"]])
        for r in map(json.loads, records)
    )
    assert set(keys.values()) == {1}
    assert RUNS <= calls <= RUNS + kills


@pytest.mark.slow
def test_a_killed_sweep_of_a_bundle_loses_one_job_at_most(tmp_path, monkeypatch):
    home = Home(tmp_path / "home")
    (home.path / "two.yaml").write_text(yaml.safe_dump(SWEEP))
    other = Other(tmp_path / "other", home.export(monkeypatch))
    log = other.bundle / "calls.log"

    def calls():
        text = log.read_text() if log.exists() else ""
        return sum(x.startswith("transpose ") and "--quiet" in x for x in text.splitlines())

    command = other.line("--machine-id", "box")
    kills = killed_often(command, other.path, other.environment, calls, kills=5)
    assert kills == 5
    check(lines(other.bundle / "records"), calls(), kills)


@pytest.mark.slow
def test_a_killed_sweep_of_the_workflow_loses_one_job_at_most(tmp_path):
    run = pretend(Workdir(copy_checkout(tmp_path / "checkout")), tmp_path / "programs")
    run.write_config(**SWEEP)
    log = run.path / "calls.log"

    def calls():
        return len(measured(log.read_text().splitlines())) if log.exists() else 0

    def unlock():  # as `snakemake --unlock` does
        for lock in run.path.glob(".snakemake/locks/*"):
            lock.unlink()

    command = [shutil.which("python"), "-m", "snakemake", "--cores", "2", COLLECTED]
    command += ["--configfile", "test.yaml"]
    kills = killed_often(command, run.path, run.environment, calls, kills=2, then=unlock)
    assert kills == 2
    check(lines(run.path / "results/test/records"), calls(), kills)
