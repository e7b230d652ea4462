# Each matrix: generated, staged or downloaded, and described by matrix_info.


# A checkpoint, since what depends on it is judged anew when it has run: a matrix that is resolved
# again, and is the same, is not measured again.
checkpoint resolve_matrix:
    input:
        facts=f"{SHARED}/build/matrix_info.json",
        code=code("fetch.resolve"),
        # Renewed when a matrix is to be resolved again.
        tries=tries,
    output:
        f"{SHARED}/matrices/{{matrix}}.json",
    log:
        f"{SHARED}/logs/matrices/{{matrix}}.log",
    # All matrices before the first measurement, so that nothing runs beside one.
    priority: 2
    params:
        definition=lambda wildcards: json.dumps(MATRIX_LIST.entries[wildcards.matrix].definition()),
        # Taking `output` makes it no rerun trigger: where a matrix is found does not change it.
        access=lambda wildcards, output: json.dumps(access(wildcards.matrix)),
    message:
        "Resolving matrix {wildcards.matrix}"
    shell:
        BUILD_MISSING.format(driver="matrix_info")
        + f"python -m sparserepro.fetch.resolve --definition {{params.definition:q}}"
        f" --access {{params.access:q}} --matrix-info {TREE}/bin/matrix_info"
        " --resources resources/matrices --output {output} 2> >(tee {log} >&2)"
