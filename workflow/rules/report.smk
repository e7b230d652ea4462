# From the collected records to report.pdf: tables, figures, numbers of the prose, LaTeX.

TEXT_FILES = sorted(
    str(path)
    for pattern in ("*.tex", "*.bib", "sections/*.tex", "paper/*.tex")
    for path in (SOURCES / "report").glob(pattern)
)
TEMPLATE_FILES = sorted(str(path) for path in (SOURCES / "report/templates").glob("*.j2"))
EXPLORER_FILES = sorted(map(str, (SOURCES / "python/sparserepro/render/html/assets").iterdir()))
PUBLISHED_FILES = sorted(str(path) for path in (SOURCES / "report/published").glob("*.csv"))
MATRIX_LIST_FILE = str(SOURCES / "config/matrices.yaml")
# This run's catalogues and facts come first: where a set has another of the same name, they stand.
ALL_MATRIX_FILES = MATRIX_FILES + list(map(str, sets.matrices(SETS)))
ALL_CATALOGUE_FILES = CATALOGUE_FILES + list(map(str, sets.catalogues(SETS, REPORTED)))
FACTS = "--matrices {input.matrices:q} --catalogues {input.catalogues:q}"


rule cells:
    input:
        records=f"{RUN}/collected/records.jsonl",
        matrices=ALL_MATRIX_FILES,
        catalogues=ALL_CATALOGUE_FILES,
        code=code("data.cells"),
        listed=MATRIX_LIST_FILE,
    output:
        f"{RUN}/cells.parquet",
        report(f"{RUN}/cells.csv", category="Cells", caption="../report/cells.rst"),
    log:
        f"{RUN}/logs/cells.log",
    params:
        problems=REPORTED,
        sets=[s.name for s in SETS],
    message:
        "Writing the table of cells"
    shell:
        "python -m sparserepro.data.cells --records {input.records} --problems {params.problems}"
        f" {FACTS} --sets {{params.sets:q}} --out {{output}} > {{log}} 2>&1"
        " || (cat {log} >&2; exit 1)"


rule explorer:
    input:
        cells=f"{RUN}/cells.parquet",
        code=code("render.html.__main__"),
        assets=EXPLORER_FILES,
    output:
        report(f"{RUN}/report.html", category="Cells", caption="../report/explorer.rst"),
    log:
        f"{RUN}/logs/explorer.log",
    message:
        "Writing the page to explore the cells"
    shell:
        "python -m sparserepro.render.html --cells {input.cells} --out {output} > {log} 2>&1"


rule tables:
    input:
        cells=f"{RUN}/cells.parquet",
        matrices=ALL_MATRIX_FILES,
        catalogues=ALL_CATALOGUE_FILES,
        code=code("views.*"),
        listed=MATRIX_LIST_FILE,
        templates=TEMPLATE_FILES,
        published=PUBLISHED_FILES,
    output:
        directory(f"{RUN}/report/tables"),
    log:
        f"{RUN}/logs/tables.log",
    message:
        "Writing the tables"
    shell:
        f"python -m sparserepro.views.tables --cells {{input.cells}} {FACTS}"
        " --out {output} > {log} 2>&1"


rule figures:
    input:
        cells=f"{RUN}/cells.parquet",
        matrices=ALL_MATRIX_FILES,
        catalogues=ALL_CATALOGUE_FILES,
        code=code("plots.*"),
        listed=MATRIX_LIST_FILE,
        templates=TEMPLATE_FILES,
        published=PUBLISHED_FILES,
    output:
        report(
            directory(f"{RUN}/report/figures"),
            patterns=["{figure}.pdf"],
            category="Figures of the supplement",
            caption="../report/figures.rst",
            labels={"figure": "{figure}"},
        ),
    log:
        f"{RUN}/logs/figures.log",
    message:
        "Drawing the figures"
    shell:
        f"python -m sparserepro.plots.figures --cells {{input.cells}} {FACTS}"
        " --out {output} > {log} 2>&1"


rule macros:
    input:
        cells=f"{RUN}/cells.parquet",
        matrices=ALL_MATRIX_FILES,
        catalogues=ALL_CATALOGUE_FILES,
        code=code("text.macros"),
        listed=MATRIX_LIST_FILE,
    output:
        f"{RUN}/report/macros.tex",
    log:
        f"{RUN}/logs/macros.log",
    message:
        "Writing the numbers of the prose"
    shell:
        f"python -m sparserepro.text.macros --cells {{input.cells}} {FACTS}"
        " --out {output} > {log} 2>&1"


rule parts:
    input:
        cells=f"{RUN}/cells.parquet",
        code=code("paper.write", "paper.drawings.*"),
    output:
        directory(f"{RUN}/report/parts"),
    log:
        f"{RUN}/logs/parts.log",
    message:
        "Judging the claims, and drawing the figures of the report"
    shell:
        "python -m sparserepro.paper.write --cells {input.cells} --out {output} > {log} 2>&1"
        " || (cat {log} >&2; exit 1)"


rule verdicts:
    input:
        cells=f"{RUN}/cells.parquet",
        code=code("paper.worth"),
    output:
        f"{RUN}/verdicts.txt",
    log:
        f"{RUN}/logs/verdicts.log",
    message:
        "Judging own algorithms against libraries"
    shell:
        "python -m sparserepro.paper.worth --cells {input.cells} --out {output} > {log} 2>&1"
        " || (cat {log} >&2; exit 1)"


rule paper:
    input:
        cells=f"{RUN}/cells.parquet",
        parts=f"{RUN}/report/parts",
        text=TEXT_FILES,
        code=code("render.pdf"),
    output:
        f"{RUN}/report/report.pdf",
    log:
        f"{RUN}/logs/report.log",
    message:
        "Setting the report"
    shell:
        f"python -m sparserepro.render.pdf --cells {{input.cells}}"
        f" --generated {RUN}/report --out {{output}} > {{log}} 2>&1 || (cat {{log}} >&2; exit 1)"


rule supplement:
    input:
        cells=f"{RUN}/cells.parquet",
        tables=f"{RUN}/report/tables",
        figures=f"{RUN}/report/figures",
        macros=f"{RUN}/report/macros.tex",
        text=TEXT_FILES,
        code=code("render.pdf"),
    output:
        f"{RUN}/report/supplement.pdf",
    log:
        f"{RUN}/logs/supplement.log",
    message:
        "Setting the supplement"
    shell:
        f"python -m sparserepro.render.pdf --cells {{input.cells}}"
        f" --generated {RUN}/report --out {{output}} > {{log}} 2>&1 || (cat {{log}} >&2; exit 1)"


# Rules of their own, so that a document that cannot be set leaves the last one where it is.
for document in ("report", "supplement"):

    rule:
        name:
            f"put_{document}"
        input:
            f"{RUN}/report/{document}.pdf",
        output:
            report(
                f"{RUN}/{document}.pdf",
                category="Report",
                caption=f"../report/{document}.rst",
            ),
        log:
            f"{RUN}/logs/put_{document}.log",
        message:
            "Putting {output} in its place"
        shell:
            "cp {input} {output} 2> {log}"


# What `snakemake report` makes.
rule report:
    input:
        f"{RUN}/report.pdf",
        f"{RUN}/supplement.pdf",
        f"{RUN}/verdicts.txt",
        f"{RUN}/cells.csv",
        f"{RUN}/report.html",
