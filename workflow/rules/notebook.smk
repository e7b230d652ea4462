# The notebook, run on the cells of this run, and a page made of it. It needs the packages of
# requirements-notebook.txt. To edit it: snakemake --cores 1 --edit-notebook results/<name>/notebook


rule run_notebook:
    input:
        cells=f"{RUN}/cells.parquet",
        packages=lambda wildcards: needs_packages("nbconvert", "ipykernel"),
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
        report(f"{RUN}/notebook.html", category="Notebook", caption="../report/notebook.rst"),
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
