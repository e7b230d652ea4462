"""`sparserepro unseen`: what a seed draws for a configuration. Nothing is built or measured."""

import argparse

from sparserepro.config import draws, unseen
from sparserepro.config.check import seeded, validate
from sparserepro.config.file import load_config_file
from sparserepro.fetch.wanted import planned


def command(options: argparse.Namespace) -> int:
    """Raises ConfigError."""
    file = options.configfile
    made = planned(file, seed=options.seed)
    for matrix in unseen.drawn(made.config["seed"], made.config["unseen"]):
        print(f"{matrix.id}  {matrix.spec}")
    given = validate(seeded(load_config_file(file), options.seed), "config.schema.yaml", str(file))
    for where in dict(draws.asked(given)):
        _, problem, _, name = where.split(".")
        values = dict.fromkeys(job.instance[name] for job in made.jobs if job.problem == problem)
        print(f"{problem} {name}: {', '.join(map(str, values))}")
    return 0
