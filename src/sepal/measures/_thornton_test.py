"""Is Thornton's index more than chance? Exact permutation moments, an interval, and per-class values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sepal.data import Missing, ScaleName, data_frame, frame_html, left_out_together
from sepal.exceptions import ParameterError
from sepal.measures._groups import class_groups
from sepal.measures._label_shuffles import permutation_test, shuffler
from sepal.measures._nearest import NearestGraph, nearest_graph
from sepal.measures._prepared import Prepared, Progress, prepare
from sepal.measures._thornton import first_groups, nearest_ranking
from sepal.measures._thornton_interval import effective_rows, wilson_interval
from sepal.measures._thornton_p import LabelMoments, PValue, label_moments, p_value
from sepal.neighbors import DistinctRanking, Method
from sepal.parameters import RandomState, checked, generator


@dataclass(frozen=True, eq=False)
class ThorntonTest:
    """Thornton's index with all that is needed to judge it.

    Attributes
    ----------
    score : float
        Thornton's index under ``ties="expected"``.
    chance : float
        Its exact mean over all permutations of the labels: sum n_c(n_c-1) / n(n-1).
    corrected : float
        (score - chance) / (1 - chance): 0 at chance, 1 when every nearest neighbour agrees.
    macro : float
        The mean of the per-class scores.
    per_class : dict
        Score of each class: the share of its rows whose nearest neighbour is of that class.
    class_counts : dict
        Rows of each class.
    interval : tuple of float
        At ``confidence``, for the accuracy that 1-NN trained on these rows has on further rows of the same kind. It is
        Wilson's, for the number of independent rows that would tell as much: rows that are nearest to each other agree
        or disagree together. With ``n_queries`` it is for the score of all rows instead.
    confidence : float
    z : float or None
        The score less its permutation mean, in permutation standard deviations, both exact.
    p_value : float or None
        One-sided: how often random labels are at least as separable. From the exact mean, variance and skewness
        (Pearson III), or, where these do not tell enough, from random permutations, which ``notes`` then say.
    p_source : {"moments", "permutations"} or None
        Where ``p_value`` comes from.
    permutation_std, permutation_skewness : float or None
        Exact standard deviation and skewness of the score over all permutations of the labels. The skewness is None
        where very many rows are tied with each other.
    permutation_p : float or None
        Share of real permutations (``n_permutations``) at least as separable, the observed one counted in.
    n_rows, n_queries, n_permutations : int
    distance, method : str
    notes : tuple of str
    """

    score: float
    chance: float
    corrected: float
    macro: float
    per_class: dict[Any, float]
    class_counts: dict[Any, int]
    interval: tuple[float, float]
    confidence: float
    z: float | None
    p_value: float | None
    p_source: str | None
    permutation_std: float | None
    permutation_skewness: float | None
    permutation_p: float | None
    n_rows: int
    n_queries: int
    n_permutations: int
    distance: str
    method: str
    notes: tuple[str, ...]

    def frame(self) -> Any:
        """One line per class."""
        return data_frame(
            {
                "class": list(self.per_class),
                "rows": [self.class_counts[c] for c in self.per_class],
                "score": list(self.per_class.values()),
            }
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>{frame_html(self)}"

    def __str__(self) -> str:
        low, high = self.interval
        text = (
            f"Thornton's index {self.score:.4f} ({self.confidence:.0%} interval {low:.4f} to {high:.4f}), "
            f"chance {self.chance:.4f}"
        )
        if self.n_queries < self.n_rows:
            text += f"; {self.n_queries} of {self.n_rows} rows were asked"
        return text if self.z is None else f"{text}, z = {self.z:.1f}, p = {self.p_value:.2g}"


def _class_notes(data: Prepared) -> tuple[str, ...]:
    counts = data.class_counts
    return tuple(
        f"class {data.classes[c]!s} has one row only: its nearest neighbour is always of another class"
        for c in np.flatnonzero(counts == 1)
    )


def _copies_notes(data: Prepared) -> tuple[str, ...]:
    found = left_out_together(data.search.table, "rows")
    if not found.repeated:
        return ()
    text = (
        f"copies: {found.n_copies / data.n_rows:.1%} of the rows have a copy, which is their nearest row; their "
        'numbers show that records were repeated: thornton_score(..., groups="copies") does not count them'
    )
    return (text,)


@checked()
def thornton_test(
    X: Any,
    y: Any = None,
    n_permutations: int = 0,
    *,
    distance: str = "auto",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    confidence: float = 0.95,
    n_queries: int | None = None,
    random_state: RandomState = 0,
    method: Method = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ThorntonTest:
    """Thornton's index with its chance level, significance, interval and per-class values.

    Parameters
    ----------
    X, y, distance, distance_params, scale, missing, method, n_jobs, progress
        As in :func:`thornton_samples`. Ties are averaged (``"expected"``).
    n_permutations : int
        Real permutations of the labels for ``permutation_p``. 0 for none; ``p_value`` does not need them.
    confidence : float
        Of the interval.
    n_queries : int, optional
        Ask a random sample of rows only. Gives the interval for the score of all rows, and no z or p-value.
    random_state : int, Generator or None
        For ``n_queries`` and ``n_permutations`` only. Permutations do not depend on the order of the rows.

    Returns
    -------
    ThorntonTest

    Notes
    -----
    Mean, variance and skewness are exact for all n! permutations of the labels with the rows fixed (Schilling 1986), so
    that simulation is needed only where the index has few values under random labels or is very skewed. Rows are never
    bootstrapped: copies of a row would be its nearest neighbours. Every row counts by itself, as the index is defined;
    where the numbers of copies show that records were repeated, ``notes`` say so: then copies are each other's nearest
    rows, and :func:`thornton_score` with ``groups="copies"`` tells what is left without them.
    How often the interval covers and how often p is small by chance is measured in ``benchmarks/statistics``.

    Examples
    --------
    >>> test = thornton_test([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"])
    >>> test.score, round(test.chance, 4)
    (1.0, 0.3333)
    """
    data = prepare(
        X,
        y,
        distance=distance,
        distance_params=distance_params,
        scale=scale,
        missing=missing,
        n_queries=n_queries,
        random_state=random_state,
        method=method,
        n_jobs=n_jobs,
    )
    rows = data.asking
    if len(rows) < data.n_rows and n_permutations:
        raise ParameterError("n_permutations needs every row to ask; leave out n_queries")
    seed = int(generator(random_state).integers(2**63))
    if len(rows) < data.n_rows:
        return _judge(data, nearest_ranking(data, rows, progress), rows, confidence, None)
    ranking = data.ranking(2, None, progress)
    return _judge(data, ranking, rows, confidence, _chances(data, ranking, int(n_permutations), seed))


@dataclass(frozen=True)
class _Chances:
    """What random labels would give, on the graph of all rows."""

    graph: NearestGraph
    moments: LabelMoments
    p: PValue | None
    permutation_p: float | None
    n_permutations: int


def _chances(data: Prepared, ranking: DistinctRanking, n_permutations: int, seed: int) -> _Chances:
    graph, counts = nearest_graph(ranking), data.class_counts
    moments = label_moments(graph.symmetric(), counts)
    total = graph.total(data.codes, len(data.classes))
    p = p_value(graph, data.search, counts, moments, total) if moments.std > 0 else None
    permuted = None
    if n_permutations:
        permuted = permutation_test(shuffler(graph, data.search, counts), total, seed, n_permutations).p_value
    return _Chances(graph, moments, p, permuted, n_permutations)


def _judge(
    data: Prepared, ranking: DistinctRanking, rows: NDArray[np.intp], confidence: float, chances: _Chances | None
) -> ThorntonTest:
    """The test from one ranking of nearest tied groups: the two nearest if all rows ask."""
    n, counts, n_classes = data.n_rows, data.class_counts, len(data.classes)
    groups = class_groups(ranking, data.codes, n_classes, rows)
    size, same = first_groups(groups)
    samples = (same / size)[groups.case_of]
    score, codes = float(np.mean(samples)), data.codes[rows]
    with np.errstate(invalid="ignore"):
        per_class = np.bincount(codes, samples, n_classes) / np.bincount(codes, minlength=n_classes)
    chance = float(np.sum(counts * (counts - 1.0)) / (n * (n - 1.0)))
    if chances is None:
        trials = len(rows) * (n - 1) / (n - len(rows))  # sampling without replacement from the rows there are
    else:
        trials = effective_rows(chances.graph, groups, samples, data.codes, n_classes)
    return ThorntonTest(
        score=score,
        chance=chance,
        corrected=(score - chance) / (1 - chance) if chance < 1 else 0.0,
        macro=float(np.nanmean(per_class)),
        per_class={c: float(s) for c, s in zip(data.classes.tolist(), per_class, strict=True)},
        class_counts={c: int(m) for c, m in zip(data.classes.tolist(), counts, strict=True)},
        interval=wilson_interval(score, trials, confidence),
        confidence=float(confidence),
        **_significance(score, n, chances),
        n_rows=n,
        n_queries=len(rows),
        distance=data.search.fitted.name,
        method="tree" if data.search.method == "tree" else "brute",
        notes=(
            *data.notes,
            *_class_notes(data),
            *_copies_notes(data),
            *(chances.p.notes if chances and chances.p else ()),
        ),
    )


def _significance(score: float, n: int, chances: _Chances | None) -> dict[str, Any]:
    names = ("z", "p_value", "p_source", "permutation_std", "permutation_skewness", "permutation_p")
    found = dict.fromkeys(names) | {"n_permutations": 0}
    if chances is None:
        return found
    moments, p = chances.moments, chances.p
    return found | {
        "z": (score - moments.mean / n) / (moments.std / n) if p else None,
        "p_value": p.value if p else None,
        "p_source": p.source if p else None,
        "permutation_std": moments.std / n,
        "permutation_skewness": moments.skewness if p else None,
        "permutation_p": chances.permutation_p,
        "n_permutations": chances.n_permutations,
    }
