"""
A condensed set on the plane
============================

FCNN keeps the rows that the nearest-neighbour rule needs to answer all others as they are labelled: those along the
border, and those inside the other class. Edited first (ENN), the border alone is left.
"""

import matplotlib.pyplot as plt

import sepal
from sepal.prototypes import enn, fcnn

table = sepal.datasets.load("ripley-train")
edited = table.take(enn(table).rows)
fig, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained", sharex=True, sharey=True)
for ax, rows, title in zip(axes, (table, edited), ("FCNN", "ENN, then FCNN"), strict=True):
    kept = rows.take(fcnn(rows).rows)
    for place, label in enumerate(rows.target_levels):
        for part, size, alpha in ((rows, 8, 0.35), (kept, 40, 1.0)):
            of_class = part.values[part.y == label]
            ax.scatter(*of_class.T, s=size, alpha=alpha, color=f"C{place}", marker="os"[place], linewidths=0)
    ax.set_title(f"{title}: {kept.n_rows} of {table.n_rows} rows")
