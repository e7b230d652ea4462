"""Schema-valid results of made-up runs: every problem, two machines, skipped cells, odd names.

The times follow a simple model (bytes over a bandwidth, a factor per algorithm, seeded noise), so
that a report made from them looks like a real one. Run as a program to write them to a folder:

    python tests/report_fixtures.py FOLDER [--machines 2] [--matrices 12]
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
from pathlib import Path
from typing import Any

from report_fixture_catalogue import ALGORITHMS, Entry, catalogue
from report_fixture_matrices import array_facts, matrix_facts

COPY = {("desk-1", 1): 8e9, ("desk-1", 2): 13e9, ("gpu-box", 1): 12e9, ("gpu-box", 16): 9e10}
GPU_COPY = 4.2e12
PRIMITIVES = ("scan", "segmented_sort", "merge", "index_to_pointers", "pointers_to_index")


def machine(name: str) -> dict[str, Any]:
    gpu = {
        "name": "NVIDIA H200", "compute_capability": "9.0", "multiprocessors": 132,
        "memory_bytes": 150_000_000_000, "l2_bytes": 62_914_560, "driver": "13.0",
        "clock_mhz": 1980,
    }  # fmt: skip
    return {
        "id": name,
        "cpu": "Made-up CPU @ 2.00GHz",
        "cores_available": 16 if name == "gpu-box" else 2,
        "memory_bytes": 25_000_000_000,
        "last_level_cache_bytes": 33_554_432,
        "os": "Linux 6.1 x86_64",
        "smt": False,
        "sockets": 1,
        "numa_nodes": 1,
        "governor": None,
        "huge_pages": {"mode": "madvise", "operands": True},
        "allocator": "glibc 2.36: mmap_max=0",
        "load_before": 0.25,
        "gpu": gpu if name == "gpu-box" else None,
    }


def library_of(name: str) -> str:
    """What a made-up peer wraps."""
    return {"cub": "CUB 3.5.0", "eigen": "Eigen 3.4.0", "matrix_expression": "SciPy 1.10.1"}.get(
        name, "cuSPARSE 12.9.4"
    )


def cycles(seconds: float, backend: str) -> list[dict[str, Any]]:
    """End to end: a fifth of it is allocation, on a GPU half of it transfers, the rest kernel."""
    kinds = (("pageable", 1.0), ("pinned", 0.5)) if backend == "cuda" else (("none", 1.0),)
    return [
        {
            "transfers": kind,
            "total_s": [seconds * factor] * 5,
            "allocation_s": [seconds * factor / 5] * 5,
            "transfer_s": [seconds * factor / 2 if backend == "cuda" else 0.0] * 5,
            "kernel_s": [seconds * factor * (0.3 if backend == "cuda" else 0.8)] * 5,
        }
        for kind, factor in kinds
    ]


def record(
    problem: str,
    entry: Entry,
    facts: dict[str, Any],
    instance: dict[str, Any],
    params: dict[str, Any],
    where: str,
    rng: random.Random,
) -> dict[str, Any]:
    name, backend, peer, factor = entry
    stored = facts["stored"]
    k = instance.get("k", 1)
    bytes_ = 24.0 * stored + 8 * k * 2 * facts["rows"]
    flops = 2.0 * stored * k if problem == "spmm" else 0.0
    threads = params.get("threads", 1)
    bandwidth = GPU_COPY if backend == "cuda" else COPY[where, threads]
    padding = facts["padding_factor"]
    padded = "ellpack" in name and "no_" not in name
    reason = None
    if backend == "cuda" and where != "gpu-box":
        reason = "this build has no CUDA"
    elif padded and padding > 100:
        reason = (
            f"padded ELLPACK would need {padding * stored * 12 / 1e9:.1f} GB, the limit is 2.0 GB"
        )
    elif name == "coo_to_csr_parallel" and stored > 3e7:
        reason = f"rows x entries is {facts['rows'] * stored:.2g}, the limit is 1e12"
    seconds = factor * bytes_ / bandwidth * math.exp(rng.gauss(0, 0.25))
    count = rng.choice((10, 12, 25))
    kernel = [seconds * math.exp(abs(rng.gauss(0, 0.01))) for _ in range(count)]
    measures: dict[str, float | None] = {}
    check_measures: dict[str, float | None] = {}
    error, bound, method = 0.0, 0.0, "exact"
    if problem == "triangles":
        measures = {
            "triangles": float(stored // 7), "edges": stored // 2, "max_degree": 31.0,
            "products": 9.0 * stored, "loops_dropped": 3.0, "duplicates_dropped": 0.0,
            "edges_mirrored": 17.0,
        }  # fmt: skip
    if padded:
        measures = {"padding_factor": padding}
    if problem == "spmm":
        error, bound, method = rng.uniform(0.01, 0.2), 1.0, "componentwise_bound"
        check_measures = {"max_relative_error": 1e-14, "mean_relative_error": 1e-16}
    prepares = (problem in ("spmm", "triangles") and backend == "omp") or (
        name in ("cuda_csr_vector_sub_warp", "cuda_csr_balanced")
    )
    timing = {
        "clock": "cuda_event" if backend == "cuda" else "steady_clock",
        "cache": "warm",
        "warmup": 2,
        "batch": 1,
        "kernel_s": kernel,
        "warmup_s": [seconds * 1.5, seconds],
        "preprocess_s": [seconds / 5] * 12 if prepares else [],
        "end_to_end": cycles(2 * seconds, backend),
        "stop": rng.choice(("precision", "repetitions", "time_cap")),
        "seed": 1,
        "queued": True if backend == "cuda" else None,
        "clock_mhz": [1980.0] * count if backend == "cuda" else [],
        "throttled": 0,
    }
    second = None
    if problem == "transpose" and name != "serial":
        second = {"name": "two_passes", "seconds": 1.5 * bytes_ / bandwidth}
    elif problem == "spmm" and backend == "cuda":
        second = {"name": "gather", "seconds": 2 * bytes_ / bandwidth}
    ok = reason is None
    keys = ("name", "source", "origin", "sha256", "rows", "cols", "nnz", "stored")
    return {
        "schema": 2,
        "problem": problem,
        "algorithm": name,
        "backend": backend,
        "peer": peer,
        "library": library_of(name) if peer else None,
        "run": {"id": f"20260102T030405Z-{where}-{problem}-{backend == 'cuda'}", "repeat": 0},
        "matrix": {key: facts[key] for key in keys},
        "parameters": instance | params,
        "status": "ok" if ok else "skipped",
        "reason": reason,
        "check": {"method": method, "error": error, "bound": bound, "measures": check_measures,
                  "verified_after": True}
        if ok
        else None,
        "timing": timing if ok else None,
        "model": {"bytes": bytes_, "flops": flops},
        "bounds": {"copy_s": bytes_ / bandwidth if ok else None, "second": second if ok else None},
        "copy_bytes_per_s": bandwidth if ok else None,
        "workspace_bytes": 8 * stored if ok else None,
        "measures": measures if ok else {},
        "machine": machine(where),
        "build": {
            "version": "0.1.0", "commit": "0123456789abcdef0123456789abcdef01234567",
            "dirty": False, "compiler": "GNU 12.2.0", "flags": "-O3 -march=native",
            "build_type": "Release", "cuda": "13.0" if where == "gpu-box" else None,
            "peers": None, "instruction_sets": {"own": "avx512", "peers": "avx512"},
        },
        "argv": [problem, facts["source"], "--json", "out.jsonl"],
        "started_utc": "2026-01-02T03:04:05Z",
    }  # fmt: skip


def instances(problem: str, matrices: list[dict[str, Any]]) -> list[tuple[dict, dict]]:
    if problem == "primitives":
        return [
            (array_facts(n), {"procedure": p, "length": n})
            for p in PRIMITIVES
            for n in (1_000_000, 20_000_000)
        ]
    if problem == "transpose":
        return [(m, {"value_type": "fp64", "offset_bits": 32}) for m in matrices]
    if problem == "spmm":
        return [(m, {"k": k}) for m in matrices for k in (1, 4, 8, 32)]
    if problem == "convert":
        return [(m, {"order": "column_major"}) for m in matrices]
    return [(m, {}) for m in matrices]


def records(matrices: list[dict[str, Any]], machines: list[str]) -> list[dict[str, Any]]:
    rng = random.Random(20)
    out = []
    for where in machines:
        for problem, entries in ALGORITHMS.items():
            for facts, instance in instances(problem, matrices):
                for entry in entries:
                    sweep: list[dict[str, Any]] = [{}]
                    if entry[1] == "omp":
                        sweep = [{"threads": t} for w, t in COPY if w == where]
                    elif (problem, entry[0]) == ("primitives", "cuda"):
                        sweep = [{"block_size": b} for b in (32, 128, 256)]
                    for params in sweep:
                        out.append(record(problem, entry, facts, instance, params, where, rng))
    return out + [other for made in out for other in other_runs(made)]


def other_runs(made: dict[str, Any]) -> list[dict[str, Any]]:
    """Transpositions again in another run, on a GPU; and cuSPARSE in an older version, slower."""
    if made["status"] != "ok" or made["backend"] != "cuda":
        return []
    again = copy.deepcopy(made)
    timing = again["timing"]
    if made["problem"] == "transpose":
        again["run"] = {"id": made["run"]["id"] + "-again", "repeat": 1}
        timing["kernel_s"] = [1.01 * seconds for seconds in timing["kernel_s"]]
        return [again]
    if made["library"] == "cuSPARSE 12.9.4":
        again |= {"library": "cuSPARSE 12.6.3", "started_utc": "2026-01-02T03:04:06Z"}
        again["run"]["id"] += "-older"
        timing["kernel_s"] = [1.5 * seconds for seconds in timing["kernel_s"]]
        return [again]
    return []


def write(folder: Path, machines: int = 2, matrices: int = 12) -> None:
    """Writes collected/records.jsonl, matrices/*.json and catalogue/*.json below `folder`."""
    rng = random.Random(10)
    facts = [matrix_facts(i, rng) for i in range(matrices)]
    names = ["desk-1", "gpu-box"][:machines]
    for part in ("collected", "matrices", "catalogue"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    missing = {"name": "road_usa", "class": "road", "unavailable": "cannot reach the collection"}
    for fact in [*facts, missing]:
        (folder / "matrices" / f"{fact['name']}.json").write_text(json.dumps(fact))
    for problem in ALGORITHMS:
        path = folder / "catalogue" / f"{problem}.json"
        path.write_text(json.dumps(catalogue(problem, has_gpu=False)))
    lines = (json.dumps(r) + "\n" for r in records(facts, names))
    (folder / "collected" / "records.jsonl").write_text("".join(lines))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--machines", type=int, default=2)
    parser.add_argument("--matrices", type=int, default=12)
    arguments = parser.parse_args()
    write(arguments.folder, arguments.machines, arguments.matrices)
