"""What the examples share: times side by side, what they were measured on, and a record."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Calls = dict[str, Callable[[], Any]]
PACKAGES = ("sparserepro", "numpy", "scipy", "torch", "cupy-cuda13x", "cupy-cuda12x", "networkx")


def arguments(description: str) -> argparse.ArgumentParser:
    """--device, --samples and --json, which all examples have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where [cpu]")
    parser.add_argument("--samples", type=int, default=11, help="timed calls of each [11]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write a record of the times")
    return parser


def side_by_side(
    calls: Calls, samples: int, synchronize: Callable[[], None] = lambda: None
) -> dict[str, list[float]]:
    """Milliseconds of each call, taken in turns after two that are not timed. A sample ends when
    the device has ended."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(samples + 2):
        for name, call in calls.items():
            synchronize()
            begin = time.perf_counter()
            call()
            synchronize()
            if turn >= 2:
                times[name].append(rounded(1e3 * (time.perf_counter() - begin)))
    return times


def rounded(milliseconds: float) -> float:
    """To five digits: records stay short."""
    return float(f"{milliseconds:.5g}")


def show(title: str, times: dict[str, list[float]]) -> None:
    """A line for each call: its median, and how often that of the first one fits into it."""
    print(title)
    ours = statistics.median(next(iter(times.values())))
    for name, samples in times.items():
        median = statistics.median(samples)
        print(f"  {name:<44} {median:10.3f} ms {median / ours:8.2f} x")


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {len(os.sched_getaffinity(0))} processors"


def device_name(device: str) -> str:
    """That of the GPU by the framework that was imported, or of the processor."""
    if device == "cpu":
        return processor()
    try:
        import torch

        return str(torch.cuda.get_device_name())
    except ImportError:
        import cupy

        return str(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def record(options: argparse.Namespace, example: str, sizes: dict[str, int], times: Any) -> None:
    """Writes sizes, samples in milliseconds, device and versions where --json asks for it."""
    if options.json is None:
        return
    text = {
        "example": example,
        "device": device_name(options.device),
        "host": processor(),
        "versions": versions(),
        "sizes": sizes,
        "milliseconds": times,
        "answers": "agree",
    }
    options.json.write_text(json.dumps(text, indent=1) + "\n")
