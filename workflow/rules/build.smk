# The drivers, what their timings depend on, and their catalogues of algorithms.
TOOLCHAIN = build_facts.toolchain(Path("build"))


# One job for each driver, with its facts as a second output: measuring depends on the facts, and on
# the executable through ancient() alone. Were they outputs of different rules, Snakemake would pass
# over the jobs behind a pending build and not see that, say, their parameters have changed too.
rule build:
    input:
        sources=lambda wildcards: build_facts.driver_sources(ROOT, wildcards.driver),
        script="workflow/scripts/build_facts.py",
    output:
        driver="build/bin/{driver}",
        facts="results/build/{driver}.json",
    log:
        "results/logs/build/{driver}.log",
    threads: workflow.cores
    params:
        toolchain=json.dumps(TOOLCHAIN),
    message:
        "Building {wildcards.driver}"
    shell:
        "(cmake --preset release"
        " && cmake --build --preset release --parallel {threads} --target {wildcards.driver}"
        " && python {input.script} --driver {wildcards.driver} --root . --output {output.facts}"
        " --toolchain {params.toolchain:q})"
        " > {log} 2>&1"
        " || {{ grep -iE -A4 'error|not found' {log} >&2 || tail -n 20 {log} >&2; exit 1; }}"


rule catalogue:
    input:
        facts="results/build/{problem}.json",
        driver=ancient("build/bin/{problem}"),
    output:
        "results/catalogue/{problem}.json",
    log:
        "results/logs/catalogue/{problem}.log",
    message:
        "Listing the algorithms of {wildcards.problem}"
    shell:
        "{input.driver} --list --json {output} 2> {log} || {{ cat {log} >&2; exit 1; }}"
