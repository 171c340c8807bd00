"""
The angle of separability (B1 to B4)
====================================

The figures of the paper on the geometry of linear separability (A. Ben-Israel and Y. Levin, 2005). Sizes are smaller
here; ``sepal reproduce --only B`` makes them in full, with the published numbers beside ours.
"""

from sepal.reproduce import EXPERIMENTS

# %%
# B1. Angle and cosine against the distance of the means
# ------------------------------------------------------
# The source: Two normal classes move apart: the angle goes from 0 to 90 degrees.

found = EXPERIMENTS["B1"].run(quick=True)
figure = EXPERIMENTS["B1"].draw(found)

# %%
# B2. The angle of five data sets
# -------------------------------
# The source: Where the angle is large all of 33 methods predict well, where it is small all do poorly.

found = EXPERIMENTS["B2"].run(quick=True)
figure = EXPERIMENTS["B2"].draw(found)

# %%
# B3. A singular covariance, worked through
# -----------------------------------------
# The source: If the difference of the means lies outside the range of S, add kappa times a projection; let kappa
# grow.

found = EXPERIMENTS["B3"].run(quick=True)
figure = EXPERIMENTS["B3"].draw(found)

# %%
# B4. Metric clustering and its cut-off
# -------------------------------------
# The source: Clusters of rows and labels answer with their mean label, and a cut-off p turns that into a class.

found = EXPERIMENTS["B4"].run(quick=True)
figure = EXPERIMENTS["B4"].draw(found)
