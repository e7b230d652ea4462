"""Configurations: the shipped ones are accepted, broken ones are refused in words that help."""

import re
from pathlib import Path

import pytest
import yaml

from sparserepro.config.check import ConfigError, check_config, validate
from sparserepro.config.grid import available_cores, make_jobs, thread_counts
from sparserepro.config.matrix_list import load_matrix_list

ROOT = Path(__file__).resolve().parent.parent
CONFIGS = ROOT / "config"
SPMM = {"matrices": ["uniform-small"], "problems": {"spmm": {"instances": {"k": [1, 4]}}}}


@pytest.fixture(scope="module")
def matrices():
    return load_matrix_list(CONFIGS / "matrices.yaml")


def jobs_of(config, matrices):
    return make_jobs(check_config(config, "test.yaml"), matrices)


@pytest.mark.parametrize("name", ["config.yaml", "smoke.yaml", "seeds.yaml"])
def test_shipped_configuration_covers_all_problems(name, matrices):
    jobs = jobs_of(yaml.safe_load((CONFIGS / name).read_text()), matrices)
    assert {job.problem for job in jobs} == {
        "primitives",
        "transpose",
        "convert",
        "spmm",
        "triangles",
    }
    assert len({job.key for job in jobs}) == len(jobs)


def test_each_path_of_an_own_algorithm_is_in_the_ablation(matrices):
    jobs = jobs_of(yaml.safe_load((CONFIGS / "ablation.yaml").read_text()), matrices)
    assert {job.problem for job in jobs} == {"transpose", "spmm", "triangles"}
    asked = {}
    for job in jobs:
        for name in job.algorithms:
            values = {**job.parameters, **job.cuda_parameters}.get("path", [])
            asked.setdefault(name, set()).update(values)
    for room in ROOT.glob("kernels/*/*"):
        code = "".join(p.read_text() for p in room.glob(f"{room.name}.c*"))
        if found := re.search(r'"auto"\)?,\s*\{(.*?)\}', code, re.DOTALL):
            assert set(re.findall(r'"([a-z_]+)"', found[1])) <= asked.get(room.name, set()), room


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"problem": {}}, ['unknown key "problem"', "the top level", 'did you mean "problems"?']),
        (
            {"problems": {"smpm": {}}},
            ['unknown key "smpm" in problems', 'did you mean "spmm"?', "triangles"],
        ),
        (
            {"problems": {"spmm": {"paramters": {}}}},
            ['unknown key "paramters" in problems.spmm', 'did you mean "parameters"?'],
        ),
        (
            {"timing": {"repetition": 3}},
            ['unknown key "repetition" in timing', 'did you mean "repetitions"?'],
        ),
        ({"timing": {"repetitions": 0}}, ["timing.repetitions is 0", "an integer from 1"]),
        (
            {"timing": {"precision": "fine"}},
            ['timing.precision is "fine"', "a finite number from 0 to 1", "half width"],
        ),
        ({"timing": {"cache": "cold"}}, ['timing.cache is "cold"', "one of warm, flushed"]),
        ({"timing": {"min_repetitions": 30}}, ["min_repetitions (30) <= repetitions (25)"]),
        ({"strict": "yes"}, ['strict is "yes"', "true or false"]),
        ({"matrices": []}, ["matrices is empty"]),
        ({"matrices": ["cant", "cant"]}, ['matrices names "cant" twice']),
        ({"matrices": ["cnat"]}, ['no matrix "cnat"', 'did you mean "cant"?']),
        ({"matrices": ["@circut"]}, ['no class or set "@circut"', 'did you mean "@circuit"?']),
        ({"staging": "/no/such/folder"}, ["staging", "/no/such/folder is not a folder"]),
        ({"problems": {}}, ["problems is empty"]),
        ({"problems": {"spmm": None}}, ["problems.spmm is null", "a mapping"]),
        (
            {"problems": {"spmm": {"algorithms": "serial_csr"}}},
            ['algorithms is "serial_csr"', '"all" or a list'],
        ),
        ({"problems": {"spmm": {"instances": {"k": []}}}}, ["spmm.instances.k is empty"]),
        ({"problems": {"spmm": {"instances": {"k": 1.5}}}}, ["spmm.instances.k is 1.5"]),
        ({"problems": {"spmm": {"instances": {"k": "../up"}}}}, ["spmm.instances.k", "../up"]),
        (
            {"problems": {"spmm": {"parameters": {"threads": ["many"]}}}},
            ["spmm.parameters.threads has 'many'", '"auto"'],
        ),
        (
            {"problems": {"spmm": {"instances": {"threads": [1, 2]}}}},
            ['"threads" belongs in parameters'],
        ),
        ({"problems": {"primitives": {"matrices": ["cant"]}}}, ["primitives works on arrays"]),
        ({"download": {"base_url": "sparse.tamu.edu"}}, ["download.base_url", "matches"]),
        ({"problems": {"spmm": []}}, ["problems.spmm is empty"]),
        ({"problems": {"spmm": [{}, {"ks": 1}]}}, ['unknown key "ks" in problems.spmm[1]']),
        (
            {"problems": {"spmm": [{}, {"instances": {"k": 8}}, {"instances": {"k": [4, 8]}}]}},
            ["problems.spmm[2]: uniform-small with k-8 is in an earlier part", "(part)"],
        ),
        (
            {"problems": {"spmm": {"repeats": {"matrices": ["cant"]}}}},
            ['problems.spmm.repeats.matrices: "cant" is not a matrix of this part'],
        ),
        (
            {"problems": {"spmm": {"repeats": {"times": 2}}}},
            ['the key "matrices" is missing in problems.spmm.repeats'],
        ),
        ({"machine_id": "My Machine"}, ['machine_id is "My Machine"']),
        ({"machine_id": "box\n"}, ['machine_id is "box']),
        ({"name": "run\n"}, ['name is "run']),
        ({"timing": {"time_cap_s": float("nan")}}, ["time_cap_s is NaN", "a finite number from 0"]),
        ({"timing": {"time_cap_s": float("inf")}}, ["time_cap_s is Infinity"]),
        ({"timing": {"precision": float("nan")}}, ["precision is NaN"]),
        ({"download": {"timeout_s": float("nan")}}, ["timeout_s is NaN"]),
        ({"problems": {"spmm": {"instances": {"k": 0}}}}, ["k is 0", "a list from 1"]),
        ({"problems": {"spmm": {"instances": [{"k": [1, -1]}]}}}, ["k[1] is -1"]),
        ({"problems": {"spmm": {"instances": {"k": "--json"}}}}, ['k is "--json"']),
        ({"problems": {"spmm": {"parameters": {"layout": "--json"}}}}, ['layout is "--json"']),
        ({"problems": {"spmm": {"parameters": {"sub_warp": -2}}}}, ["sub_warp is -2"]),
        ({"max_jobs": 1}, ["1 matrices x 2 instances", "allowed: 1 (max_jobs)"]),
        (
            {"max_jobs": 2, "problems": SPMM["problems"] | {"triangles": {}}},
            ["problems.triangles makes 3 jobs in all", "allowed: 2 (max_jobs)"],
        ),
        (
            {"problems": {"spmm": {"parameters": {"threads": 0}}}},
            ["threads", "0", "from 1"],
        ),
        (
            {
                "problems": {
                    "spmm": {"parameters": {"chunk": 1}, "cuda_parameters": {"chunk": [1, 2]}}
                }
            },
            ["problems.spmm: chunk is in parameters and in cuda_parameters"],
        ),
    ],
)
def test_broken_configuration_is_refused(change, words, matrices):
    with pytest.raises(ConfigError) as refusal:
        jobs_of(SPMM | change, matrices)
    message = str(refusal.value)
    assert [word for word in words if word not in message] == [], message
    assert len(message.splitlines()) == 1


def test_a_grid_beyond_max_jobs_is_refused_before_it_is_made(matrices):
    grid = {name: list(range(2000)) for name in ("x", "y", "z")}
    for instances in (grid, [{"x": 1}, grid]):
        config = SPMM | {"problems": {"spmm": {"instances": instances}}}
        with pytest.raises(ConfigError, match="8000000000 jobs; allowed: 1000"):
            jobs_of(config, matrices)


def test_parts_have_matrices_and_timing_of_their_own(matrices):
    parts = [
        {"part": "device", "matrices": ["uniform-small"], "timing": {"warmup": 3}},
        {"part": "host", "matrices": ["uniform-small", "fem-small"]},
    ]
    jobs = jobs_of({"problems": {"transpose": parts}}, matrices)
    assert [(job.matrix, job.name, job.timing["warmup"]) for job in jobs] == [
        ("uniform-small", "device", 3),
        ("uniform-small", "host", 2),
        ("fem-small", "host", 2),
    ]


def test_repeats_are_jobs_of_their_own(matrices):
    repeats = {"matrices": ["uniform-small"], "instances": {"k": 4}, "times": 1}
    part = {"instances": {"k": [1, 4]}, "repeats": repeats}
    config = {"matrices": ["uniform-small", "fem-small"], "problems": {"spmm": part}}
    jobs = jobs_of(config, matrices)
    assert [(job.matrix, job.name) for job in jobs] == [
        ("uniform-small", "k-1"),
        ("uniform-small", "k-4"),
        ("uniform-small", "k-4.repeat-1"),
        ("fem-small", "k-1"),
        ("fem-small", "k-4"),
    ]
    assert "--repeat" not in jobs[1].driver_options()
    assert jobs[2].driver_options()[-2:] == ["--repeat", "1"]


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"kk": 4}, "no instance has kk: 4 (instances: none have kk)"),
        ({"k": [4, 16]}, "no instance has k: 16 (instances: 1, 4, 2)"),
        ({"k": 2, "op": "none"}, "no instance has all of k, op as chosen"),
    ],
)
def test_repeats_of_no_instance_are_refused(matrices, chosen, words):
    grids = [{"k": [1, 4], "op": "none"}, {"k": 2}]
    repeats = {"matrices": ["uniform-small"], "instances": chosen}
    part = {"instances": grids, "repeats": repeats}
    with pytest.raises(ConfigError) as refusal:
        jobs_of({"matrices": ["uniform-small"], "problems": {"spmm": part}}, matrices)
    assert str(refusal.value) == f"problems.spmm.repeats.instances: {words}"


def test_each_error_has_its_own_line():
    with pytest.raises(ConfigError) as refusal:
        check_config({"problems": {"spmm": {"a": 1}}, "strict": 1}, "test.yaml")
    assert len(str(refusal.value).splitlines()) == 2


def test_matrices_are_needed(matrices):
    with pytest.raises(ConfigError, match="spmm has no matrices"):
        jobs_of({"problems": {"spmm": {}}}, matrices)


def test_instances_cross_and_join(matrices):
    grids = [{"procedure": "scan", "length": [10, 20]}, {"procedure": ["merge"], "length": 10}]
    config = {"problems": {"primitives": {"instances": grids}}}
    assert [job.name for job in jobs_of(config, matrices)] == [
        "length-10.procedure-scan",
        "length-20.procedure-scan",
        "length-10.procedure-merge",
    ]


def test_an_instance_that_two_grids_have_runs_once(matrices):
    config = SPMM | {"problems": {"spmm": {"instances": [{"k": [1, 4]}, {"k": [4, 8]}]}}}
    assert [job.name for job in jobs_of(config, matrices)] == ["k-1", "k-4", "k-8"]


def test_auto_threads_are_powers_of_two(matrices):
    assert thread_counts(6) == [1, 2, 4]
    assert thread_counts(1) == [1]
    config = SPMM | {"problems": {"spmm": {"parameters": {"threads": "auto"}}}}
    (job,) = jobs_of(config, matrices)
    assert job.parameters["threads"] == thread_counts(available_cores())


def test_driver_gets_every_option(matrices):
    config = SPMM | {"machine_id": "lab-1", "timing": {"time_cap_s": 2}}
    config["problems"] = {
        "spmm": {
            "algorithms": ["serial_csr", "omp_csr"],
            "instances": {"k": 8},
            "parameters": {"threads": [1, 2]},
            "timing": {"warmup": 3},
        }
    }
    (job,) = jobs_of(config, matrices)
    text = " ".join(job.driver_options())
    assert text.startswith("--algorithm serial_csr,omp_csr --k 8 --threads 1,2 ")
    for part in ("--time-cap 2", "--warmup 3", "--repetitions 25", "--machine-id lab-1"):
        assert part in text


def test_staging_may_be_one_folder(tmp_path):
    assert check_config(SPMM | {"staging": str(tmp_path)})["staging"] == [str(tmp_path)]


def test_a_mapping_that_lacks_keys_is_told_in_one_line() -> None:
    with pytest.raises(ConfigError) as told:
        validate({"format": 1}, "results.schema.yaml", "results.json")
    (line,) = str(told.value).splitlines()
    assert line.startswith('results.json: the keys "bundle", "name", "commit", ')
    assert line.endswith('"files" are missing in the top level')
