"""Rows that do not fit their label: contradicted by their neighbours, copied, or copied with another label."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.data import data_frame, equal_rows, frame_html
from sepal.measures._margin import margin_solve
from sepal.measures._neighborhood import NearestShares, hit_and_miss_of, kth_distance, neighborhood
from sepal.measures._prepared import PREPARING, Prepared, Preparing, prepare
from sepal.measures._thornton_groups import groups_of
from sepal.measures._thornton_interval import sampled_trials, wilson_interval
from sepal.neighbors import ToldOfRows, recall_said
from sepal.parameters import RandomState, check_whole, checked
from sepal.progress import Progress

# A row of another class counts as a near-duplicate within this share of the usual distance to the nearest neighbour.
NEAR = 0.1
ROUNDING = 1e-12  # of shares and normalized margins: what is less is a tie


@dataclass(frozen=True)
class SuspectRow:
    """A row contradicted by the vote of its neighbours and by the nearest one. Rows count from 0, in the data as given.

    Attributes
    ----------
    row : int
    label, voted : object
        The label it has, and the one its k nearest vote for.
    own_share, voted_share : float
        Shares of its k nearest with either label; those tied at the k-th place share the places left.
    margin : float
        Normalized hypothesis margin, -1/2 to 0: negative if a row of another class is nearest. NaN for the only row
        of a class.
    mutual : int
        How many of the neighbours that contradict it have it among their own k nearest.
    neighbors, neighbor_labels, neighbor_distances : tuple
        Its ``k`` nearest rows, nearest first, and everyone tied with the last of them.

    Examples
    --------
    >>> import sepal
    >>> from sepal.measures import suspects
    >>> row = suspects(sepal.datasets.load("liver")).rows[0]
    >>> row.row, row.label, row.voted, row.voted_share
    (276, 1, 2, 1.0)
    """

    row: int
    label: Any
    voted: Any
    own_share: float
    voted_share: float
    margin: float
    mutual: int
    neighbors: tuple[int, ...]
    neighbor_labels: tuple[Any, ...]
    neighbor_distances: tuple[float, ...]


@dataclass(frozen=True)
class Duplicates:
    """Rows that are equal in every column: their positions and their labels."""

    rows: tuple[int, ...]
    labels: tuple[Any, ...]

    @property
    def conflicting(self) -> bool:
        """Whether they have different labels: no classifier can get all of them right."""
        return len(set(self.labels)) > 1


@dataclass(frozen=True)
class NearDuplicate:
    """Two rows of different classes that are much closer than neighbours usually are."""

    rows: tuple[int, int]
    labels: tuple[Any, Any]
    distance: float


@dataclass(frozen=True, eq=False)
class Suspects(ToldOfRows):
    """Rows to look at, worst first.

    Attributes
    ----------
    rows : tuple of SuspectRow
        Smallest share of neighbours with the own label first, then most mutual contradictions, then smallest margin.
    conflicts : tuple of Duplicates
        Equal rows with different labels.
    duplicates : tuple of Duplicates
        Equal rows with one label.
    near_duplicates : tuple of NearDuplicate
        Nearest first.
    usual_distance : float
        Median distance to the nearest neighbour, among rows that have no copy.
    n_rows, n_checked, k : int
    distance : str
    notes : tuple of str
    plan, exact, rows_seen, recall
        As in :class:`ThorntonTest`.
    interval : tuple of float
        At 95 %, for the share of all rows that are suspect; the share itself where all were checked.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.measures import suspects
    >>> found = suspects(table)
    >>> len(found.rows), len(found.duplicates)
    (0, 0)
    """

    rows: tuple[SuspectRow, ...]
    conflicts: tuple[Duplicates, ...]
    duplicates: tuple[Duplicates, ...]
    near_duplicates: tuple[NearDuplicate, ...]
    usual_distance: float
    n_rows: int
    n_checked: int
    k: int
    distance: str
    notes: tuple[str, ...]
    plan: Any = None

    @property
    def rows_seen(self) -> int:
        """Rows that were checked."""
        return self.n_checked

    @property
    def interval(self) -> tuple[float, float]:
        """For the share of all rows that are suspect."""
        trials = sampled_trials(np.array(self.n_checked), np.array(self.n_rows))
        return wilson_interval(len(self.rows) / max(1, self.n_checked), float(trials), 0.95)

    def frame(self) -> Any:
        """One line per suspect."""
        columns = ("row", "label", "voted", "own_share", "voted_share", "margin", "mutual", "neighbors")
        return data_frame([{name: getattr(each, name) for name in columns} for each in self.rows], columns=columns)

    def plot(self, most: int = 20, ax: Any = None) -> Any:
        """The margins of the worst rows as bars."""
        from sepal.plots import draw_bars

        worst = self.rows[: check_whole("most", most, at_least=1)]
        return draw_bars(
            [f"row {each.row} ({each.label}, neighbours say {each.voted})" for each in worst],
            [0.0 if np.isnan(each.margin) else each.margin for each in worst],
            xlabel="margin (below 0: another class is nearer)",
            marked=[i for i, each in enumerate(worst) if each.mutual > 0],
            ax=ax,
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>{frame_html(self, float_format='{:.3f}'.format)}"

    def __str__(self) -> str:
        return (
            f"{len(self.rows)} of {self.n_checked} rows are contradicted by their {self.k} nearest; "
            f"{len(self.conflicts)} groups of equal rows have different labels, {len(self.duplicates)} have one; "
            f"{len(self.near_duplicates)} pairs of different classes are nearly equal{recall_said(self.notes)}"
        )

    __repr__ = __str__


@checked(passes_on=PREPARING)
def suspects(
    X: Any,
    y: Any = None,
    *,
    n_neighbors: int = 5,
    n_queries: int | None = None,
    groups: Any = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
    **how: Unpack[Preparing],
) -> Suspects:
    """Likely label errors: rows whose neighbourhood contradicts their label, and duplicates of every sort.

    A row is suspect if a label other than its own has more of its k nearest (the leave-one-out vote of k-NN) and no row
    of its own class is nearer than one of another (the margin). Whether the label is wrong, the row unusual, or the
    classes simply mix there is for a person to say.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, n_jobs, progress
        As in :func:`thornton_samples`; ``distance="auto"`` takes HEOM where columns are nominal or cells missing.
    n_neighbors : int
        Neighbours that vote.
    n_queries : int, optional
        Check a random sample of the rows only (against all rows). Duplicates are always looked for in all.
    groups : array-like, "copies" or None
        Rows of one group (all copies of a row) do not vote on each other, nor do they count for the margin or as
        near-duplicates of each other. None: every other row votes.
    random_state : int, Generator or None
        For ``n_queries`` only.

    Returns
    -------
    Suspects

    Examples
    --------
    >>> found = suspects([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], ["a", "b", "a", "b", "b", "b"], n_neighbors=2)
    >>> [(each.row, each.label, each.voted) for each in found.rows]
    [(1, 'b', 'a')]
    """
    data = prepare(X, y, n_queries=n_queries, random_state=random_state, **how)
    apart = groups_of(data, groups, X, y)
    most = data.n_rows - (1 if apart is None else int(np.bincount(apart).max()))
    k = int(check_whole("n_neighbors", n_neighbors, at_most=most))
    asking = data.asking
    near = neighborhood(data, k, asking, progress, apart)
    usual = _usual_distance(near)
    return Suspects(
        rows=_contradicted(data, near, apart),
        **_equal_rows(data),
        near_duplicates=_near_duplicates(data, near, usual),
        usual_distance=usual,
        n_rows=data.n_rows,
        n_checked=len(asking),
        k=k,
        distance=data.search.fitted.name,
        notes=data.notes,
        plan=data.plan,
    )


def _usual_distance(near: NearestShares) -> float:
    first = near.distance[near.start[:-1]]
    apart = first[first > 0]
    return float(np.median(apart)) if len(apart) else 0.0


def _contradicted(data: Prepared, near: NearestShares, apart: NDArray[np.intp] | None) -> tuple[SuspectRow, ...]:
    own = data.codes[near.rows]
    own_share = near.shares[np.arange(len(own)), own]
    others = near.shares.copy()
    others[np.arange(len(own)), own] = -1.0
    voted, voted_share = others.argmax(axis=1), others.max(axis=1)
    at = np.flatnonzero(voted_share > own_share + ROUNDING)
    if len(at) == 0:
        return ()
    margin = margin_solve(*hit_and_miss_of(data, near.rows[at], apart), normalized=True)
    inside = ~(margin > ROUNDING)
    at, margin = at[inside], margin[inside]
    if len(at) == 0:
        return ()
    mutual = _mutual(data, near, at, apart)
    keys = np.nan_to_num(margin), -mutual, own_share[at]  # what differs by rounding only must not decide
    order = np.lexsort((near.rows[at], *(np.rint(key / ROUNDING) for key in keys)))
    labels = data.classes.tolist()
    found = []
    for i in order.tolist():
        q = int(at[i])
        part = slice(int(near.start[q]), int(near.start[q + 1]))
        neighbors = near.neighbor[part]
        found.append(
            SuspectRow(
                row=int(data.rows[near.rows[q]]),
                label=labels[own[q]],
                voted=labels[voted[q]],
                own_share=float(own_share[q]),
                voted_share=float(voted_share[q]),
                margin=float(margin[i]),
                mutual=int(mutual[i]),
                neighbors=tuple(data.rows[neighbors].tolist()),
                neighbor_labels=tuple(labels[c] for c in data.codes[neighbors]),
                neighbor_distances=tuple(near.distance[part].tolist()),
            )
        )
    return tuple(found)


def _mutual(
    data: Prepared, near: NearestShares, at: NDArray[np.intp], apart: NDArray[np.intp] | None
) -> NDArray[np.int64]:
    """Contradicting neighbours that have the row among their own k nearest."""
    lengths = np.diff(near.start)[at]
    flat = np.concatenate([np.arange(near.start[q], near.start[q + 1]) for q in at])
    owner = np.repeat(np.arange(len(at)), lengths)
    against = data.codes[near.neighbor[flat]] != data.codes[near.rows[at]][owner]
    flat, owner = flat[against], owner[against]
    rows, which = np.unique(near.neighbor[flat], return_inverse=True)
    reach = kth_distance(data, near.k, rows, apart)[which]
    mutual = near.distance[flat] <= reach * (1 + 1e-12)
    return np.bincount(owner[mutual], minlength=len(at))


def _equal_rows(data: Prepared) -> dict[str, tuple[Duplicates, ...]]:
    """Rows that are equal as they stand in the table; a missing cell equals a missing cell."""
    group_of = equal_rows(data.search.table)
    order = np.argsort(group_of, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(group_of))])
    labels = data.classes.tolist()
    found = [
        Duplicates(tuple(data.rows[order[a:b]].tolist()), tuple(labels[c] for c in data.codes[order[a:b]]))
        for a, b in pairwise(bounds.tolist())
        if b - a > 1
    ]
    return {
        "conflicts": tuple(each for each in found if each.conflicting),
        "duplicates": tuple(each for each in found if not each.conflicting),
    }


def _near_duplicates(data: Prepared, near: NearestShares, usual: float) -> tuple[NearDuplicate, ...]:
    query = np.repeat(np.arange(len(near.rows)), np.diff(near.start))
    a, b = near.rows[query], near.neighbor
    close = (data.codes[a] != data.codes[b]) & (near.distance > 0) & (near.distance <= NEAR * usual)
    pairs = {}
    for i, j, d in zip(a[close].tolist(), b[close].tolist(), near.distance[close].tolist(), strict=True):
        pairs[(min(i, j), max(i, j))] = d
    labels = data.classes.tolist()
    return tuple(
        NearDuplicate((int(data.rows[i]), int(data.rows[j])), (labels[data.codes[i]], labels[data.codes[j]]), d)
        for (i, j), d in sorted(pairs.items(), key=lambda item: (item[1], item[0]))
    )
