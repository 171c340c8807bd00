"""
Index and alignment (A1 to A4)
==============================

Thornton's separability index and kernel alignment over feature subsets: the first half of the figures of the paper on
feature subset selection (J. R. Greene, 2001). Sizes are smaller here; ``sepal reproduce --only A`` makes them in
full, with the published numbers beside ours.
"""

from sepal.reproduce import EXPERIMENTS

# %%
# A1. Index against the accuracy of a kernel machine
# --------------------------------------------------
# The source: Over feature subsets the index and the accuracy of the kernel Adatron go together remarkably well.

found = EXPERIMENTS["A1"].run(quick=True)
figure = EXPERIMENTS["A1"].draw(found)

# %%
# A2. Alignment against width
# ---------------------------
# The source: Alignment has a clear peak over the width, nearly in the same place for all feature subsets.

found = EXPERIMENTS["A2"].run(quick=True)
figure = EXPERIMENTS["A2"].draw(found)

# %%
# A3. All subsets of nine features
# --------------------------------
# The source: A scattergram of index and alignment over all 512 subsets, and its corner enlarged.

found = EXPERIMENTS["A3"].run(quick=True)
figure = EXPERIMENTS["A3"].draw(found)

# %%
# A4. Two lists of the twenty best subsets
# ----------------------------------------
# The source: The twenty best by index and the twenty best by alignment have, surprisingly, one subset in common.

found = EXPERIMENTS["A4"].run(quick=True)
figure = EXPERIMENTS["A4"].draw(found)
