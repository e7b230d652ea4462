"""The shell script for machines that cannot run the workflow."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import commands
from config_check import ConfigError, check_config
from grid import make_jobs
from matrix_list import MatrixEntry, load_matrix_list

ROOT = Path(__file__).resolve().parent.parent
MATRICES = load_matrix_list(ROOT / "config" / "matrices.yaml")


def lines_of(config, cores=4):
    jobs = make_jobs(check_config(config, "test.yaml"), MATRICES, cores)
    return commands.commands(jobs, MATRICES, None, "build/bin", "out")


def test_instances_of_one_matrix_share_a_command():
    config = {"matrices": ["uniform-small"], "problems": {"spmm": {"instances": {"k": [1, 4]}}}}

    (line,) = lines_of(config)

    assert line[:2] == ["build/bin/spmm", MATRICES.entries["uniform-small"].spec]
    assert line[line.index("--k") + 1] == "1,4"
    assert line[-2:] == ["--json", "out/spmm-uniform-small-1.jsonl"]


def test_instances_that_are_no_product_have_commands_of_their_own():
    instances = [{"procedure": "scan"}, {"procedure": "merge", "segment": 128}]
    config = {"problems": {"primitives": {"instances": instances}}}

    lines = lines_of(config)

    assert len(lines) == 2
    assert "--segment" not in lines[0]
    assert lines[1][lines[1].index("--segment") + 1] == "128"
    assert len({line[-1] for line in lines}) == 2  # a driver replaces its file


def test_threads_count_up_to_the_other_machines_cores():
    config = {
        "matrices": ["uniform-small"],
        "problems": {"transpose": {"parameters": {"threads": "auto"}}},
    }

    (line,) = lines_of(config, cores=16)

    assert line[line.index("--threads") + 1] == "1,2,4,8,16"


def test_a_file_is_looked_for_in_the_folder(tmp_path):
    entry = MatrixEntry(id="cant", cls="fem", group="Williams", name="cant")
    with pytest.raises(ConfigError, match="--matrices"):
        commands.source(entry, tmp_path)
    (tmp_path / "cant.mtx.gz").touch()

    assert commands.source(entry, tmp_path) == str(tmp_path / "cant.mtx.gz")


def test_script_is_valid_shell(tmp_path):
    config = tmp_path / "one.yaml"
    config.write_text(
        yaml.safe_dump({"matrices": ["uniform-small"], "problems": {"transpose": {}}})
    )
    script = ROOT / "workflow/scripts/commands.py"
    arguments = [sys.executable, script, config, "--machine-id", "box 7", "--cores", "2"]

    text = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout

    subprocess.run(["sh", "-n"], input=text, text=True, check=True)
    line = shlex.split(text.splitlines()[1])
    assert line[line.index("--machine-id") + 1] == "box 7"
