"""The machines, and the builds that were measured on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sparserepro.data.frames import Cell, Report
from sparserepro.render.latex import (
    Column,
    Sources,
    Table,
    Text,
    code,
    escape,
    integer,
    significant,
)
from sparserepro.views.captions import commits


def gibibytes(value: float) -> str:
    return rf"\qty{{{significant(value / 2**30)}}}{{\gibi\byte}}"


def machines(report: Report) -> list[Table]:
    """One table a machine: hardware, copy bandwidth, build, dates."""
    return [machine(report, name) for name in report.machines]


def build_lines(records: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """What the builds that wrote the records were made of, each kind once, in this order."""

    def alternatives(text: Callable[[dict[str, Any]], str]) -> str:
        return "; or ".join(dict.fromkeys(text(record["build"]) for record in records))

    def flags(build: dict[str, Any]) -> str:
        return code(build["flags"].strip() or "none") + f" ({escape(build['build_type'])})"

    return [
        ("compiler", alternatives(lambda build: escape(build["compiler"]))),
        ("flags", alternatives(flags)),
        ("CUDA", alternatives(lambda build: escape(build["cuda"] or "not in the build"))),
        ("libraries", alternatives(lambda build: escape(build.get("peers") or "none"))),
        ("vector extensions", alternatives(vectors)),
    ]


def vectors(build: dict[str, Any]) -> str:
    """Of own code, which picks at run time, and of libraries that are compiled with it."""
    sets = build["instruction_sets"]
    own, peers = escape(sets["own"]), escape(sets["peers"])
    return own if own == peers else f"{own} (own code), {peers} (compiled libraries)"


def host_lines(records: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Threads, memory nodes, clock governor, pages and allocator of the host, each kind once."""

    def alternatives(text: Callable[[dict[str, Any]], str]) -> str:
        return "; or ".join(dict.fromkeys(text(record["machine"]) for record in records))

    def topology(facts: dict[str, Any]) -> str:
        smt = {True: "on", False: "off", None: "unknown"}[facts["smt"]]
        sockets = "unknown" if facts["sockets"] is None else integer(facts["sockets"])
        return f"sockets: {sockets}, NUMA nodes: {integer(facts['numa_nodes'])}, SMT: {smt}"

    def pages(facts: dict[str, Any]) -> str:
        used = "yes" if facts["huge_pages"]["operands"] else "no"
        return f"mode {code(facts['huge_pages']['mode'])}, asked for by the operands: {used}"

    return [
        ("topology", alternatives(topology)),
        ("clock governor", alternatives(lambda facts: escape(facts["governor"] or "unknown"))),
        ("huge pages", alternatives(pages)),
        ("allocator", alternatives(lambda facts: escape(facts["allocator"] or "default"))),
    ]


def span_of(values: Sequence[tuple[float, Cell]]) -> tuple[tuple[float, float], Sources]:
    """The least and the largest value, and the cells that have them."""
    if not values:
        return (0.0, 0.0), ()
    ordered = sorted(values, key=lambda pair: pair[0])
    (low, first), (high, last) = ordered[0], ordered[-1]
    return (low, high), (first, last)


def machine(report: Report, name: str) -> Table:
    """Facts of the newest record, and those of builds and GPU, which not all records have alike."""
    cells = [c for c in report.every if c.row.machine == name]
    records = sorted((c.record for c in cells), key=lambda r: r["started_utc"], reverse=True)
    facts, measured = records[0]["machine"], [c for c in cells if c.ok]
    lines = [
        ("processor", escape(facts["cpu"])),
        ("cores available", integer(facts["cores_available"])),
        ("memory", gibibytes(facts["memory_bytes"])),
        ("last-level cache", gibibytes(facts["last_level_cache_bytes"])
         if facts["last_level_cache_bytes"] >= 2**30
         else rf"\qty{{{facts['last_level_cache_bytes'] / 2**20:.0f}}}{{\mebi\byte}}"),
        ("operating system", escape(facts["os"])),
        *host_lines(records),
    ]  # fmt: skip
    gpu = next((gpu for r in records if (gpu := r["machine"]["gpu"])), None)
    if gpu is None:
        lines.append(("GPU", "none: CUDA algorithms are skipped"))
    else:
        lines += [
            ("GPU", escape(gpu["name"])),
            ("compute capability", escape(gpu["compute_capability"])),
            ("GPU memory, L2", f"{gibibytes(gpu['memory_bytes'])}, "
             rf"\qty{{{gpu['l2_bytes'] / 2**20:.0f}}}{{\mebi\byte}}"),
            ("multiprocessors", f"{integer(gpu['multiprocessors'])} at "
             rf"\qty{{{gpu['clock_mhz']}}}{{\mega\hertz}}, driver {escape(gpu['driver'])}"),
        ]  # fmt: skip
    copies: dict[str, list[tuple[float, Cell]]] = {}
    for cell in measured:
        where = "GPU" if cell.backend == "cuda" else f"{cell.threads or 1} threads"
        if bandwidth := cell.record["copy_bytes_per_s"]:
            copies.setdefault(where.replace("1 threads", "1 thread"), []).append((bandwidth, cell))
    sources: dict[str, Sources] = {}
    for where, values in sorted(copies.items(), key=lambda item: (len(item[0]), item[0])):
        ends, sources[f"copy bandwidth, {where}"] = span_of(values)
        low, high = (significant(v / 1e9) for v in ends)
        shown = rf"\num{{{low}}}" if low == high else rf"\numrange{{{low}}}{{{high}}}"
        lines.append((f"copy bandwidth, {where}", rf"{shown} \unit{{\giga\byte\per\second}}"))
    loads = [
        (load, c) for c in measured if (load := c.record["machine"]["load_before"]) is not None
    ]
    (calm, busy), sources["load before the samples"] = span_of(loads)
    starts = sorted(c.record["started_utc"] for c in cells)
    lines += [
        ("version", f"{escape(records[0]['build']['version'])}, {commits(measured or cells)}"),
        *build_lines(records),
        ("load before the samples", rf"\numrange{{{calm:.2f}}}{{{busy:.2f}}}"
         if loads else "unknown"),
        ("cells", f"{integer(len(measured))} measured, "
         f"{integer(len(cells) - len(measured))} skipped"),
        ("measured", f"{escape(starts[0])} to {escape(starts[-1])}"),
    ]  # fmt: skip
    return Table(
        label=f"tab:machine-{name}",
        caption=f"Machine {code(name)} and the builds that were measured on it, the newest "
        "first. The copy bandwidth is the highest rate of copying, reading or writing memory, in "
        "bytes read plus bytes written, and is measured in every run; the range is over runs.",
        columns=[Column("", "l"), Column("", "p{105mm}")],
        body=[[Text(left), Text(right, sources.get(left, ()))] for left, right in lines],
    )
