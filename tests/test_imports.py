"""What a rule of the report reruns for: every file that its own script imports."""

import imports


def test_imports_are_followed(tmp_path):
    for name, text in {
        "a": "import os\nimport b\n",
        "b": "from c import d\nfrom house.rooms import one\n\n\ndef late():\n    import a\n",
        "c": "import json.decoder\n",
        "e": "",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)

    rooms = tmp_path / "package/house/rooms"
    rooms.mkdir(parents=True)
    (rooms / "one.py").write_text("from house import two\n")
    (rooms.parent / "two.py").touch()
    (rooms.parent / "unused.py").touch()

    def needed(*names):
        found = imports.needed(*names, folder=tmp_path, package=tmp_path / "package")
        return [str(path.relative_to(tmp_path)) for path in found]

    assert needed("a") == [
        "a.py",
        "b.py",
        "c.py",
        "package/house/rooms/one.py",
        "package/house/two.py",
    ]
    assert needed("c", "e") == ["c.py", "e.py"]


def test_the_report_needs_all_of_its_scripts():
    assert set(imports.FOLDER.glob("tables_*.py")) <= set(imports.needed("tables"))
    assert set(imports.FOLDER.glob("figures_*.py")) <= set(imports.needed("figures"))
    names = {path.name for path in imports.needed("macros")}
    assert {"scan_merge.py", "stats.py", "matrix_list.py"} <= names
