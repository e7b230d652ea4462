"""The first table of the report: what the originals claim, and what the cells answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from sparserepro.paper.claims import CLAIMS
from sparserepro.paper.claims.claim import Answer, Claim, Evidence
from sparserepro.render.latex import code

MARKS = {
    Answer.holds: r"\textbf{holds}",
    Answer.fails: r"\textbf{does not hold}",
    Answer.depends: "depends",
    Answer.unanswered: r"\textit{not measured}",
}


def evidence(claim: Claim, cells: pd.DataFrame, machines: Sequence[str]) -> list[Evidence]:
    """What the machines say, in their order; of a claim that none answers one entry says so."""
    found = {e.machine: e for e in claim.evidence(cells)}
    return [found[m] for m in machines if m in found] or [Evidence("", Answer.unanswered, "")]


def answers(found: Sequence[Evidence]) -> set[Answer]:
    """Those of the machines; one row decides nothing where another machine has several."""
    return {e.answer for e in found if not e.thin} or {e.answer for e in found}


def answer(found: Sequence[Evidence]) -> Answer:
    """Of all machines together."""
    said = answers(found)
    return said.pop() if len(said) == 1 else Answer.depends


def differ(found: Sequence[Evidence]) -> bool:
    """Whether the claim holds on one machine and not on another."""
    return {Answer.holds, Answer.fails} <= answers(found)


def counts(cells: pd.DataFrame, machines: Sequence[str]) -> Counter[Answer]:
    every = (claim for claims in CLAIMS.values() for claim in claims)
    return Counter(answer(evidence(claim, cells, machines)) for claim in every)


def words(found: Sequence[Evidence]) -> str:
    return "; ".join(
        f"{code(e.machine)}: {e.words}" if len(found) > 1 else f"{e.words} ({code(e.machine)})"
        for e in found
        if e.machine
    )


def table(cells: pd.DataFrame, machines: Sequence[str]) -> str:
    """The LaTeX of the table."""
    lines = []
    for title, claims in CLAIMS.items():
        lines.append(rf"\multicolumn{{4}}{{@{{}}l}}{{\textit{{{title}}}}}\\*")
        for claim in claims:
            found = evidence(claim, cells, machines)
            mark = MARKS[answer(found)] + (" on the machine" if differ(found) else "")
            row = [claim.key, claim.text, mark, words(found)]
            lines.append(" & ".join(row) + r"\\")
        lines.append(r"\addlinespace")
    lines.pop()
    body = "\n".join(lines)
    return rf"""\begingroup\footnotesize\setlength{{\tabcolsep}}{{4pt}}
\begin{{longtable}}{{@{{}}l>{{\raggedright\arraybackslash}}p{{50mm}}>{{\raggedright\arraybackslash}}p{{18mm}}>{{\raggedright\arraybackslash}}p{{72mm}}@{{}}}}
\caption{{What the three originals claim, and what the measurements answer. A factor is a geometric
mean over the rows that both sides were measured on, with the least and the greatest in brackets; a
row is a matrix with the parameters of its instance.}}\label{{tab:claims}}\\
\toprule
 & claim & answer & measured\\
\midrule
\endfirsthead
\multicolumn{{4}}{{@{{}}l}}{{\textit{{\Cref{{tab:claims}}, continued}}}}\\
\toprule
 & claim & answer & measured\\
\midrule
\endhead
\bottomrule
\endlastfoot
{body}
\end{{longtable}}
\endgroup
"""
