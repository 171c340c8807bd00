"""How far apart rows at opposite corners of the training data are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sepal.neighbors import AnySearch, FunctionSearch, MixedSearch, SparseSearch, TextSearch


def widest(among: AnySearch | NDArray[np.float64] | None) -> float:
    """The diagonal of the box of the rows of a search, or the largest of measured distances; NaN where nobody can tell.

    >>> widest(np.array([[0.0, 3.0], [np.inf, 0.0]]))
    3.0
    """
    if among is None or isinstance(among, np.ndarray):
        measured = np.asarray(among)
        return float(measured[np.isfinite(measured)].max(initial=0.0)) or 1.0
    if isinstance(among, FunctionSearch):
        return float("nan")
    if isinstance(among, MixedSearch):
        return float(np.sqrt(len(among.table.kinds)))
    if isinstance(among, (SparseSearch, TextSearch)):
        rows = among.points.rows
        reach = rows.max(axis=0).toarray() - rows.min(axis=0).toarray()
        return float(np.linalg.norm(reach)) or 1.0 if among.fitted.value_is == "square" else 1.0
    fitted, (low, high) = among.fitted, among.ranges
    if fitted.value_is == "arc":
        return float(np.pi)
    if fitted.metric == "canberra":
        return float(fitted.mismatch.sum())
    if fitted.value_is not in ("square", "distance", "power") or fitted.metric in ("tanimoto", "bray_curtis"):
        return 1.0
    reach = np.nan_to_num(high - low)
    if fitted.metric == "mixed":
        reach[fitted.n_numeric :] = np.sqrt(fitted.mismatch[fitted.n_numeric :])
    if fitted.metric in ("l1", "linf", "lp"):
        order = {"l1": 1.0, "linf": np.inf}.get(fitted.metric, fitted.p)
        return float(np.linalg.norm(reach, order)) or 1.0
    return float(np.linalg.norm(reach)) or 1.0
