"""Is Thornton's index more than chance? Exact permutation moments, an interval, and per-class values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from sepal.data import ScaleName
from sepal.exceptions import ParameterError
from sepal.measures._labelled import Labelled, Missing, Progress, label
from sepal.measures._nearest import NearestGraph, nearest_graph
from sepal.measures._thornton import RandomState, generator, nearest_ranking, sample_rows, samples_solve
from sepal.neighbors import DistinctRanking, Method

if TYPE_CHECKING:
    import pandas as pd


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
        Wilson interval at ``confidence``. With ``n_queries`` it is for the score of all rows; otherwise for that of
        further rows of the same kind, as if rows were independent.
    confidence : float
    z, p_value : float or None
        Against the exact permutation mean and standard deviation; one-sided (more separable than chance), normal.
    permutation_std : float or None
        Exact standard deviation of the score over all permutations of the labels.
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
    permutation_std: float | None
    permutation_p: float | None
    n_rows: int
    n_queries: int
    n_permutations: int
    distance: str
    method: str
    notes: tuple[str, ...]

    def frame(self) -> pd.DataFrame:
        """One line per class."""
        import pandas as pd

        return pd.DataFrame(
            {
                "class": list(self.per_class),
                "rows": [self.class_counts[c] for c in self.per_class],
                "score": list(self.per_class.values()),
            }
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>{self.frame().to_html(index=False)}"

    def __str__(self) -> str:
        low, high = self.interval
        text = (
            f"Thornton's index {self.score:.4f} ({self.confidence:.0%} interval {low:.4f} to {high:.4f}), "
            f"chance {self.chance:.4f}"
        )
        if self.n_queries < self.n_rows:
            text += f"; {self.n_queries} of {self.n_rows} rows were asked"
        return text if self.z is None else f"{text}, z = {self.z:.1f}, p = {self.p_value:.2g}"


def wilson_interval(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Wilson's score interval for a share seen in n trials."""
    if np.isinf(n):
        return share, share
    z = float(ndtri(0.5 + confidence / 2))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def _permuted_p(
    graph: NearestGraph,
    codes: NDArray[np.int32],
    n_classes: int,
    n_permutations: int,
    rng: np.random.Generator,
) -> float:
    observed = graph.total(codes, n_classes)
    # Sums in another order may differ by rounding: that is not "less separable".
    limit = observed - 1e-9 * len(codes)
    hits = sum(graph.total(rng.permutation(codes), n_classes) >= limit for _ in range(n_permutations))
    return (1 + hits) / (1 + n_permutations)


def _class_notes(data: Labelled) -> tuple[str, ...]:
    counts = data.class_counts
    return tuple(
        f"class {data.classes[c]!s} has one row only: its nearest neighbour is always of another class"
        for c in np.flatnonzero(counts == 1)
    )


def thornton_test(
    X: Any,
    y: Any = None,
    n_permutations: int = 0,
    *,
    distance: str = "euclidean",
    distance_params: Mapping[str, Any] | None = None,
    scale: ScaleName | None = "minmax",
    missing: Missing = "distance",
    confidence: float = 0.95,
    n_queries: int | None = None,
    random_state: RandomState = None,
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
        Real permutations of the labels, besides the exact moments. 0 for none.
    confidence : float
        Of the interval.
    n_queries : int, optional
        Ask a random sample of rows only. Gives the interval for the score of all rows, and no z or p-value.
    random_state : int, Generator or None
        For ``n_queries`` and ``n_permutations`` only.

    Returns
    -------
    ThorntonTest

    Notes
    -----
    Mean and variance are exact for all n! permutations of the labels with the rows fixed (Schilling 1986), so no
    simulation is needed. Rows are never bootstrapped: copies of a row would be its nearest neighbours.

    Examples
    --------
    >>> test = thornton_test([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"])
    >>> test.score, round(test.chance, 4)
    (1.0, 0.3333)
    """
    if isinstance(n_permutations, bool) or not isinstance(n_permutations, (int, np.integer)) or n_permutations < 0:
        raise ParameterError(f"n_permutations must be an integer of at least 0; got {n_permutations!r}")
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must lie between 0 and 1; got {confidence!r}")
    data = label(
        X,
        y,
        distance=distance,
        distance_params=distance_params,
        scale=scale,
        missing=missing,
        n_jobs=n_jobs,
        method=method,
    )
    rng = generator(random_state)
    rows = sample_rows(data.n_rows, n_queries, rng)
    if len(rows) < data.n_rows and n_permutations:
        raise ParameterError("n_permutations needs every row to ask; leave out n_queries")
    ranking = nearest_ranking(data, rows, progress)
    return judge(data, ranking, rows, int(n_permutations), confidence, rng)


def judge(
    data: Labelled,
    ranking: DistinctRanking,
    rows: NDArray[np.intp],
    n_permutations: int,
    confidence: float,
    rng: np.random.Generator,
) -> ThorntonTest:
    """The test from one ranking of nearest tied groups."""
    n, counts = data.n_rows, data.class_counts
    samples = samples_solve(data, ranking, "expected", rows)
    score = float(np.mean(samples))
    codes, n_classes = data.codes[rows], len(data.classes)
    asked = np.bincount(codes, minlength=n_classes)
    with np.errstate(invalid="ignore"):
        per_class = np.bincount(codes, weights=samples, minlength=n_classes) / asked
    chance = float(np.sum(counts * (counts - 1.0)) / (n * (n - 1.0)))
    z = p_value = std = permutation_p = None
    trials = float(len(rows))
    if len(rows) == n:
        graph = nearest_graph(ranking)
        mean, variance = graph.permutation_moments(counts)
        std = float(np.sqrt(variance)) / n
        if std > 0:
            z = (score - mean / n) / std
            p_value = float(ndtr(-z))
        if n_permutations:
            permutation_p = _permuted_p(graph, data.codes, n_classes, n_permutations, rng)
    else:
        trials *= (n - 1) / (n - len(rows))  # sampling without replacement from the rows there are
    return ThorntonTest(
        score=score,
        chance=chance,
        corrected=(score - chance) / (1 - chance) if chance < 1 else 0.0,
        macro=float(np.nanmean(per_class)),
        per_class={c: float(s) for c, s in zip(data.classes.tolist(), per_class, strict=True)},
        class_counts={c: int(m) for c, m in zip(data.classes.tolist(), counts, strict=True)},
        interval=wilson_interval(score, trials, confidence),
        confidence=float(confidence),
        z=z,
        p_value=p_value,
        permutation_std=std,
        permutation_p=permutation_p,
        n_rows=n,
        n_queries=len(rows),
        n_permutations=n_permutations,
        distance=data.search.fitted.name,
        method="tree" if data.search.method == "tree" else "brute",
        notes=(*data.notes, *_class_notes(data)),
    )
