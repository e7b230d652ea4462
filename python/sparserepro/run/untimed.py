"""Untimed executions before a warm sample: the rule of drivers/common/sampling.cpp, for forecasts
and for the matrix expression."""

import math

ON_HOST = 3
ON_DEVICE = 1
CAP_S = 0.1
"""None follows on the host once they have taken this long."""


def executions(seconds: float, on_device: bool) -> int:
    """How many precede a sample, where each takes `seconds`."""
    return ON_DEVICE if on_device else min(ON_HOST, math.ceil(CAP_S / seconds))
