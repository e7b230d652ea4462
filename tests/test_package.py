"""The libraries as another project meets them: installed from the build tree, found by CMake, and
called by the example in examples/consumer."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
CUDA = (BUILD / "kernels/libsparserepro_device.a").exists()


def run(*command: object, **options) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed with blanks")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def consumer(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("consumer")
    run(
        *("cmake", "-S", ROOT / "examples/consumer", "-B", folder, "-G", "Ninja"),
        f"-DCMAKE_PREFIX_PATH={prefix}",
    )
    run("cmake", "--build", folder)
    return folder


def test_the_consumer_runs(consumer: Path) -> None:
    lines = dict(line.split(":", 1) for line in run(consumer / "host").splitlines())
    assert lines["row_ptr of A^T"].split() == ["0", "2", "5", "8", "10"]
    assert lines["triangles"].split() == ["2"]


@pytest.mark.skipif(not CUDA, reason="built without CUDA")
def test_the_consumer_of_the_device_links(consumer: Path) -> None:
    done = subprocess.run([consumer / "device"], capture_output=True, text=True, check=False)
    # 77: there is no device here. The program says so itself.
    assert done.returncode in (0, 77), done.stdout + done.stderr
    assert done.stdout or "no CUDA device" in done.stderr


def test_the_programs_of_the_page(prefix: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs/library.md").read_text()
    first, product = re.findall(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "first.cpp").write_text(first)
    (tmp_path / "product.cpp").write_text(product)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(first LANGUAGES CXX)\n"
        "find_package(sparserepro 0.1 REQUIRED COMPONENTS host)\n"
        "add_executable(first first.cpp)\nadd_executable(product product.cpp)\n"
        "target_link_libraries(first PRIVATE sparserepro::host)\n"
        "target_link_libraries(product PRIVATE sparserepro::host)\n"
    )
    run(
        *("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja"),
        f"-DCMAKE_PREFIX_PATH={prefix}",
    )
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build/first").split() == ["1", "3", "2"]
    assert run(tmp_path / "build/product").split() == ["20", "120", "40"]


def test_nothing_else_is_installed(prefix: Path) -> None:
    files = {path.relative_to(prefix).as_posix() for path in prefix.rglob("*") if path.is_file()}
    headers = {name for name in files if name.startswith("include/")}
    public = {path.relative_to(ROOT).as_posix() for path in (ROOT / "include").rglob("*.hpp")}
    assert headers == public
    libraries = {Path(name).name for name in files if name.endswith(".a")}
    wanted = {"libsparserepro_host.a"} | ({"libsparserepro_device.a"} if CUDA else set())
    assert libraries == wanted
    rest = files - headers - {name for name in files if name.endswith(".a")}
    assert all("/cmake/sparserepro/" in name and name.endswith(".cmake") for name in rest)


def test_targets_carry_no_flags_and_no_other_library(prefix: Path) -> None:
    """What a consumer inherits: OpenMP, and for the device CUDA's runtime."""
    text = "".join(path.read_text() for path in prefix.rglob("sparserepro_targets*.cmake"))
    assert "-march" not in text
    assert "INTERFACE_COMPILE_OPTIONS" not in text
    assert str(ROOT) not in text
    linked = set(
        re.findall(
            r"[\w.]+::[\w.]+", " ".join(re.findall(r'INTERFACE_LINK_LIBRARIES "([^"]*)"', text))
        )
    )
    allowed = {"OpenMP::OpenMP_CXX"} | ({"CUDA::cudart_static"} if CUDA else set())
    assert linked == allowed


def test_libraries_refer_to_no_json_openssl_or_zlib(prefix: Path) -> None:
    for library in prefix.rglob("*.a"):
        symbols = run("nm", "--undefined-only", "--demangle", library)
        found = re.findall(r"U (nlohmann|EVP_|SHA256|gz(?:open|read)|inflate|CLI::)", symbols)
        assert found == [], library


def test_the_package_needs_no_package_of_the_drivers(tmp_path: Path) -> None:
    """The preset that builds the libraries alone, where nothing else is installed."""
    absent = ("nlohmann_json", "CLI11", "ZLIB", "OpenSSL", "Catch2", "Eigen3")
    run(
        *("cmake", "--preset", "package", "-B", tmp_path, "-DSPARSEREPRO_CUDA=OFF"),
        *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in absent),
        cwd=ROOT,
        env=dict(os.environ),
    )
    commands = (tmp_path / "compile_commands.json").read_text()
    assert "omp_partition" in commands
    assert "-march" not in commands
    assert "drivers/" not in commands
