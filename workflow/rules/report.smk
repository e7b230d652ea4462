# From the collected records to report.pdf: tables, figures, numbers of the prose, LaTeX.

TEXT_FILES = sorted(
    str(path)
    for pattern in ("*.tex", "*.bib", "sections/*.tex")
    for path in (SOURCES / "report").glob(pattern)
)
TEMPLATE_FILES = sorted(str(path) for path in (SOURCES / "report/templates").glob("*.j2"))
PUBLISHED_FILES = sorted(str(path) for path in (SOURCES / "report/published").glob("*.csv"))
MATRIX_LIST_FILE = str(SOURCES / "config/matrices.yaml")
# This run's catalogues and facts come first: where a set has another of the same name, they stand.
ALL_MATRIX_FILES = MATRIX_FILES + list(map(str, sets.matrices(SETS)))
ALL_CATALOGUE_FILES = CATALOGUE_FILES + list(map(str, sets.catalogues(SETS, REPORTED)))
# Machines that stand beside this run's own, and after it.
CONTEXT = [s.name for s in SETS if CONFIG["measure"] and s.name != CONFIG["machine_id"]]
REPORT_ARGUMENTS = (
    "--records {input.records} --problems {params.problems} --context {params.context}"
    " --matrices {input.matrices} --catalogues {input.catalogues}"
)


rule tables:
    input:
        records=f"{RUN}/collected/records.jsonl",
        matrices=ALL_MATRIX_FILES,
        catalogues=ALL_CATALOGUE_FILES,
        scripts=scripts("tables"),
        listed=MATRIX_LIST_FILE,
        templates=TEMPLATE_FILES,
        published=PUBLISHED_FILES,
    output:
        directory(f"{RUN}/report/tables"),
    log:
        f"{RUN}/logs/tables.log",
    params:
        problems=REPORTED,
        context=CONTEXT,
    message:
        "Writing the tables"
    shell:
        f"python {SCRIPTS}/tables.py {REPORT_ARGUMENTS} --out {{output}} > {{log}} 2>&1"


rule figures:
    input:
        records=f"{RUN}/collected/records.jsonl",
        matrices=ALL_MATRIX_FILES,
        catalogues=ALL_CATALOGUE_FILES,
        scripts=scripts("figures"),
        listed=MATRIX_LIST_FILE,
        templates=TEMPLATE_FILES,
        published=PUBLISHED_FILES,
    output:
        directory(f"{RUN}/report/figures"),
    log:
        f"{RUN}/logs/figures.log",
    params:
        problems=REPORTED,
        context=CONTEXT,
    message:
        "Drawing the figures"
    shell:
        f"python {SCRIPTS}/figures.py {REPORT_ARGUMENTS} --out {{output}} > {{log}} 2>&1"


rule macros:
    input:
        records=f"{RUN}/collected/records.jsonl",
        matrices=ALL_MATRIX_FILES,
        catalogues=ALL_CATALOGUE_FILES,
        scripts=scripts("macros"),
        listed=MATRIX_LIST_FILE,
    output:
        f"{RUN}/report/macros.tex",
    log:
        f"{RUN}/logs/macros.log",
    params:
        problems=REPORTED,
        context=CONTEXT,
    message:
        "Writing the numbers of the prose"
    shell:
        f"python {SCRIPTS}/macros.py {REPORT_ARGUMENTS} --out {{output}} > {{log}} 2>&1"


rule report:
    input:
        records=f"{RUN}/collected/records.jsonl",
        tables=f"{RUN}/report/tables",
        figures=f"{RUN}/report/figures",
        macros=f"{RUN}/report/macros.tex",
        text=TEXT_FILES,
        scripts=scripts("build_report"),
    output:
        f"{RUN}/report.pdf",
    log:
        f"{RUN}/logs/report.log",
    message:
        "Setting the report"
    shell:
        f"python {SCRIPTS}/build_report.py --records {{input.records}}"
        f" --generated {RUN}/report --out {{output}} > {{log}} 2>&1 || (cat {{log}} >&2; exit 1)"
