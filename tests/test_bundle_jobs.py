"""Jobs for machines that cannot run the workflow: driver runs of a configuration, their cost."""

import re
from pathlib import Path

import pytest
import yaml

from sparserepro.build.catalogue import distinct_names
from sparserepro.bundle import jobs as bundle_jobs
from sparserepro.config.check import ConfigError, check_config
from sparserepro.config.grid import Job, make_jobs
from sparserepro.config.matrix_list import MatrixEntry, load_matrix_list
from sparserepro.run import cost

ROOT = Path(__file__).resolve().parent.parent
MATRICES = load_matrix_list(ROOT / "config" / "matrices.yaml")
CATALOGUE = {
    "instance_parameters": [
        {"name": "k", "allowed": []},
        {"name": "value_type", "allowed": ["fp64", "fp32"]},
        {"name": "offset_bits", "allowed": [32, 64]},
    ],
    "algorithms": [
        {"name": "omp_rows", "backend": "omp",
         "parameters": [{"name": "threads", "allowed": []}, {"name": "path", "allowed": ["auto"]}]},
        {"name": "cusparse_csr", "backend": "cuda",
         "parameters": [{"name": "layout", "allowed": ["row", "column"]},
                        {"name": "preprocess", "allowed": ["no", "yes"]},
                        {"name": "path", "allowed": ["auto", "flat"]}]},
        {"name": "cusparse_spmv", "backend": "cuda", "parameters": []},
    ]
}  # fmt: skip


def exported(config, cores=4):
    jobs = make_jobs(check_config(config, "test.yaml"), MATRICES, cores)
    catalogues = {job.problem: CATALOGUE for job in jobs}
    return bundle_jobs.exported(jobs, MATRICES, catalogues, limit_s=600)


def value(options, name):
    return options[options.index(name) + 1]


def test_instances_of_one_matrix_share_a_run():
    config = {"matrices": ["uniform-small"], "problems": {"spmm": {"instances": {"k": [1, 4]}}}}

    (job,) = exported(config)

    assert job["spec"] == MATRICES.entries["uniform-small"].spec
    assert value(job["options"], "--k") == "1,4"
    assert job["output"] == "spmm/uniform-small.1.jsonl"
    assert job["algorithms"] == [a["name"] for a in CATALOGUE["algorithms"]]


def test_instances_that_are_no_product_have_runs_of_their_own():
    instances = [{"procedure": "scan"}, {"procedure": "merge", "segment": 128}]

    jobs = exported({"problems": {"primitives": {"instances": instances}}})

    assert len(jobs) == 2
    assert "--segment" not in jobs[0]["options"]
    assert value(jobs[1]["options"], "--segment") == "128"
    assert len({job["output"] for job in jobs}) == 2  # a driver replaces its file
    assert jobs[0]["spec"] is None
    assert jobs[0]["files"] is None


def cells_of(jobs):
    """The instances that the options of driver runs ask for."""
    found = []
    for job in jobs:
        ks = value(job["options"], "--k").split(",")
        ops = ["--op"] * ("--op" in job["options"])
        found += [(k, *(value(job["options"], op) for op in ops)) for k in ks]
    return sorted(found)


def test_a_union_of_grids_with_unequal_keys_loses_no_job():
    instances = [{"k": [1, 8]}, {"k": [1, 8], "op": "transpose"}]
    config = {"matrices": ["uniform-small"], "problems": {"spmm": {"instances": instances}}}

    jobs = exported(config)

    assert len(jobs) == 2
    assert cells_of(jobs) == [("1",), ("1", "transpose"), ("8",), ("8", "transpose")]


def test_two_parts_without_names_lose_no_job():
    parts = [{"instances": {"k": [1, 8]}}, {"instances": {"k": [1, 8], "op": "transpose"}}]
    config = {"matrices": ["uniform-small"], "problems": {"spmm": parts}}

    assert cells_of(exported(config)) == [("1",), ("1", "transpose"), ("8",), ("8", "transpose")]


def test_threads_count_up_to_the_other_machines_cores():
    problems = {"transpose": {"parameters": {"threads": "auto"}}}

    (job,) = exported({"matrices": ["uniform-small"], "problems": problems}, cores=16)

    assert value(job["options"], "--threads") == "1,2,4,8,16"


@pytest.mark.parametrize("cores", [0, -4])
def test_a_machine_has_a_core(cores):
    problems = {"transpose": {"parameters": {"threads": "auto"}}}
    with pytest.raises(ConfigError, match=f"--cores is {cores}; allowed: integers from 1"):
        exported({"matrices": ["uniform-small"], "problems": problems}, cores=cores)


def test_repeats_come_last_and_say_which_they_are():
    part = {"instances": {"k": [1, 4]}, "repeats": {"matrices": ["fem-small"], "times": 2}}
    config = {"matrices": ["uniform-small", "fem-small"], "problems": {"spmm": part}}

    jobs = exported(config)

    assert [job["repeat"] for job in jobs] == [0, 0, 1, 2]
    assert [job["matrix"] for job in jobs[2:]] == ["fem-small", "fem-small"]
    assert "--repeat" not in jobs[1]["options"]
    assert value(jobs[3]["options"], "--repeat") == "2"
    assert len({job["output"] for job in jobs}) == 4


def test_a_name_that_no_driver_has_is_refused():
    job = Job("spmm", "uniform-small", {}, ("cusparse_csx",))
    with pytest.raises(ConfigError, match="cusparse_csx"):
        bundle_jobs.check_all([job], {"spmm": CATALOGUE})


def assert_values_refused(settings, words):
    matrices = ["uniform-small", "fem-small"]
    config = {"matrices": matrices, "problems": {"spmm": settings}, "max_jobs": 10_000}
    jobs = make_jobs(check_config(config, "test.yaml"), MATRICES, 4)
    with pytest.raises(ConfigError, match=words):
        bundle_jobs.check_all(jobs, {"spmm": CATALOGUE})
    # A build checks them as what the workflow hands over.
    handed = distinct_names(jobs)
    assert distinct_names(handed) == handed
    assert len(handed) <= 2
    with pytest.raises(ConfigError, match=words):
        bundle_jobs.check_all(handed, {"spmm": CATALOGUE})


@pytest.mark.parametrize(
    ("instances", "words"),
    [
        ({"k": 8, "value_type": ["fp64", "fp16"]}, "instances.value_type: fp16 is not allowed"),
        ([{"k": 8}, {"k": [1], "offset_bits": [32, 16]}], r"16 is not allowed.*allowed: 32, 64"),
        ({"k": [1], "offset_bits": [*range(33, 1400)]}, "offset_bits: 33 is not allowed"),
    ],
)
def test_a_value_that_no_instance_has_is_refused(instances, words):
    assert_values_refused({"instances": instances}, words)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"parameters": {"path": ["auto", "flta"]}}, r"parameters\.path: flta is not allowed"),
        ({"parameters": {"path": "flta"}}, r'did you mean "flat"\? \(allowed: auto, flat\)'),
        ({"cuda_parameters": {"layout": "diagonal"}}, r"cuda_parameters\.layout: diagonal is not"),
        ({"cuda_parameters": {"preprocess": ["no", 1]}}, r"preprocess: 1 .*allowed: no, yes"),
    ],
)
def test_a_value_that_no_algorithm_knows_is_refused(settings, words):
    assert_values_refused(settings, words)


def test_values_that_are_known_are_accepted():
    settings = {
        "instances": {"k": [1, 8], "value_type": "fp32", "offset_bits": [32, 64]},
        "algorithms": ["omp_rows"],
        "parameters": {"threads": "auto", "path": ["auto", "flat"]},  # flat: of another algorithm
        "cuda_parameters": {"layout": ["row", "column"], "preprocess": "yes"},
    }
    config = {"matrices": ["uniform-small"], "problems": {"spmm": settings}}
    for on_node in (False, True):  # there the counts of threads stay "auto"
        jobs = make_jobs(check_config(config, "test.yaml"), MATRICES, on_node=on_node)
        bundle_jobs.check_all(jobs, {"spmm": CATALOGUE})


def test_archive_names_matrices_of_each_part_once():
    config = check_config(yaml.safe_load((ROOT / "config/archive.yaml").read_text()), "archive")
    jobs = make_jobs(config, MATRICES, 16)
    keys = [job.key for job in jobs]
    assert len(set(keys)) == len(keys)
    assert {job.part.partition("-")[0] for job in jobs} == {"device", "host"}
    assert min(job.timing["min_repetitions"] for job in jobs) >= 10
    assert {(job.problem, job.repeat) for job in jobs} >= {
        (problem, 2) for problem in ("spmm", "transpose", "triangles", "primitives")
    }


def test_cost_counts_what_an_instance_can_run():
    def cells(**fields):
        return cost.cell_counts(Job("spmm", "m", algorithms=("all",), **fields), CATALOGUE)

    assert cells(instance={"k": 4}, parameters={"threads": [1, 2]}) == {"omp": 2, "cuda": 0.75}
    settings = {"layout": ["row", "column"], "preprocess": ["no", "yes"]}
    assert cells(instance={"k": 1}, cuda_parameters=settings)["cuda"] == 4


@pytest.mark.parametrize(
    ("spec", "entries"),
    [
        ("uniform:rows=100,cols=50,nnz=700", 700),
        ("banded:rows=1000,diagonals=9,fill=0.5", 4500),
        ("fem:stencil=9,nx=10,ny=10,nz=1,dofs=2", 3600),
        ("rmat:scale=10,edge_factor=4,symmetric=0", 4096),
        ("fem:dofs=1", 40 * 40 * 40 * 27),
        ("fem", 40 * 40 * 40 * 27 * 9),
        ("banded:rows=10", 270),
        ("rmat:", 2**18 * 32),
        ("uniform", 10_000_000),
        ("complete:vertices=5", 20),
        ("bipartite:left=2,right=3", 12),
        ("wheel:rim=5", 20),
    ],
)
def test_cost_knows_sizes_of_specs(spec, entries):
    assert cost.sizes(MatrixEntry(id="m", cls="fem", spec=spec))[2] == entries


def test_cost_has_the_defaults_of_the_generators():
    sources = "".join(path.read_text() for path in ROOT.glob("kernels/generate/*.cpp"))
    families = set(re.findall(r'\{\{"([a-z_]+)",', sources)) & cost.DEFAULTS.keys()
    assert families == cost.DEFAULTS.keys()
    for family, parameters in cost.DEFAULTS.items():
        assert cost.sizes(MatrixEntry(id="m", spec=family))[2] > 0
        for name, default in parameters.items():
            assert f'{{"{name}", "{default:g}"' in sources or f'{{"{name}", "{default}"' in sources
