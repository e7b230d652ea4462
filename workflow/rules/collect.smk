# All valid records of this configuration and of the chosen sets in report/measurements.


rule collect:
    input:
        records=RECORD_FILES,
        archived=list(map(str, sets.records(SETS, REPORTED))),
        schema="workflow/schemas/record.schema.json",
    output:
        "results/collected/records.jsonl",
    log:
        "results/logs/collect.log",
    message:
        "Collecting the records"
    script:
        "../scripts/collect.py"
