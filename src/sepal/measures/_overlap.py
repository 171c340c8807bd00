"""Where in the space of the columns two classes mix, and which columns tell them apart least."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.data import Table, data_frame, frame_html
from sepal.measures._class_pairs import MOST_CLASS_PAIRS, MOST_PAIRED
from sepal.measures._neighborhood import neighborhood
from sepal.measures._prepared import PREPARING, Prepared, Preparing, prepare
from sepal.measures._thornton_groups import groups_of
from sepal.neighbors import recall_html, recall_told
from sepal.parameters import RandomState, check_whole, checked
from sepal.progress import Progress

MIXED = 1 / 3  # a row lies in the mixing region if at least this share of its nearest is of the other class
_BLOCK = 256  # columns that are ranked at a time


@dataclass(frozen=True)
class RegionColumn:
    """One column in a mixing region.

    Attributes
    ----------
    name : str
    apart : float
        How well this column alone tells the two classes apart, 0 to 1: |2 AUC - 1| of its values, or for a nominal
        column the total variation between the shares of its levels.
    low, high : float or None
        The middle 80 % of the region's values; None for a nominal column.
    level : object or None
        The most frequent level in the region, for a nominal or ordinal column.
    """

    name: str
    apart: float
    low: float | None
    high: float | None
    level: Any | None


@dataclass(frozen=True)
class OverlapRegion:
    """Two classes and the rows where they mix.

    Attributes
    ----------
    classes : tuple
    mixing : float
        Mean share of the other class among the k nearest, over the rows of both.
    rows : tuple of int
        Rows with at least a third of the other class among their k nearest, in the data as given.
    share : float
        Their share among the checked rows of both classes.
    columns : tuple of RegionColumn
        Those that tell the classes apart least first; constant columns are left out.

    Examples
    --------
    >>> import sepal
    >>> from sepal.measures import overlap_regions
    >>> region = overlap_regions(sepal.datasets.load("liver")).regions[0]
    >>> region.classes, len(region.rows), region.columns[0].name
    ((1, 2), 232, 'drinks')
    """

    classes: tuple[Any, Any]
    mixing: float
    rows: tuple[int, ...]
    share: float
    columns: tuple[RegionColumn, ...]


@dataclass(frozen=True, eq=False)
class OverlapRegions:
    """Mixing regions of pairs of classes, worst first.

    Attributes
    ----------
    regions : tuple of OverlapRegion
        One for every pair of classes, those that mix most first; with more than 50 classes the
        first 1,225 of those that mix at all.
    k : int
        How many neighbours of a row were asked.
    n_rows, n_checked : int
        Rows given, and those whose neighbours were looked up: fewer where a sample was taken.
    distance : str
        The distance that neighbours were found by.
    notes : tuple of str
        What was done on the way and should be known.

    Examples
    --------
    >>> import sepal
    >>> from sepal.measures import overlap_regions
    >>> found = overlap_regions(sepal.datasets.load("athletes"))
    >>> [(region.classes, region.rows) for region in found.regions]
    [(('no', 'yes'), (1, 3, 5, 14, 15, 16, 17, 19))]
    """

    regions: tuple[OverlapRegion, ...]
    k: int
    n_rows: int
    n_checked: int
    distance: str
    notes: tuple[str, ...]

    @property
    def recall(self) -> float | None:
        """Share of the neighbours that an approximate search found; None where all were found."""
        return recall_told(self.notes)

    def frame(self) -> Any:
        """One line per pair of classes."""
        return data_frame(
            [
                {
                    "first": region.classes[0],
                    "second": region.classes[1],
                    "mixing": region.mixing,
                    "rows": len(region.rows),
                    "share": region.share,
                    "least_telling": region.columns[0].name,
                    "most_telling": region.columns[-1].name,
                }
                for region in self.regions
            ]
        )

    def plot(self, ax: Any = None) -> Any:
        """How much each pair of classes mixes, as bars."""
        from sepal.plots import draw_bars

        return draw_bars(
            [" / ".join(map(str, region.classes)) for region in self.regions],
            [region.mixing for region in self.regions],
            xlabel=f"share of the other class among the {self.k} nearest",
            ax=ax,
        )

    def _repr_html_(self) -> str:
        return frame_html(self, float_format="{:.3f}".format) + recall_html(self.notes)


@checked(passes_on=PREPARING)
def overlap_regions(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 5,
    n_queries: int | None = None,
    groups: Any = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> OverlapRegions:
    """Overlap regions: where classes mix, pair by pair.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`thornton_samples`.
    n_neighbors : int
        Neighbours that are looked at; without groups every other row may be one, copies too.
    groups : array-like, "copies" or None
        As in :func:`suspects`: rows of one group are no neighbours of each other.
    n_queries, random_state
        As in :func:`suspects`; how well columns tell two classes apart is then judged by these rows too.

    Returns
    -------
    OverlapRegions

    Examples
    --------
    >>> found = overlap_regions([[0.0], [1.0], [2.0], [2.5], [4.0], [5.0]], list("aaabbb"), n_neighbors=1)
    >>> found.regions[0].rows
    (2, 3)
    """
    data = prepare(X, y, n_queries=n_queries, random_state=random_state, **how)
    apart = groups_of(data, groups, X, y)
    most = data.n_rows - (1 if apart is None else int(np.bincount(apart).max()))
    k = int(check_whole("n_neighbors", n_neighbors, at_most=most))
    asking = data.asking
    shares = neighborhood(data, k, asking, progress, apart).shares
    varying = _varying(data.dense.table.values)
    codes, n_classes = data.codes[asking], len(data.classes)
    of_class = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes, minlength=n_classes))[:-1])
    regions = [_region(data, asking, shares, varying, of_class, a, b) for a, b in _most_mixed(shares, of_class)]
    return OverlapRegions(
        regions=tuple(sorted(regions, key=lambda region: -region.mixing)),
        k=k,
        n_rows=data.n_rows,
        n_checked=len(asking),
        distance=data.search.fitted.name,
        notes=(*data.notes, *_pairs_notes(n_classes)),
    )


def _most_mixed(shares: NDArray[np.float64], of_class: list[NDArray[np.intp]]) -> list[tuple[int, int]]:
    """All pairs of classes; of too many those that mix most, if at all, and of equal ones those that come first."""
    n_classes = len(of_class)
    if n_classes <= MOST_PAIRED:
        return list(combinations(range(n_classes), 2))
    sizes = np.array([len(rows) for rows in of_class])
    own = np.empty(len(shares), dtype=np.intp)
    own[np.concatenate(of_class)] = np.repeat(np.arange(n_classes), sizes)
    at, other = np.nonzero(shares)
    low, high = np.minimum(own[at], other), np.maximum(own[at], other)
    pair, place = np.unique(low * n_classes + high, return_inverse=True)
    first, second = np.divmod(pair, n_classes)
    mixing = np.bincount(place, weights=shares[at, other]) / (sizes[first] + sizes[second])
    mixing = np.where(first == second, -1.0, np.round(mixing, 12))  # equal but for rounding is equal
    taken = np.sort(np.argsort(-mixing, kind="stable")[:MOST_CLASS_PAIRS])
    taken = taken[mixing[taken] >= 0]
    return list(zip(first[taken].tolist(), second[taken].tolist(), strict=True))


def _pairs_notes(n_classes: int) -> tuple[str, ...]:
    if n_classes <= MOST_PAIRED:
        return ()
    n_pairs = n_classes * (n_classes - 1) // 2
    return (f"overlaps are those of the {MOST_CLASS_PAIRS:,} of {n_pairs:,} class pairs that mix most",)


def _varying(values: NDArray[np.float64]) -> list[int]:
    """Columns that are not constant, which would tell nobody apart; all if all are."""
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    return np.flatnonzero(low < high).tolist() or list(range(values.shape[1]))


def _region(
    data: Prepared,
    asking: NDArray[np.intp],
    shares: NDArray[np.float64],
    varying: list[int],
    of_class: list[NDArray[np.intp]],
    a: int,
    b: int,
) -> OverlapRegion:
    table, of_a, of_b = data.dense.table, of_class[a], of_class[b]
    other = np.concatenate([shares[of_a, b], shares[of_b, a]])
    places = np.concatenate([of_a, of_b])
    mixed = np.sort(asking[places[other >= MIXED - 1e-12]])
    everyone = np.sort(asking[places])
    second = data.codes[everyone] == b
    columns = _columns(table, [j for j in varying if table.kinds[j] != "text"], everyone, second, mixed)
    labels = data.classes.tolist()
    return OverlapRegion(
        classes=(labels[a], labels[b]),
        mixing=float(other.mean()) if len(other) else 0.0,
        rows=tuple(data.rows[mixed].tolist()),
        share=len(mixed) / max(1, len(places)),
        columns=tuple(sorted(columns, key=lambda column: (column.apart, column.name))),
    )


def _columns(
    table: Table, columns: list[int], rows: NDArray[np.intp], second: NDArray[np.bool_], mixed: NDArray[np.intp]
) -> list[RegionColumn]:
    """Each column of a region; those with an order a block at a time."""
    found = [_nominal(table, j, rows, second, mixed) for j in columns if table.kinds[j] == "nominal"]
    ordered = [j for j in columns if table.kinds[j] != "nominal"]
    for begin in range(0, len(ordered), _BLOCK):
        block = ordered[begin : begin + _BLOCK]
        apart = _rank_separations(table.values[rows][:, block], second)
        ranges = _middles(table.values[mixed][:, block])
        for j, separation, (low, high) in zip(block, apart, ranges, strict=True):
            found.append(RegionColumn(table.names[j], separation, low, high, _commonest(table, j, mixed)))
    return found


def _nominal(
    table: Table, j: int, rows: NDArray[np.intp], second: NDArray[np.bool_], mixed: NDArray[np.intp]
) -> RegionColumn:
    values = table.values[rows, j]
    present = ~np.isnan(values)
    apart = _total_variation(values[present], second[present])
    return RegionColumn(table.names[j], apart, None, None, _commonest(table, j, mixed))


def _commonest(table: Table, j: int, mixed: NDArray[np.intp]) -> Any:
    """The level that most of the mixed rows have; None for numbers."""
    levels = table.levels[j]
    if levels is None:
        return None
    inside = table.values[mixed, j]
    inside = inside[~np.isnan(inside)].astype(int)
    return levels[int(np.bincount(inside, minlength=len(levels)).argmax())] if len(inside) else None


def _middles(inside: NDArray[np.float64]) -> list[tuple[float | None, float | None]]:
    """Of each column the range without a tenth at either end; (None, None) where every cell is missing."""
    found: list[tuple[float | None, float | None]] = []
    whole = np.full(inside.shape[1], len(inside) > 0) & ~np.isnan(inside).any(axis=0)
    together = iter(np.quantile(inside[:, whole], [0.1, 0.9], axis=0).T.tolist() if whole.any() else ())
    for j, complete in enumerate(whole):
        if complete:
            low, high = next(together)
        else:
            cells = inside[~np.isnan(inside[:, j]), j]
            low, high = np.quantile(cells, [0.1, 0.9]).tolist() if len(cells) else (None, None)
        found.append((low, high))
    return found


def _rank_separations(values: NDArray[np.float64], second: NDArray[np.bool_]) -> list[float]:
    """|2 AUC - 1| of every column for telling the second class from the first; missing cells take no part."""
    present = ~np.isnan(values)
    n2 = (present & second[:, None]).sum(axis=0)
    n1 = present.sum(axis=0) - n2
    order = np.argsort(values, axis=0, kind="stable")  # missing cells last, where they change no rank before them
    ordered = np.take_along_axis(values, order, axis=0)
    place = np.arange(len(values))[:, None]
    new = np.ones(values.shape, dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    last = np.ones(values.shape, dtype=bool)
    last[:-1] = new[1:]
    first_place = np.maximum.accumulate(np.where(new, place, 0), axis=0)
    last_place = np.minimum.accumulate(np.where(last, place, len(values))[::-1], axis=0)[::-1]
    ranks = (first_place + last_place) / 2 + 1  # equal values share the mean of their ranks
    of_second = second[order] & ~np.isnan(ordered)
    above = np.where(of_second, ranks, 0.0).sum(axis=0) - n2 * (n2 + 1) / 2
    pairs = n1 * n2
    area = np.divide(above, pairs, out=np.full(pairs.shape, 0.5), where=pairs > 0)
    return np.abs(2 * area - 1).tolist()  # type: ignore[no-any-return]


def _total_variation(values: NDArray[np.float64], second: NDArray[np.bool_]) -> float:
    if second.all() or not second.any():
        return 0.0
    size = int(values.max()) + 1
    first_share, second_share = (
        np.bincount(values[m].astype(int), minlength=size) / m.sum() for m in (~second, second)
    )
    return float(np.abs(first_share - second_share).sum() / 2)
