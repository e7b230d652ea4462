# %% [markdown]
# # Explore the measured cells
#
# A *cell* is one algorithm with its parameters on one matrix. Each cell has one record, and each
# record has an id. `docs/cells.md` explains every column of the table.
#
# This page draws three figures of the report again. Then it changes a question. At the end it goes
# from a point of a figure to the command that measures this point again.
#
# The workflow runs the notebook with the cells of its run. In an editor, without the workflow, the
# notebook takes the archived machine `h200`. Every number below is computed from the table.

# %%
import shlex
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sparserepro import load_cells
from sparserepro.again import command
from sparserepro.paths import MEASUREMENTS
from sparserepro.records import identity, read

job: Any = globals().get("snakemake")  # the workflow puts its job here
place = job.input.cells if job else "h200"
cells = load_cells(place)
f"{len(cells)} cells of {', '.join(cells['machine'].unique())}"

# %% [markdown]
# ## Choose a machine
#
# A run has cells of its own, and cells of archived machines beside them. The notebook takes the
# machine of the run. It takes the first archived machine where the run measured nothing. On a
# machine with a GPU it looks at the GPU, the `device`.

# %%
own_machines = cells.loc[cells["set"].isna(), "machine"]
machine = [*own_machines, *cells["machine"]][0]
cells = cells[(cells["machine"] == machine) & (cells["status"] == "ok")]
side = "device" if (cells["side"] == "device").any() else "host"
chosen = cells[cells["chosen"] & (cells["side"] == side)]
ROW = ["matrix", "instance"]  # algorithms are compared on one matrix with one instance
f"The machine is {machine}, the side is {side}."


# %%
def save(figure: Figure, name: str) -> None:
    """Keeps a figure beside the page when the workflow runs the notebook."""
    if job:
        folder = Path(job.output.figures)
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})


def geometric_mean(ratios: "pd.Series[float]") -> float:
    return float(np.exp(np.log(ratios.astype(float)).mean()))


plt.rcParams["svg.hashsalt"] = "explore"  # the same figure gives the same file
pd.options.display.max_rows = 100

# %% [markdown]
# ## Figure 1: who is faster in SpMM?
#
# SpMM multiplies a sparse matrix with a dense one of K columns. Each point is one matrix with one
# K. Its height is the time of the fastest library over the time of the project's best algorithm. A
# point above the line is faster than the library. Every time has an uncertainty, so the table
# gives each ratio a 95 % interval and a verdict. A red ring marks a loss: a point with the verdict
# `slower`. Its whole interval lies below the line.

# %%
spmm = chosen[(chosen["problem"] == "spmm") & chosen["best_own"]]
lost = spmm[spmm["library_verdict"] == "slower"]

figure, axes = plt.subplots(figsize=(9, 4.5))
axes.set_prop_cycle(color=plt.get_cmap("tab20").colors)  # type: ignore[attr-defined]
for index, (name, points) in enumerate(spmm.groupby("class")):
    shift = 1.02 ** (index - spmm["class"].nunique() / 2)  # so that points do not hide each other
    axes.scatter(points["k"] * shift, points["library_ratio"], s=16, label=str(name), zorder=2)
    ringed = lost[lost["class"] == name]
    axes.scatter(ringed["k"] * shift, ringed["library_ratio"], s=70, fc="none", ec="red", zorder=3)
axes.axhline(1, color="black", linewidth=0.8)
axes.set_xlabel("K, columns of the dense matrix")
axes.set_ylabel("time of the library / own time")
if len(spmm):
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.legend(ncols=2, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
figure.tight_layout()
save(figure, "spmm")

# %%
spmm_answer = (
    f"{len(lost)} of {len(spmm)} points are losses. The geometric mean of all points is "
    f"{geometric_mean(spmm['library_ratio']):.3g}."
)
spmm_answer

# %% [markdown]
# Where an interval reaches the line, the verdict is `same` or `unclear`.

# %%
verdicts = spmm["library_verdict"].value_counts()
verdicts.to_frame("points")

# %%
SHOWN = ["id", "matrix", "class", "k", "library_ratio", "library_ratio_low", "library_ratio_high",
         "library_verdict", "library_id"]  # fmt: skip
losses = lost.sort_values("library_ratio")[SHOWN].set_index("id")
losses

# %% [markdown]
# ## Figure 2: how far is transposition from the copy bound?
#
# Transposition has to read the matrix once and to write it once. The *copy bound* is the time of
# this traffic at the highest rate that the machine reaches. An algorithm whose data lie in main
# memory takes at least this time. The bar is the bound. The points are the fastest own algorithm
# and the fastest library.

# %%
transpose = chosen[chosen["problem"] == "transpose"]
compared = transpose.loc[transpose["best_own"], ROW]  # the rows that the report compares
transpose = transpose.merge(compared, on=ROW)
fastest = transpose.sort_values("headline_s").drop_duplicates([*ROW, "peer"])
order = fastest.drop_duplicates(ROW).sort_values("copy_bound_s")
order = order[[*ROW, "value_type", "copy_bound_s"]]
order["at"] = range(len(order))
fastest = fastest.merge(order[[*ROW, "at"]], on=ROW)

figure, axes = plt.subplots(figsize=(9, 5.5))
axes.barh(order["at"], order["copy_bound_s"] * 1e3, color="lightgrey", label="copy bound")
for peer, label in ((False, "own"), (True, "library")):
    points = fastest[fastest["peer"] == peer]
    axes.scatter(points["headline_s"] * 1e3, points["at"], s=16, label=label, zorder=2)
names = order["matrix"] + "  " + order["value_type"].fillna("")
axes.set_yticks(order["at"], names.tolist(), fontsize=7)
axes.set_xlabel("milliseconds")
if len(order):
    axes.set_xscale("log")
axes.legend()
figure.tight_layout()
save(figure, "transpose")

# %%
shares = fastest.groupby("peer")["share_of_bound"].agg(["count", "min", "median", "max"])
shares.rename(index={False: "own", True: "library"})

# %% [markdown]
# A share of 0.5 means: the algorithm takes twice the copy bound.

# %% [markdown]
# ## Figure 3: how many calls pay for the preparation?
#
# Some algorithms prepare a matrix before the first product. Let P be the time of the preparation,
# and T the time of one product. Then n calls cost P + n T. Preparation pays when the matrix is
# used often. The thin lines are the points of figure 1. The thick line is their geometric mean.

# %%
calls = np.unique(np.logspace(0, 4, 60).round())
library = cells.drop_duplicates("id").set_index("id").reindex(spmm["library_id"])
P, T = (spmm[name].to_numpy(float) for name in ("preparation_s", "headline_s"))
P_library, T_library = (library[name].to_numpy(float) for name in ("preparation_s", "headline_s"))
ratios = (P_library[:, None] + calls * T_library[:, None]) / (P[:, None] + calls * T[:, None])

figure, axes = plt.subplots(figsize=(9, 4.5))
axes.plot(calls, ratios.T, color="grey", linewidth=0.4)
if len(spmm):
    axes.plot(calls, np.exp(np.log(ratios).mean(axis=0)), linewidth=2.5)
    axes.set_xscale("log")
    axes.set_yscale("log")
axes.axhline(1, color="black", linewidth=0.8)
axes.set_xlabel("calls")
axes.set_ylabel("time of the library / own time")
figure.tight_layout()
save(figure, "calls")

# %% [markdown]
# The *break-even* is the first n from which the own algorithm takes less time. It solves P + n T <
# P' + n T', where P' and T' are of the library. There is none (`inf`) where the own product is
# slower. The report looks at all settings of an algorithm for each n. Here each algorithm has the
# one setting of figure 1. So the two can differ.

# %%
gain = T_library - T
with np.errstate(divide="ignore", invalid="ignore"):
    first = np.where(gain > 0, np.maximum(1, np.floor((P - P_library) / gain) + 1), np.inf)
break_even = spmm.assign(break_even=first)
calls_answer = (
    f"{np.isfinite(first).sum()} of {len(first)} points have a break-even. "
    f"The median of all points is {break_even['break_even'].median():.3g} calls."
)
calls_answer

# %%
break_even.groupby("class")["break_even"].agg(["count", "min", "median", "max"])

# %% [markdown]
# ## Change the question
#
# Perhaps only large matrices count. `least_entries` is the least number of entries of a matrix
# that counts. Here it is the upper quartile. Change this line, for example to `10_000_000`, and
# run the cells below again.

# %%
least_entries = spmm["entries"].quantile(0.75)

# %%
large = spmm[spmm["entries"] >= least_entries]
groups = {"all": spmm, "large": large, "others": spmm.drop(large.index)}
changed = pd.DataFrame(
    {
        name: {
            "points": len(group),
            "losses": (group["library_verdict"] == "slower").sum(),
            "geometric mean": geometric_mean(group["library_ratio"]),
        }
        for name, group in groups.items()
    }
).T
changed

# %% [markdown]
# ## From a point to its cell
#
# The table of losses names each point by its id. An id is that of one record. Here it is the
# lowest point of figure 1. Put another id into `wanted` to see another cell.

# %%
wanted = spmm.sort_values("library_ratio")["id"][:1]
found = cells[cells["id"].isin(wanted)].drop_duplicates("id")
found.T

# %% [markdown]
# ## From the cell to its command
#
# The record of a cell has all samples, and the command line of its driver. That driver measured
# many cells. `command` writes the line that measures this cell alone, with the same timing.
# `sparserepro trace` does the same for a number of the report.

# %%
folder = Path(place).parent / "collected" if job else MEASUREMENTS / place
records = {identity(record): record for record in read(folder)}
pair = [*found["id"], *found["library_id"].dropna()]
commands = [shlex.join(command(records[name])) for name in pair]
print("\n\n".join(commands))

# %% [markdown]
# The first line measures the cell, the second the library that it is compared with. Build the
# drivers first: `cmake --preset release`, then `cmake --build --preset release`. Run the lines in
# the root of the repository. A line for the device needs a GPU. A file of a matrix lies in
# `resources/matrices/` after a run that downloaded it.
