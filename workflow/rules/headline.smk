# The README's table and figure of own algorithms against libraries, and the tables of records in the
# pages of own kernels, of all measurement sets. They lie in the checkout, not among the results: `snakemake --cores 1 headline` after a set is replaced.
ARCHIVED = sets.chosen(SOURCES / "report/measurements", "all")


rule headline:
    input:
        records=[str(path) for folder in ARCHIVED for path in sorted(folder.glob("*.jsonl"))],
        matrices=list(map(str, sets.matrices(ARCHIVED))),
        catalogues=[str(p) for folder in ARCHIVED for p in sorted(folder.glob("catalogue/*.json"))],
        listed=str(SOURCES / "config/matrices.yaml"),
        code=code("paper.readme", "paper.pages"),
    output:
        str(SOURCES / "docs/headline.png"),
    log:
        f"{SHARED}/logs/headline.log",
    # Changed in place, between two marks: no output, which Snakemake would remove first.
    params:
        names=[folder.name for folder in ARCHIVED],
        readme=str(SOURCES / "README.md"),
        root=str(SOURCES),
    message:
        "Drawing the README's figure, and writing its table and those of the kernels' pages"
    shell:
        "(python -m sparserepro.paper.readme {params.names:q} --readme {params.readme:q}"
        " --figure {output:q} && python -m sparserepro.paper.pages {params.names:q} --root {params.root:q})"
        " > {log:q} 2>&1 || {{ cat {log:q} >&2; exit 1; }}"
