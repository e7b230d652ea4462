# This run's records as an archive: what becomes report/measurements/<machine>/.


rule archive:
    input:
        records=RECORD_FILES,
        catalogues=CATALOGUE_FILES,
        matrices=MATRIX_FILES,
        schema="workflow/schemas/record.schema.json",
        scripts=scripts("archive"),
    output:
        directory("results/archive"),
    log:
        "results/logs/archive.log",
    message:
        "Writing the archive"
    shell:
        "python workflow/scripts/archive.py {input.records} --schema {input.schema}"
        " --catalogues {input.catalogues} --matrices {input.matrices}"
        " --output {output} > {log} 2>&1 || {{ cat {log} >&2; exit 1; }}"
