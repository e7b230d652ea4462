"""Every mutant of tests/mutants still fits its source; their machinery does what it says."""

import ast

import pytest

from mutation import cpp, definitions
from mutation.definitions import ROOT, BadMutant, Mutant

MUTANTS = definitions.load()
FILES = definitions.by_file(MUTANTS)


def made(name: str, text: str, becomes: str, **fields: str) -> Mutant:
    return Mutant(name, "made up", "area", "file.cpp", text, becomes, ("test_x",), **fields)


def test_there_are_mutants_of_every_stage() -> None:
    assert len(MUTANTS) >= 150
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
                assert (ROOT / f"tests/{test.split(':')[0]}.cpp").is_file(), (mutant.name, test)


def test_an_unclear_place_is_an_error() -> None:
    with pytest.raises(BadMutant, match="found 2 times"):
        definitions.place(made("twice", "a", "b"), "a + a")
    with pytest.raises(BadMutant, match="found 0 times"):
        definitions.place(made("lost", "c", "b"), "a + a")
    assert definitions.place(made("second", "a", "b", within="- a"), "a - a") == (4, 5)
    with pytest.raises(BadMutant, match="overlap"):
        definitions.spans([made("one", "a + b", "0"), made("two", "b + c", "0")], "a + b + c")


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
