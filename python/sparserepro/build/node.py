"""The build of a node of a cluster, where the workflow is not parsed on the node that measures.

Each kind of node (processor, GPUs, compilers, libraries) has a build tree below build/nodes, with
the facts of its build and its catalogues. The first job that comes to such a node makes it. As a
program it prints the tree of this node, made or brought up to date first:

    tree=$(python -m sparserepro.build.node spmm matrix_info) && $tree/bin/spmm ...
"""

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from sparserepro import program
from sparserepro.build import facts
from sparserepro.build.catalogue import registered, write_list
from sparserepro.build.drivers import build, is_there, locked
from sparserepro.config.grid import Job, available_cores
from sparserepro.data.rows import PROBLEMS
from sparserepro.paths import ROOT

TREES = Path("build/nodes")


def slug(text: str) -> str:
    """Lower-case words of letters and digits joined by '-', without trademark signs."""
    bare = re.sub(r"\((?:r|tm|c)\)", " ", text.partition("@")[0].lower())
    words = re.findall(r"[a-z0-9]+", bare)
    return "-".join(word for word in words if word not in ("cpu", "processor")) or "machine"


def digits(told: object, count: int) -> str:
    text = json.dumps(told, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:count]


def tree_of(told: dict[str, str]) -> Path:
    """The build tree of a kind of node, of which facts.toolchain tells this before any build."""
    return TREES / f"{slug(told['processor'])}-{digits(told, 10)}"


def toolchain_of_any(cuda: str) -> dict[str, str]:
    """In the place of facts.toolchain where the nodes are not known: what decides for all of
    them."""
    return {"nodes": "each kind builds its own", "SPARSEREPRO_CUDA": cuda}


def is_for_device(root: Path, problem: str, algorithm: str) -> bool:
    """Whether the sources of an algorithm are CUDA's."""
    return any((root / "kernels" / problem).rglob(f"{algorithm}.cu"))


def needs_device(root: Path, job: Job) -> bool:
    """Whether one of the job's algorithms runs on a GPU, in a build with CUDA."""
    names = registered(root, job.problem) if "all" in job.algorithms else job.algorithms
    return any(is_for_device(root, job.problem, name) for name in names)


def of_drivers(root: Path, drivers: list[str], tree: Path, cuda: str) -> list[dict[str, Any]]:
    built_by = facts.toolchain(tree, root, cuda)
    return [facts.facts(root, driver, built_by) for driver in drivers]


def make_current(root: Path, drivers: list[str], tree: Path, cuda: str) -> int:
    """Builds those of the drivers in the tree that are not built as their sources and this node
    are now, and lists their algorithms; the exit code."""
    known = tree / "facts"
    with locked(tree) as held:
        outdated = [
            told["driver"]
            for told in of_drivers(root, drivers, tree, cuda)
            if not (facts.is_current(told, known) and is_there(tree, told["driver"]))
        ]
        if not outdated:
            return 0
        cores, said = str(available_cores()), sys.stderr.fileno()
        if code := build(tree, outdated, cores, cuda, held, out=said):
            return code
        for folder in ("build", "catalogue"):
            (known / folder).mkdir(parents=True, exist_ok=True)
        for problem in (name for name in outdated if name in PROBLEMS):
            if code := write_list(tree / "bin" / problem, known / "catalogue" / f"{problem}.json"):
                return code
        facts.write(of_drivers(root, outdated, tree, cuda), known / "build")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("drivers", nargs="+", help="names of drivers")
    parser.add_argument("--cuda", choices=("ON", "OFF", "auto"), default="auto")
    options = parser.parse_args()
    tree = tree_of(facts.toolchain(TREES / "none", ROOT, options.cuda))
    drivers = list(dict.fromkeys(options.drivers))
    if code := make_current(ROOT, drivers, tree, options.cuda):
        return code
    print(tree)
    return 0


if __name__ == "__main__":
    sys.exit(program.run(main))
