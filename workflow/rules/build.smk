# The drivers, what their timings depend on, and their catalogues of algorithms.
TOOLCHAIN = build_facts.toolchain(Path("build"))


rule build:
    input:
        build_facts.all_sources(ROOT),
    output:
        expand("build/bin/{driver}", driver=build_facts.DRIVERS),
    log:
        "results/logs/build.log",
    threads: workflow.cores
    params:
        toolchain=TOOLCHAIN,
        targets=" ".join(build_facts.DRIVERS),
    message:
        "Building the drivers"
    shell:
        "(cmake --preset release"
        " && cmake --build --preset release --parallel {threads} --target {params.targets})"
        " > {log} 2>&1"
        " || {{ grep -iE -A4 'error|not found' {log} >&2 || tail -n 20 {log} >&2; exit 1; }}"


rule build_facts:
    input:
        sources=lambda wildcards: build_facts.driver_sources(ROOT, wildcards.driver),
        script="workflow/scripts/build_facts.py",
    output:
        "results/build/{driver}.json",
    log:
        "results/logs/build_facts/{driver}.log",
    params:
        toolchain=json.dumps(TOOLCHAIN),
    message:
        "Noting what the timings of {wildcards.driver} depend on"
    shell:
        "python {input.script} --driver {wildcards.driver} --root . --output {output}"
        " --toolchain {params.toolchain:q} 2> {log}"


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
