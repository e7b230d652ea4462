"""A copy of the C++ sources with all mutants at once; SPARSEREPRO_MUTANT turns one on.

Device code reads the number of that mutant from a constant of its file. The first CUDA_CHECK of a
program copies the number there, for the device that is current.
"""

import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

from mutation.definitions import ROOT, BadMutant, Mutant, Span, by_file, once, spans

VARIABLE = "SPARSEREPRO_MUTANT"
COPIED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "drivers", "include", "kernels", "tests")
HEADER = "kernels/formats/mutant_that_is_on.hpp"
SOURCE = "kernels/formats/mutant_that_is_on.cpp"  # formats/ is in every program

CHECK = "kernels/cuda/check.hpp"  # every use of CUDA begins with a call that it checks
CHECK_BEGINS = "const char* file, int line) {\n"

HEADER_TEXT = """\
#pragma once
namespace sparserepro::mutants {
extern const unsigned on;  // number of the mutant that is on; 0: none

// A file of device code says how its constant is written; returns whether that went well.
using Tell = bool (*)();
bool offer(Tell tell);
void tell_device();  // the first call tells all files

#ifdef __CUDACC__
static __constant__ unsigned on_device;
[[maybe_unused]] static const bool offered = offer([] {
  const unsigned number = on;
  return cudaMemcpyToSymbol(on_device, &number, sizeof number) == cudaSuccess;
});
[[maybe_unused]] static __host__ __device__ __forceinline__ unsigned on_here() {
#ifdef __CUDA_ARCH__
  return on_device;
#else
  return on;
#endif
}
#else
inline unsigned on_here() { return on; }
#endif
}  // namespace sparserepro::mutants
"""
SOURCE_TEXT = """\
#include "formats/mutant_that_is_on.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

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
std::vector<Tell>& offers() {{
  static std::vector<Tell> all;
  return all;
}}
}}  // namespace
const unsigned on = number_of(std::getenv("{variable}"));
bool offer(Tell tell) {{
  offers().push_back(tell);
  return true;
}}
void tell_device() {{
  [[maybe_unused]] static const bool told = [] {{
    for (const Tell tell : offers()) {{
      if (on != 0 && !tell()) {{
        std::fprintf(stderr, "the device is not told of the mutant\\n");
        std::_Exit(98);
      }}
    }}
    return true;
  }}();
}}
}}  // namespace sparserepro::mutants
"""


def number(mutant: Mutant) -> int:
    """Depends on the name alone: a further mutant changes no other file of the copy."""
    return zlib.crc32(mutant.name.encode()) | 1


def with_mutants(source: str, begin: int, end: int, inner: list[Span], known: str, users) -> str:
    """source[begin:end], each place of `inner` with its mutants. `known` gives the number of the
    one that is on; users[name] are the mutants that want this one as well."""
    out, position = "", begin
    for span in inner:
        out += source[position : span.begin] + _choice(source, span, known, users)
        position = span.end
    return out + source[position:end]


def _choice(source: str, span: Span, known: str, users: dict[str, list[Mutant]]) -> str:
    text = with_mutants(source, span.begin, span.end, span.inner, known, users)
    if len({mutant.form for mutant in span.mutants}) > 1:
        raise BadMutant("one place, two forms: " + ", ".join(m.name for m in span.mutants))
    for mutant in span.mutants:
        condition = " || ".join(
            f"::sparserepro::mutants::{known} == {number(each)}u"
            for each in [mutant, *users.get(mutant.name, [])]
        )
        if mutant.form == "expression":
            text = f"({condition} ? ({mutant.becomes}) : ({text}))"
        else:
            text = f"if ({condition}) {{\n{mutant.becomes}\n}} else {{\n{text}\n}}\n"
    return text


def users_of(mutants: Iterable[Mutant]) -> dict[str, list[Mutant]]:
    """By the name of a mutant those that want it as well."""
    users: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        if mutant.also:
            users.setdefault(mutant.also, []).append(mutant)
    return users


def transformed(
    source: str, mutants: list[Mutant], users: dict[str, list[Mutant]] | None = None
) -> str:
    """The source with all its mutants, each behind the number of the one that is on."""
    known = "on_here()" if mutants[0].on_device else "on"
    text = with_mutants(source, 0, len(source), spans(mutants, source), known, users or {})
    return f'#include "formats/mutant_that_is_on.hpp"\n#line 1\n{text}'


def with_hook(source: str) -> str:
    """The check of CUDA calls, which tells the device of the mutant first."""
    at = once(source, CHECK_BEGINS, CHECK) + len(CHECK_BEGINS)
    hook = "  ::sparserepro::mutants::tell_device();\n"
    return f'#include "formats/mutant_that_is_on.hpp"\n{source[:at]}{hook}{source[at:]}'


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
    files, users = by_file(mutants), users_of(mutants)
    kept = {HEADER, SOURCE}
    for name in sources():
        data = (ROOT / name).read_bytes()
        if name in files:
            data = transformed(data.decode(), files[name], users).encode()
        if name == CHECK:  # host code alone does not read it
            data = with_hook(data.decode()).encode()
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


HOST_SETTINGS = ("--preset", "no-cuda")
# A packed program runs on any recent processor, and needs no library of a host's peer.
DEVICE_SETTINGS = (
    *("--preset", "release", "-DSPARSEREPRO_MARCH=x86-64-v3"),
    "-DCMAKE_EXE_LINKER_FLAGS=-static-libgcc -static-libstdc++",
    *(
        f"-DSPARSEREPRO_{peer}=OFF"
        for peer in ("AOCL", "EIGEN", "GRAPHBLAS", "IGRAPH", "MKL", "NETWORKIT")
    ),
)


def build(mutants: list[Mutant], copy: Path, jobs: int, settings=HOST_SETTINGS) -> Path:
    """Builds the programs of the mutants' tests; returns the build folder."""
    folder = copy / "build"
    log = copy / "build.log"
    parallel = ["cmake", "--build", str(folder), "--parallel", str(jobs)]
    with log.open("w") as out:
        for command in (
            ["cmake", *settings, "-B", str(folder)],
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
