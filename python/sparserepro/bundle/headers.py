"""Libraries of headers alone that the drivers need, as a folder for CMAKE_PREFIX_PATH.

They are those that the build tree of this machine found, and are the same on every processor.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from sparserepro.offline.packing import Member


@dataclass(frozen=True)
class Library:
    """One of them: the entry of CMake's cache that says where it is, and its headers."""

    name: str
    cached: str
    folder: str
    """Of its headers, below an include folder."""
    version: str
    """The file in it that defines its version, in three numbers."""
    target: str = ""
    """For find_package(name); without one the build looks for the headers themselves."""


LIBRARIES = (
    Library("nlohmann_json", "nlohmann_json_DIR", "nlohmann", "detail/abi_macros.hpp",
            "nlohmann_json::nlohmann_json"),
    Library("CLI11", "CLI11_DIR", "CLI", "Version.hpp", "CLI11::CLI11"),
    Library("Eigen", "SPARSEREPRO_EIGEN_INCLUDE", "eigen3", "Eigen/src/Core/util/Macros.h"),
)  # fmt: skip

_CONFIG = """\
get_filename_component(_prefix "${{CMAKE_CURRENT_LIST_DIR}}/../../.." ABSOLUTE)
if(NOT TARGET {target})
  add_library({target} INTERFACE IMPORTED)
  set_target_properties({target} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${{_prefix}}/include")
endif()
"""
_VERSION = """\
set(PACKAGE_VERSION {version})
if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
"""


def cache(build: Path) -> dict[str, str]:
    """The entries of a build tree's CMakeCache.txt; none without the file."""
    path = build / "CMakeCache.txt"
    text = path.read_text() if path.exists() else ""
    return dict(re.findall(r"^(\w+):\w+=(.*)$", text, re.MULTILINE))


def include_folder(library: Library, entries: dict[str, str]) -> Path | None:
    """The folder of the library's headers on this machine, or None."""
    place = Path(entries.get(library.cached) or "/nowhere")
    tried = [place, *(above / "include" / library.folder for above in place.parents)]
    return next((path for path in tried if (path / library.version).is_file()), None)


def version_of(header: Path) -> str:
    """Three numbers of three definitions: major, minor and patch, or Eigen's world before two."""
    text = header.read_text(errors="replace")
    names = r"(?:WORLD_VERSION|MAJOR_VERSION|MINOR_VERSION|VERSION_(?:MAJOR|MINOR|PATCH))"
    return ".".join(re.findall(rf"^#define \w*?{names}\s+(\d+)", text, re.MULTILINE)[:3])


def members(build: Path) -> tuple[list[Member], dict[str, str]]:
    """The files of the libraries, and the versions of those that were found."""
    found: list[Member] = []
    versions = {}
    entries = cache(build)
    for library in LIBRARIES:
        folder = include_folder(library, entries)
        if folder is None:
            continue
        version = versions[library.name] = version_of(folder / library.version)
        for path in sorted(filter(Path.is_file, folder.rglob("*"))):
            name = f"prefix/include/{library.folder}/{path.relative_to(folder).as_posix()}"
            found.append(Member(name, path))
        if library.target:
            place = f"prefix/share/cmake/{library.name}/{library.name}"
            config = _CONFIG.format(target=library.target)
            found.append(Member(f"{place}Config.cmake", config.encode()))
            text = _VERSION.format(version=version)
            found.append(Member(f"{place}ConfigVersion.cmake", text.encode()))
    return found, versions
