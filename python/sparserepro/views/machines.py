"""The machines, and the builds that were measured on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sparserepro.data.frames import Cell, Report
from sparserepro.data.lines import Line
from sparserepro.render.latex import code, escape, integer, significant
from sparserepro.render.tabular import WORDS, Column, Sources, Table, Text
from sparserepro.views.captions import commits
from sparserepro.views.view import View


def gibibytes(value: float) -> str:
    return rf"\qty{{{significant(value / 2**30)}}}{{\gibi\byte}}"


def machines(report: Report) -> list[Table]:
    """One table a machine: hardware, copy bandwidth, build, dates."""
    return [machine(report, name) for name in report.machines]


def alternatives(lines: Sequence[Line], text: Callable[[Line], str]) -> str:
    """What cells have, each kind once, in this order."""
    return "; or ".join(dict.fromkeys(map(text, lines)))


def build_lines(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """What the builds that measured these cells were made of."""

    def flags(build: Line) -> str:
        return code(build["flags"].strip() or "none") + f" ({escape(build['build_type'])})"

    return [
        ("compiler", alternatives(lines, lambda build: escape(build["compiler"]))),
        ("flags", alternatives(lines, flags)),
        ("CUDA", alternatives(lines, lambda build: escape(build["cuda"] or "not in the build"))),
        ("libraries", alternatives(lines, lambda build: escape(build["libraries"] or "none"))),
        ("vector extensions", alternatives(lines, vectors)),
    ]


def vectors(build: Line) -> str:
    """Of own code, which picks at run time, and of libraries that are compiled with it."""
    own, peers = escape(build["vectors"]), escape(build["library_vectors"])
    return own if own == peers else f"{own} (own code), {peers} (compiled libraries)"


def host_lines(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """Threads, memory nodes, clock governor, pages and allocator of the host."""

    def topology(facts: Line) -> str:
        smt = {True: "on", False: "off", None: "unknown"}[facts["smt"]]
        sockets = "unknown" if facts["sockets"] is None else integer(facts["sockets"])
        return f"sockets: {sockets}, NUMA nodes: {integer(facts['numa_nodes'])}, SMT: {smt}"

    def pages(facts: Line) -> str:
        used = "yes" if facts["huge_operands"] else "no"
        return f"mode {code(facts['huge_pages'])}, asked for by the operands: {used}"

    return [
        ("topology", alternatives(lines, topology)),
        (
            "clock governor",
            alternatives(lines, lambda host: escape(host["governor"] or "unknown")),
        ),
        ("huge pages", alternatives(lines, pages)),
        ("allocator", alternatives(lines, lambda host: escape(host["allocator"] or "default"))),
    ]


def span_of(values: Sequence[tuple[float, Cell]]) -> tuple[tuple[float, float], Sources]:
    """The least and the largest value, and the cells that have them."""
    if not values:
        return (0.0, 0.0), ()
    ordered = sorted(values, key=lambda pair: pair[0])
    (low, first), (high, last) = ordered[0], ordered[-1]
    return (low, high), (first, last)


def machine(report: Report, name: str) -> Table:
    """Facts of the newest cell, and those of builds and GPU, which not all cells have alike."""
    cells = [c for c in report.every if c.row.machine == name]
    told = [c.line for c in sorted(cells, key=lambda c: c.started, reverse=True)]
    measured = [c for c in cells if c.ok]
    facts = told[0]
    lines = [
        ("processor", escape(facts["cpu"])),
        ("cores available", integer(facts["cores"])),
        ("memory", gibibytes(facts["memory_bytes"])),
        ("last-level cache", gibibytes(facts["last_level_cache_bytes"])
         if facts["last_level_cache_bytes"] >= 2**30
         else rf"\qty{{{facts['last_level_cache_bytes'] / 2**20:.0f}}}{{\mebi\byte}}"),
        ("operating system", escape(facts["os"])),
        *host_lines(told),
    ]  # fmt: skip
    gpu = next((line for line in told if line["gpu"]), None)
    if gpu is None:
        lines.append(("GPU", "none: CUDA algorithms are skipped"))
    else:
        lines += [
            ("GPU", escape(gpu["gpu"])),
            ("compute capability", escape(gpu["compute_capability"])),
            ("GPU memory, L2", f"{gibibytes(gpu['gpu_memory_bytes'])}, "
             rf"\qty{{{gpu['gpu_l2_bytes'] / 2**20:.0f}}}{{\mebi\byte}}"),
            ("multiprocessors", f"{integer(gpu['multiprocessors'])} at "
             rf"\qty{{{gpu['gpu_clock_mhz']}}}{{\mega\hertz}}, driver {escape(gpu['gpu_driver'])}"),
        ]  # fmt: skip
    copies: dict[str, list[tuple[float, Cell]]] = {}
    for cell in measured:
        where = "GPU" if cell.backend == "cuda" else f"{cell.threads or 1} threads"
        if bandwidth := cell.line["copy_bytes_per_s"]:
            copies.setdefault(where.replace("1 threads", "1 thread"), []).append((bandwidth, cell))
    sources: dict[str, Sources] = {}
    for where, values in sorted(copies.items(), key=lambda item: (len(item[0]), item[0])):
        ends, sources[f"copy bandwidth, {where}"] = span_of(values)
        low, high = (significant(v / 1e9) for v in ends)
        shown = rf"\num{{{low}}}" if low == high else rf"\numrange{{{low}}}{{{high}}}"
        lines.append((f"copy bandwidth, {where}", rf"{shown} \unit{{\giga\byte\per\second}}"))
    loads = [(load, c) for c in measured if (load := c.line["load_before"]) is not None]
    (calm, busy), sources["load before the samples"] = span_of(loads)
    starts = sorted(c.started for c in cells)
    lines += [
        ("version", f"{escape(facts['project_version'])}, {commits(measured or cells)}"),
        *build_lines(told),
        ("load before the samples", rf"\numrange{{{calm:.2f}}}{{{busy:.2f}}}"
         if loads else "unknown"),
        ("cells", f"{integer(len(measured))} measured, "
         f"{integer(len(cells) - len(measured))} skipped"),
        ("measured", f"{escape(starts[0])} to {escape(starts[-1])}"),
    ]  # fmt: skip
    return Table(
        label=f"tab:machine-{name}",
        title=f"Machine {code(name)}",
        caption=f"Machine {code(name)} and the builds that were measured on it, the newest "
        "first. The copy bandwidth is the highest rate of copying, reading or writing memory, in "
        "bytes read plus bytes written, and is measured in every run; the range is over runs.",
        columns=[Column("", "l"), Column("", WORDS)],
        body=[[Text(left), Text(right, sources.get(left, ()))] for left, right in lines],
    )


VIEWS = (View("machines", "setting", machines),)
