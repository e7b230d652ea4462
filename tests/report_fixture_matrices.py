"""Facts of made-up matrices and arrays, as matrices/*.json has them."""

import hashlib
import math
import random
from typing import Any

CLASSES = ("circuit", "FEM", "mesh", "power law", "road", "uniform", "web")


def matrix_facts(index: int, rng: random.Random) -> dict[str, Any]:
    kind = CLASSES[index % len(CLASSES)]
    rows = int(10 ** rng.uniform(3.5, 6.2))
    mean = rng.uniform(2, 60)
    stored = int(rows * mean)
    top = int(mean * (2 if index % 3 else 400))
    edges = [2**i for i in range(0, max(2, int(math.log2(top)) + 1))]
    weights = [math.exp(-((math.log(e / mean)) ** 2)) + 1e-9 for e in edges]
    counts = [int(rows * w / sum(weights)) for w in weights]
    length = {
        "min": 0, "q1": mean / 2, "median": mean * 0.9, "mean": mean, "q3": mean * 1.4, "max": top,
        "stddev": mean / 2, "empty": index,
        "histogram": [{"from": e, "to": 2 * e - 1, "count": c}
                      for e, c in zip(edges, counts, strict=True)],
    }  # fmt: skip
    name = f"{kind.replace(' ', '')}_n{index:02d}"
    generated = index % 4 != 0
    return {
        "schema": 1,
        "name": name,
        "source": f"{kind.replace(' ', '')}:rows={rows},seed=1" if generated else f"{name}.mtx",
        "origin": "generated" if generated else "file",
        "sha256": hashlib.sha256(name.encode()).hexdigest(),
        "field": "real",
        "symmetry": "general",
        "rows": rows,
        "cols": rows,
        "stored": stored,
        "nnz": stored - index,
        "explicit_zeros": index,
        "duplicates": 0,
        "entries_in_file": stored,
        "row_length": length,
        "col_length": length,
        "bandwidth": rows // 3,
        "padding_factor": top / mean,
        "pattern_symmetric": True,
        "spy": ["50", "15"],
        "read_seconds": 0.1,
        "class": kind,
    }


def array_facts(length: int) -> dict[str, Any]:
    return {
        "name": f"array_{length}", "source": f"array:length={length}", "origin": "array",
        "sha256": None, "rows": length, "cols": 1, "nnz": length, "stored": length,
        "padding_factor": 1.0,
    }  # fmt: skip
