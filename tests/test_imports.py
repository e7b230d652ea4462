"""What a rule of the report reruns for: every file that its module imports."""

from sparserepro import imports


def test_imports_are_followed(tmp_path):
    for name, text in {
        "a": "import os\nimport house.b\n",
        "house/b": "from c import d\nfrom house.rooms import one\n\n\ndef late():\n    import a\n",
        "c": "import json.decoder\n",
        "e": "",
        "house/rooms/one": "from house import two\n",
        "house/two": "",
        "house/unused": "",
    }.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def needed(*names):
        return [str(p.relative_to(tmp_path)) for p in imports.needed(*names, folder=tmp_path)]

    assert needed("a") == ["a.py", "c.py", "house/b.py", "house/rooms/one.py", "house/two.py"]
    assert needed("c", "e") == ["c.py", "e.py"]
    assert needed("house.rooms.*") == ["house/rooms/one.py", "house/two.py"]
    assert needed("house.*") == [*needed("a"), "house/unused.py"]


def test_the_report_needs_all_of_its_modules():
    package = imports.FOLDER / "sparserepro"
    for folder, module in (("views", "views.*"), ("plots", "plots.*")):
        every = set((package / folder).glob("[a-z]*.py"))
        assert every <= set(imports.needed(f"sparserepro.{module}"))
    # Views are found, and not imported by name, so that the rule has to name them all.
    assert (
        'code=code("views.*")' in (imports.FOLDER.parent / "workflow/rules/report.smk").read_text()
    )
    names = {path.name for path in imports.needed("sparserepro.text.macros")}
    assert {"scan_merge.py", "stats.py", "matrix_list.py"} <= names


def test_rules_name_the_packages_whose_modules_are_found():
    rules = (imports.FOLDER.parent / "workflow/rules/report.smk").read_text()
    assert 'code=code("plots.*")' in rules
    assert 'code=code("paper.write", "paper.drawings.*")' in rules
