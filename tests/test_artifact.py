"""What surrounds the project: container, continuous integration, catalogue, Snakemake's report."""

import json
import re
from pathlib import Path

import pytest
import yaml

from sparserepro.fetch import wanted
from sparserepro.fetch.forecast import forecast

ROOT = Path(__file__).resolve().parent.parent
CI = ROOT / ".github/workflows/ci.yml"


def steps() -> list[dict]:
    jobs = yaml.safe_load(CI.read_text())["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def test_the_container_repeats_no_list_of_packages() -> None:
    lines = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    commands = [line for line in lines if line.startswith("RUN ")]
    assert commands
    assert all(line.startswith("RUN ./bootstrap ") for line in commands)
    copied = next(line for line in lines if line.startswith("COPY ")).split()[1:-1]
    assert "bootstrap" in copied
    assert all((ROOT / name).is_file() for name in copied)
    assert not any("apt-get" in line for line in lines)


def test_the_image_leaves_out_what_runs_make() -> None:
    ignored = (ROOT / ".dockerignore").read_text().split()
    made = [line for line in (ROOT / ".gitignore").read_text().split() if line.startswith("/")]
    assert made
    assert {*made} <= {*ignored}


def test_the_development_container_is_that_of_the_dockerfile() -> None:
    folder = ROOT / ".devcontainer"
    build = json.loads((folder / "devcontainer.json").read_text())["build"]
    assert (folder / build["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert (folder / build["context"]).resolve() == ROOT


def test_continuous_integration_runs_the_two_commands_with_few_rights() -> None:
    text = CI.read_text()
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    commands = [step["run"] for step in steps() if "run" in step]
    assert any(re.fullmatch(r"\./bootstrap --notebook tests/run", c) for c in commands)
    assert any("report" in c and "measure=false" in c for c in commands)
    used = [step["uses"] for step in steps() if "uses" in step]
    assert used
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", name) for name in used)
    assert not re.search(
        r"\b(apt-get install)(?! -y --no-install-recommends ca-certificates git)", text
    )


def test_the_catalogue_is_told_the_truth() -> None:
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    deployed = usage["software-stack-deployment"]
    assert deployed["conda"] == bool(re.search(r"^ +conda:", rules, re.MULTILINE))
    assert deployed["apptainer"] == bool(re.search(r"^ +container:", rules, re.MULTILINE))
    assert usage["report"] == ("report(" in rules)


@pytest.mark.slow
def test_snakemakes_report_has_categories_and_captions(checkout) -> None:
    arguments = ("results/tour/cells.csv", "--config", "measure=false")
    made = checkout.snakemake(*arguments)
    assert made.returncode == 0, made.stderr
    done = checkout.snakemake(*arguments, "--report", "page.html")
    assert done.returncode == 0, done.stderr
    page = (checkout.path / "page.html").read_text()
    assert '"Cells"' in page
    assert "explains the columns" in page
    rules = "".join(path.read_text() for path in (checkout.path / "workflow/rules").glob("*.smk"))
    named = re.findall(r'caption=f?"\.\./(report/[\w{}]+\.rst)"', rules)
    documents = ("report", "supplement")
    captions = {name.format(document=document) for name in named for document in documents}
    assert len(captions) >= 5
    assert all((checkout.path / "workflow" / name).is_file() for name in captions)
    assert {*captions} == {f"report/{f.name}" for f in (ROOT / "workflow/report").glob("*.rst")}


SEEDS = ROOT / "config/seeds.yaml"
ARCHIVE = ROOT / "config/archive.yaml"
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def test_the_tour_is_told_with_as_many_matrices_as_it_fetches() -> None:
    count = len(wanted.planned(ROOT / "config/config.yaml").files)
    assert re.findall(r"optional, for (\w+) matrices", (ROOT / "ARTIFACT.md").read_text()) == [
        COUNTS[count]
    ]
    sample = re.findall(
        r"because they are unavailable \((\d+)\):", (ROOT / "README.md").read_text()
    )
    assert sample == [str(count)]


@pytest.mark.parametrize(
    ("config", "unit", "places"),
    [
        (SEEDS, "GB", {"README.md": "downloads", "config/README.md": "downloads"}),
        (SEEDS, "GB", {"ARTIFACT.md": "matrices"}),
        (ARCHIVE, "MB", {"ARTIFACT.md": "matrices"}),
    ],
)
def test_downloads_are_told_as_the_command_tells_them(
    config: Path, unit: str, places: dict[str, str], tmp_path: Path
) -> None:
    cost = forecast(wanted.planned(config).files, tmp_path)
    told = [
        f"{value / 1e9:.1f} GB" if unit == "GB" else f"{value / 1e6:.0f} MB"
        for value in (cost.fetched, cost.on_disk)
    ]
    for name, what in places.items():
        assert f"{told[0]} of {what} ({told[1]} on the disk)" in (ROOT / name).read_text()
