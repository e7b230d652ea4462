"""Rules of the language that no compiler checks: one definition of a name, guards, teams."""

import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("include", "kernels", "drivers", "bindings")
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}
_NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL
)
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_NAMESPACE = re.compile(r"(?:inline\s+)?namespace(?:\s+([\w:]+))?\s*$")
_TYPE = re.compile(
    r"(?:^|[;>{}\s])(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+"
    r"(?:alignas\s*\([^)]*\)\s*)?(\w+)\s*(?:final\s*)?(?::(?!:)[^;]*)?$"
)
UNNAMED = "(unnamed)"


def sources():
    found = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*"))]
    return [path for path in found if path.suffix in SUFFIXES]


def without_noise(text):
    """The code without comments, literals and lines of the preprocessor."""
    return _PREPROCESSOR.sub(" ", _NOISE.sub(" ", text))


def types_of(text):
    """Qualified names of the types that a file defines at namespace scope, outside of unnamed
    namespaces. Specialisations are not of their template's name."""
    names, scopes, begin = [], [], 0
    code = without_noise(text)
    for place, sign in enumerate(code):
        if sign == "{":
            head = code[begin:place].strip()
            at_namespace = all(scope is not None for scope in scopes)
            if at_namespace and (match := _NAMESPACE.search(head)):
                scopes.append(match[1] or UNNAMED)
            else:
                if at_namespace and UNNAMED not in scopes and (match := _TYPE.search(head)):
                    names.append("::".join([*scopes, match[1]]))
                scopes.append(None)
        elif sign == "}" and scopes:
            scopes.pop()
        if sign in "{};":
            begin = place + 1
    return names


def defined_twice(texts):
    """Types that several of the files define, by name."""
    found = defaultdict(list)
    for path, text in texts.items():
        for name in set(types_of(text)):
            found[name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def test_scan_sees_types_where_they_count():
    text = """
    #define BODY struct Hidden {
    namespace a::b {
    // struct Comment {};
    struct Plain { struct Inner {}; enum class Kind { one }; };
    template <class T> class Derived final : public Base<T> { void f() { struct Local {}; } };
    enum class Choice : int { yes };
    inline Plain make(struct Plain* p) { return {}; }
    class Declared;
    namespace { struct Unnamed {}; }
    }
    struct Outside {};
    """
    names = ["a::b::Plain", "a::b::Derived", "a::b::Choice", "Outside"]
    assert types_of(text) == names
    twice = defined_twice({"one.hpp": text, "two.hpp": "namespace a::b { struct Choice {}; }"})
    assert twice == {"a::b::Choice": ["one.hpp", "two.hpp"]}


def test_no_type_is_defined_twice():
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in sources()}
    assert sum(len(types_of(text)) for text in texts.values()) > 200
    assert defined_twice(texts) == {}


def test_only_the_guarded_helper_waits_for_another_grid():
    helper = ROOT / "kernels/cuda/grid_dependency.cuh"
    names = re.compile(
        r"cudaGridDependencySynchronize|cudaTriggerProgrammaticLaunchCompletion"
        r"|cudaLaunchAttributeProgrammatic\w+|griddepcontrol"
    )
    users = [p for p in sources() if names.search(re.sub(r"//[^\n]*", "", p.read_text()))]
    assert users == [helper]
    # Within it, each device call stands between the guard and its end.
    for call in ("cudaGridDependencySynchronize()", "cudaTriggerProgrammaticLaunchCompletion()"):
        before, after = helper.read_text().split(call)
        assert before.rstrip("; \n").endswith("__CUDA_ARCH__ >= 900")
        assert after.startswith(";\n#endif")


def test_teams_of_threads_keep_their_size():
    """A team of another size than the last one is torn down and made again, inside a timed run."""
    timed = ("transpose", "spmm", "triangles", "primitives", "convert")
    varying = [
        f"{path.relative_to(ROOT)}: {clause}"
        for path in sources()
        if path.relative_to(ROOT).parts[1] in timed
        for clause in re.findall(r"(?<!\w)num_threads\((?:[^()]|\([^()]*\))*\)", path.read_text())
        if not re.fullmatch(
            r"\w+\((?:(?:this->)?\w+|available_cores\(\)|machine_info\(\)\.cores_available)\)",
            clause,
        )
    ]
    assert varying == []


def test_a_skipped_case_is_no_passed_one():
    """ctest counts by the exit code: 4 when a case ends itself as skipped."""
    build = ROOT / os.environ.get("SPARSEREPRO_BUILD", "build")
    program = build / "bin/test_triangles_adaptive"
    if not program.exists():
        pytest.skip(f"{program} is not built")
    environment = {k: v for k, v in os.environ.items() if k != "SPARSEREPRO_MATRICES"}
    text = (ROOT / "tests/test_triangles_adaptive.cpp").read_text()
    cases = re.findall(r'TEST_CASE\(\s*"([^"]*)"(.*?)(?=TEST_CASE|\Z)', text, re.DOTALL)
    (skipping,) = [name for name, body in cases if "SKIP(" in body]
    passing = next(name for name, body in cases if "SKIP(" not in body)

    def code(case):
        # What a name may have that Catch2 reads as more than text.
        pattern = re.sub(r"[\[\],~\"]", "*", case)
        done = subprocess.run([program, pattern], env=environment, capture_output=True, check=False)
        return done.returncode

    assert code(skipping) == 4
    assert code(passing) == 0
    assert "SKIP_RETURN_CODE 4" in (ROOT / "tests/CMakeLists.txt").read_text()
