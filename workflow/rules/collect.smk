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
        COLLECTED,
        digests.beside(COLLECTED),
        digests.sources_of(COLLECTED),
    log:
        f"{RUN}/logs/collect.log",
    params:
        # In a dry run they are the reason; in a run `lost_records` is.
        lost=LOST if workflow.dryrun else [],
    message:
        "Collecting the records"
    script:
        "../scripts/collect.py"
