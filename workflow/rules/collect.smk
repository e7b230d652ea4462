# All valid records of this configuration and of the chosen sets in report/measurements.


rule collect:
    input:
        records=RECORD_FILES,
        archived=list(map(str, sets.records(SETS, REPORTED))),
        schema=RECORD_SCHEMA,
    output:
        f"{RUN}/collected/records.jsonl",
    log:
        f"{RUN}/logs/collect.log",
    message:
        "Collecting the records"
    script:
        "../scripts/collect.py"
