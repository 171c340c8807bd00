"""
k-NN and support vector machines (C1 to C9)
===========================================

The figures of course notes on k nearest neighbours and support vector machines. Sizes are smaller here; ``sepal
reproduce --only C`` makes them in full, with the published numbers beside ours.
"""

from sepal.reproduce import EXPERIMENTS

# %%
# C1. A rescaled axis changes the nearest pair
# --------------------------------------------
# The source: Multiply one axis by 0.3, and other points are the closest.

found = EXPERIMENTS["C1"].run(quick=True)
figure = EXPERIMENTS["C1"].draw(found)

# %%
# C2. Error of k-NN for K = 1 to 100
# ----------------------------------
# The source: On two-dimensional test data k-NN reaches 8.8 per cent at K = 33; the best possible is about 8.0.

found = EXPERIMENTS["C2"].run(quick=True)
figure = EXPERIMENTS["C2"].draw(found)

# %%
# C3. A ring and its quadratic image
# ----------------------------------
# The source: A ring around a cloud cannot be separated by a line; its image under a quadratic map can.

found = EXPERIMENTS["C3"].run(quick=True)
figure = EXPERIMENTS["C3"].draw(found)

# %%
# C4. Many separating planes, one widest margin
# ---------------------------------------------
# The source: Many planes separate two classes; take the one that is farthest from both.

found = EXPERIMENTS["C4"].run(quick=True)
figure = EXPERIMENTS["C4"].draw(found)

# %%
# C5. A toy with its support vectors
# ----------------------------------
# The source: Of fifty points only three support the boundary.

found = EXPERIMENTS["C5"].run(quick=True)
figure = EXPERIMENTS["C5"].draw(found)

# %%
# C6. Error over C for the cubic kernel
# -------------------------------------
# The source: The support vector machine with (1 + x.y)³ has its least test error, 9.4 per cent, at C = 2.

found = EXPERIMENTS["C6"].run(quick=True)
figure = EXPERIMENTS["C6"].draw(found)

# %%
# C7. Error over width and C for the radial kernel
# ------------------------------------------------
# The source: The radial kernel reaches 9.0 per cent at C = 1 and beta = 1.4; so k-NN outperforms the machine.

found = EXPERIMENTS["C7"].run(quick=True)
figure = EXPERIMENTS["C7"].draw(found)

# %%
# C8. Distances of sets, and distances from kernels
# -------------------------------------------------
# The source: Tanimoto's metric compares sets; K(x, x) + K(y, y) - 2 K(x, y) is a squared distance of images.

found = EXPERIMENTS["C8"].run(quick=True)
figure = EXPERIMENTS["C8"].draw(found)

# %%
# C9. One nearest neighbour and twice the Bayes error
# ---------------------------------------------------
# The source: With enough rows the error of one nearest neighbour is never more than twice the Bayes error.

found = EXPERIMENTS["C9"].run(quick=True)
figure = EXPERIMENTS["C9"].draw(found)
