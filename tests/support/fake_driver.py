#!/usr/bin/env python3
"""Stands in for every driver in tests of the workflow: the name it is called by says which.

Writes records that the schema accepts, with made-up times, and one line for each call to
calls.log, so that a test sees what ran. With FAKE_GPUS in the environment it lists algorithms of
one GPU and of several too, takes a while, and writes to gpus.log what it saw of the GPUs and when.
"""

import hashlib
import json
import os
import sys
import time
from pathlib import Path

ALLOWED = {"value_type": ["fp64", "fp32", "pattern"]}
OPTIONS_OF_INSTANCES = {"spmm": {"k": 8}, "transpose": {"value_type": "fp64"}}


def catalogue(problem):
    threads = {"name": "threads", "fallback": 2, "allowed": [], "help": "OpenMP threads"}
    return {
        "problem": problem,
        "instance_parameters": [
            {"name": name, "fallback": value, "allowed": ALLOWED.get(name, []), "help": ""}
            for name, value in OPTIONS_OF_INSTANCES.get(problem, {}).items()
        ],
        "algorithms": [
            {
                "problem": problem,
                "name": name,
                "summary": "",
                "source": "",
                "backend": backend,
                "peer": False,
                "parameters": [threads] if backend == "omp" else [],
                "baseline": "serial",
                "unavailable": None,
            }
            for name, backend in (("serial", "serial"), ("omp_rows", "omp"))
        ]
        + [
            {
                "problem": problem,
                "name": name,
                "summary": "",
                "source": "",
                "backend": "cuda",
                "peer": False,
                "parameters": [{"name": p, "fallback": 0, "allowed": [], "help": ""} for p in own],
                "baseline": "serial",
                "unavailable": None,
            }
            for name, own in (("cuda_one", []), ("cuda_several", ["gpus"]))
            if "FAKE_GPUS" in os.environ
        ],
    }


def take_a_while(problem, options):
    seen = {
        "problem": problem,
        "algorithm": options["algorithm"],
        "device": os.environ.get("CUDA_VISIBLE_DEVICES"),
        "slot": os.environ.get("SPARSEREPRO_GPU_SLOT"),
        "begin": time.monotonic(),
    }
    time.sleep(1)
    line = json.dumps(seen | {"end": time.monotonic()})
    with Path("gpus.log").open("a") as log:
        log.write(line + "\n")


def size_of(path):
    """Rows, columns and entries of a file, where it is one of matrices; else made-up ones."""
    lines = path.read_text().splitlines() if path.suffix == ".mtx" and path.is_file() else []
    size = next((line.split() for line in lines if not line.startswith("%")), [])
    if len(size) != 3:
        return 10, 10, 20
    rows, cols, entries = map(int, size)
    return rows, cols, None if " symmetric" in lines[0] else entries


def record(problem, options, source, algorithm, parameters):
    array = problem == "primitives"
    rows, cols, stored = size_of(Path(source))
    times = [1e-3, 1.1e-3, 1.2e-3, 1e-3, 1.1e-3, 1e-3]
    return {
        "schema": 2,
        "problem": problem,
        "algorithm": algorithm,
        "backend": "omp" if algorithm.startswith("omp") else "serial",
        "peer": False,
        "library": None,
        "run": {
            "id": time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + f"-{os.getpid()}",
            "repeat": int(options.get("repeat", "0")),
        },
        "matrix": {
            "name": options.get("matrix-name", "array"),
            "source": Path(source).name,
            "origin": "array" if array else "generated",
            "sha256": None,
            "rows": rows,
            "cols": cols,
            "nnz": stored,
            "stored": stored,
        },
        "parameters": parameters,
        "status": "ok",
        "reason": None,
        "check": {
            "method": "exact",
            "error": 0,
            "bound": 0,
            "measures": {},
            "verified_after": True,
        },
        "timing": {
            "clock": "steady_clock",
            "cache": "warm",
            "warmup": 1,
            "batch": 1,
            "kernel_s": times,
            "warmup_s": [2e-3],
            "preprocess_s": [],
            "queued": None,
            "clock_mhz": [],
            "throttled": 0,
            "end_to_end": [
                {
                    "transfers": "none",
                    "total_s": times,
                    "allocation_s": [0.0 for _ in times],
                    "transfer_s": [0.0 for _ in times],
                    "kernel_s": times,
                }
            ],
            "stop": "precision",
            "seed": 1,
        },
        "model": {"bytes": 480, "flops": 0},
        "bounds": {"copy_s": 4.8e-8, "second": None},
        "copy_bytes_per_s": 1e10,
        "workspace_bytes": 0,
        "measures": {},
        "machine": {
            "id": options.get("machine-id", "test-machine"),
            "cpu": "test",
            "cores_available": 2,
            "memory_bytes": 1,
            "last_level_cache_bytes": 1,
            "os": "test",
            "smt": None,
            "sockets": None,
            "numa_nodes": 1,
            "governor": None,
            "huge_pages": {"mode": "unknown", "operands": False},
            "allocator": "test",
            "load_before": None,
            "gpu": None,
        },
        "build": {
            "version": "0.1.0",
            "commit": "0" * 40,
            "dirty": False,
            "compiler": "test",
            "flags": "",
            "build_type": "Release",
            "cuda": None,
            "peers": None,
            "instruction_sets": {"own": "other", "peers": "other"},
        },
        "argv": [problem, *sys.argv[1:]],
        "started_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def matrix_info(source, name):
    """Made-up facts for a spec, those of the size line for a file; complex ones are refused."""
    path = Path(source)
    rows = cols = stored = 10
    content = source.encode()
    if path.suffix == ".mtx":
        content = path.read_bytes()
        text = content.decode().splitlines()
        if " complex " in text[0]:
            sys.exit(f"matrix_info: {path.name}:1: complex matrices are not supported")
        size = next(line for line in text if not line.startswith("%"))
        rows, cols, stored = map(int, size.split())
    elif source.startswith("refused"):
        sys.exit("matrix_info: no generator 'refused'")
    if name.startswith("vanishing"):
        path.unlink()
    return {
        "schema": 1,
        "name": name,
        "source": path.name if path.suffix == ".mtx" else source,
        "origin": "file" if path.suffix == ".mtx" else "generated",
        "sha256": hashlib.sha256(content).hexdigest(),
        "rows": rows,
        "cols": cols,
        "stored": stored,
        "nnz": stored,
        "entries_in_file": stored,
        "field": "real",
        "symmetry": "general",
        "row_length": lengths(stored),
        "col_length": lengths(stored),
        "padding_factor": 1.0,
        "pattern_symmetric": False,
        "read_seconds": 0.0,
        **dict.fromkeys(("explicit_zeros", "duplicates", "bandwidth"), 0),
    }


def lengths(most):
    names = ("min", "q1", "median", "mean", "q3", "stddev", "empty")
    return {**dict.fromkeys(names, 0), "max": most, "histogram": []}


def main():
    program = Path(sys.argv[0]).name
    with Path("calls.log").open("a") as log:
        log.write(" ".join([program, *sys.argv[1:]]) + "\n")
    arguments, options, positionals = sys.argv[1:], {}, []
    while arguments:
        argument = arguments.pop(0)
        if argument in ("--list", "--quiet"):
            options[argument[2:]] = True
        elif argument.startswith("--"):
            options[argument[2:]] = arguments.pop(0)
        else:
            positionals.append(argument)
    out = Path(options["json"])
    if "list" in options:
        out.write_text(json.dumps(catalogue(program)))
        return
    if program == "matrix_info":
        out.write_text(json.dumps(matrix_info(positionals[0], options["matrix-name"])))
        return
    source = positionals[0] if positionals else "array"
    if source.endswith(".mtx") and not Path(source).exists():
        sys.exit(f"{program}: {source}: no such file")
    if "wrong" in options.get("matrix-name", ""):
        sys.exit(f"{program}: serial: wrong answer in execution 1: row_ptr[3] is 4, expected 5")
    if "hanging" in options.get("matrix-name", ""):
        time.sleep(600)
    if "FAKE_GPUS" in os.environ:
        take_a_while(program, options)
    instance = {}
    for name, value in OPTIONS_OF_INSTANCES.get(program, {}).items():
        text = options.get(name.replace("_", "-"), str(value))
        instance[name] = int(text) if text.isdigit() else text
    records = [record(program, options, source, "serial", instance)]
    for threads in options.get("threads", "2").split(","):
        parameters = instance | {"threads": int(threads)}
        records.append(record(program, options, source, "omp_rows", parameters))
    out.write_text("".join(json.dumps(r) + "\n" for r in records))


main()
