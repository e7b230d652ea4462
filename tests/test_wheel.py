"""The wheel for the host as a user meets it: built, installed into a fresh environment, and tested
there by tests/wheel."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (Path(sysconfig.get_path("include")) / "Python.h").exists(),
        reason="the headers of Python are not installed",
    ),
]


def run(*command: object, **options) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return done.stdout


@dataclass(frozen=True)
class Built:
    wheel: Path
    build: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder, build = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("build")
    run(
        *(sys.executable, "-m", "pip", "wheel", ROOT, "--no-deps", "--no-build-isolation"),
        *("--disable-pip-version-check", "--wheel-dir", folder),
        f"--config-settings=build-dir={build}",
        "--config-settings=cmake.define.SPARSEREPRO_WERROR=ON",
    )
    (wheel,) = folder.iterdir()
    return Built(wheel, build)


@pytest.fixture(scope="module")
def python(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment with the wheel; NumPy, SciPy and pytest are those of
    this environment, whose own package sparserepro is not seen."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin/python"
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index"),
        *("--disable-pip-version-check", built.wheel),
    )
    (packages,) = folder.glob("lib/python3*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_the_installed_wheel_passes_its_tests(python: Path, tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    out = run(
        *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("-c", ROOT / "tests/wheel/pytest.ini", ROOT / "tests/wheel"),
        cwd=tmp_path,
        env=environment,
    )
    passed = re.search(r"(\d+) passed", out)
    assert passed, out
    assert int(passed[1]) > 150


def test_it_needs_numpy_alone(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        names = wheel.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        text = wheel.read(metadata).decode()
    needs = re.findall(r"^Requires-Dist: (\S+?)(?:[>=<;].*)?$", text, re.MULTILINE)
    everyone = [line for line in text.splitlines() if line.startswith("Requires-Dist")]
    assert needs[0] == "numpy"
    assert all("extra ==" in line for line in everyone[1:])
    version = re.search(
        r"project\(sparserepro VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()
    )
    assert f"\nVersion: {version[1]}\n" in text
    # The package, its module, and nothing of the C++ package.
    assert all(name.startswith(("sparserepro/", "sparserepro-")) for name in names)
    assert not [name for name in names if name.endswith((".a", ".hpp", ".cmake"))]


def test_it_is_for_any_processor(built: Built) -> None:
    commands = (built.build / "compile_commands.json").read_text()
    assert "bindings/host.cpp" in commands
    assert "-march" not in commands


def test_the_module_shows_its_own_entry_alone(built: Built, tmp_path: Path) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".so"))
        module = wheel.extract(name, tmp_path)
    symbols = run("nm", "--dynamic", "--defined-only", "--extern-only", module).splitlines()
    shown = {line.split()[-1] for line in symbols if line.split()[-2] == "T"}
    assert shown - {"_init", "_fini"} == {"PyInit__host"}


def test_the_sdist_has_what_a_build_needs(tmp_path: Path) -> None:
    run(
        *(sys.executable, "-c"),
        f"from scikit_build_core.build import build_sdist; build_sdist({str(tmp_path)!r})",
        cwd=ROOT,
    )
    (archive,) = tmp_path.glob("sparserepro-*.tar.gz")
    assert archive.stat().st_size < 5e6
    run("tar", "xf", archive, "-C", tmp_path)
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    nanobind = run(sys.executable, "-m", "nanobind", "--cmake_dir").strip()
    options = (f"-D{name}=OFF" for name in ("CUDA", "DRIVERS", "NATIVE"))
    run(
        *("cmake", "-S", folder, "-B", tmp_path / "build", "-G", "Ninja"),
        *(option.replace("-D", "-DSPARSEREPRO_") for option in options),
        *("-DSPARSEREPRO_PYTHON=ON", f"-Dnanobind_DIR={nanobind}"),
        f"-DPython_EXECUTABLE={sys.executable}",
    )
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    here = run("git", "ls-files", "bindings", "include", "kernels", "python", cwd=ROOT).split()
    assert set(here) <= there
    assert {"docs/python.md", "tests/wheel/homes.py"} <= there


def test_a_wheel_with_cuda_needs_a_compiler_for_it(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CUDA")}
    done = subprocess.run(
        [
            *("cmake", "-S", ROOT, "-B", tmp_path / "build", "-G", "Ninja"),
            *("-DSPARSEREPRO_DRIVERS=OFF", "-DSPARSEREPRO_PYTHON=ON", "-DSPARSEREPRO_CUDA=ON"),
            "-DCMAKE_CUDA_COMPILER=NOTFOUND",
        ],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "no CUDA compiler was found" in " ".join(done.stderr.split())
    with pytest.raises(ImportError, match=r"pip install .*SPARSEREPRO_CUDA=ON"):
        from sparserepro.kernels.native import module_for

        module_for(0)


def test_the_module_for_devices_compiles() -> None:
    """Without kernels: against the public headers and CUDA's runtime."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    toolkit = Path(nvcc).resolve().parents[1] / "include"
    if not (toolkit / "cuda_runtime_api.h").exists():
        pytest.skip("no CUDA toolkit")
    nanobind = run(sys.executable, "-m", "nanobind", "--include_dir").strip()
    folders = (ROOT / "include", toolkit, nanobind, sysconfig.get_path("include"))
    run(
        *("c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"),
        *(word for folder in folders for word in ("-isystem", folder)),
        ROOT / "bindings/device.cpp",
    )


def test_the_checkout_says_how_the_kernels_are_built() -> None:
    numpy = pytest.importorskip("numpy")
    import sparserepro

    arrays = numpy.zeros(3, "int32"), numpy.zeros(0, "int32")
    with pytest.raises(ImportError, match=r"_host is not built here: pip install CHECKOUT"):
        sparserepro.transpose(*arrays, shape=(2, 2))
