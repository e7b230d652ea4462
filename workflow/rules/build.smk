# The drivers, what their timings depend on, and their catalogues of algorithms.
TOOLCHAIN = build_facts.toolchain(Path("build"))
FACTS = {driver: build_facts.facts(Path(), driver, TOOLCHAIN) for driver in DRIVERS}
OUTDATED = [name for name in DRIVERS if not build_facts.is_current(FACTS[name], Path("results"))]
LOST = [name for name in DRIVERS if name not in OUTDATED and not Path("build/bin", name).exists()]
NEW_PROBLEMS = [name for name in OUTDATED if name in build_facts.PROBLEMS]

try:
    known = [problem for problem in PROBLEMS if problem not in OUTDATED]
    catalogue.check_all(JOBS.values(), known, Path("results/catalogue"))
except ConfigError as error:
    refuse(error)


# One job for all drivers that are out of date, and for no other: measuring depends on the facts,
# and on the executable through ancient() alone. Facts and executables are outputs of one rule. Were
# they not, Snakemake would pass over the jobs behind a pending build and not see that, say, their
# parameters have changed too.
if OUTDATED:

    rule build:
        input:
            sorted({str(p) for d in OUTDATED for p in build_facts.driver_sources(Path(), d)}),
        output:
            drivers=expand("build/bin/{driver}", driver=OUTDATED),
            facts=expand("results/build/{driver}.json", driver=OUTDATED),
            catalogues=expand("results/catalogue/{problem}.json", problem=NEW_PROBLEMS),
        log:
            "results/logs/build.log",
        priority: 3
        threads: workflow.cores
        params:
            drivers=OUTDATED,
            problems=NEW_PROBLEMS,
            facts=json.dumps([FACTS[driver] for driver in OUTDATED]),
            # Taking `output` makes it no rerun trigger: the names build no other driver.
            jobs=lambda wildcards, output: json.dumps(
                [dataclasses.asdict(job) for job in catalogue.distinct_names(JOBS.values())]
            ),
        message:
            "Building {params.drivers}"
        shell:
            "(cmake --preset release"
            " && cmake --build --preset release --parallel {threads} --target {params.drivers})"
            " > {log} 2>&1"
            " && python workflow/scripts/catalogue.py --drivers build/bin --jobs {params.jobs:q}"
            " --output results/catalogue --problems {params.problems} 2> >(tee -a {log} >&2)"
            " && python workflow/scripts/build_facts.py --facts {params.facts:q}"
            " --output results/build"


# An executable that is gone although its facts are those of today, when a job needs it.
if LOST:

    rule rebuild:
        output:
            "build/bin/{driver}",
        log:
            "results/logs/rebuild/{driver}.log",
        wildcard_constraints:
            driver="|".join(LOST),
        priority: 3
        threads: workflow.cores
        message:
            "Building {wildcards.driver} again"
        shell:
            "(cmake --preset release"
            " && cmake --build --preset release --parallel {threads} --target {wildcards.driver})"
            " > {log} 2>&1"
