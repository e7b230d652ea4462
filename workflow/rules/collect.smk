# All valid records of this configuration and of the chosen sets in report/measurements.


rule collect:
    input:
        records=RECORD_FILES,
        digests=[str(digests.beside(Path(file))) for file in RECORD_FILES],
        archived=list(map(str, sets.records(SETS, REPORTED))),
        sums=list(map(str, SET_SUMS)),
        lost=lost_records,
        schema=RECORD_SCHEMA,
    output:
        records=COLLECTED,
        digest=digests.beside(COLLECTED),
        sources=digests.sources_of(COLLECTED),
    log:
        f"{RUN}/logs/collect.log",
    params:
        # In a dry run they are the reason; in a run `lost_records` is.
        lost=lambda wildcards: LOST if workflow.dryrun else [],
        # Their names exceed a command line. Taking `output` makes it no rerun trigger.
        list=lambda wildcards, output: names_in_file(RECORD_FILES, f"{RUN}/logs/collect.list"),
    message:
        "Collecting the records"
    shell:
        "python -m sparserepro.data.collect --list {params.list} --schema {input.schema:q}"
        " --output {output.records} --log {log} --archived {input.archived:q} {input.sums:q}"
