"""The prepared table: labelled rows made ready for neighbour questions once, for all measures."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from sepal.data import (
    Missing,
    Rows,
    ScaleName,
    Table,
    as_labelled_table,
    as_rows,
    class_codes,
    group_codes,
    plural,
    read_only,
    refuse_texts,
    rows_by_content,
)
from sepal.distances import DISTANCES
from sepal.exceptions import DataError, ParameterError
from sepal.neighbors import (
    AnySearch,
    DistinctRanking,
    FunctionSearch,
    Method,
    Search,
    prepare_search,
    recall_said,
    recall_told,
)
from sepal.parameters import RandomState, check_whole, checked, generator
from sepal.progress import SEARCHING, Progress, stage

KEPT_BYTES = 256 * 2**20  # of rankings that one prepared table keeps


class KeptRankings:
    """Rankings of a prepared table by the rows that asked, the latest last; the oldest go where they do not fit.

    A ranking to a greater depth serves smaller ones, and that of all rows serves some rows.
    """

    def __init__(self) -> None:
        self.searches = 0
        self._kept: OrderedDict[bytes | None, tuple[int, DistinctRanking]] = OrderedDict()

    def find(self, k: int, asking: bytes | None) -> DistinctRanking | None:
        """A kept ranking that holds the k nearest of these rows, cut to them."""
        for key in dict.fromkeys((asking, None)):
            depth, ranking = self._kept.get(key, (0, None))
            if ranking is not None and depth >= k:
                self._kept.move_to_end(key)
                return ranking if depth == k else ranking.first(k)
        return None

    def keep(self, k: int, asking: bytes | None, ranking: DistinctRanking) -> None:
        """Remember a ranking, unless it alone is too large."""
        self.searches += 1
        if ranking.nbytes > KEPT_BYTES:
            return
        for lists in (ranking.start, ranking.entries.number, ranking.distances):
            lists.flags.writeable = False  # whoever asks next must find what was found
        self._kept[asking] = (k, ranking)
        self._kept.move_to_end(asking)
        while sum(each.nbytes for _, each in self._kept.values()) > KEPT_BYTES:
            self._kept.popitem(last=False)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Labelled rows with a fitted distance, and the searches that were done on them. Made by :func:`prepare`.

    Attributes
    ----------
    search : object
        The rows that take part, with the fitted distance and equal rows grouped.
    codes, classes : arrays
        The class of each row that takes part, as a number, and the classes by that number.
    rows : array
        Where these rows were in what was given; other numbers where rows with missing cells were dropped.
    asking : array
        The rows that ask: all that take part, or a sample of them.
    scale, distance_params
        As they were asked for.
    notes : tuple of str
    given : Table or SparseRows
        All rows as they were given, those that were dropped among them.
    asked_distance, missing : str
        As they were asked for.
    kept : object
        The neighbour lists that were searched so far.
    plan : object or None
        What is to be done, where the rows are in partitions; results carry it on.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> data = sepal.prepare(table)
    >>> data
    <Prepared: 20 rows of 2 classes; euclidean distance, scale minmax>
    >>> sepal.thornton_score(data)
    1.0
    """

    search: AnySearch
    codes: NDArray[np.int32]
    classes: NDArray[Any]
    rows: NDArray[np.intp]
    asking: NDArray[np.intp]
    scale: ScaleName | None
    distance_params: Mapping[str, Any] | None
    notes: tuple[str, ...]
    given: Rows
    asked_distance: str = "auto"
    missing: Missing = "distance"
    kept: KeptRankings = field(default_factory=KeptRankings, repr=False)
    plan: Any = None

    def __post_init__(self) -> None:
        for part in ("codes", "classes", "rows", "asking"):
            object.__setattr__(self, part, read_only(getattr(self, part)))
        if isinstance(points := getattr(self.search, "points", None), np.ndarray):
            points.flags.writeable = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    @property
    def dense(self) -> Search:
        """The search, where a question needs the coordinates of the rows."""
        if isinstance(self.search.table, Table):
            refuse_texts(self.search.table, "this is for numbers and names")
        if isinstance(self.search, FunctionSearch):
            raise ParameterError(
                "distance is a function of two rows, and this needs the coordinates of rows",
                hint=f"a distance that has a name: {', '.join(DISTANCES)}",
            )
        if not isinstance(self.search, Search):
            raise DataError(
                "X is a sparse matrix, and this needs a dense table", hint="use X.toarray() if it fits into memory"
            )
        return self.search

    @property
    def recall(self) -> float | None:
        """Share of the neighbours that an approximate search finds; None where all are found."""
        return recall_told(self.notes)

    @property
    def n_rows(self) -> int:
        """How many rows take part."""
        return len(self.codes)

    @property
    def dropped_notes(self) -> tuple[str, ...]:
        """What is to be said of rows that were dropped; nothing where all take part."""
        return self.notes[: len(self.notes) - len(self.search.fitted.notes)]

    @property
    def class_counts(self) -> NDArray[np.int64]:
        """Rows per class."""
        return np.bincount(self.codes, minlength=len(self.classes))

    def ranking(
        self, n_neighbors: int, rows: NDArray[np.intp] | None = None, progress: Progress | None = None
    ) -> DistinctRanking:
        """The ``n_neighbors`` nearest distinct rows of all rows, or of these; searched for once."""
        check_whole("n_neighbors", n_neighbors, at_least=1)
        if rows is not None and len(rows) == self.n_rows:
            rows = None
        key = None if rows is None else rows.tobytes()
        found = self.kept.find(n_neighbors, key)
        if found is None:
            found = self.search.distinct_ranking(n_neighbors, rows=rows, progress=stage(progress, SEARCHING))
            self.kept.keep(n_neighbors, key, found)
        if progress is not None:
            progress(SEARCHING, 1.0)
        return found

    def __sepal_search__(self) -> AnySearch:
        """The search of these rows, for what ranks neighbours and nothing else."""
        if len(self.asking) < self.n_rows:
            raise DataError(
                f"only {len(self.asking)} of {self.n_rows} rows ask in this prepared table, and here every row asks",
                hint="prepare the rows without n_queries",
            )
        return self.search

    def __sepal_table__(self) -> Rows:
        """The rows that take part, for what needs no neighbours."""
        return self.search.table

    def __repr__(self) -> str:
        sampled = "" if len(self.asking) == self.n_rows else f", of which {len(self.asking)} ask"
        classes = plural(len(self.classes), "class", "classes")
        return (
            f"<Prepared: {self.n_rows} rows of {len(self.classes)} {classes}{sampled}; "
            f"{self.search.fitted.name} distance, scale {self.scale}{recall_said(self.notes)}>"
        )


def settled(
    X: Any,
    *,
    scale: ScaleName | None,
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    **rest: Any,
) -> dict[str, Any]:
    """Distance and scaling for what prepares rows itself: those of a prepared table, which settles them, or these.

    ``rest`` are more keywords of :func:`prepare`, which a prepared table settles as well.
    """
    if not isinstance(X, Prepared):
        return {"distance": distance, "distance_params": distance_params, "scale": scale}
    prepare(X, distance=distance, distance_params=distance_params, scale=scale, **rest)  # refuses other ones
    return {"distance": X.search.fitted.name, "distance_params": X.distance_params, "scale": X.scale}


def rows_taken(X: Any, y: Any, missing: Missing) -> tuple[Table, NDArray[np.intp], tuple[str, ...]]:
    """The table without incomplete rows if they are to be dropped, where its rows were in what was given, and notes.

    A prepared table tells which rows were dropped when it was made.
    """
    table, kept, notes = as_labelled_table(X, y, missing)
    return table, X.rows[kept] if isinstance(X, Prepared) else kept, (*dropped_before(X), *notes)


def dropped_before(X: Any) -> tuple[str, ...]:
    """What is to be said of rows that were dropped when rows were prepared."""
    return X.dropped_notes if isinstance(X, Prepared) else ()


def groups_taken(groups: Any, X: Any, y: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Numbers of the groups of the rows that take part, from one label for each row that was given.

    Beside a prepared table there may be one for each row that takes part instead.
    """
    ready = isinstance(X, Prepared)
    if ready and np.shape(groups) == rows.shape:
        return group_codes(groups, len(rows))
    return group_codes(groups, (X.given if ready else as_rows(X, y)).n_rows)[rows]


def sample_rows(
    rows: Rows, codes: NDArray[np.int32], n_queries: int | None, random_state: RandomState
) -> NDArray[np.intp]:
    """Which rows ask: all of them, or a random sample without replacement, in row order.

    Rows are drawn by what is in them: a seed draws the same ones however they were shuffled.
    """
    rng, n_rows = generator(random_state), rows.n_rows
    if n_queries is None or check_whole("n_queries", n_queries, at_least=1) >= n_rows:
        return np.arange(n_rows)
    order = rows_by_content(rows, codes)
    return np.sort(order[rng.choice(n_rows, size=int(n_queries), replace=False)])


class Preparing(TypedDict, total=False):
    """The keywords of :func:`prepare` that every function takes which compares rows with each other."""

    distance: str
    distance_params: Mapping[str, Any] | None
    scale: ScaleName | None
    missing: Missing
    n_jobs: int | None


class PreparingSearch(Preparing, total=False):
    """These, and how neighbours are searched for."""

    method: Method


@checked()
def prepare(
    X: Any,
    y: Any = None,
    *,
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    n_queries: int | None = None,
    random_state: RandomState = 0,
    method: Method = "auto",
    n_jobs: int | None = None,
) -> Prepared:
    """Labelled rows made ready once, for any number of questions.

    What comes out takes the place of ``X`` in every measure, prototype method and selection, in
    :func:`sepal.separability` and in ``evaluate``'s curve over k. Rows are then checked, scaled, embedded and grouped
    once, and a search for neighbours that was done for one question serves the next. Answers are the same to the last
    bit. Estimators read its rows and classes; their distance and scaling are their own parameters.

    Parameters
    ----------
    X : Table, ndarray, data frame, scipy sparse matrix or list of sets
        The rows. A Table with a target needs no ``y``. Something prepared comes back as it is.
    y : array-like, optional
        The class of each row.
    distance : str
        A name in ``sepal.distances.DISTANCES``. ``"auto"`` is Euclidean for complete numbers, HEOM where columns are
        nominal or cells are missing, the cosine for sparse matrices, Tanimoto's distance for sets.
    distance_params : mapping, optional
        What the distance takes: ``weights``, ``p``, ``covariance``.
    scale : {"minmax", "standard"} or None
        Scaling of numeric columns before distances are taken.
    missing : {"distance", "drop"}
        Leave missing cells to the distance (which must define them), or drop rows that have any.
    n_queries : int, optional
        Let only a random sample of rows ask (about all rows). For data too large for all pairs.
    random_state : int, Generator or None
        For ``n_queries`` only.
    method : {"auto", "brute", "tree", "approximate"}
        The neighbour search. The answer does not depend on it, but for "approximate", which needs FAISS and misses some
        neighbours: which share of them it finds is measured, warned of, and among the notes.
    n_jobs : int, optional
        Threads; all cores by default. The answer does not depend on it.

    Returns
    -------
    Prepared
        Holds at most 256 MB of neighbour lists.

    Examples
    --------
    >>> import sepal
    >>> ready = sepal.prepare(sepal.datasets.load("sonar"))
    >>> ready
    <Prepared: 208 rows of 2 classes; euclidean distance, scale minmax>
    >>> sepal.thornton_score(ready), sepal.thornton_test(ready).score
    (0.875, 0.875)
    """
    if isinstance(X, Prepared):
        given = {
            "y": (y, None),
            "distance": (distance, "auto"),
            "distance_params": (distance_params, None),
            "scale": (scale, "minmax"),
            "missing": (missing, "distance"),
            "n_queries": (n_queries, None),
            "method": (method, "auto"),
            "n_jobs": (n_jobs, None),
        }
        for name, (value, default) in given.items():
            if value is not default and not (isinstance(value, str) and value == default):
                raise ParameterError(f"{name} was settled when the rows were prepared", hint=f"give {name} to prepare")
        return X
    table: Rows = as_rows(X, y)
    all_rows = table
    rows = np.arange(table.n_rows)
    notes: tuple[str, ...] = ()
    if isinstance(table, Table):  # in sparse rows no cell is missing
        table, rows, notes = as_labelled_table(table, None, missing)
    codes, classes = class_codes(table)
    search = prepare_search(
        table, distance=distance, distance_params=distance_params, scale=scale, method=method, n_jobs=n_jobs
    )
    asking = sample_rows(table, codes, n_queries, random_state)
    return Prepared(
        search, codes, classes, rows, asking, scale, distance_params, (*notes, *search.fitted.notes), all_rows,
        distance, missing,
    )  # fmt: skip


PREPARING = tuple(inspect.signature(prepare).parameters[name] for name in Preparing.__annotations__)
PREPARING_SEARCH = tuple(inspect.signature(prepare).parameters[name] for name in PreparingSearch.__annotations__)
