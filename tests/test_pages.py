"""Each own algorithm has a page, and the page speaks of the code that is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SECTIONS = (
    "Layout",
    "Paths",
    "Kernels",
    "Invariants, and why it makes progress",
    "Bound",
    "Tried and dropped",
    "Change it safely",
)
SOURCES = {".cpp", ".hpp", ".cu", ".cuh"}


def rooms() -> list[Path]:
    """Folders of own algorithms: each holds the file of its own name."""
    found = [
        folder
        for folder in sorted((ROOT / "kernels").glob("*/*"))
        if folder.is_dir() and any((folder / f"{folder.name}{end}").exists() for end in SOURCES)
    ]
    assert len(found) == 10
    return found


def code(folder: Path) -> str:
    return "\n".join(p.read_text() for p in sorted(folder.rglob("*")) if p.suffix in SOURCES)


@pytest.mark.parametrize("room", rooms(), ids=lambda path: path.name)
def test_a_page_has_its_sections_and_its_picture(room: Path) -> None:
    page = (room / "README.md").read_text()
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert [heading for heading in headings if heading in SECTIONS] == list(SECTIONS)
    assert "](layout.svg)" in page
    assert "<svg " in (room / "layout.svg").read_text()


@pytest.mark.parametrize("room", rooms(), ids=lambda path: path.name)
def test_names_on_a_page_are_in_the_code(room: Path) -> None:
    page = (room / "README.md").read_text()
    paths = page.split("## Paths")[1].split("\n## ")[0]
    names = {name for name in re.findall(r"`([A-Za-z_]+(?:::[a-z_]+)*)`", paths) if "_" in name}
    text = code(room) + code(ROOT / "kernels/formats") + code(ROOT / "kernels/harness")
    text += (ROOT / "python/sparserepro/records.py").read_text()  # names of older records
    shared = "\n".join(p.read_text() for p in room.parent.glob("*.?pp"))
    missing = {
        name for name in names if not re.search(rf"\b{name.split('::')[-1]}\b", text + shared)
    }
    assert missing == set()


def rooms_with_paths() -> list[Path]:
    """All but those that have one way alone, and say so."""
    found = [room for room in rooms() if '{"path"' in code(room)]
    for room in set(rooms()) - set(found):
        assert "There is one path." in (room / "README.md").read_text()
    assert len(found) == 9
    return found


@pytest.mark.parametrize("room", rooms_with_paths(), ids=lambda path: path.name)
def test_the_parameter_path_has_a_row_for_each_value(room: Path) -> None:
    text = code(room)
    found = re.search(r'\{"path",\s*(?:std::string\()?"auto"\)?,\s*\{(.*?)\}', text, re.DOTALL)
    assert found, "no parameter path whose fallback is auto"
    values = re.findall(r'"([a-z_]+)"', found[1])
    assert values[0] == "auto"
    assert len(values) > 1
    page = (room / "README.md").read_text()
    for value in values:
        assert re.search(rf"\b{value}\b", page), f"the page does not speak of {value}"
