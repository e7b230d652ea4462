"""What a node of a cluster decides: its build tree, threads of a job, name of the machine."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from sparserepro.build import facts, node
from sparserepro.config.check import check_config
from sparserepro.config.grid import Job, make_jobs
from sparserepro.config.matrix_list import matrices_of
from sparserepro.data import hardware
from sparserepro.run import plan
from sparserepro.run.node import machine_id, settled
from test_workflow import COLLECTED, CONFIG, NOTHING, measured

ROOT = Path(__file__).resolve().parents[1]
GIB = 2**30
EPYC = "AMD EPYC 7763 64-Core Processor"


def job(**fields) -> Job:
    made = Job("spmm", "uniform-small", {"k": 1}, ("serial_csr",), {"threads": ["auto", 3]})
    return replace(made, **fields)


def test_like_nodes_are_one_machine_and_unlike_ones_several():
    first = machine_id(None, EPYC, 128, 503 * GIB, [])
    assert first.startswith("amd-epyc-7763-64-core-128c-")
    others = [
        machine_id(None, EPYC, 64, 503 * GIB, []),
        machine_id(None, EPYC, 128, 251 * GIB, []),
        machine_id(None, "Intel(R) Xeon(R) CPU @ 2.00GHz", 128, 503 * GIB, []),
        machine_id(None, EPYC, 128, 503 * GIB, ["NVIDIA H100"]),
    ]
    assert len({first, *others}) == 5
    assert machine_id(None, EPYC, 128, 503 * GIB + 40_000_000, []) == first
    named = [machine_id("mine", EPYC, cores, 503 * GIB, []) for cores in (64, 128)]
    assert all(name.startswith("mine-") for name in named) and len(set(named)) == 2


def test_sizes_of_memory_with_one_name_are_one_machine_for_the_archive():
    by_name: dict[str, list[int]] = {}
    for step in range(2000):
        memory = int(200 * GIB * 1.0005**step)
        by_name.setdefault(machine_id(None, EPYC, 1, memory, []), []).append(memory)
    assert len(by_name) > 10
    for sizes in by_name.values():
        ends = [
            {"machine": {"cpu": EPYC, "memory_bytes": size, "gpu": None}}
            for size in (min(sizes), max(sizes))
        ]
        assert hardware.differences(*ends) == []


def test_the_node_decides_what_auto_stands_for():
    cores = len(os.sched_getaffinity(0))
    made = settled(job())
    powers = [1 << p for p in range(cores.bit_length()) if 1 << p <= cores]
    assert made.parameters["threads"] == sorted({3, *powers})
    assert made.machine_id and made.instance == {"k": 1}
    assert settled(job(parameters={"threads": [2]})).parameters == {"threads": [2]}
    config = check_config(
        {"matrices": ["uniform-small"], "problems": {"spmm": {"parameters": {"threads": "auto"}}}},
        "x.yaml",
    )
    listed = matrices_of(config, ROOT / "config/matrices.yaml")
    (left,) = {tuple(j.parameters["threads"]) for j in make_jobs(config, listed, on_node=True)}
    assert left == ("auto",)


def test_what_a_node_decided_is_no_change_of_settings(tmp_path):
    catalogue = {"problem": "spmm", "algorithms": []}
    records = tmp_path / "x.jsonl"
    argv = ["spmm", *settled(job()).driver_options()]
    timing = {"timing": None, "argv": argv}
    records.write_text(json.dumps(timing) + "\n")
    assert plan.changed(job(), catalogue, records, on_node=True) == ""
    other = job(instance={"k": 2})
    assert plan.changed(other, catalogue, records, on_node=True) == "k 1 -> 2"
    assert "machine-id" in plan.changed(job(), catalogue, records)


@pytest.mark.parametrize("problem", ["primitives", "transpose", "spmm", "triangles"])
def test_algorithms_for_a_device_are_known_before_any_build(problem):
    catalogue = ROOT / f"report/measurements/h200/catalogue/{problem}.json"
    names = {a["name"]: a["backend"] for a in json.loads(catalogue.read_text())["algorithms"]}
    for name, backend in names.items():
        assert node.is_for_device(ROOT, problem, name) == (backend == "cuda"), name
    host = next(name for name, backend in names.items() if backend != "cuda")
    assert not node.needs_device(ROOT, Job(problem, "m", {}, (host,)))
    has_device = "cuda" in names.values()
    assert node.needs_device(ROOT, Job(problem, "m", {}, ("all",))) == has_device


def test_kinds_of_nodes_have_build_trees_of_their_own():
    told = {"processor": EPYC, "gpus": "", "cxx": "g++ 12"}
    trees = {node.tree_of(told), *(node.tree_of(told | {key: "other"}) for key in told)}
    assert len(trees) == 4
    assert {tree.parent for tree in trees} == {node.TREES}


@pytest.fixture
def on_nodes(pretended):
    pretended.environment["SPARSEREPRO_CLUSTER"] = "test"
    pretended.environment["CXX"] = "c++"
    return pretended


def test_a_node_of_another_kind_builds_for_itself(on_nodes):
    """The nodes of a cluster are this machine with one compiler and with another."""
    on_nodes.write_config(**CONFIG)
    line = [COLLECTED, "--configfile", "test.yaml"]
    done = on_nodes.snakemake(*line)
    assert done.returncode == 0, done.stdout + done.stderr
    trees = on_nodes.path / "build/nodes"
    (first,) = trees.iterdir()
    calls = on_nodes.calls()
    assert len(measured(calls)) == 4
    assert all(str(first.name) in call for call in calls if "cmake -S" in call or "--build" in call)
    assert NOTHING in "".join(on_nodes.snakemake(*line).stdout + on_nodes.snakemake(*line).stderr)

    other = on_nodes.path.parent / "programs/other-c++"
    other.write_text("#!/bin/sh\necho another compiler 1.0\n")
    other.chmod(0o755)
    on_nodes.environment["CXX"] = str(other)
    assert NOTHING in on_nodes.snakemake(*line).stderr  # where it is parsed decides nothing
    (record,) = on_nodes.path.glob("results/test/records/spmm/*/k-4.jsonl")
    record.unlink()
    done = on_nodes.snakemake(*line)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list(trees.iterdir())) == 2
    (call,) = [call for call in on_nodes.calls() if "--json" in call and "--list" not in call]
    assert "--machine-id" in call


def test_facts_of_nodes_are_the_same_wherever_they_are_taken():
    told = facts.facts(ROOT, "spmm", node.toolchain_of_any("auto"))
    assert set(told["toolchain"]) == {"nodes", "SPARSEREPRO_CUDA"}
