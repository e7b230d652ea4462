"""The pipeline knows algorithms by their catalogues: no list of names in Python."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from sparserepro.data.rows import PROBLEMS

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python/sparserepro"

EXCEPTIONS = {
    "paper/claims/transpose.py": "the originals' claims are about these algorithms",
    "paper/claims/spmm.py": "the originals' claims are about these algorithms",
    "paper/claims/triangles.py": "the originals' claims are about these algorithms",
    "text/scan_merge.py": "the question of the first original: ScanTrans or MergeTrans",
    "views/published_transpose.py": "sets printed numbers of an original beside ours",
    "plots/triangles.py": "draws figures of an original again",
    "views/padding.py": "the claim of an original on padded and unpadded ELLPACK",
    "records.py": "parameters that older records name otherwise",
    "run/cost.py": "a library's calls that exist for one column alone",
}
"""Files that name algorithms, and why."""


def names_in_list(problem: str) -> list[str]:
    """The names of the problem's list, in its order."""
    text = (ROOT / "kernels" / problem / "algorithms.def").read_text()
    return re.findall(r"^ALGORITHM\((\w+)", text, re.MULTILINE)


def names() -> set[str]:
    """Of the lists of all problems. `serial` is a backend too."""
    return {name for problem in PROBLEMS for name in names_in_list(problem)} - {"serial"}


def literals(text: str) -> set[str]:
    """The words of a module's strings, without docstrings."""
    words = set()
    for node in ast.walk(ast.parse(text)):
        bodies = getattr(node, "body", [])
        for statement in bodies if isinstance(bodies, list) else []:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                statement.value.value = None  # a docstring
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words |= set(re.findall(r"\w+", node.value))
    return words


PLACES = {
    "CMakeLists.txt": "its library, driver and tests are built",
    "python/sparserepro/data/rows.py": "its name and title",
    "workflow/schemas/config.schema.yaml": "a configuration may have it",
    "workflow/schemas/record.schema.json": "so may a record",
    "report/supplement.tex": "its section",
}
"""Files that list the problems. A new one has in addition a folder in kernels/, a driver, and a
section in report/sections/."""


def test_problems_are_listed_in_few_places():
    """workflow/README.md names them."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    problems = [re.compile(rf"\b{problem}\b") for problem in PROBLEMS]
    told = (ROOT / "workflow/README.md").read_text()
    found = set()
    for name in listed.stdout.splitlines():
        code = Path(name).suffix in {".py", ".smk", ".txt", ".cmake", ".yaml", ".json", ".tex"}
        if code and name.split("/")[0] not in {"tests", "config"} and "measurements" not in name:
            text = (ROOT / name).read_text()
            if all(problem.search(text) for problem in problems):
                found.add(name)
    assert found == set(PLACES)
    assert all(name.removeprefix("python/sparserepro/") in told for name in PLACES)


def test_the_lists_have_names():
    assert {"omp_partition", "cuda_csr_balanced", "coo_to_csr_serial", "omp_scan"} <= names()
    assert literals('"""omp_csr"""\nx = {"omp_scan": 1}') == {"omp_scan"}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_an_algorithm_has_one_file_of_its_name(problem):
    folder = ROOT / "kernels" / problem
    files = [path.stem for suffix in ("cpp", "cu") for path in folder.rglob(f"*.{suffix}")]
    assert names_in_list(problem)
    assert [name for name in names_in_list(problem) if files.count(name) != 1] == []


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.stem)
def test_a_module_names_no_algorithm(path):
    found = names() & literals(path.read_text())
    if str(path.relative_to(PACKAGE)) in EXCEPTIONS:
        assert found, "no exception any more"
    else:
        assert not found
