"""What a record says of its cell: for machines, at length, and in a line."""

import shlex
from collections.abc import Iterable
from typing import Any

from sparserepro import again
from sparserepro.compare import table
from sparserepro.records import Record, parameters
from sparserepro.stats import Summary, added, divided, median, summarise
from sparserepro.traced import Located

Told = dict[str, Any]
Behind = tuple[Located, list[Located]]
"""A record, and those among which it was chosen, itself included."""
MORE = ("check", "bounds", "model", "workspace_bytes", "copy_bytes_per_s", "measures")
"""What some tables show beside times."""
RIVALS = 6
"""So many of those are listed."""


def parameters_text(record: Record) -> str:
    return " ".join(f"{name}={value}" for name, value in parameters(record).items())


def duration(seconds: float) -> str:
    for scale, unit in ((1.0, "s"), (1e3, "ms")):
        if seconds * scale >= 1:
            return f"{seconds * scale:.4g} {unit}"
    return f"{seconds * 1e6:.4g} us"


def summaries(record: Record, chosen: bool) -> dict[str, tuple[Summary, int]]:
    """By what was timed: the samples that the report counts, and how many there are. Where several
    settings compete, some samples choose and the others are reported; end to end, all count."""
    timing = record["timing"]

    def counted(samples: list[float]) -> Summary:
        return summarise(divided(samples)[1] if chosen else samples)

    kernel, before = timing["kernel_s"], timing["preprocess_s"]
    found = {"execution": (counted(kernel), len(kernel))}
    if before:
        found["preparation"] = counted(before), len(before)
        if record["problem"] == "triangles":
            both = added(counted(before), counted(kernel))
            found["with preparation"] = both, min(len(before), len(kernel))
    for cycles in timing["end_to_end"]:
        if total := cycles["total_s"]:
            kind = "" if cycles["transfers"] == "none" else f", {cycles['transfers']}"
            found[f"end to end{kind}"] = summarise(total), len(total)
    return found


def rival(located: Located) -> Told:
    """A competing setting, with the samples that choose."""
    record = located.record
    before = divided(record["timing"]["preprocess_s"])[0]
    return {
        "id": located.id,
        "algorithm": record["algorithm"],
        "parameters": parameters(record),
        "execution_s": median(divided(record["timing"]["kernel_s"])[0]),
        "preparation_s": median(before) if before else None,
    }


def told(located: Located, among: list[Located]) -> Told:
    """For machines."""
    record, ok = located.record, located.record["status"] == "ok"
    build, machine = record["build"], record["machine"]
    found = summaries(record, len(among) > 1) if ok else {}
    return {
        "id": located.id,
        "file": str(located.path),
        "line": located.line,
        **{name: record[name] for name in ("problem", "algorithm", "matrix")},
        "parameters": parameters(record),
        "status": record["status"],
        "reason": record["reason"],
        "samples": {
            what: {
                "counted": summary.n,
                "taken": taken,
                "median_s": summary.median,
                "low_s": summary.low,
                "high_s": summary.high,
            }
            for what, (summary, taken) in found.items()
        },
        **{name: record[name] for name in MORE},
        "chosen_among": sorted(map(rival, among), key=lambda r: r["execution_s"]),
        "commit": build["commit"],
        "dirty": build["dirty"],
        "head": again.head(),
        "machine": machine["id"],
        "cpu": machine["cpu"],
        "gpu": (machine["gpu"] or {}).get("name"),
        "library": record["library"],
        "started_utc": record["started_utc"],
        "command": again.command(record),
        "argv": record["argv"],
    }


def samples_text(told_: Told) -> str:
    taken, counted = told_["taken"], told_["counted"]
    text = f"{duration(told_['median_s'])} is the median of {counted} sample{'s' * (counted > 1)}"
    if counted < taken:
        text += f" ({taken} were taken; the other {taken - counted} chose)"
    if told_["low_s"] is None:
        return f"{text}, too few for an interval"
    return f"{text}, 95 % interval {duration(told_['low_s'])} to {duration(told_['high_s'])}"


def chosen_lines(found: Told) -> list[str]:
    """The settings that competed, by the samples that choose: this one, and then those of the
    fastest execution."""
    rivals = sorted(found["chosen_among"], key=lambda one: one["id"] != found["id"])
    if not rivals:
        return []
    several = len({r["algorithm"] for r in rivals}) > 1
    lines = [f"as the best of {len(rivals)} settings, by the samples that choose:"]
    for one in rivals[:RIVALS]:
        name = [one["algorithm"]] if several else []
        same = found["parameters"].items()
        words = [f"{n}={v}" for n, v in one["parameters"].items() if several or (n, v) not in same]
        text = " ".join([*name, *words]) if one["id"] != found["id"] else "this one"
        before = one["preparation_s"]
        prepares = f", preparation {duration(before)}" if before else ""
        lines.append(f"  {text}: {duration(one['execution_s'])}{prepares}")
    if len(rivals) > RIVALS:
        lines.append(f"  and {len(rivals) - RIVALS} more, which --json has")
    return lines


def bounds_text(found: Told) -> list[str]:
    """The least times that were known for the cell."""
    copy, second = found["bounds"]["copy_s"], found["bounds"]["second"]
    parts = []
    if copy is not None:
        parts.append(f"copy {duration(copy)} at {found['copy_bytes_per_s'] / 1e9:.4g} GB/s")
    if second is not None:
        parts.append(f"{second['name']} {duration(second['seconds'])}")
    return [", ".join(parts)] if parts else []


def check_text(found: Told) -> list[str]:
    check, workspace = found["check"], found["workspace_bytes"]
    if check is None:
        return []
    text = f"{check['method']}: error {check['error']:.4g} of at most {check['bound']:.4g}"
    return [text if workspace is None else f"{text}; {workspace} bytes of workspace"]


def build_text(found: Told) -> str:
    text = str(found["commit"])
    if found["dirty"]:
        text += " with uncommitted changes, which no checkout has"
    return text


def again_lines(found: Told) -> list[str]:
    """What to run, in the root of a checkout."""
    head, commit = found["head"], found["commit"]
    lines = []
    if not commit:
        lines = ["# the record names no commit: the sources that it was measured with are unknown"]
    elif head is not None and head != commit:
        lines = [f"git checkout {commit}  # HEAD is {head[:10]}; build then"]
    return [*lines, shlex.join(found["command"])]


def long_text(located: Located, among: list[Located]) -> str:
    found = told(located, among)
    matrix, sum_ = found["matrix"], found["matrix"]["sha256"]
    where = [found["machine"], found["cpu"], *([found["gpu"]] if found["gpu"] else [])]
    name = " ".join(filter(None, [found["problem"], matrix["name"], found["algorithm"],
                                  parameters_text(located.record)]))  # fmt: skip
    lines: list[tuple[str, list[str]]] = [("cell", [name])]
    if found["status"] != "ok":
        lines.append(("skipped", [str(found["reason"])]))
    lines += [(what, [samples_text(s)]) for what, s in found["samples"].items()]
    lines += [
        ("chosen", chosen_lines(found)),
        ("bounds", bounds_text(found)),
        ("check", check_text(found)),
        ("commit", [build_text(found)]),
        ("machine", [", ".join(where)]),
        ("library", [found["library"]] if found["library"] else []),
        ("started", [found["started_utc"]]),
        ("matrix", [f"{matrix['source']}{f', sha256 {sum_}' if sum_ else ''}"]),
        ("again", again_lines(found)),
    ]
    width = max(len(head) for head, texts in lines if texts)
    text = [f"record {located.id}  {located.path}:{located.line}"]
    for head, texts in lines:
        text += [f"  {head if n == 0 else '':{width}}  {t}" for n, t in enumerate(texts)]
    return "\n".join(text)


def short_text(found: Iterable[Behind]) -> list[str]:
    """A line for each record."""
    lines = []
    for located, among in found:
        record = located.record
        seconds = "skipped"
        if record["status"] == "ok":
            seconds = duration(summaries(record, len(among) > 1)["execution"][0].median)
        cell = [record["machine"]["id"], record["matrix"]["name"], record["algorithm"]]
        words = [*cell, parameters_text(record)]
        lines.append([located.id, f"line {located.line}", " ".join(filter(None, words)), seconds])
    return table(lines, left=3)
