"""Dual machines: support vectors and the Adatron, from their rows to their pairs, choices of C and surfaces.

In: rows, labels and weights, or kernel matrices. Out: the fitted machines that ``sepal.machines`` exports. Only
``sepal.machines`` and its tests import from here; ``_vectors`` does not.
"""
