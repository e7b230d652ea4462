"""Folders to compile with out of Python packages, from made-up packages."""

import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def prepare() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prepare_peers", ROOT / "cmake/prepare_peers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_networkit_gets_the_libgomp_of_the_compiler(prepare: ModuleType, tmp_path: Path) -> None:
    site = prepare.site_packages(tmp_path)
    for name in (
        "include/networkit/a.hpp",
        "networkit.libs/libgomp-12ab.so.1.0.0",
        "networkit-11.3.dist-info/METADATA",
        "libnetworkit.so",
    ):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(name)
    libgomp = tmp_path / "libgomp.so.1.0.0"
    libgomp.write_text("the compiler's")

    for _ in range(2):  # the second time over the first
        prepare.prepare_networkit(tmp_path, libgomp)

    made = tmp_path / "networkit"
    assert (made / "lib/libnetworkit.so").read_text() == "libnetworkit.so"
    assert (made / "lib/networkit.libs/libgomp-12ab.so.1.0.0").resolve() == libgomp
    assert (made / "include/networkit/a.hpp").exists()
    assert (made / "version").read_text() == "11.3\n"


def test_a_package_without_the_library_is_refused(prepare: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="0 files libgraphblas"):
        prepare.prepare_graphblas(tmp_path, tmp_path)


class MadeUpFfi:
    """What a cffi library tells of its names."""

    def typeof(self, value: object) -> object:
        return value

    def getctype(self, kind: object, name: str = "") -> str:
        text = kind if isinstance(kind, str) else kind.text
        return f"{text} {name}".strip()


def test_declarations_of_a_compiled_binding(prepare: ModuleType) -> None:
    function = SimpleNamespace(
        kind="function", args=["int", "GrB_Matrix *"], ellipsis=True, result="GrB_Info"
    )
    lib = SimpleNamespace(
        f=function,
        none=SimpleNamespace(kind="function", args=[], ellipsis=False, result="int"),
        GrB_FP64=SimpleNamespace(kind="pointer", text="struct GB_Type_opaque *"),
        MAJOR=10,
        LARGE=2**60,
        RATIO=0.5,
    )
    made = {name: prepare.declaration(MadeUpFfi(), lib, name) for name in vars(lib)}
    assert made == {
        "f": "GrB_Info f(int, GrB_Matrix *, ...);",
        "none": "int none(void);",
        "GrB_FP64": "extern struct GB_Type_opaque * GrB_FP64;",
        "MAJOR": "#define MAJOR 10",
        "LARGE": f"#define LARGE {2**60}ULL",
        "RATIO": "",
    }
