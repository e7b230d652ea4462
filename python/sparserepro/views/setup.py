"""The tables of what was measured, on what, with what: machines, matrices, algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sparserepro.data.frames import PROBLEM_TITLES, Algorithm, Report
from sparserepro.render.latex import (
    RAGGED,
    Column,
    Number,
    Table,
    Text,
    Value,
    code,
    escape,
    integer,
    listing,
    prose,
    significant,
)
from sparserepro.views.captions import Gaps, commits, kinds


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
    copies: dict[str, list[float]] = {}
    for cell in measured:
        where = "GPU" if cell.backend == "cuda" else f"{cell.threads or 1} threads"
        if bandwidth := cell.record["copy_bytes_per_s"]:
            copies.setdefault(where.replace("1 threads", "1 thread"), []).append(bandwidth)
    for where, values in sorted(copies.items(), key=lambda item: (len(item[0]), item[0])):
        low, high = (significant(v / 1e9) for v in (min(values), max(values)))
        shown = rf"\num{{{low}}}" if low == high else rf"\numrange{{{low}}}{{{high}}}"
        lines.append((f"copy bandwidth, {where}", rf"{shown} \unit{{\giga\byte\per\second}}"))
    loads = [load for c in measured if (load := c.record["machine"]["load_before"]) is not None]
    starts = sorted(c.record["started_utc"] for c in cells)
    lines += [
        ("version", f"{escape(records[0]['build']['version'])}, {commits(measured or cells)}"),
        *build_lines(records),
        ("load before the samples", rf"\numrange{{{min(loads):.2f}}}{{{max(loads):.2f}}}"
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
        body=[[Text(left), Text(right)] for left, right in lines],
    )


def matrices(report: Report) -> list[Table]:
    """Every matrix with a record, by class."""
    present = [f for f in report.matrices.values() if "rows" in f]
    present.sort(key=lambda f: (f.get("class") or "", f["name"].lower()))
    body: list[list[Value]] = []
    for facts in present:
        length = facts["row_length"]
        body.append(
            [
                Text(code(facts["name"])),
                Text(escape(facts.get("class") or "unclassified")),
                Text(integer(facts["rows"])),
                Text(integer(facts["cols"])),
                Text(integer(facts["stored"])),
                Text(integer(facts["stored"] - facts["nnz"])),
                Number(significant(length["mean"])),
                Text(integer(length["max"])),
                Text("generated" if facts["origin"] == "generated" else "file"),
            ]
        )
    if not body:
        return []
    heads = ("rows", "columns", "stored", "zeros", "mean", "max")
    columns = [
        Column("matrix", RAGGED + "{31mm}"),
        Column("class", RAGGED + "{17mm}"),
        *[Column(h, "S" if h == "mean" else "r") for h in heads],
        Column("origin", "l"),
    ]
    return [
        Table(
            label="tab:matrices",
            caption="The matrices. Stored entries include explicit zeros, which are also counted "
            "apart, and, for symmetric files, both triangles. Mean and maximum are of the row "
            "lengths.",
            columns=columns,
            body=body,
            groups=[("", 6), ("row length", 2), ("", 1)],
        )
    ]


def sources(report: Report) -> list[Table]:
    """Where each matrix comes from: a generator's spec or a file with its checksum."""
    body: list[list[Value]] = [
        [
            Text(code(f["name"])),
            Text(code(f["source"])),
            Text(code(f["sha256"][:12]) if f.get("sha256") else "--"),
        ]
        for f in sorted(report.matrices.values(), key=lambda f: f["name"].lower())
        if "rows" in f
    ]
    if not body:
        return []
    return [
        Table(
            label="tab:sources",
            caption="Source of each matrix: the specification that generates it again, or the file "
            "and the first digits of its SHA-256.",
            columns=[
                Column("matrix", RAGGED + "{40mm}"),
                Column("source", RAGGED + "{80mm}"),
                Column("SHA-256", "l"),
            ],
            body=body,
            long=True,
        )
    ]


def unavailable(report: Report) -> list[Table]:
    """Unavailable matrices, by reason."""
    reasons: dict[str, list[str]] = {}
    for facts in sorted(report.matrices.values(), key=lambda f: f["name"].lower()):
        if why := facts.get("unavailable"):
            name = f"{code(facts['name'])} ({escape(facts.get('class') or 'unclassified')})"
            reasons.setdefault(why, []).append(name)
    body: list[list[Value]] = [
        [Text(listing(names)), Text(integer(len(names))), Text(prose(why))]
        for why, names in reasons.items()
    ]
    if not body:
        return []
    return [
        Table(
            label="tab:unavailable",
            caption="Matrices of the configuration that were unavailable, and why. They are tried "
            "again in the next run.",
            columns=[
                Column("matrices (class)", RAGGED + "{80mm}"),
                Column("number", "r"),
                Column("reason", RAGGED + "{58mm}"),
            ],
            body=body,
        )
    ]


def status(report: Report, algorithm: Algorithm, machines: Sequence[str], gaps: Gaps) -> str:
    """Where the algorithm was measured; else the letter of the reason why it was not."""
    measured = [
        m
        for m in machines
        if any(
            c.record["algorithm"] == algorithm.name
            for c in report.select(machine=m, problem=algorithm.problem, ok=True)
        )
    ]
    if measured and len(measured) == len(machines):
        return "measured"
    why = algorithm.unavailable
    if why is None and not measured:
        cells = report.select(problem=algorithm.problem)
        reasons = {c.reason for c in cells if c.record["algorithm"] == algorithm.name}
        why = "; ".join(kinds(reasons)) or "not in the measured grid"
    where = "measured on " + listing([code(m) for m in measured]) if measured else ""
    return where + (gaps.skipped(why).latex_text if why else "")


def algorithms(report: Report, problem: str) -> list[Table]:
    book = report.catalogues.get(problem)
    if book is None:
        return []
    gaps = Gaps()
    bases = set(book.baselines.values())
    several = len(bases) > 1
    shared = "" if several else f" Speedups are against {code(bases.pop())}." if bases else ""
    body: list[list[Value]] = [
        [
            Text(code(a.name)),
            *([Text("itself" if a.baseline == a.name else code(a.baseline))] if several else []),
            Text(a.backend + (r"\textsuperscript{\textdagger}" if a.peer else "")),
            Text(prose(a.summary)),
            Text(prose(a.source)),
            Text(status(report, a, report.machines, gaps)),
        ]
        for a in book.algorithms
    ]
    return [
        Table(
            label=f"tab:{problem}-algorithms",
            caption=f"{PROBLEM_TITLES[problem]}: the algorithms of the driver's catalogue "
            rf"(\textdagger~third-party library).{shared}",
            columns=[
                Column("algorithm", RAGGED + "{30mm}"),
                *([Column("baseline", RAGGED + "{23mm}")] if several else []),
                Column("backend", "l"),
                Column("method", RAGGED + ("{38mm}" if several else "{50mm}")),
                Column("source", RAGGED + ("{26mm}" if several else "{34mm}")),
                Column("here", RAGGED + ("{17mm}" if several else "{22mm}")),
            ],
            body=body,
            notes=gaps.notes(),
            long=len(body) > 12,
        )
    ]
