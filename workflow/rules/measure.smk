# One job for each (problem, matrix, instance): its cells are measured side by side.

# To be raised when measure.py changes what the records hold: then all is measured again.
RECORD_FORMAT = 1
# Of a job's allocation on a cluster: its limit, once more for the matrix expression that follows the
# driver, and an hour to build for a node of another kind.
MINUTES = 60 + math.ceil(CONFIG["job_limit_s"] / 30)
# How many GPUs there are for the jobs; on a cluster each job has a node to itself.
if CONFIG["gpus"] > 1 and not ON_NODES:
    workflow.register_resource("gpu", CONFIG["gpus"])


rule measure:
    input:
        matrix=lambda wildcards: checkpoints.resolve_matrix.get(matrix=wildcards.matrix).output[0],
        facts=f"{SHARED}/build/{{problem}}.json",
        catalogue=f"{SHARED}/catalogue/{{problem}}.json",
    output:
        records=f"{RUN}/records/{{problem}}/{{matrix}}/{{instance}}.jsonl",
        digest=f"{RUN}/records/{{problem}}/{{matrix}}/{{instance}}.jsonl.sha256",
    log:
        f"{RUN}/logs/measure/{{problem}}/{{matrix}}/{{instance}}.log",
    # The whole machine, whatever the driver uses: nothing else runs while times are taken. With several
    # GPUs, jobs of one GPU run beside each other, and beside nothing else.
    threads: lambda wildcards: cores_of(wildcards)
    resources:
        **whole_node(MINUTES, lambda wildcards: [job_of(wildcards)]),
        **gpus_of(job_of),
    params:
        job=lambda wildcards: job_of(wildcards).to_json(),
        record_format=RECORD_FORMAT,
        # Taking `output` makes it no rerun trigger.
        limit=lambda wildcards, output: CONFIG["job_limit_s"],
        gpus=lambda wildcards, output: CONFIG["gpus"],
    message:
        "Measuring {wildcards.problem} on {wildcards.matrix}, {wildcards.instance}"
    shell:
        BUILD_MISSING.format(driver="{wildcards.problem}")
        + f"python -m sparserepro.run.measure --job {{params.job:q}}"
        f" --driver {TREE}/bin/{{wildcards.problem}} --catalogue {CATALOGUE}"
        f" --matrix {{input.matrix}} --output {{output.records}} --log {{log}}"
        f" --limit-s {{params.limit}} --gpus {{params.gpus}}{NODE}"


rule measure_arrays:
    input:
        facts=f"{SHARED}/build/{{problem}}.json",
        catalogue=f"{SHARED}/catalogue/{{problem}}.json",
    output:
        records=f"{RUN}/records/{{problem}}/{ARRAY}/{{instance}}.jsonl",
        digest=f"{RUN}/records/{{problem}}/{ARRAY}/{{instance}}.jsonl.sha256",
    log:
        f"{RUN}/logs/measure/{{problem}}/{ARRAY}/{{instance}}.log",
    threads: lambda wildcards: cores_of(wildcards)
    resources:
        **whole_node(MINUTES, lambda wildcards: [job_of(wildcards)]),
        **gpus_of(job_of),
    params:
        job=lambda wildcards: job_of(wildcards).to_json(),
        record_format=RECORD_FORMAT,
        # Taking `output` makes it no rerun trigger.
        limit=lambda wildcards, output: CONFIG["job_limit_s"],
        gpus=lambda wildcards, output: CONFIG["gpus"],
    message:
        "Measuring {wildcards.problem}, {wildcards.instance}"
    shell:
        BUILD_MISSING.format(driver="{wildcards.problem}")
        + f"python -m sparserepro.run.measure --job {{params.job:q}}"
        f" --driver {TREE}/bin/{{wildcards.problem}} --catalogue {CATALOGUE}"
        f" --output {{output.records}} --log {{log}}"
        f" --limit-s {{params.limit}} --gpus {{params.gpus}}{NODE}"


ruleorder: measure_arrays > measure
