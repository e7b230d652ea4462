"""The list of matrices: its entries, classes, sets and lock; what is broken is refused."""

from pathlib import Path

import pytest
import yaml

from sparserepro.config import lock
from sparserepro.config.check import ConfigError
from sparserepro.config.matrix_list import load_matrix_list

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"group": "../../../../data/out"}, 'group is "../../../../data/out"'),
        ({"group": ".."}, 'group is ".."'),
        ({"name": "a/b"}, 'name is "a/b"'),
        ({"name": "a\n"}, 'name is "a'),
        ({"spec": "mesh:width=3\n,height=3"}, "spec is"),
    ],
)
def test_a_matrix_stays_in_its_folder(entry, words, tmp_path):
    listed = tmp_path / "matrices.yaml"
    listed.write_text(yaml.safe_dump({"matrices": {"mine": {"class": "fem"} | entry}}))
    with pytest.raises(ConfigError) as refusal:
        load_matrix_list(listed)
    assert words in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1


def test_classes_and_sets_select():
    matrices = load_matrix_list(ROOT / "config/matrices.yaml")
    assert "cant" in matrices.select(["@fem"], "here")
    assert matrices.select(["mesh-small", "@graphs-small"], "here") == [
        "mesh-small",
        "social-small",
        "road-small",
    ]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"class": "fem"}, "needs a spec, a group or a name"),
        ({"class": "fem", "spec": "fem:nx=3", "group": "HB"}, "is generated"),
        ({"class": "fm", "spec": "fem:nx=3"}, 'did you mean "fem"?'),
        ({"class": "fem", "group": "HB", "row": 3}, 'did you mean "rows"?'),
        ({"class": "fem", "spec": "fem nx=3"}, "spec"),
        ({"class": "fem", "group": "HB", "sha256": "12"}, "sha256"),
    ],
)
def test_broken_matrix_list_is_refused(entry, words, tmp_path):
    path = tmp_path / "matrices.yaml"
    path.write_text(yaml.safe_dump({"matrices": {"m": entry}}))
    with pytest.raises(ConfigError) as refusal:
        load_matrix_list(path)
    assert words in str(refusal.value)
    assert "matrices.yaml" in str(refusal.value)


def test_set_of_unknown_matrix_is_refused(tmp_path):
    path = tmp_path / "matrices.yaml"
    entries = {"cant": {"class": "fem", "group": "Williams"}}
    path.write_text(yaml.safe_dump({"matrices": entries, "sets": {"mine": ["cnt"]}}))
    with pytest.raises(ConfigError, match='set mine: no matrix "cnt"; did you mean "cant"'):
        load_matrix_list(path)


def test_a_set_has_a_name_of_its_own(tmp_path):
    path = tmp_path / "matrices.yaml"
    entries = {"cant": {"class": "fem", "group": "Williams"}}
    path.write_text(yaml.safe_dump({"matrices": entries, "sets": {"fem": ["cant"]}}))
    with pytest.raises(ConfigError, match='the set "fem" has the name of a class'):
        load_matrix_list(path)


def test_a_lock_that_contradicts_the_list_is_refused(tmp_path):
    path = tmp_path / "matrices.yaml"
    entry = {"class": "fem", "group": "Williams", "sha256": "a" * 64}
    path.write_text(yaml.safe_dump({"matrices": {"cant": entry}}))
    assert load_matrix_list(path).entries["cant"].sha256 == "a" * 64
    lock.write(path.with_suffix(".lock"), {"cant": ("b" * 64, 77)})
    with pytest.raises(ConfigError, match=r"cant: matrices\.yaml has sha256 aaa.* has bbb"):
        load_matrix_list(path)
