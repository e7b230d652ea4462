# This run's records as a measurement set: what becomes report/measurements/<machine>/.


rule archive:
    input:
        records=RECORD_FILES,
        catalogues=CATALOGUE_FILES,
        matrices=MATRIX_FILES,
        schema=RECORD_SCHEMA,
        code=code("data.archive"),
    output:
        directory(f"{RUN}/set"),
    log:
        f"{RUN}/logs/set.log",
    message:
        "Writing the measurement set"
    shell:
        f"python -m sparserepro.data.archive {{input.records}} --schema {{input.schema:q}}"
        " --catalogues {input.catalogues} --matrices {input.matrices}"
        " --output {output} > {log} 2>&1 || {{ cat {log} >&2; exit 1; }}"
