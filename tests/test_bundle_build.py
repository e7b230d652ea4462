"""What CMake makes of a bundle: the commit of its sources, and the headers that came along."""

import subprocess

import pytest

from bundle_support import ROOT, Home, git
from sparserepro.bundle import headers, sources

EIGEN = (
    "#define EIGEN_WORLD_VERSION 3\n#define EIGEN_MAJOR_VERSION 4\n#define EIGEN_MINOR_VERSION 1\n"
)


def written(folder, members):
    for member in members:
        path = folder / member.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if member.link:
            path.symlink_to(member.link)
        elif isinstance(member.content, bytes):
            path.write_bytes(member.content)
        else:
            path.write_bytes(member.content.read_bytes())


def cmake(*words):
    done = subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


def test_sources_without_git_know_their_commit(home, tmp_path):
    # Within another repository, whose commit is not theirs.
    box = tmp_path / "box"
    box.mkdir()
    git(box, "init", "-q")
    git(box, "commit", "-q", "--allow-empty", "-m", "another")
    written(box, sources.members(home.path, home.commit))
    tree = box / "sources"

    def revision():
        out = tmp_path / "revision.hpp"
        script = ROOT / "cmake/write_revision.cmake"
        cmake(f"-DSOURCE_DIR={tree}", f"-DOUTPUT={out}", "-P", script)
        words = out.read_text().split()
        return words[words.index("SPARSEREPRO_COMMIT") + 1], words[-1]

    clean, dirty = (f'"{home.commit}"', "false"), (f'"{home.commit}"', "true")
    assert revision() == clean
    (tree / "notes.txt").touch()
    (tree / "tests").mkdir()
    (tree / "tests/CMakeLists.txt").touch()
    assert revision() == clean  # they are not built

    (tree / "kernels/two.cpp").touch()
    assert revision() == dirty
    (tree / "kernels/two.cpp").unlink()
    assert revision() == clean
    (tree / "CMakeLists.txt").write_text("# another\n")
    assert revision() == dirty
    (tree / "CMakeLists.txt").write_text("# nothing\n")
    (tree / "drivers/one.cpp").unlink()
    assert revision() == dirty


def test_headers_that_the_build_found_are_found_again(tmp_path):
    usr = tmp_path / "usr"
    for name, text in {
        "include/nlohmann/json.hpp": "",
        "include/nlohmann/detail/abi_macros.hpp": "".join(
            f"#define NLOHMANN_JSON_VERSION_{n} {v}   // one\n"
            for n, v in (("MAJOR", 3), ("MINOR", 11), ("PATCH", 9))
        ),
        "include/eigen3/Eigen/SparseCore": "",
        "include/eigen3/Eigen/src/Core/util/Macros.h": EIGEN,
        "lib/cmake/nlohmann_json/nlohmann_jsonConfig.cmake": "",
    }.items():
        path = usr / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    build = tmp_path / "build"
    build.mkdir()
    (build / "CMakeCache.txt").write_text(
        f"nlohmann_json_DIR:PATH={usr}/lib/cmake/nlohmann_json\n"
        "CLI11_DIR:PATH=CLI11_DIR-NOTFOUND\n"
        f"SPARSEREPRO_EIGEN_INCLUDE:PATH={usr}/include/eigen3\n"
    )
    members, versions = headers.members(build)
    assert versions == {"nlohmann_json": "3.11.9", "Eigen": "3.4.1"}
    assert headers.members(tmp_path / "nothing") == ([], {})

    written(tmp_path / "box", members)
    project = tmp_path / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(one LANGUAGES NONE)\n"
        "find_package(nlohmann_json 3.11 REQUIRED)\n"
        "find_package(nlohmann_json 3.12 QUIET)\n"
        "get_target_property(found nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)\n"
        "find_path(eigen Eigen/SparseCore PATH_SUFFIXES eigen3)\n"
        'message(STATUS "${found} ${eigen} ${nlohmann_json_FOUND}")\n'
    )
    prefix = tmp_path / "box/prefix"
    told = cmake("-S", project, "-B", tmp_path / "made", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert f"-- {prefix}/include {prefix}/include/eigen3 0" in told
    assert (prefix / "include/nlohmann/json.hpp").exists()
