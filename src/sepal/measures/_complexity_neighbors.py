"""Neighbourhoods: N1, N2, N3, N4, T1, LSC and, where distances have a natural unit, Density of the survey.

Every pair of rows is looked at once for the nearest row of the own class and the nearest enemies, which N2, N3, T1 and
LSC read. Pairs inside a class are looked at once more, when these distances are known, and counted for LSC and Density
together: rows nearer than the nearest enemy are of the own class. The spanning tree (N1) goes its own way, spheres (T1)
compare what is left of them, and N4 asks about rows that are not in the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table
from sepal.measures._enemies import TIED, Enemies, nearest_enemies, sphere_radii, spheres_left
from sepal.measures._groups import class_groups
from sepal.measures._interpolated import Interpolated
from sepal.measures._labelled import Progress
from sepal.measures._thornton import first_groups
from sepal.neighbors import Search

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowMeasures:
    """What each row contributes to the neighbourhood measures.

    ``hit`` is infinite for the only row of a class. ``spheres`` is the row's share in a surviving sphere, ``near`` the
    share of all other rows that are near and of its class (None if nobody asked), and ``made_error`` and ``made_codes``
    belong to the interpolated rows.
    """

    codes: NDArray[np.int32]
    borderline: Floats
    hit: Floats
    miss: Floats
    error: Floats
    spheres: Floats
    local_set: Floats
    near: Floats | None
    made_error: Floats
    made_codes: NDArray[np.int32]

    def summary(self, code: int | None = None) -> dict[str, float]:
        """The measures of all rows, or of those of one class."""
        rows = slice(None) if code is None else self.codes == code
        made = slice(None) if code is None else self.made_codes == code
        hit, miss = self.hit[rows], self.miss[rows]
        found = {
            "N1": float(np.mean(self.borderline[rows])),
            "N2": _ratio_of_sums(hit, miss),
            "N2m": _mean_of_ratios(hit, miss),
            "N3": float(np.mean(self.error[rows])),
            "N4": float(np.mean(self.made_error[made])),
            "T1": float(np.mean(self.spheres[rows])),
            "LSC": float(1 - np.mean(self.local_set[rows])),
        }
        if self.near is not None:
            found["Density"] = float(1 - np.mean(self.near[rows]))
        return found


def _ratio_of_sums(hit: Floats, miss: Floats) -> float:
    known = np.isfinite(hit) & np.isfinite(miss)
    inside, outside = float(hit[known].sum()), float(miss[known].sum())
    return inside / (inside + outside) if inside + outside > 0 else float("nan")


def _mean_of_ratios(hit: Floats, miss: Floats) -> float:
    known = np.isfinite(hit) & np.isfinite(miss) & ((hit > 0) | (miss > 0))
    return float(np.mean(hit[known] / (hit[known] + miss[known]))) if known.any() else float("nan")


def borderline_rows(search: Search, codes: NDArray[np.int32], progress: Progress | None) -> Floats:
    """1 for rows that an edge of the minimum spanning tree joins to another class."""
    first, second, _ = search.spanning_tree(codes, progress)
    cross = codes[first] != codes[second]
    touched = np.zeros(len(codes))
    touched[first[cross]] = 1.0
    touched[second[cross]] = 1.0
    return touched


def nearest_error(hit: Floats, n_hit: Floats, enemies: Enemies) -> Floats:
    """Share of each row's nearest tied group that is of another class: 1 - Thornton's indicator.

    The nearest of all are the nearest of the own class, of the others, or both where these are equally far.
    """
    miss = enemies.distance[enemies.case_of]
    n_miss = np.add.reduceat(enemies.copies[enemies.enemy], enemies.start[:-1])[enemies.case_of]
    same = np.where(hit * (1 - TIED) <= miss, n_hit, 0.0)
    other = np.where(miss * (1 - TIED) <= hit, n_miss, 0.0)
    return np.asarray(other / (same + other))


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


def nearest_hits(search: Search, codes: NDArray[np.int32], n_classes: int) -> tuple[Floats, Floats]:
    """Distance to the nearest other row of the same class, infinite for the only row of a class, and how many tie."""
    hit, n_hit = np.full(len(codes), np.inf), np.zeros(len(codes))
    for c in range(n_classes):
        inside = np.flatnonzero(codes == c)
        if len(inside) > 1:
            part = search.among(inside)
            ranking = part.distinct_ranking(1)
            groups = class_groups(ranking, np.zeros(len(inside), dtype=np.int32), 1, np.arange(len(inside)))
            hit[inside] = ranking.distances[ranking.start[:-1]][part.group_of]
            n_hit[inside] = first_groups(groups)[0][groups.case_of]
    return hit, n_hit


def local_sets(
    search: Search, codes: NDArray[np.int32], enemies: Enemies, as_given: bool, reach: float | None, progress: Progress
) -> tuple[Floats, Floats | None]:
    """Share of all rows that are nearer to each row than its nearest enemy, itself included.

    Beside it, if there is a ``reach``, the share of the other rows that are of the row's class and nearer than that.
    Numbers as they were given are compared to the last digit. Where columns were scaled, that digit is an accident of
    the scaling, and distances that differ by rounding only are equal.
    """
    radius = np.stack([enemies.distance] + ([] if reach is None else [np.full(len(enemies.distance), reach)]))
    counts, n, n_classes = np.empty(radius.shape), len(codes), int(codes.max()) + 1
    for c in range(n_classes):

        def tell(done: float, behind: int = c) -> None:
            progress((behind + done) / n_classes)

        mine = np.flatnonzero(enemies.code == c)
        counts[:, mine] = search.count_within(
            enemies.row[mine],
            np.flatnonzero(codes == c),
            radius[:, mine],
            tell,
            to_the_digit=as_given,
        )
    counts = counts[:, enemies.case_of]
    return counts[0] / n, None if reach is None else (counts[1] - 1) / (n - 1)


def row_measures(
    search: Search,
    embed: Callable[[Table], Table],
    codes: NDArray[np.int32],
    n_classes: int,
    made: Interpolated,
    as_given: bool,
    reach: float | None,
    progress: Callable[[float], object],
) -> RowMeasures:
    """All neighbourhood measures of all rows; ``as_given`` if no column was scaled, ``reach`` what Density calls near.

    ``progress`` gets the share of the work that is done.
    """
    enemies = nearest_enemies(search, codes, n_classes)
    progress(0.2)
    hit, n_hit = nearest_hits(search, codes, n_classes)
    progress(0.35)
    local, near = local_sets(search, codes, enemies, as_given, reach, lambda done: progress(0.35 + 0.2 * done))
    kept = spheres_left(search, enemies, sphere_radii(enemies))
    progress(0.7)
    touched = borderline_rows(search, codes, lambda done: progress(0.7 + 0.25 * done))
    return RowMeasures(
        codes=codes,
        borderline=touched,
        hit=hit,
        miss=enemies.distance[enemies.case_of],
        error=nearest_error(hit, n_hit, enemies),
        spheres=(kept / enemies.copies)[enemies.case_of],
        local_set=local,
        near=near,
        made_error=interpolated_error(search, embed, codes, n_classes, made),
        made_codes=made.codes,
    )
