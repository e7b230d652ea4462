"""Every mutant of tests/mutants still fits its source; their machinery does what it says."""

import ast
import re
from pathlib import Path

import pytest

from mutation import cpp, definitions, packed, runs
from mutation.definitions import ROOT, BadMutant, Mutant

MUTANTS = definitions.load()
FILES = definitions.by_file(MUTANTS)


def made(name: str, text: str, becomes: str, **fields: str) -> Mutant:
    return Mutant(name, "made up", "area", "file.cpp", text, becomes, ("test_x",), **fields)


def test_there_are_mutants_of_every_stage() -> None:
    assert len(MUTANTS) >= 150
    assert sum(mutant.on_device for mutant in MUTANTS) >= 40
    tops = {"/".join(name.split("/")[:2]) for name in FILES}
    assert {"drivers/common", "kernels/io", "kernels/formats", "python/sparserepro"} <= tops


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_mutant_applies(name: str) -> None:
    source = (ROOT / name).read_text(encoding="utf-8")
    for mutant in FILES[name]:
        changed = definitions.mutated(mutant, source)
        assert changed != source
        if not mutant.is_cpp:
            assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), mutant.name
    if FILES[name][0].is_cpp:
        text = cpp.transformed(source, FILES[name])
        assert all(f"{cpp.number(mutant)}u" in text for mutant in FILES[name])


def test_every_mutant_has_tests_that_exist() -> None:
    for mutant in MUTANTS:
        for test in mutant.tests:
            if test.startswith("tests/"):
                assert (ROOT / test.split()[0].split("::")[0]).is_file(), (mutant.name, test)
            else:
                assert mutant.is_cpp, (mutant.name, test)
                source = ROOT / runs.source_of(test.split(":")[0])
                assert source.is_file(), (mutant.name, test)
                if case := test.partition(":")[2].strip():  # Catch2 runs nothing for a wrong name
                    text = re.sub(r'"\s*\n\s*"', "", source.read_text(encoding="utf-8"))
                    assert f'"{case}"' in text or f"[{case.strip('[]')}]" in text or "*" in case


def test_an_unclear_place_is_an_error() -> None:
    with pytest.raises(BadMutant, match="found 2 times"):
        definitions.place(made("twice", "a", "b"), "a + a")
    with pytest.raises(BadMutant, match="found 0 times"):
        definitions.place(made("lost", "c", "b"), "a + a")
    assert definitions.place(made("second", "a", "b", within="- a"), "a - a") == (4, 5)
    with pytest.raises(BadMutant, match="overlap"):
        definitions.spans([made("one", "a + b", "0"), made("two", "b + c", "0")], "a + b + c")


def test_an_expression_is_no_declaration() -> None:
    entry = {"name": "part", "what": "w", "text": "unsigned own = a", "becomes": "unsigned own = b"}
    with pytest.raises(BadMutant, match="part: form expression takes no declaration"):
        definitions._mutant("area", {"file": "f.cuh", "tests": ["test_x"]}, entry)
    entry |= {"text": "own = a", "becomes": "own = b"}
    mutant = definitions._mutant("area", {"file": "f.cuh", "tests": ["test_x"]}, entry)
    assert definitions.place(mutant, "x; own = a;") == (3, 10)
    with pytest.raises(BadMutant, match="part: form expression takes no declaration"):
        definitions.place(mutant, "for (unsigned own = a; own < n; ++own)")


@pytest.mark.parametrize("text", ["if (a) {", "take(a", "at[a", "a; ++b"])
def test_an_expression_is_a_whole_one(text: str) -> None:
    entry = {"name": "part", "what": "w", "text": text, "becomes": "b"}
    group = {"file": "f.cuh", "tests": ["test_x"]}
    with pytest.raises(BadMutant, match="part: form expression takes a whole expression"):
        definitions._mutant("area", group, entry)
    assert definitions._mutant("area", {**group, "file": "f.py"}, entry)


@pytest.mark.parametrize("text", ["a, b", "take(a", "take(a));", "if (a) {"])
def test_a_statement_is_a_whole_one(text: str) -> None:
    entry = {"name": "part", "what": "w", "text": text, "becomes": "", "form": "statement"}
    group = {"file": "f.cpp", "tests": ["test_x"]}
    with pytest.raises(BadMutant, match="part: form statement takes whole statements"):
        definitions._mutant("area", group, entry)
    assert definitions._mutant("area", group, {**entry, "text": "take(a);"}).form == "statement"


def test_mutants_of_one_place_and_within_another_are_all_there() -> None:
    mutants = [
        made("least", "min(a, b)", "a"),
        made("most", "min(a, b)", "max(a, b)"),
        made("same", "a", "b", within="(a,"),
        made("none", "return x;", "", form="statement"),
    ]
    numbers = {
        mutant.name: f"::sparserepro::mutants::on == {cpp.number(mutant)}u" for mutant in mutants
    }
    text = cpp.transformed("x = min(a, b); return x;", mutants)
    inner = f"min(({numbers['same']} ? (b) : (a)), b)"
    least = f"({numbers['least']} ? (a) : ({inner}))"
    assert f"x = ({numbers['most']} ? (max(a, b)) : ({least}));" in text
    assert f"if ({numbers['none']}) {{\n\n}} else {{\nreturn x;\n}}" in text


def test_device_code_asks_its_own_constant_and_a_mutant_brings_another_along() -> None:
    order = Mutant("order", "made up", "area", "file.cuh", "a < b", "a > b", ("test_x",))
    proof = Mutant(
        "proof", "made up", "area", "file.cuh", "seen", "false", ("test_x",), also="order"
    )
    text = cpp.transformed("x(a < b); y(seen);", [order, proof], cpp.users_of([order, proof]))
    on = "::sparserepro::mutants::on_here() == "
    numbers = [f"{on}{cpp.number(mutant)}u" for mutant in (order, proof)]
    assert f"x(({numbers[0]} || {numbers[1]} ? (a > b) : (a < b)));" in text
    assert f"y(({numbers[1]} ? (false) : (seen)));" in text


def test_the_check_of_cuda_calls_tells_the_device() -> None:
    source = (ROOT / cpp.CHECK).read_text(encoding="utf-8")
    hooked = cpp.with_hook(source)
    assert re.search(r"cuda_check\(.*\{\n +::sparserepro::mutants::tell_device\(\);", hooked)
    with pytest.raises(BadMutant, match="found 0 times"):
        cpp.with_hook("nothing")


def test_a_packed_folder_has_what_another_machine_needs(tmp_path: Path) -> None:
    mutants = [mutant for mutant in MUTANTS if mutant.on_device][:2]
    program = tmp_path / "build/bin/test_x"
    program.parent.mkdir(parents=True)
    program.write_bytes(Path("/bin/true").read_bytes())
    folder = tmp_path / "packed"
    packed.pack(mutants, ["test_x"], tmp_path / "build", folder)
    assert (folder / "build/bin/test_x").is_file()
    assert [(m, runs.digest(m)) for m in mutants] == packed.planned(folder)
    assert {path.stem for path in (folder / "tests/mutation").iterdir()} == set(packed.MODULES)
