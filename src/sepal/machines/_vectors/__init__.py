"""Vector machines: rows as coordinates on selected feature vectors, and linear models and discriminants on these.

In: rows, labels and weights, or kernel matrices. Out: the fitted machines that ``sepal.machines`` exports. Only
``sepal.machines`` and its tests import from here; ``_dual`` does not.
"""
