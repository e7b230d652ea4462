"""Untimed executions before a warm sample: the drivers' rule in forecasts and in the matrix
expression."""

import re
from pathlib import Path

import pytest

from sparserepro.config.grid import Job
from sparserepro.run import cost, untimed
from sparserepro.run.expression import timing

SAMPLING = Path(__file__).resolve().parent.parent / "drivers/common/sampling.cpp"


def constant(name: str) -> float:
    (found,) = re.findall(
        rf"^constexpr \w+ {name} = ([\d.e-]+);", SAMPLING.read_text(), re.MULTILINE
    )
    return float(found)


def test_constants_are_those_of_the_drivers():
    assert constant("untimed_on_host") == untimed.ON_HOST
    assert constant("untimed_cap_s") == untimed.CAP_S


LENGTHS = [(1e-5, 3), (0.04, 3), (0.06, 2), (0.09, 2), (0.11, 1), (30.0, 1)]


@pytest.mark.parametrize(("seconds", "executions"), LENGTHS)
def test_short_executions_have_three_on_the_host(seconds, executions):
    assert untimed.executions(seconds, on_device=False) == executions
    assert untimed.executions(seconds, on_device=True) == 1


def test_a_forecast_by_sizes_has_them():
    settings = {
        "repetitions": 10, "min_repetitions": 10, "time_cap_s": 1e9, "warmup": 0, "end_to_end": 0
    }  # fmt: skip
    length = 1000  # of which an execution takes a millisecond, the least of a forecast
    job = Job("primitives", "m", {"length": length, "procedure": "scan"}, ("all",), timing=settings)

    def seconds(backend: str) -> float:
        scan = {"name": "scan", "backend": backend, "parameters": []}
        return cost.job_seconds(job, None, {"algorithms": [scan]})

    # Ten samples, three verified executions.
    assert seconds("omp") == pytest.approx((4 * 10 + 3) * 1e-3, rel=1e-3)
    assert seconds("cuda") == pytest.approx((2 * 10 + 3) * 1e-3, rel=1e-3)


class Counted:
    """An expression on a clock of its own."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.log = seconds, []

    def evaluate(self) -> int:
        self.log.append("run")
        return 5

    def close(self) -> None:
        pass


@pytest.mark.parametrize(("seconds", "executions"), LENGTHS)
def test_the_matrix_expression_has_them(monkeypatch, seconds, executions):
    made = []

    def start() -> Counted:
        made.append(Counted(seconds))
        return made[-1]

    def seconds_of(action) -> float:
        action()
        return seconds

    monkeypatch.setattr(timing, "seconds_of", seconds_of)
    settings = timing.Settings(0, 3, 3, 3, 0.0, 1e9, 0)
    found = timing.measure({"scipy": start}, 5, settings)["scipy"]
    assert found.kernel_s == [seconds] * 3
    verified = 3
    assert len(made[0].log) == 3 * (executions + 1) + verified
