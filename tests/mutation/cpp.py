"""A copy of the C++ sources with all mutants at once; SPARSEREPRO_MUTANT turns one on."""

import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

from mutation.definitions import ROOT, BadMutant, Mutant, Span, by_file, spans

VARIABLE = "SPARSEREPRO_MUTANT"
COPIED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "drivers", "include", "kernels", "tests")
HEADER = "kernels/formats/mutant_that_is_on.hpp"
SOURCE = "kernels/formats/mutant_that_is_on.cpp"  # formats/ is in every program

HEADER_TEXT = """\
#pragma once
namespace sparserepro::mutants {
extern const unsigned on;  // number of the mutant that is on; 0: none
}
"""
SOURCE_TEXT = """\
#include "formats/mutant_that_is_on.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sparserepro::mutants {{
namespace {{
struct Known {{
  const char* name;
  unsigned number;
}};
constexpr Known known[] = {{{entries}}};

unsigned number_of(const char* name) {{
  if (name == nullptr || *name == '\\0') {{
    return 0;
  }}
  for (const Known& mutant : known) {{
    if (std::strcmp(mutant.name, name) == 0) {{
      return mutant.number;
    }}
  }}
  std::fprintf(stderr, "no mutant %s in this build\\n", name);
  std::_Exit(99);
}}
}}  // namespace
const unsigned on = number_of(std::getenv("{variable}"));
}}  // namespace sparserepro::mutants
"""


def number(mutant: Mutant) -> int:
    """Depends on the name alone: a further mutant changes no other file of the copy."""
    return zlib.crc32(mutant.name.encode()) | 1


def with_mutants(source: str, begin: int, end: int, inner: list[Span]) -> str:
    """source[begin:end], each place of `inner` with its mutants."""
    out, position = "", begin
    for span in inner:
        out += source[position : span.begin] + _choice(source, span)
        position = span.end
    return out + source[position:end]


def _choice(source: str, span: Span) -> str:
    text = with_mutants(source, span.begin, span.end, span.inner)
    if len({mutant.form for mutant in span.mutants}) > 1:
        raise BadMutant("one place, two forms: " + ", ".join(m.name for m in span.mutants))
    for mutant in span.mutants:
        condition = f"::sparserepro::mutants::on == {number(mutant)}u"
        if mutant.form == "expression":
            text = f"({condition} ? ({mutant.becomes}) : ({text}))"
        else:
            text = f"if ({condition}) {{\n{mutant.becomes}\n}} else {{\n{text}\n}}\n"
    return text


def transformed(source: str, mutants: Iterable[Mutant]) -> str:
    """The source with all its mutants, each behind the number of the one that is on."""
    text = with_mutants(source, 0, len(source), spans(mutants, source))
    return f'#include "formats/mutant_that_is_on.hpp"\n#line 1\n{text}'


def sources() -> list[str]:
    """The files of the checkout that the copy needs, also those not yet under version control."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *COPIED]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


def _write(path: Path, data: bytes) -> None:
    """Writes only what changed, so that a second build has little to do."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def make_copy(mutants: list[Mutant], copy: Path) -> None:
    """Makes or renews the copy of the sources in `copy`."""
    numbers = [number(mutant) for mutant in mutants]
    if len(set(numbers)) < len(numbers):
        raise BadMutant("two names have one number: rename a mutant")
    files = by_file(mutants)
    kept = {HEADER, SOURCE}
    for name in sources():
        data = (ROOT / name).read_bytes()
        if name in files:
            data = transformed(data.decode(), files[name]).encode()
        _write(copy / name, data)
        kept.add(name)
    entries = ", ".join(f'{{"{m.name}", {number(m)}u}}' for m in mutants)
    _write(copy / HEADER, HEADER_TEXT.encode())
    _write(copy / SOURCE, SOURCE_TEXT.format(entries=entries, variable=VARIABLE).encode())
    for top in COPIED:
        for path in (copy / top).rglob("*") if (copy / top).is_dir() else ():
            if path.is_file() and path.relative_to(copy).as_posix() not in kept:
                path.unlink()


def programs_of(mutants: Iterable[Mutant]) -> list[str]:
    """Targets of the build that the mutants' tests need."""
    tests = {test for mutant in mutants for test in mutant.tests}
    programs = {test.split(":")[0] for test in tests if not test.startswith("tests/")}
    if any(test.startswith("tests/") for test in tests):
        problems = [path.parent.name for path in ROOT.glob("kernels/*/algorithms.def")]
        programs |= {*problems, "matrix_info"}
    return sorted(programs)


def build(mutants: list[Mutant], copy: Path, jobs: int) -> Path:
    """Builds the programs of the mutants' tests, host code alone; returns the build folder."""
    folder = copy / "build"
    log = copy / "build.log"
    parallel = ["cmake", "--build", str(folder), "--parallel", str(jobs)]
    with log.open("w") as out:
        for command in (
            ["cmake", "--preset", "no-cuda", "-B", str(folder)],
            [*parallel, "--target", *programs_of(mutants)],
        ):
            done = subprocess.run(command, cwd=copy, stdout=out, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                shutil.copyfileobj(log.open(), sys.stderr)
                raise BadMutant(f"the copy with all mutants does not build; see {log}")
    return folder


def environment(build_folder: Path, mutant: Mutant | None) -> dict[str, str]:
    """Of a test that runs programs of the build with this mutant on; None: with none."""
    name = "" if mutant is None else mutant.name
    return os.environ | {VARIABLE: name, "SPARSEREPRO_BUILD": str(build_folder)}
