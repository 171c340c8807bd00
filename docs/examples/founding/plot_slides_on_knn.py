"""
Slides on nearest-neighbour classifiers (E1 to E7)
==================================================

The figures of slides by D. Greene (University College Dublin, 2015). Sizes are smaller here; ``sepal reproduce --only
E`` makes them in full, with the published numbers beside ours.
"""

from sepal.reproduce import EXPERIMENTS

# %%
# E1. Athletes: who will be selected?
# -----------------------------------
# The source: Twenty athletes by speed and agility; will one with (3, 8) be selected? Look at the three nearest.

found = EXPERIMENTS["E1"].run(quick=True)
figure = EXPERIMENTS["E1"].draw(found)

# %%
# E2. Distances and normalisation by hand
# ---------------------------------------
# The source: (60, 62) and (70, 53) are 19 apart by absolute differences and 13.45 by Euclid; ages are brought into 0
# to 1.

found = EXPERIMENTS["E2"].run(quick=True)
figure = EXPERIMENTS["E2"].draw(found)

# %%
# E3. Noise, and k as large as the data
# -------------------------------------
# The source: One nearest neighbour is misled by every noisy row; with k near n the answer is always the largest
# class.

found = EXPERIMENTS["E3"].run(quick=True)
figure = EXPERIMENTS["E3"].draw(found)

# %%
# E4. Condensed sets: twenty random orders, and one order that does not depend on chance
# --------------------------------------------------------------------------------------
# The source: Condensed nearest neighbour gives other rows for every order; sort by the distance to the nearest unlike
# row.

found = EXPERIMENTS["E4"].run(quick=True)
figure = EXPERIMENTS["E4"].draw(found)

# %%
# E5. Words, bigrams and the cosine
# ---------------------------------
# The source: A text is a bag of words; six words make five bigrams; likeness is the cosine of the angle between
# counts.

found = EXPERIMENTS["E5"].run(quick=True)
figure = EXPERIMENTS["E5"].draw(found)

# %%
# E6. A run as Weka prints it
# ---------------------------
# The source: Load the weather data, choose lazy, IBk, and press Start.

found = EXPERIMENTS["E6"].run(quick=True)
figure = EXPERIMENTS["E6"].draw(found)

# %%
# E7. A spam filter while spam changes
# ------------------------------------
# The source: Spam of 2015 does not look like spam of 2006; a lazy learner adapts: add recent examples, remove old
# ones.

found = EXPERIMENTS["E7"].run(quick=True)
figure = EXPERIMENTS["E7"].draw(found)
