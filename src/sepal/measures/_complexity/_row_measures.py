"""Neighbourhoods: N1, N2, N3, N4, T1, LSC and, where distances have a natural unit, Density of the survey.

One pass looks at every pair of rows once. Pairs of different classes give the nearest enemies; pairs of one class then
give the nearest row of the class and, since the enemies are known by then, how many rows are nearer than these (LSC)
and within reach (Density). Made-up rows ask in the same pass for their nearest (N4). N2, N3 and the radii of spheres
(T1) are read from it, and the spanning tree (N1) grows from the shortest edges that every row kept on the way. Few
pairs are looked at again: rows whose kept edges all ended inside their own part of the tree, and spheres that may lie
inside a larger one, which is known only when all have their radius.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, geometric_rank
from sepal.measures._complexity._interpolated import Interpolated
from sepal.measures._complexity._spheres import TIED, sphere_radii, spheres_left
from sepal.neighbors import ClassPass, Search
from sepal.progress import Share

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowMeasures:
    """What each row contributes to the neighbourhood measures.

    ``hit`` is infinite for the only row of a class. ``spheres`` is the row's share in a surviving sphere, ``near`` the
    share of all other rows that are near and of its class (None if nobody asked), or their number where ``near_of`` is
    that of the other rows. ``made_error`` and ``made_codes`` belong to the interpolated rows.
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
    near_of: Floats | None = None

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
            near = self.near[rows]
            share = np.mean(near) if self.near_of is None else near.sum() / self.near_of[rows].sum()
            found["Density"] = float(1 - share)
        return found


def _ratio_of_sums(hit: Floats, miss: Floats) -> float:
    known = np.isfinite(hit) & np.isfinite(miss)
    inside, outside = float(hit[known].sum()), float(miss[known].sum())
    return inside / (inside + outside) if inside + outside > 0 else float("nan")


def _mean_of_ratios(hit: Floats, miss: Floats) -> float:
    known = np.isfinite(hit) & np.isfinite(miss) & ((hit > 0) | (miss > 0))
    return float(np.mean(hit[known] / (hit[known] + miss[known]))) if known.any() else float("nan")


def borderline_rows(found: ClassPass, codes: NDArray[np.int32]) -> Floats:
    """1 for rows that an edge of the minimum spanning tree joins to another class."""
    first, second = found.tree()
    cross = codes[first] != codes[second]
    touched = np.zeros(len(codes))
    touched[first[cross]] = 1.0
    touched[second[cross]] = 1.0
    return touched


def nearest_error(found: ClassPass) -> Floats:
    """Share of each case's nearest tied group that is of another class: 1 - Thornton's indicator.

    The nearest of all are the nearest of the own class, of the others, or both where these are equally far.
    """
    hit, miss = found.own, found.distance
    n_miss = np.add.reduceat(found.cases.copies[found.enemy], found.start[:-1])
    same = np.where(hit * (1 - TIED) <= miss, found.n_own, 0.0)
    other = np.where(miss * (1 - TIED) <= hit, n_miss, 0.0)
    return np.asarray(other / (same + other))


def row_measures(
    search: Search,
    embed: Callable[[Table], Table],
    codes: NDArray[np.int32],
    made: Interpolated,
    as_given: bool,
    reach: float | None,
    progress: Share,
) -> RowMeasures:
    """All neighbourhood measures of all rows; ``as_given`` if no column was scaled, ``reach`` what Density calls near.

    Numbers as they were given are compared to the last digit in LSC. Where columns were scaled, that digit is an
    accident of the scaling, and distances that differ by rounding only are equal. ``progress`` gets the share of the
    work that is done.
    """
    rank = geometric_rank(search.coordinates(np.arange(len(codes))), codes)
    found = search.class_pass(
        codes,
        (embed(made.table), made.codes),
        reach=reach,
        to_the_digit=as_given,
        tree=True,
        rank=rank,
        progress=lambda done: progress(0.8 * done),
    )
    case_of, n = found.cases.case_of, len(codes)
    kept = spheres_left(search, found, sphere_radii(found), rank)
    progress(1.0)
    return RowMeasures(
        codes=codes,
        borderline=borderline_rows(found, codes),
        hit=found.own[case_of],
        miss=found.distance[case_of],
        error=nearest_error(found)[case_of],
        spheres=(kept / found.cases.copies)[case_of],
        local_set=found.nearer[case_of] / n,
        near=None if reach is None else found.near[case_of] / (n - 1),
        made_error=1.0 - found.further_same / found.further_tied,
        made_codes=made.codes,
    )
