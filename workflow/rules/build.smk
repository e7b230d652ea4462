# The drivers, what their timings depend on, and their catalogues of algorithms.
CUDA = {True: "ON", False: "OFF"}.get(CONFIG["cuda"], "auto")
# The commands name the variable: a value in their text would make them others, and measure again.
os.environ["SPARSEREPRO_BUILD_CUDA"] = CUDA


envvars:
    "SPARSEREPRO_BUILD_CUDA",


TOOLCHAIN = (
    node.toolchain_of_any(CUDA) if ON_NODES else build_facts.toolchain(Path("build"), SOURCES, CUDA)
)
FACTS = {driver: build_facts.facts(SOURCES, driver, TOOLCHAIN) for driver in DRIVERS}
OUTDATED = [name for name in DRIVERS if not build_facts.is_current(FACTS[name], SHARED)]
NEW_PROBLEMS = [name for name in OUTDATED if name in build_facts.PROBLEMS]

try:
    known = [problem for problem in PROBLEMS if problem not in OUTDATED]
    catalogue.check_all(JOBS.values(), known, SHARED / "catalogue")
    catalogue.check_registered(JOBS.values(), NEW_PROBLEMS, SOURCES)
except ConfigError as error:
    refuse(error)


# Comes before a command that runs {driver}: an executable that is gone although its facts are those
# of today is built again, and nothing is measured for that. The command takes the shell's place, as
# it does where it stands alone: the signal that ends a job has to reach it.
BUILD_MISSING = (
    'python -m sparserepro.build.drivers --cuda "$SPARSEREPRO_BUILD_CUDA" --missing'
    " --parallel {{threads}} {driver}"
    " > {{log}} 2>&1 && exec "
)
BUILD = (
    'python -m sparserepro.build.drivers --cuda "$SPARSEREPRO_BUILD_CUDA" --parallel {threads}'
    " {params.drivers} > {log} 2>&1"
)
TREE = "build"
CATALOGUE = "{input.catalogue}"
NODE = ""
# A node has a build tree of its own kind, with its catalogues.
if ON_NODES:
    BUILD_MISSING = (
        'tree=$(python -m sparserepro.build.node --cuda "$SPARSEREPRO_BUILD_CUDA"'
        " {driver} matrix_info 2> {{log}}) && exec "
    )
    BUILD = (
        'tree=$(python -m sparserepro.build.node --cuda "$SPARSEREPRO_BUILD_CUDA"'
        " {params.drivers} 2> {log})"
    )
    TREE = "$tree"
    CATALOGUE = "$tree/facts/catalogue/{wildcards.problem}.json"
    NODE = " --on-node"


if OUTDATED and workflow.is_main_process and ON_NODES:
    say(
        f"Build: {', '.join(OUTDATED)}; the first job on each kind of node builds for that kind",
        *plan.outdated([FACTS[driver] for driver in OUTDATED], SHARED),
    )
elif OUTDATED and workflow.is_main_process:
    cores = min(workflow.cores or 1, available_cores())
    say(
        plan.build(SOURCES, OUTDATED, TOOLCHAIN["cuda"] != "", cores),
        *plan.outdated([FACTS[driver] for driver in OUTDATED], SHARED),
    )


# One job for all drivers that are out of date, and for no other. Measuring depends on the facts,
# and not on the executables, which every commit links anew.
if OUTDATED:

    rule build:
        input:
            sorted({str(p) for d in OUTDATED for p in build_facts.driver_sources(SOURCES, d)}),
        output:
            facts=expand(f"{SHARED}/build/{{driver}}.json", driver=OUTDATED),
            catalogues=expand(f"{SHARED}/catalogue/{{problem}}.json", problem=NEW_PROBLEMS),
        log:
            f"{SHARED}/logs/build.log",
        priority: 3
        threads: whole_machine()
        resources:
            **whole_node(240, lambda wildcards: JOBS.values()),
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
            BUILD
            + f" && python -m sparserepro.build.catalogue --drivers {TREE}/bin --jobs {{params.jobs:q}}"
            f" --output {SHARED}/catalogue --problems {{params.problems}} 2> >(tee -a {{log}} >&2)"
            f" && python -m sparserepro.build.facts --facts {{params.facts:q}}"
            f" --output {SHARED}/build"
