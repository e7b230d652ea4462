# One job for each (problem, matrix, instance): its cells are measured side by side.


rule measure:
    input:
        matrix="results/matrices/{matrix}.json",
        facts="results/build/{problem}.json",
        catalogue="results/catalogue/{problem}.json",
        driver=ancient("build/bin/{problem}"),
        script="workflow/scripts/measure.py",
    output:
        "results/records/{problem}/{matrix}/{instance}.jsonl",
    log:
        "results/logs/measure/{problem}/{matrix}/{instance}.log",
    # The whole machine, whatever the driver uses: nothing else runs while times are taken.
    threads: workflow.cores
    params:
        job=lambda wildcards: JOBS[
            wildcards.problem, wildcards.matrix, wildcards.instance
        ].to_json(),
    message:
        "Measuring {wildcards.problem} on {wildcards.matrix}, {wildcards.instance}"
    shell:
        "python {input.script} --job {params.job:q} --driver {input.driver}"
        " --catalogue {input.catalogue} --matrix {input.matrix} --output {output} --log {log}"


rule measure_arrays:
    input:
        facts="results/build/{problem}.json",
        catalogue="results/catalogue/{problem}.json",
        driver=ancient("build/bin/{problem}"),
        script="workflow/scripts/measure.py",
    output:
        f"results/records/{{problem}}/{ARRAY}/{{instance}}.jsonl",
    log:
        f"results/logs/measure/{{problem}}/{ARRAY}/{{instance}}.log",
    threads: workflow.cores
    params:
        job=lambda wildcards: JOBS[wildcards.problem, ARRAY, wildcards.instance].to_json(),
    message:
        "Measuring {wildcards.problem}, {wildcards.instance}"
    shell:
        "python {input.script} --job {params.job:q} --driver {input.driver}"
        " --catalogue {input.catalogue} --output {output} --log {log}"


ruleorder: measure_arrays > measure
