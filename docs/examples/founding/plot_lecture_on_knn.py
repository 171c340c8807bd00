"""
A lecture on k nearest neighbours (D1 to D6)
============================================

The figures of a lecture by S. Sarkar (IIT Kharagpur). Sizes are smaller here; ``sepal reproduce --only D`` makes them
in full, with the published numbers beside ours.
"""

from sepal.reproduce import EXPERIMENTS

# %%
# D1. Voronoi cells
# -----------------
# The source: One nearest neighbour divides the space into regions by perpendicular bisectors: a Voronoi diagram.

found = EXPERIMENTS["D1"].run(quick=True)
figure = EXPERIMENTS["D1"].draw(found)

# %%
# D2. Maps of 1-NN and 15-NN
# --------------------------
# The source: Small k captures fine structure, large k is less sensitive to noise.

found = EXPERIMENTS["D2"].run(quick=True)
figure = EXPERIMENTS["D2"].draw(found)

# %%
# D3. Training, ten-fold, test and Bayes error against k
# ------------------------------------------------------
# The source: Test and cross-validation error fall and rise again; the training error does not warn.

found = EXPERIMENTS["D3"].run(quick=True)
figure = EXPERIMENTS["D3"].draw(found)

# %%
# D4. Weights for elliptical classes, learned five ways
# -----------------------------------------------------
# The source: Weights allow k-NN to be effective with axis-parallel elliptical classes. Where do weights come from?

found = EXPERIMENTS["D4"].run(quick=True)
figure = EXPERIMENTS["D4"].draw(found)

# %%
# D5. Locally weighted averages
# -----------------------------
# The source: Let every row vote, with a weight that falls off rapidly; KernelWidth controls the neighbourhood.

found = EXPERIMENTS["D5"].run(quick=True)
figure = EXPERIMENTS["D5"].draw(found)

# %%
# D6. Irrelevant columns
# ----------------------
# The source: Irrelevant features hurt neighbours most of all; removing them is very important.

found = EXPERIMENTS["D6"].run(quick=True)
figure = EXPERIMENTS["D6"].draw(found)
