"""Configurations that draw what they measure: the same seed draws the same, another seed another
matrix of each kind, and the generators make what is drawn."""

import json
from pathlib import Path

import pytest
import yaml

from driver_runs import run
from sparserepro.bundle import jobs as bundle_jobs
from sparserepro.cli import main
from sparserepro.config import unseen
from sparserepro.config.check import ConfigError, check_config
from sparserepro.config.draws import Draws, rounded
from sparserepro.config.grid import make_jobs
from sparserepro.config.matrix_list import class_of, matrices_of
from sparserepro.data.facts import listed_classes
from sparserepro.render.latex import code
from sparserepro.render.tabular import CROWDED, WORDS, Text, names

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "config/unseen.yaml"
LIST = ROOT / "config/matrices.yaml"
SHIPPED = yaml.safe_load(FILE.read_text())
TINY = {
    "unseen": {"tiny": {"kinds": ["web", "hot-cols"], "entries": [1000, 5000]}},
    "problems": {
        "spmm": {
            "matrices": ["@tiny"],
            "algorithms": ["serial_csr"],
            "instances": {"k": {"draw": 2, "of": [1, 2, 3, 5, 8]}},
        },
        "triangles": {"matrices": ["@tiny"], "algorithms": ["serial"]},
    },
    "timing": {"repetitions": 3, "min_repetitions": 2, "max_repetitions": 3, "end_to_end": 0},
    "download": {"enabled": False},
}
SEEDS = (0, 1, 2, 3, 999_999_999)


def specs(config):
    listed = matrices_of(check_config(config, "test.yaml"), LIST)
    return {id_: entry.spec for id_, entry in listed.entries.items() if unseen.class_of(id_)}


def refusal(config):
    with pytest.raises(ConfigError) as refused:
        matrices_of(check_config(config, "test.yaml"), LIST)
    return str(refused.value)


def test_a_seed_draws_the_same_on_every_machine_and_in_every_version():
    drawn = specs(SHIPPED | {"seed": 123})
    assert drawn == specs(SHIPPED | {"seed": 123})
    # What these are today they have to stay: records name the seed in the name of their matrix.
    assert drawn["unseen-123-gpu-web"] == (
        "rmat:scale=18,edge_factor=11,a=0.63,b=0.16,c=0.16,permute=0,symmetric=0,seed=615203"
    )
    assert drawn["unseen-123-gpu-long-rows"] == (
        "powerlaw:rows=1160000,cols=1160000,exponent=2,min_row=1,max_row=5470,skew=1,seed=400496"
    )
    assert drawn["unseen-123-cpu-stencil"] == (
        "fem:stencil=27,nx=10,ny=11,nz=58,dofs=1,seed=706271"
    )
    # A kind more changes no other matrix.
    fewer = {"cpu": SHIPPED["unseen"]["cpu"] | {"kinds": ["stencil"]}}
    parts = {"transpose": {"matrices": ["@cpu"]}}
    few = specs({"seed": 123, "unseen": fewer, "problems": parts})
    assert few == {"unseen-123-cpu-stencil": drawn["unseen-123-cpu-stencil"]}


def test_another_seed_draws_another_matrix_of_each_kind():
    drawn = [specs(SHIPPED | {"seed": seed}) for seed in SEEDS]
    for number, first in enumerate(drawn):
        assert {id_.split("-")[1] for id_ in first} == {str(SEEDS[number])}
        for second in drawn[:number]:
            assert not set(first.values()) & set(second.values())


def test_a_drawn_size_lies_between_its_bounds_and_its_logarithm_is_uniform():
    drawn = [Draws(seed, "test").size("entries", 300_000, 12_000_000) for seed in range(400)]
    assert all(300_000 <= size <= 12_000_000 and rounded(size) == size for size in drawn)
    middle = (300_000 * 12_000_000) ** 0.5
    assert 160 < sum(size < middle for size in drawn) < 240
    assert Draws(1, "test").size("entries", 7, 7) == 7


def test_all_values_of_a_draw_occur_and_none_twice():
    drawn = [Draws(seed, "spmm.k").some("of", 3, [1, 2, 4, 8, 16]) for seed in range(60)]
    assert all(values == sorted(set(values)) and len(values) == 3 for values in drawn)
    assert {value for values in drawn for value in values} == {1, 2, 4, 8, 16}
    assert {Draws(seed, "x").integer("a", 2, 4) for seed in range(60)} == {2, 3, 4}


@pytest.mark.parametrize("kind", unseen.KINDS)
@pytest.mark.parametrize("entries", [1000, 30_000])
def test_the_generators_make_what_is_drawn(kind, entries):
    for seed in SEEDS:
        asked = {"kinds": [kind], "entries": [entries, entries], "of_each": 2}
        for matrix in unseen.drawn(seed, {"test": asked}):
            done = run("matrix_info", matrix.spec, "--json", "-")
            assert done.returncode == 0, f"{matrix.spec}: {done.stderr}"
            made = json.loads(done.stdout)
            # Repeated edges and the rims of grids leave less, a scale is a power of two.
            assert entries / 8 < made["nnz"] < 2 * entries, matrix.spec
            assert class_of(listed_classes(), matrix.id) == unseen.KINDS[kind].cls


def test_what_is_wrong_with_a_draw_is_said_in_a_line():
    said = refusal(SHIPPED)
    assert said == (
        "test.yaml draws what it measures and needs a seed: add --config seed=123 (snakemake) or "
        "--seed 123 (sparserepro)"
    )
    smoke = yaml.safe_load((ROOT / "config/smoke.yaml").read_text())
    assert "nothing is drawn here" in refusal(smoke | {"seed": 1})
    assert "seed is -1; allowed: an integer or null from 0" in refusal(SHIPPED | {"seed": -1})
    assert 'did you mean "web"' in refusal(
        TINY | {"seed": 1, "unseen": {"tiny": {"kinds": ["wed"], "entries": [1000, 2000]}}}
    )
    assert "the first must not exceed the second" in refusal(
        TINY | {"seed": 1, "unseen": {"tiny": {"kinds": ["web"], "entries": [3000, 2000]}}}
    )
    assert 'has a class or a set "web" already' in refusal(
        TINY | {"seed": 1, "unseen": {"web": {"kinds": ["web"], "entries": [1000, 2000]}}}
    )
    for k, words in (
        ({"draw": 2}, 'needs one of "of" and "between"'),
        ({"draw": 3, "of": [1, 2]}, "draws more values than there are"),
        ({"draw": 1, "between": [9, 2]}, "the first must not exceed the second"),
    ):
        problems = {"spmm": TINY["problems"]["spmm"] | {"instances": {"k": k}}}
        assert words in refusal(TINY | {"seed": 1, "problems": problems})


def test_a_run_is_named_by_its_seed_and_a_part_of_it_can_be_asked_for():
    checked = check_config(SHIPPED | {"seed": 7}, "config/unseen.yaml")
    assert checked["name"] == "unseen-7"
    listed = matrices_of(checked, LIST)
    jobs = make_jobs(checked, listed)
    assert {job.problem for job in jobs} == {
        "primitives", "transpose", "convert", "spmm", "triangles"
    }  # fmt: skip
    host = make_jobs(checked | {"parts": "cpu"}, listed)
    assert {job.part for job in host} == {"cpu"}
    assert {job.key for job in host} == {job.key for job in jobs if job.part == "cpu"}
    assert make_jobs(checked | {"parts": ["cpu", "gpu"]}, listed) == jobs
    with pytest.raises(ConfigError, match="no part has a name that begins with tpu"):
        make_jobs(checked | {"parts": "tpu"}, listed)


def test_commands_take_the_seed(capsys):
    asked = ["--configfile", str(FILE)]
    assert main(["unseen", *asked, "--seed", "123"]) == 0
    said = capsys.readouterr().out
    assert "unseen-123-gpu-web  rmat:scale=18,edge_factor=11," in said
    assert "\nspmm k: 3, 24, 32\n" in said
    assert main(["cost", *asked, "--seed", "123"]) == 0
    assert "jobs on 45 matrices" in capsys.readouterr().out
    assert main(["fetch", *asked, "--seed", "123", "--dry-run"]) == 0
    capsys.readouterr()
    assert main(["cost", *asked]) == 2
    assert "needs a seed" in capsys.readouterr().err


def test_a_bundle_carries_the_specs():
    checked = check_config(TINY | {"seed": 5}, "test.yaml")
    listed = matrices_of(checked, LIST)
    names = {"spmm": ["serial_csr"], "triangles": ["serial"]}
    books = {
        problem: {
            "algorithms": [
                {"name": name, "backend": "serial", "parameters": []} for name in names[problem]
            ]
        }
        for problem in names
    }
    packed = bundle_jobs.exported(make_jobs(checked, listed), listed, books, 60)
    assert {job["matrix"]: job["spec"] for job in packed} == specs(TINY | {"seed": 5})


def test_so_many_sizes_are_drawn_as_are_asked_for():
    for seed in range(1, 40):
        draws = Draws(seed, "spmm.k")
        found = draws.sizes(3, 1, 10)
        assert len(set(found)) == 3
        assert all(1 <= value <= 10 for value in found)
        # Where no value comes twice, they are those of the first draws.
        first = {draws.size(f"{number}", 1, 90_000) for number in range(3)}
        if len(first) == 3:
            assert draws.sizes(3, 1, 90_000) == sorted(first)


def test_bounds_with_fewer_sizes_than_are_drawn_are_refused():
    part = {"instances": {"k": {"draw": 4, "between": [1, 3]}}}
    config = {"matrices": ["uniform-small"], "problems": {"spmm": part}, "seed": 1}
    with pytest.raises(ConfigError) as refusal:
        check_config(config, "test.yaml")
    told = "is too narrow: 4 values are to be drawn, and there are"
    assert f"test.yaml: problems.spmm.instances.k.between {told}" in str(refusal.value)


def test_long_names_break_in_crowded_tables():
    def kind(name):
        return names("matrix", [Text(code(name))], unbroken=CROWDED).kind

    assert kind("unseen-123-cpu-web") == "l"
    assert kind("unseen-999999999-cpu-long-rows") == WORDS


@pytest.mark.slow
def test_a_drawn_matrix_is_measured_and_its_record_has_the_spec(built, own_lock):
    file = built.write_config("unseen.yaml", **TINY)
    arguments = ["--configfile", file, "--config"]
    done = built.snakemake("-n", "report", "--configfile", file)
    assert done.returncode == 1
    assert "unseen.yaml draws what it measures and needs a seed" in done.stdout + done.stderr
    done = built.snakemake("results/unseen-11/collected/records.jsonl", *arguments, "seed=11")
    assert done.returncode == 0, done.stdout + done.stderr
    records = built.path / "results/unseen-11/collected/records.jsonl"
    found = [json.loads(line) for line in records.read_text().splitlines()]
    wanted = specs(TINY | {"seed": 11})
    assert {record["matrix"]["name"] for record in found} == set(wanted)
    for record in found:
        assert record["matrix"]["source"] == wanted[record["matrix"]["name"]]
        assert record["status"] == "ok"
    drawn = {record["parameters"]["k"] for record in found if record["problem"] == "spmm"}
    assert len(drawn) == 2
