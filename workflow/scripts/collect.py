"""Snakemake's job that collects the records; a script, since their names exceed a command line."""

import sys
from typing import Any

from sparserepro.data.collect import main

job: Any = globals()["snakemake"]  # Snakemake puts it there
sys.exit(
    main(
        [*job.input.records],
        [*job.input.archived, *job.input.sums],
        job.input.schema,
        job.output[0],
        job.log[0],
    )
)
