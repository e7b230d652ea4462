# From matrices to the report: resolve matrices, build, measure, collect, tables and figures, report.
#   snakemake --cores N report                                    config/config.yaml
#   snakemake --cores N report --configfile config/smoke.yaml     another one, instead
#   snakemake --cores N archive --configfile config/archive.yaml  what report/measurements/ holds
#   snakemake --cores N report --config measure=existing          of the records that are there
#   snakemake -n report                                           what would run, and why
from snakemake.utils import min_version

min_version("9.19")


# A configuration of the command line replaces the default one; merging the two would mix the
# problems of both.
if not workflow.configfiles:

    configfile: "config/config.yaml"


include: "workflow/rules/common.smk"


if not ONLY_EXISTING:

    include: "workflow/rules/build.smk"
    include: "workflow/rules/matrices.smk"
    include: "workflow/rules/measure.smk"


include: "workflow/rules/collect.smk"
include: "workflow/rules/archive.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        "results/report.pdf",
