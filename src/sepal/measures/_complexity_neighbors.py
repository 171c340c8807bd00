"""Neighbourhoods: N1, N2, N3, N4, T1 and LSC of the survey."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table
from sepal.measures._enemies import Enemies, nearest_enemies, sphere_radii, spheres_left
from sepal.measures._groups import class_groups
from sepal.measures._interpolated import Interpolated
from sepal.measures._labelled import Progress
from sepal.measures._thornton import first_groups
from sepal.neighbors import Search

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowMeasures:
    """What each row contributes to the neighbourhood measures.

    ``hit`` is infinite for the only row of a class. ``spheres`` is the row's share in a surviving sphere, and
    ``made_error`` and ``made_codes`` belong to the interpolated rows.
    """

    codes: NDArray[np.int32]
    borderline: Floats
    hit: Floats
    miss: Floats
    error: Floats
    spheres: Floats
    local_set: Floats
    made_error: Floats
    made_codes: NDArray[np.int32]

    def summary(self, code: int | None = None) -> dict[str, float]:
        """The measures of all rows, or of those of one class."""
        rows = slice(None) if code is None else self.codes == code
        made = slice(None) if code is None else self.made_codes == code
        hit, miss = self.hit[rows], self.miss[rows]
        return {
            "N1": float(np.mean(self.borderline[rows])),
            "N2": _ratio_of_sums(hit, miss),
            "N2m": _mean_of_ratios(hit, miss),
            "N3": float(np.mean(self.error[rows])),
            "N4": float(np.mean(self.made_error[made])),
            "T1": float(np.mean(self.spheres[rows])),
            "LSC": float(1 - np.mean(self.local_set[rows])),
        }


def _ratio_of_sums(hit: Floats, miss: Floats) -> float:
    known = np.isfinite(hit)
    inside, outside = float(hit[known].sum()), float(miss[known].sum())
    return inside / (inside + outside) if inside + outside > 0 else float("nan")


def _mean_of_ratios(hit: Floats, miss: Floats) -> float:
    known = np.isfinite(hit) & ((hit > 0) | (miss > 0))
    return float(np.mean(hit[known] / (hit[known] + miss[known]))) if known.any() else float("nan")


def borderline_rows(search: Search, codes: NDArray[np.int32], progress: Progress | None) -> Floats:
    """1 for rows that an edge of the minimum spanning tree joins to another class."""
    first, second, _ = search.spanning_tree(codes, progress)
    cross = codes[first] != codes[second]
    touched = np.zeros(len(codes))
    touched[first[cross]] = 1.0
    touched[second[cross]] = 1.0
    return touched


def nearest_error(search: Search, codes: NDArray[np.int32], n_classes: int) -> Floats:
    """Share of each row's nearest tied group that is of another class: 1 - Thornton's indicator."""
    rows = np.arange(len(codes))
    groups = class_groups(search.distinct_ranking(1), codes, n_classes, rows)
    size, same = first_groups(groups)
    return np.asarray(1.0 - (same / size)[groups.case_of])


def interpolated_error(
    search: Search, embed: Callable[[Table], Table], codes: NDArray[np.int32], n_classes: int, made: Interpolated
) -> Floats:
    """1-NN error on each made-up row, averaged over tied neighbours."""
    found = search.query_ranking(embed(made.table), 1)
    counts = np.zeros((len(search.first), n_classes))
    np.add.at(counts, (search.group_of, codes), 1)
    query = np.repeat(np.arange(len(made.codes)), np.diff(found.start))
    nearest = found.distances == found.distances[found.start[:-1]][query]
    query, entry = query[nearest], found.entries[nearest]
    near = np.bincount(query, weights=counts[entry].sum(axis=1), minlength=len(made.codes))
    same = np.bincount(query, weights=counts[entry, made.codes[query]], minlength=len(made.codes))
    return np.asarray(1.0 - same / near)


def hit_distances(search: Search, codes: NDArray[np.int32], n_classes: int) -> Floats:
    """Distance to the nearest other row of the same class; infinite for the only row of a class."""
    hit = np.full(len(codes), np.inf)
    for c in range(n_classes):
        inside = np.flatnonzero(codes == c)
        if len(inside) > 1:
            hit[inside] = search.nearest_distance(inside, inside)
    return hit


def local_sets(search: Search, enemies: Enemies, progress: Progress | None) -> Floats:
    """Share of all rows that are nearer to each row than its nearest enemy, itself included."""
    everyone = np.arange(len(enemies.case_of))
    counts = search.count_within(enemies.row, everyone, enemies.distance, progress)
    return np.asarray(counts[enemies.case_of] / len(everyone))


def row_measures(
    search: Search,
    embed: Callable[[Table], Table],
    codes: NDArray[np.int32],
    n_classes: int,
    made: Interpolated,
    progress: Callable[[float], object],
) -> RowMeasures:
    """All neighbourhood measures of all rows. ``progress`` gets the share of the work that is done."""
    error = nearest_error(search, codes, n_classes)
    progress(0.1)
    enemies = nearest_enemies(search, codes, n_classes)
    progress(0.25)
    hit = hit_distances(search, codes, n_classes)
    progress(0.35)
    local = local_sets(search, enemies, lambda done: progress(0.35 + 0.2 * done))
    kept = spheres_left(search, enemies, sphere_radii(enemies))
    progress(0.7)
    touched = borderline_rows(search, codes, lambda done: progress(0.7 + 0.25 * done))
    return RowMeasures(
        codes=codes,
        borderline=touched,
        hit=hit,
        miss=enemies.distance[enemies.case_of],
        error=error,
        spheres=(kept / enemies.copies)[enemies.case_of],
        local_set=local,
        made_error=interpolated_error(search, embed, codes, n_classes, made),
        made_codes=made.codes,
    )
