"""Results of shards (offline/shards.py): whether they are all shards of one bundle, each once."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from sparserepro.bundle.errors import BundleError

Manifest = dict[str, Any]

_SHOWN = 10


def _names(names: Iterable[object]) -> str:
    every = sorted(map(str, names))
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more


def _of_one_bundle(manifests: list[Manifest]) -> list[str]:
    lines = []
    if any("shard" not in manifest for manifest in manifests):
        lines.append("some of the files are of shards and some are not")
    for key in ("bundle", "configuration"):
        several = {manifest[key] for manifest in manifests}
        if len(several) > 1:
            lines.append(f"the shards are of several {key}s: {_names(several)}")
    several = {manifest["shard"]["of"] for manifest in manifests if "shard" in manifest}
    if len(several) > 1:
        lines.append(f"the jobs were cut into {_names(several)} shards: one of these is needed")
    return lines


def _gaps(manifests: list[Manifest]) -> list[str]:
    shards = [manifest["shard"] for manifest in manifests]
    count, jobs = shards[0]["of"], manifests[0]["jobs"]
    numbers = Counter(shard["number"] for shard in shards)
    owned = Counter(job for shard in shards for job in shard["jobs"])
    absent = [f"{n}/{count}" for n in range(1, count + 1) if n not in numbers]
    twice = [f"{n}/{count}" for n, times in numbers.items() if times > 1]
    lines = []
    if absent:
        left = jobs - len(owned)
        lines.append(f"{left} of {jobs} jobs are in shards that are missing: {_names(absent)}")
    if twice:
        lines.append(f"given more than once: shard {_names(twice)}")
    elif several := [job for job, times in owned.items() if times > 1]:
        lines.append(f"in more than one shard: {_names(several)}")
    if not absent and len(owned) < jobs:
        lines.append(f"the shards have {len(owned)} of the {jobs} jobs")
    return lines


def _strange(manifest: Manifest) -> list[str]:
    """Records in the file of a shard that are not of its jobs."""
    shard = manifest["shard"]
    there = {name.removeprefix("records/") for name in manifest["files"] if name.endswith(".jsonl")}
    if strange := there - set(shard["jobs"]):
        where = f"{shard['number']}/{shard['of']}"
        return [f"shard {where} has records of jobs that are not its own: {_names(strange)}"]
    return []


def check(manifests: list[Manifest]) -> None:
    """Raises BundleError where results of shards are not those of all shards of one bundle, each
    once. Results of whole bundles pass."""
    if all("shard" not in manifest for manifest in manifests):
        return
    lines = _of_one_bundle(manifests)
    if not lines:
        lines = [*_gaps(manifests), *(line for m in manifests for line in _strange(m))]
    if lines:
        raise BundleError("\n".join(["not merged:", *(f"  {line}" for line in lines)]))
