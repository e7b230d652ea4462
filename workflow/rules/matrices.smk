# Each matrix: generated, staged or downloaded, and described by matrix_info.


rule resolve_matrix:
    input:
        facts="results/build/matrix_info.json",
        matrix_info=ancient("build/bin/matrix_info"),
        # Renewed when a matrix that could not be had is to be tried again.
        tries=lambda wildcards: [str(p) for p in Path("results/tries").glob(wildcards.matrix)],
    output:
        "results/matrices/{matrix}.json",
    log:
        "results/logs/matrices/{matrix}.log",
    params:
        definition=lambda wildcards: json.dumps(MATRIX_LIST.entries[wildcards.matrix].definition()),
        # Taking `output` makes it no rerun trigger: where a matrix is found does not change it.
        access=lambda wildcards, output: json.dumps(
            {key: CONFIG[key] for key in ("staging", "download", "strict")}
        ),
        script=str(SCRIPTS / "resolve_matrix.py"),
    message:
        "Resolving matrix {wildcards.matrix}"
    shell:
        "python {params.script} --definition {params.definition:q} --access {params.access:q}"
        " --matrix-info {input.matrix_info} --resources resources/matrices --output {output}"
        " 2> >(tee {log} >&2)"
