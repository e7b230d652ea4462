"""Catalogues of made-up algorithms, as the drivers of a build with or without CUDA list them."""

from __future__ import annotations

from typing import Any

Entry = tuple[str, str, bool, float]  # name, backend, peer, cost factor
ALGORITHMS: dict[str, list[Entry]] = {
    "primitives": [
        ("serial", "serial", False, 2.0),
        ("omp", "omp", False, 2.3),
        ("cuda", "cuda", False, 3.0),
        ("cub", "cuda", True, 1.4),
    ],
    "transpose": [
        ("serial", "serial", False, 4.0),
        ("omp_scantrans", "omp", False, 4.6),
        ("omp_mergetrans", "omp", False, 6.0),
        ("cuda_scantrans", "cuda", False, 8.0),
        ("cuda_mergetrans", "cuda", False, 20.0),
        ("cusparse_csr2csc", "cuda", True, 5.0),
        ("eigen", "serial", True, 5.0),
    ],
    "convert": [
        ("coo_to_csr_serial", "serial", False, 4.0),
        ("coo_to_csr_parallel", "omp", False, 900.0),
        ("coo_to_csr_linear", "omp", False, 3.5),
        ("coo_to_ellpack_serial", "serial", False, 6.0),
        ("coo_to_ellpack_parallel", "omp", False, 800.0),
        ("coo_to_ellpack_no_zero_padding_serial", "serial", False, 5.0),
        ("coo_to_ellpack_no_zero_padding_parallel_optimized", "omp", False, 500.0),
    ],
    "spmm": [
        ("serial_csr", "serial", False, 3.0),
        ("serial_ellpack", "serial", False, 3.6),
        ("serial_ellpack_no_padding", "serial", False, 3.2),
        ("omp_csr", "omp", False, 3.0),
        ("omp_ellpack", "omp", False, 3.7),
        ("omp_ellpack_no_padding", "omp", False, 3.4),
        ("cuda_csr_scalar_v3", "cuda", False, 6.0),
        ("cuda_csr_vector_sub_warp", "cuda", False, 5.0),
        ("cusparse_csr", "cuda", True, 3.0),
    ],
    "triangles": [
        ("serial", "serial", False, 60.0),
        ("serial_upper", "serial", False, 31.0),
        ("omp_forward", "omp", False, 31.0),
        ("cuda_block_per_row", "cuda", False, 90.0),
        ("matrix_expression", "serial", True, 400.0),
    ],
}
INSTANCE = {
    "primitives": [("procedure", "scan"), ("length", 1000000)],
    "transpose": [("value_type", "fp64"), ("offset_bits", 32)],
    "convert": [("order", "column_major")],
    "spmm": [("k", 8)],
    "triangles": [],
}


def baseline(problem: str, algorithm: str) -> str:
    """The serial algorithm of the group; in conversions each target is a group."""
    targets = ("coo_to_csr", "coo_to_ellpack_no_zero_padding", "coo_to_ellpack")
    if problem == "convert":
        return next(f"{target}_serial" for target in targets if algorithm.startswith(target))
    return ALGORITHMS[problem][0][0]


def catalogue(problem: str, has_gpu: bool) -> dict[str, Any]:
    def parameters(entry: Entry) -> list[dict[str, Any]]:
        name, backend, _, _ = entry
        if backend == "omp":
            return [{"name": "threads", "fallback": 2, "allowed": [], "help": "OpenMP threads"}]
        if (problem, name) == ("primitives", "cuda"):
            return [
                {"name": "block_size", "fallback": 128, "allowed": [32, 128], "help": "threads"}
            ]
        return []

    return {
        "problem": problem,
        "instance_parameters": [
            {"name": n, "fallback": v, "allowed": [], "help": "of the instance"}
            for n, v in INSTANCE[problem]
        ],
        "algorithms": [
            {
                "problem": problem,
                "name": entry[0],
                "summary": f"made-up {entry[0]} with 50 % & more_text",
                "source": "seed, section IV-A; Wang et al., ICS'16",
                "backend": entry[1],
                "peer": entry[2],
                "parameters": parameters(entry),
                "baseline": baseline(problem, entry[0]),
                "unavailable": "this build has no CUDA"
                if entry[1] == "cuda" and not has_gpu
                else None,
            }
            for entry in ALGORITHMS[problem]
        ],
    }
