"""matrix_info on a file made by hand."""

import json
from pathlib import Path

import jsonschema
import pytest

from driver_runs import assert_refused, run

SCHEMA = Path(__file__).parent.parent / "workflow/schemas/matrix_facts.schema.json"

pytestmark = pytest.mark.usefixtures("own_lock")


@pytest.fixture
def hand_made(tmp_path: Path) -> Path:
    """4 x 4, symmetric, an explicit zero; rows of the expanded matrix hold 2, 0, 2, 0 entries."""
    path = tmp_path / "hand-made.mtx"
    path.write_text(
        "%%MatrixMarket matrix coordinate real symmetric\n% comment\n4 4 3\n"
        "1 1 2.0\n3 1 -1.5\n3 3 0\n"
    )
    return path


def test_matrix_info_counts(hand_made: Path) -> None:
    done = run("matrix_info", str(hand_made), "--json", "-")
    assert done.returncode == 0, done.stderr
    info = json.loads(done.stdout)
    jsonschema.validate(info, json.loads(SCHEMA.read_text()))
    assert info["name"] == "hand-made"
    assert (info["field"], info["symmetry"], info["origin"]) == ("real", "symmetric", "file")
    assert (info["rows"], info["cols"]) == (4, 4)
    assert (info["entries_in_file"], info["stored"], info["nnz"]) == (3, 4, 3)
    assert (info["explicit_zeros"], info["duplicates"], info["bandwidth"]) == (1, 0, 2)
    assert info["pattern_symmetric"] is True
    assert info["spy"] == ["1010", "0000", "1010", "0000"]
    lengths = info["row_length"]
    assert (lengths["min"], lengths["median"], lengths["mean"], lengths["max"]) == (0, 1, 1, 2)
    assert lengths["empty"] == 2
    assert sum(bin_["count"] for bin_ in lengths["histogram"]) == 4
    assert info["col_length"] == lengths
    assert info["read_seconds"] > 0


def test_matrix_info_in_words(hand_made: Path) -> None:
    done = run("matrix_info", str(hand_made))
    assert (done.returncode, done.stderr) == (0, "")
    assert "hand-made" in done.stdout
    assert "symmetric" in done.stdout


def test_matrix_info_writes_the_graph(tmp_path: Path) -> None:
    source, graph = tmp_path / "a.mtx", tmp_path / "graph.mtx"
    source.write_text(
        "%%MatrixMarket matrix coordinate real general\n4 4 6\n"
        "2 1 1\n1 2 5\n2 1 3\n3 3 1\n1 4 0\n4 3 1\n"
    )
    done = run("matrix_info", str(source), "--graph", str(graph))
    assert (done.returncode, done.stderr) == (0, "")
    assert graph.read_text() == (
        "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n4 1\n4 3\n"
    )
    done = run("matrix_info", str(graph), "--json", "-")
    assert json.loads(done.stdout)["stored"] == 6

    done = run("matrix_info", str(source), "--graph", str(tmp_path / "none" / "graph.mtx"))
    assert done.returncode == 1
    assert "cannot write" in done.stderr
    source.write_text("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 3 1\n")
    done = run("matrix_info", str(source), "--graph", str(graph))
    assert done.returncode == 1
    assert "a graph needs a square matrix" in done.stderr


GRAPH = "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 1\n3 1\n"


def test_a_graph_goes_to_standard_output_alone(hand_made: Path, tmp_path: Path) -> None:
    done = run("matrix_info", str(hand_made), "--graph", "-")
    assert (done.returncode, done.stdout, done.stderr) == (0, GRAPH, "")
    facts = tmp_path / "facts.json"
    done = run("matrix_info", str(hand_made), "--graph", "-", "--json", str(facts))
    assert (done.returncode, done.stdout, done.stderr) == (0, GRAPH, "")
    assert json.loads(facts.read_text())["name"] == "hand-made"


@pytest.mark.parametrize(
    ("graph", "facts"), [("out", "out"), ("out", "./out"), ("link", "there"), ("-", "-")]
)
def test_graph_and_statistics_are_two_outputs(
    graph: str, facts: str, hand_made: Path, tmp_path: Path
) -> None:
    (tmp_path / "there").write_text("kept")
    (tmp_path / "link").symlink_to("there")
    paths = [name if name == "-" else f"{tmp_path}/{name}" for name in (graph, facts)]
    done = run("matrix_info", str(hand_made), "--graph", paths[0], "--json", paths[1])
    assert_refused(done, "matrix_info", f"cannot write two outputs to {paths[1]}")
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "there").read_text() == "kept"
