"""What surrounds the project: container, continuous integration, catalogue, Snakemake's report."""

import json
import re
from pathlib import Path

import pytest
import yaml

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
