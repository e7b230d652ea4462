"""The README.md of an imported set: the machine, what was measured, and what is missing."""

from collections.abc import Iterable
from typing import Any

from sparserepro.data import hardware

Record = dict[str, Any]


def _told(records: Iterable[Record], *keys: str) -> str:
    found = set()
    for record in records:
        value: Any = record
        for key in keys:
            value = (value or {}).get(key)
        if value:
            found.add(str(value))
    return ", ".join(sorted(found)) or "none"


def text(
    records: list[Record],
    manifest: dict[str, Any],
    missing: dict[str, str],
    changed: dict[str, str],
    part: str | None = None,
) -> str:
    """`part` is the one that was imported into a set that was there."""
    name = manifest["machine"]
    facts = hardware.of(records[0])
    cores = max(record["machine"]["cores_available"] for record in records)
    started = sorted(record["started_utc"] for record in records)
    commits = ", ".join(f"`{c}`" for c in sorted({r["build"]["commit"] for r in records}))
    lines = [
        f"# Records of {name}",
        "",
        f"Written by `sparserepro import` from the results of `{manifest['name']}`.",
        "",
        "| what | |",
        "| --- | --- |",
        f"| processor | {facts['processor']}, {cores} cores |",
        f"| memory | {facts['memory'] / 2**30:.1f} GiB |",
        f"| GPU | {facts['GPU'] or 'none'} |",
        f"| system | {_told(records, 'machine', 'os')} |",
        f"| commit | {commits} |",
        f"| configuration | `{manifest['configuration']}` |",
        f"| compiler | {_told(records, 'build', 'compiler')} |",
        f"| CUDA | {_told(records, 'build', 'cuda')} |",
        f"| libraries of the host | {_told(records, 'build', 'peers')} |",
        f"| libraries measured | {_told(records, 'library')} |",
        f"| measured | {started[0]} to {started[-1]} |",
        "",
        "## What is missing",
        "",
    ]
    if not missing and part is None:
        lines.append("Nothing: every job of the configuration has records.")
    elif not missing:
        lines.append(f"Nothing of part `{part}`: every job of it has records.")
    else:
        lines += [f"{len(missing)} of {manifest['jobs']} jobs have no records:", ""]
        lines += [f"- `{job}`: {why}" for job, why in missing.items()]
    if part is not None:
        lines += ["", "Of the other parts this page knows nothing; git has the page before."]
    if changed:
        told = f"{len(changed)} of {manifest['jobs']} jobs were measured otherwise than asked for:"
        lines += ["", told, "", *(f"- `{job}`: {how}" for job, how in changed.items())]
    return "\n".join(lines) + "\n"
