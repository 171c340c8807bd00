"""Rows that are hard for a filter, and how its answer is compared with the oracle's."""

from __future__ import annotations

import itertools

import numpy as np

import sepal._native as native
from tests.oracles.neighbors import ranking


def search(points, k, queries=None, *, method, tie=0.0, limits=None, threads=2, progress=None):
    return native.search(
        points=points, queries=queries, k=k, limits=limits, method=method, metric="l2", p=2.0, n_numeric=0,
        weights=np.ones(points.shape[1]), tie=tie, zero=0.0, threads=threads, progress=progress,
    )  # fmt: skip


def near_a_plane(rng, n, p, axes=5, noise=0.05):
    return rng.normal(size=(n, axes)) @ rng.normal(size=(axes, p)) + noise * rng.normal(size=(n, p))


def _clusters(rng, n, p):
    return 50 * rng.normal(size=(6, p))[rng.integers(6, size=n)] + 1e-3 * rng.normal(size=(n, p))


def _far_out(rng, n, p):
    rows = near_a_plane(rng, n, p)
    rows[7] *= 1e7
    return rows


def _constant_columns(rng, n, p):
    rows = near_a_plane(rng, n, p)
    rows[:, ::3] = 4.0
    return rows


def _far_cells(rng, n, p):
    """Single cells far out, in every tenth row: bytes for the others must not become coarse by them."""
    rows = rng.normal(size=(n, p))
    rows[::10, rng.integers(p, size=len(rows[::10]))] *= 200
    return rows


# Each with numbers that are whole where ties must be exact.
SETS = {
    "near a plane": near_a_plane,
    "whole numbers with ties": lambda rng, n, p: np.round(2 * near_a_plane(rng, n, p, 2, 0.01)),
    "bits": lambda rng, n, p: rng.integers(0, 2, size=(n, p)).astype(float),
    "noise": lambda rng, n, p: rng.normal(size=(n, p)),
    "clusters far apart": _clusters,
    "one row far out": _far_out,
    "constant columns": _constant_columns,
    "one line": lambda rng, n, p: np.outer(np.round(rng.normal(size=n), 2), np.arange(p) - 3.0),
    "huge": lambda rng, n, p: 1e140 * near_a_plane(rng, n, p),
    "tiny": lambda rng, n, p: 1e-140 * near_a_plane(rng, n, p),
    "cells far out": _far_cells,
    "far from the origin": lambda rng, n, p: 1e6 + np.round(8 * near_a_plane(rng, n, p)),
}


# Sums of squares of these are exact, and so are their ties.
WHOLE = frozenset({"whole numbers with ties", "bits", "far from the origin"})


def assert_the_oracle(found, D, k, tie, *, exclude_self):
    start, rows, values = found
    wanted = ranking(D, k, ties="all", exclude_self=exclude_self, tolerance=tie, squared=False)
    assert [rows[a:b].tolist() for a, b in itertools.pairwise(start)] == [[each.row for each in one] for one in wanted]
    first = [one[0].row for one in wanted]
    np.testing.assert_allclose(values[start[:-1]], D[np.arange(len(D)), first], rtol=1e-9)
