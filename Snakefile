# From matrices to the report: resolve matrices, build, measure, collect, tables and figures, report.
#   snakemake --cores N report                                    config/config.yaml
#   snakemake --cores N report --configfile config/smoke.yaml     another one, instead
#   snakemake --cores N archive --configfile config/archive.yaml  what report/measurements/ holds
#   snakemake --cores N report --config measure=existing          of the records that are there
#   snakemake --cores 1 headline                                  the README's figure and table
#   snakemake -n report                                           what would run, and why
# A run has a name: the configuration's `name`, or the stem of its file. What it makes lies in
# results/<name>/, below the directory that Snakemake runs in (--directory); what runs share in
# results/shared/, build/ and resources/. The project's own files are found from here.
import os

from snakemake.utils import min_version

min_version("9.19")


# A configuration of the command line replaces the default one; merging the two would mix the
# problems of both.
if not workflow.configfiles:

    configfile: os.path.relpath(os.path.join(workflow.basedir, "config/config.yaml"))


include: "workflow/rules/common.smk"


if not ONLY_EXISTING:

    include: "workflow/rules/build.smk"
    include: "workflow/rules/matrices.smk"
    include: "workflow/rules/measure.smk"


include: "workflow/rules/collect.smk"
include: "workflow/rules/archive.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/notebook.smk"
include: "workflow/rules/headline.smk"


rule all:
    default_target: True
    input:
        rules.report.input,
