"""Rows to cut into partitions."""

from __future__ import annotations

import numpy as np
import pandas as pd


def frame(kind: str, n: int = 900, seed: int = 1) -> pd.DataFrame:
    """Rows of one sort: real numbers, few whole numbers (many ties and copies), or mixed with missing cells."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10)) if kind != "whole" else rng.integers(0, 4, size=(n, 5)).astype(float)
    found = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    if kind == "mixed":
        found["x1"] = rng.choice(list("pqr"), n)
        found.loc[::7, "x2"] = np.nan
    found["class"] = np.where(X[:, 0] + rng.normal(size=n) > X[:, 0].mean(), "b", "a")
    return found
