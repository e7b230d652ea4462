# The notebook, run on the cells of this run, and a page made of it. It needs the packages of
# requirements-notebook.txt. To edit it: snakemake --cores 1 --edit-notebook results/<name>/notebook
from importlib.util import find_spec

NOTEBOOK_PACKAGES = ("nbconvert", "ipykernel")


def notebook_packages(wildcards):
    """No file: says what to install before anything runs, where the notebook cannot."""
    absent = [name for name in NOTEBOOK_PACKAGES if find_spec(name) is None]
    if absent and is_run():
        say(
            f"The notebook needs {' and '.join(absent)}, which are not installed. Run\n"
            "  ./bootstrap --notebook\n"
            "and then this command again."
        )
        sys.exit(1)
    return []


rule run_notebook:
    input:
        cells=f"{RUN}/cells.parquet",
        packages=notebook_packages,
    output:
        figures=directory(f"{RUN}/notebook"),
    log:
        notebook=f"{RUN}/notebook.ipynb",
    message:
        "Running the notebook"
    notebook:
        "../notebooks/explore.py.ipynb"


rule notebook:
    input:
        f"{RUN}/notebook",
    output:
        f"{RUN}/notebook.html",
    log:
        f"{RUN}/logs/notebook.log",
    params:
        executed=f"{RUN}/notebook.ipynb",
    message:
        "Making a page of the notebook"
    # A page that loads nothing from a network, without the cell that Snakemake puts first.
    shell:
        "jupyter-nbconvert --to html --output-dir $(dirname {output}) --output notebook"
        " --TagRemovePreprocessor.enabled=True"
        " --TagRemovePreprocessor.remove_cell_tags=snakemake-job-properties"
        " --HTMLExporter.mathjax_url= --HTMLExporter.require_js_url= --HTMLExporter.mermaid_js_url="
        " {params.executed} > {log} 2>&1"
