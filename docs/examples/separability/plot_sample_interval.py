"""
A sample instead of all rows
============================

Where all pairs of rows are too many, some rows ask all others. The more of them ask, the narrower the interval for the
index that all rows would give; with all of them it is exact and has no width.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sepal.scale import measure_partitions

rng = np.random.default_rng(0)
folder = tempfile.TemporaryDirectory()
for part in range(4):
    rows = pd.DataFrame(rng.normal(size=(2_000, 3)), columns=["a", "b", "c"])
    rows["class"] = np.where(rows["a"] + 0.8 * rng.normal(size=len(rows)) > 0, "up", "down")
    rows.to_parquet(Path(folder.name, f"{part}.parquet"))

exact = measure_partitions(folder.name, exact=True)
sizes = [50, 100, 200, 400, 800, 1_600, 3_200]
found = [measure_partitions(folder.name, n_queries=size) for size in sizes]
folder.cleanup()

fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for size, sample in zip(sizes, found, strict=True):
    ax.plot([size, size], sample.interval, color="C0")
    ax.plot(size, sample.thornton.score, "o", color="C0", label="sample, 95 % interval" if size == sizes[0] else None)
ax.axhline(
    exact.thornton.score,
    color="C3",
    linestyle="--",
    label=f"all {exact.thornton.n_rows:,} rows: {exact.thornton.score:.3f}",
)
ax.set_xscale("log")
ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
ax.minorticks_off()
ax.set(xlabel="rows that ask all others", ylabel="Thornton's index")
ax.legend(frameon=False)
