"""What a rule of the report reruns for: every script that its own script imports."""

import imports


def test_imports_are_followed(tmp_path):
    for name, text in {
        "a": "import os\nimport b\n",
        "b": "from c import d\n\n\ndef late():\n    import a\n",
        "c": "import json.decoder\n",
        "e": "",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)

    assert imports.needed("a", folder=tmp_path) == ["a", "b", "c"]
    assert imports.needed("c", "e", folder=tmp_path) == ["c", "e"]


def test_the_report_needs_all_of_its_scripts():
    tables, figures = imports.needed("tables"), imports.needed("figures")
    for name in imports.FOLDER.glob("tables_*.py"):
        assert name.stem in tables
    for name in imports.FOLDER.glob("figures_*.py"):
        assert name.stem in figures
    assert {"scan_merge", "stats", "matrix_list"} <= set(imports.needed("macros"))
