"""Records that the tests of `sparserepro compare` compare."""

import hand_made

NOISE = (0.99, 0.995, 1.0, 1.005, 1.01, 1.0, 0.998, 1.002, 1.0, 1.0)


def record(algorithm, seconds, *, k=8, repeat=0, run="run", **changes):
    """A measured cell of SpMM around these seconds."""
    samples = [seconds * factor for factor in NOISE]
    return hand_made.record(
        "spmm", algorithm, samples, parameters={"k": k}, repeat=repeat, run=run, **changes
    )
