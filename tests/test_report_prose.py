"""Prose of small reports, each figure worked out by hand."""

import hand_made
from hand_made import constant, part_of
from sparserepro.render.latex import code
from sparserepro.text import macros


def test_the_prose_counts_what_was_measured(tmp_path):
    skipped = constant("spmm", "omp_ellpack", 1.0) | {
        "status": "skipped", "reason": "too large", "timing": None, "check": None,
    }  # fmt: skip
    report = hand_made.report(
        tmp_path,
        constant("spmm", "serial_csr", 8.0, backend="serial", timing__stop="time_cap"),
        constant("spmm", "omp_csr", 2.0, timing__stop="precision"),
        constant("spmm", "omp_csr", 2.0, matrix="b", timing__stop="precision"),
        skipped,
    )
    values = macros.general(report)
    assert (values["cells-measured"], values["cells-skipped"]) == (r"\num{3}", r"\num{1}")
    stops = [values[f"stop/{stop}"] for stop in ("precision", "repetitions", "time_cap")]
    assert stops == [r"\num{2}", r"\num{0}", r"\num{1}"]


def test_the_prose_names_who_gains_most_and_who_is_nearest_to_the_bound(tmp_path):
    part = part_of(
        tmp_path, "spmm",
        constant("spmm", "serial_csr", 8.0, backend="serial", bounds__copy_s=1.0),
        constant("spmm", "omp_csr", 2.0, bounds__copy_s=1.0),
        constant("spmm", "omp_ellpack", 4.0, bounds__copy_s=1.0),
    )  # fmt: skip
    first, _ = macros.against_serial(part)
    assert first.startswith(
        f"On the host, {code('omp_csr')} gains most over {code('serial_csr')}: "
    )
    assert r"it is \num{4.00} times as fast on one row." in first
    assert (
        macros.closest_to_bound(part)
        == r"\qtyrange{50.0}{50.0}{\percent} of the copy bound on the host"
    )


def test_a_winner_needs_a_rival(tmp_path):
    records = [
        constant("spmm", name, seconds, matrix=matrix)
        for name, seconds, matrix in (
            ("omp_csr", 2.0, "a"),
            ("omp_ellpack", 3.0, "a"),
            ("omp_csr", 2.0, "b"),
        )
    ]
    part = part_of(tmp_path, "spmm", *records)
    assert macros.winners(part, part.algorithms) == (
        f"{code('omp_csr')} is clearly the fastest on \\num{{1}} of one instance"
    )
