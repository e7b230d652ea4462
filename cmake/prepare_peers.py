"""Makes folders to compile and link with out of Python packages that carry C and C++ libraries.

Usage: prepare_peers.py PREFIX, where `pip install --prefix PREFIX` has put the packages of
requirements-peers.txt. Makes PREFIX/graphblas/{include,lib} of suitesparse-graphblas,
PREFIX/networkit/{include,lib} of networkit, and the link PREFIX/nccl to the folder of
nvidia-nccl-cu13. PREFIX itself is the MKLROOT of oneMKL's packages.

The packages bring a libgomp of their own. It gives way to that of the compiler: two runtimes in one
program would keep two teams of threads on the same cores.
"""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


def compilers_libgomp() -> Path:
    """The libgomp that programs of g++ load."""
    found = subprocess.run(
        ["g++", "-print-file-name=libgomp.so.1"], check=True, capture_output=True, text=True
    ).stdout.strip()
    if not Path(found).is_absolute():
        raise SystemExit("g++ has no libgomp.so.1")
    return Path(found).resolve()


def site_packages(prefix: Path) -> Path:
    """Where pip put the packages under a prefix."""
    return prefix / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"


def one_file(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"{folder}: {len(found)} files {pattern}, expected one")
    return found[0]


def empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def load_extension(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no extension module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def declaration(ffi: Any, lib: Any, name: str) -> str:
    """One line of C for a name of a cffi library: function, variable or integer; "" for others."""
    value = getattr(lib, name)
    if isinstance(value, int):
        return f"#define {name} {value}" if value <= 0x7FFFFFFF else f"#define {name} {value}ULL"
    if isinstance(value, float):
        return ""
    kind = ffi.typeof(value)
    if kind.kind == "function":
        arguments = [ffi.getctype(argument) for argument in kind.args] + ["..."] * kind.ellipsis
        return f"{ffi.getctype(kind.result)} {name}({', '.join(arguments) or 'void'});"
    return f"extern {ffi.getctype(kind, name)};"


def graphblas_header(ffi: Any, lib: Any) -> str:
    """Declarations of the interface, read from the compiled Python binding; complex numbers out."""
    lines = ["#pragma once", "#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>"]
    lines.append("#include <stdio.h>")
    typedefs, structs, _ = ffi.list_types()
    for name in structs:
        lines.append(f"struct {name};")
    for name in typedefs:
        kind = ffi.typeof(name)
        if kind.kind == "enum":
            items = ", ".join(f"{item} = {value}" for value, item in sorted(kind.elements.items()))
            lines.append(f"typedef enum {{ {items} }} {name};")
        elif kind.kind == "pointer" and kind.item.kind == "struct":
            lines.append(f"typedef {ffi.getctype(kind, name)};")
    lines.append("typedef uint64_t GrB_Index;")
    container = ffi.typeof("struct GxB_Container_struct")
    fields = "".join(f"  {ffi.getctype(f.type, n)};\n" for n, f in container.fields)
    lines.append(f"struct GxB_Container_struct {{\n{fields}}};")
    enumerated = {
        item
        for name in typedefs
        if ffi.typeof(name).kind == "enum"
        for item in ffi.typeof(name).elements.values()
    }
    for name in sorted(set(dir(lib)) - enumerated):
        if name.startswith(("GrB_", "GxB_")):
            line = declaration(ffi, lib, name)
            if "complex" not in line.lower():
                lines.append(line)
    return "\n".join(lines) + "\n"


def prepare_graphblas(prefix: Path, libgomp: Path) -> None:
    site = site_packages(prefix)
    bundled = site / "suitesparse_graphblas.libs"
    library = one_file(bundled, "libgraphblas-*.so.*")
    root = prefix / "graphblas"
    lib = empty(root / "lib")
    shutil.copy(library, lib)
    (lib / "libgraphblas.so").symlink_to(library.name)
    (lib / one_file(bundled, "libgomp-*.so.*").name).symlink_to(libgomp)
    binding = load_extension(
        one_file(site / "suitesparse_graphblas", "_graphblas.*.so"),
        "suitesparse_graphblas._graphblas",
    )
    header = graphblas_header(binding.ffi, binding.lib)
    (empty(root / "include") / "GraphBLAS.h").write_text(header)


def prepare_networkit(prefix: Path, libgomp: Path) -> None:
    site = site_packages(prefix)
    root = prefix / "networkit"
    lib = empty(root / "lib")
    shutil.copy(site / "libnetworkit.so", lib)
    bundled = one_file(site / "networkit.libs", "libgomp-*.so.*")
    (empty(lib / bundled.parent.name) / bundled.name).symlink_to(libgomp)
    include = root / "include"
    shutil.rmtree(include, ignore_errors=True)
    shutil.copytree(site / "include", include)
    version = one_file(site, "networkit-*.dist-info").name.split("-")[1].removesuffix(".dist")
    (root / "version").write_text(version + "\n")


def prepare_nccl(prefix: Path) -> None:
    folder = site_packages(prefix) / "nvidia" / "nccl"
    one_file(folder / "lib", "libnccl.so.2")
    one_file(folder / "include", "nccl.h")
    link = prefix / "nccl"
    link.unlink(missing_ok=True)
    link.symlink_to(folder.relative_to(prefix))


def main(prefix: Path) -> None:
    # cffi's own package lies there as well.
    sys.path.insert(0, str(site_packages(prefix)))
    libgomp = compilers_libgomp()
    prepare_graphblas(prefix, libgomp)
    prepare_networkit(prefix, libgomp)
    prepare_nccl(prefix)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]).resolve())
