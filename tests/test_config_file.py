"""Configurations that are no YAML or not the YAML that was meant: file, line and what to write."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sparserepro.config.check import ConfigError
from sparserepro.config.file import files_of, load_config_file

ROOT = Path(__file__).resolve().parent.parent
GOOD = "matrices: [uniform-small]\nproblems:\n  spmm:\n    instances:\n      k: [1, 8]\n"

# Content, line of the mistake, and words of the explanation.
BROKEN = {
    "list in braces": (GOOD.replace("[1, 8]", "{1,8}"), 5, "write [1, 8] for a list"),
    "tab": (GOOD.replace("  spmm", "\tspmm"), 3, "a tab; write spaces instead"),
    "quote that is not closed": (GOOD + 'machine_id: "box\n', 6, "the quote is not closed"),
    "key that is there twice": (GOOD + "matrices: [cant]\n", 6, '"matrices" is in line 1 too'),
    "empty": ("", 1, "the file is empty"),
    "not UTF-8": ((GOOD + "# gr\u00f6\u00dfe\n").encode("latin-1"), 6, "save the file as UTF-8"),
}
MORE = {
    "comments alone": ("# nothing yet\n", 1, "the file is empty"),
    "list": ("- spmm\n", 1, "not a mapping"),
    "text": ("\nspmm\n", 2, "not a mapping"),
    "tab after spaces": ("problems:\n  spmm: {}\n  \ttriangles: {}\n", 3, "a tab"),
    "quote that closes later": ('machine_id: "box\nstaging: "/data"\n', 1, "closed in line 2 only"),
    "quote within quotes": ("machine_id: 'somebody's'\n", 1, "quote a text as a whole"),
    "set without quotes": ("matrices: [@fem]\n", 1, '["@fem"]'),
    "list that is not closed": ("matrices: [cant\nstrict: true\n", 1, "write ] after"),
    "braces that are not closed": ("strict: true\ntiming: {warmup: 1\n", 2, "write } after"),
    "no blank after a colon": ("timing: {warmup:5}\n", 1, "write warmup: 5"),
    "key without a value": ("timing: {warmup: 1, seed}\n", 1, 'the key "seed" has no value'),
    "key without a colon": ("strict: true\nstaging\nmax_jobs: 1\n", 2, "write KEY: VALUE"),
    "indentation": ("problems:\n  spmm: {}\n triangles: {}\n", 3, "the same indentation"),
    "colon in a text": ("staging: a: b\n", 1, "quote a text with a colon"),
    "end of the file": ("staging: [\n", 2, "the file ends within"),
    "two documents": ("strict: true\n---\nstrict: false\n", 2, "leave out the line ---"),
    "repeated below": ("timing:\n  seed: 1\n  warmup: 2\n  seed: 3\n", 4, "is in line 2 too"),
    "template": ("matrices: {{mine}}\n", 1, "as a key"),
    "brackets": ("a: " + "[" * 5000, 1, "brackets are nested"),
    "binary": (b"\x7fELF\x02\x01\x00", 1, "0x7f"),
    "UTF-16": ("strict: true\n".encode("utf-16"), 1, "save the file as UTF-8"),
}


def written(folder: Path, content: str | bytes, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", [*BROKEN, *MORE])
def test_mistake_is_explained_with_its_line(name, tmp_path):
    content, line, words = (BROKEN | MORE)[name]
    path = written(tmp_path, content)
    with pytest.raises(ConfigError) as refusal:
        load_config_file(path)
    message = str(refusal.value)
    assert message.startswith(f"{path}:{line}: "), message
    assert words in message
    assert len(message.splitlines()) == 1


def test_every_repeated_key_has_its_line(tmp_path):
    path = written(tmp_path, "strict: true\nstrict: true\ntiming: {seed: 1, seed: 2}\n")
    with pytest.raises(ConfigError) as refusal:
        load_config_file(path)
    assert [line.split(": ")[0] for line in str(refusal.value).splitlines()] == [
        f"{path}:2",
        f"{path}:3",
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [("nowhere.yaml", "name a file that can be read"), (".", "targets stand before --configfile")],
)
def test_file_that_cannot_be_read_is_named(name, words, tmp_path):
    with pytest.raises(ConfigError, match=words):
        load_config_file(tmp_path / name)


@pytest.mark.parametrize(
    "content",
    [GOOD, "a: &x {b: 1}\nc: *x\nd: {<<: *x, e: 1}\n", 'a: "two\n  lines"\nb: {c: null, d: ""}\n'],
)
def test_good_file_is_read_as_yaml_reads_it(content, tmp_path):
    assert load_config_file(written(tmp_path, content)) == yaml.safe_load(content)


def test_json_is_read_and_explained(tmp_path):
    good = written(tmp_path, '{\n\t"strict": true\n}\n', "mine.json")
    assert load_config_file(good) == {"strict": True}
    bad = written(tmp_path, '{\n"strict": true,\n}\n', "bad.json")
    with pytest.raises(ConfigError, match=r"bad\.json:3: not JSON"):
        load_config_file(bad)


def test_files_of_a_command_line():
    assert files_of(["-n", "report"]) == [Path("config/config.yaml")]
    assert files_of(["--configfile", "a", "b", "-n"]) == [Path("a"), Path("b")]
    assert files_of(["--configfile=a", "--config", "strict=true"]) == [Path("a")]
    assert files_of(["--configfiles", "a", "--", "report"]) == [Path("a")]


def check_refusal(done, name, line, words):
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    lines = [text for text in done.stderr.splitlines() if text.startswith(f"{name}:{line}")]
    assert len(lines) == 1, done.stderr
    assert words in lines[0]


CASES = [*BROKEN.values(), (None, "", " No such file or directory")]


@pytest.mark.parametrize(("content", "line", "words"), CASES, ids=[*BROKEN, "no file"])
def test_snakemake_explains_it(content, line, words, checkout):
    if content is not None:
        written(checkout.path, content)
    done = checkout.snakemake("-n", "--configfile", "mine.yaml")
    check_refusal(done, "mine.yaml", line, words)
    assert len(done.stderr.splitlines()) == 3  # the profile in use, "refused", the mistake


def test_snakemake_explains_the_default_configuration(checkout):
    written(checkout.path / "config", GOOD + "staging: [a\n", "config.yaml")
    check_refusal(checkout.snakemake("-n"), "config/config.yaml", 6, "write ] after")


def test_snakemake_without_the_profile_refuses_what_it_can_read(checkout):
    path = written(checkout.path, GOOD + "matrices: [cant]\n")
    done = checkout.snakemake("-n", "--workflow-profile", "none", "--configfile", "mine.yaml")
    check_refusal(done, path, 6, '"matrices" is in line 1 too')


@pytest.mark.parametrize(("content", "number", "words"), CASES, ids=[*BROKEN, "no file"])
def test_export_explains_it(content, number, words, tmp_path):
    if content is not None:
        written(tmp_path, content)
    line = [sys.executable, "-m", "sparserepro", "export", "--configfile", "mine.yaml"]
    done = subprocess.run(
        [*line, "--output", "box.tar.gz"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    (told,) = done.stderr.splitlines()
    assert told.startswith(f"sparserepro: mine.yaml:{number}")
    assert words in told
    assert not (tmp_path / "box.tar.gz").exists()
