# All valid records of this configuration and of the machines kept in report/measurements.


rule collect:
    input:
        records=RECORD_FILES,
        archived=sorted(str(p) for p in Path("report/measurements").glob("*/*.jsonl")),
        schema="workflow/schemas/record.schema.json",
    output:
        "results/collected/records.jsonl",
    log:
        "results/logs/collect.log",
    message:
        "Collecting the records"
    script:
        "../scripts/collect.py"
