"""Plain text of the LaTeX that tables are made of: names of rows and columns, figures, captions."""

from __future__ import annotations

import re

from sparserepro.render.latex import UNESCAPES

PREFIXES = {"nano": "n", "micro": "µ", "milli": "m", "kibi": "Ki", "mebi": "Mi", "gibi": "Gi",
            "kilo": "k", "mega": "M", "giga": "G"}  # fmt: skip
UNITS = {"second": "s", "byte": "B", "flop": "FLOP", "edge": "edges", "hertz": "Hz",
         "percent": "%", "per": "/"}  # fmt: skip
WORDS = {"infty": "inf", "textdagger": "", "same": "", "unclear": "", "across": "", "old": "",
         "wide": "", "kernelonly": ""}  # fmt: skip
"""Commands without an argument."""
DROPPED = r"\\(?:textsuperscript|cite)\{[^{}]*\}|\\allowbreak(?:\{\})?"
PATTERNS = (
    (r"-\{\}-", "--"),
    (r"\\gap\{(\w+)\}", r"(\1)"),
    (r"\\numrange\{([^{}]*)\}\{([^{}]*)\}", r"\1 to \2"),
    (r"\\(?:shortstack|raisebox)\[\w+\]", ""),
    (r"-\\\\", ""),
    (r"\\\\", " "),
)


def unit(latex: str) -> str:
    r""" "\giga\flop\per\second" -> "GFLOP/s"."""
    words = PREFIXES | UNITS
    return re.sub(r"\\(\w+) ?", lambda m: words.get(m[1], m[1]), latex)


def plain(latex: str) -> str:
    """The words and figures alone, without marks and references."""
    text = re.sub(DROPPED, "", latex)
    for pattern, new in PATTERNS:
        text = re.sub(pattern, new, text)
    text = re.sub(r"\\qty\{([^{}]*)\}", r"\1 \\unit", text)
    text = re.sub(r"\\unit\{([^{}]*)\}", lambda m: unit(m[1]), text)
    for escaped, letter in UNESCAPES.items():
        # Signs that are taken away below are kept by a stand-in.
        text = text.replace(escaped, KEPT.get(letter, letter))
    text = re.sub(r"\\([A-Za-z]+)\*? ?", lambda m: WORDS.get(m[1], ""), text)
    text = re.sub(r"[{}$]", "", text).replace("~", " ")
    for letter, kept in KEPT.items():
        text = text.replace(kept, letter)
    return re.sub(r" (?=[,.;])", "", " ".join(text.split()))


KEPT = {"{": "\ue000", "}": "\ue001", "$": "\ue002", "\\": "\ue003", "~": "\ue004"}


def first_sentence(caption: str) -> str:
    """What a caption begins with, as far as its first semicolon or full stop."""
    return re.split(r"; |\. |\.$", plain(caption))[0]
