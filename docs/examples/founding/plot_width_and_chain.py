"""
Width, the whole chain, random splits (A5 to A8)
================================================

The second half of the figures of the paper on feature subset selection (J. R. Greene, 2001): how alignment chooses a
width, what the whole chain is worth, and what the index is the mean of. Sizes are smaller here; ``sepal reproduce
--only A`` makes them in full, with the published numbers beside ours.
"""

from sepal.reproduce import EXPERIMENTS

# %%
# A5. Width by alignment, width by leave-one-out
# ----------------------------------------------
# The source: The peak of the alignment lies close to the width that cross-validation finds.

found = EXPERIMENTS["A5"].run(quick=True)
figure = EXPERIMENTS["A5"].draw(found)

# %%
# A6. The whole chain against a grid
# ----------------------------------
# The source: Features by index, width by alignment, a sparse machine: close to the state of the art, no choice to
# make.

found = EXPERIMENTS["A6"].run(quick=True)
figure = EXPERIMENTS["A6"].draw(found)

# %%
# A7. The index and many random splits
# ------------------------------------
# The source: The index is identical to the asymptotic result of many random splits.

found = EXPERIMENTS["A7"].run(quick=True)
figure = EXPERIMENTS["A7"].draw(found)

# %%
# A8. Clusters, noise and parity
# ------------------------------
# The source: Tight clusters have an index near 1, coinciding ones 0.5, the parity grid 0.

found = EXPERIMENTS["A8"].run(quick=True)
figure = EXPERIMENTS["A8"].draw(found)
