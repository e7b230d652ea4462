# The README's table and figure of own algorithms against libraries, of one measurement set. They lie
# in the checkout, not among the results: `snakemake --cores 1 headline` after a set is replaced.
HEADLINE_SET = SOURCES / "report/measurements/h200"


rule headline:
    input:
        records=sorted(map(str, HEADLINE_SET.glob("*.jsonl"))),
        matrices=list(map(str, sets.matrices([HEADLINE_SET]))),
        catalogues=sorted(map(str, HEADLINE_SET.glob("catalogue/*.json"))),
        listed=str(SOURCES / "config/matrices.yaml"),
        code=code("paper.readme"),
    output:
        str(SOURCES / "docs/headline.png"),
    log:
        f"{SHARED}/logs/headline.log",
    # Changed in place, between two marks: no output, which Snakemake would remove first.
    params:
        name=HEADLINE_SET.name,
        readme=str(SOURCES / "README.md"),
    message:
        "Drawing the README's figure, and writing its table"
    shell:
        "python -m sparserepro.paper.readme {params.name} --readme {params.readme}"
        " --figure {output} > {log} 2>&1 || {{ cat {log} >&2; exit 1; }}"
