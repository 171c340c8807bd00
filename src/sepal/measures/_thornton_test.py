"""Is Thornton's index more than chance? Exact permutation moments, an interval, and per-class values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from sepal.data import groups_by_class, left_out_together
from sepal.exceptions import ParameterError
from sepal.measures._class_groups import class_groups
from sepal.measures._label_shuffles import permutation_test, shuffler
from sepal.measures._nearest import NearestGraph, nearest_graph
from sepal.measures._prepared import PREPARING_SEARCH, Prepared, PreparingSearch, prepare
from sepal.measures._thornton import first_groups, nearest_ranking
from sepal.measures._thornton_group_graph import group_graph
from sepal.measures._thornton_group_test import (
    GroupShuffler,
    effective_rows_of_groups,
    group_permutations,
    group_shuffler,
)
from sepal.measures._thornton_groups import chance_between_groups, groups_of, samples_of_groups
from sepal.measures._thornton_interval import (
    agreeing,
    effective_rows,
    effective_rows_by_class,
    sampled_trials,
    wilson_interval,
)
from sepal.measures._thornton_p import LabelMoments, PValue, label_moments, p_value
from sepal.measures._thornton_result import ThorntonTest
from sepal.neighbors import DistinctRanking
from sepal.parameters import RandomState, checked, generator
from sepal.progress import Progress


def _class_notes(data: Prepared) -> tuple[str, ...]:
    counts = data.class_counts
    return tuple(
        f"class {data.classes[c]!s} has one row only: its nearest neighbour is always of another class"
        for c in np.flatnonzero(counts == 1)
    )


def _lone_classes(data: Prepared, groups: NDArray[np.intp]) -> tuple[str, ...]:
    return tuple(
        f"class {data.classes[c]!s} is in one group only: its rows have no neighbour of their class"
        for c in np.flatnonzero(groups_by_class(data.codes, groups, len(data.classes)) == 1)
    )


def _copies_notes(data: Prepared) -> tuple[str, ...]:
    found = left_out_together(data.search.table, "rows")
    if not found.repeated:
        return ()
    text = (
        f"copies: {found.n_copies / data.n_rows:.1%} of the rows have a copy, which is their nearest row; their "
        'numbers show that records were repeated: thornton_test(..., groups="copies") does not count them'
    )
    return (text,)


@checked(passes_on=PREPARING_SEARCH)
def thornton_test(
    X: Any,
    y: Any = None,
    n_permutations: int = 0,
    *,
    confidence: float = 0.95,
    groups: Any = None,
    n_queries: int | None = None,
    random_state: RandomState = 0,
    progress: Progress | None = None,
    **how: Unpack[PreparingSearch],
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
    groups : array-like, "copies" or None
        As in :func:`thornton_samples`: rows that are no neighbours of each other. Labels are then permuted by groups:
        where every group is of one class the classes are dealt out to the groups, else the labels of a group are
        exchanged with those of another of its size and shuffled within it; ``notes`` say which. A labelling counts by
        its index less its own chance level, so that groups of unequal size do no harm.
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
    rows, and ``groups="copies"`` tells what is left without them.
    How often the interval covers and how often p is small by chance is measured in ``benchmarks/statistics``.

    Examples
    --------
    >>> test = thornton_test([[0.0], [1.0], [5.0], [6.0]], ["a", "a", "b", "b"])
    >>> test.score, round(test.chance, 4)
    (1.0, 0.3333)
    """
    data = prepare(X, y, n_queries=n_queries, random_state=random_state, **how)
    rows = data.asking
    apart = groups_of(data, groups, X, y)
    if len(rows) < data.n_rows and n_permutations:
        raise ParameterError("n_permutations needs every row to ask; leave out n_queries")
    seed = int(generator(random_state).integers(2**63))
    if apart is not None:
        return _judge_groups(data, apart, rows, confidence, int(n_permutations), seed, progress)
    if len(rows) < data.n_rows:
        return _judge(data, nearest_ranking(data, rows, progress), rows, confidence, None)
    ranking = data.ranking(2, None, progress)
    return _judge(data, ranking, rows, confidence, _chances(data, ranking, int(n_permutations), seed))


_OfAll = tuple[float, NDArray[np.float64]]  # of all rows, and of each class


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
    chance = float(np.sum(counts * (counts - 1.0)) / (n * (n - 1.0)))
    if chances is None:
        trials = _sampled_trials(data, rows)
    else:
        found = agreeing(chances.graph, groups, samples, data.codes, n_classes)
        trials = effective_rows(samples, found), effective_rows_by_class(samples, data.codes, found)
    return ThorntonTest(
        **_scores(
            data, rows, samples, (chance, np.asarray((counts - 1.0) / (n - 1.0), dtype=np.float64)), trials, confidence
        ),
        **_significance(float(np.mean(samples)), n, chances),
        n_groups=None,
        plan=data.plan,
        notes=(
            *data.notes,
            *_class_notes(data),
            *_copies_notes(data),
            *(chances.p.notes if chances and chances.p else ()),
        ),
    )


def _scores(
    data: Prepared,
    rows: NDArray[np.intp],
    samples: NDArray[np.float64],
    chances: _OfAll,
    trials: _OfAll,
    confidence: float,
) -> dict[str, Any]:
    """What every test says, from the agreement of each asking row."""
    score, codes, n_classes = float(np.mean(samples)), data.codes[rows], len(data.classes)
    with np.errstate(invalid="ignore"):
        per_class = np.bincount(codes, samples, n_classes) / np.bincount(codes, minlength=n_classes)
    labels, (chance, class_chance) = data.classes.tolist(), chances
    pairs = zip(per_class.tolist(), trials[1].tolist(), strict=True)
    intervals = [wilson_interval(each, n, confidence) for each, n in pairs]
    return {
        "score": score,
        "chance": chance,
        "corrected": (score - chance) / (1 - chance) if chance < 1 else 0.0,
        "macro": float(np.nanmean(per_class)),
        "per_class": dict(zip(labels, per_class.tolist(), strict=True)),
        "class_chance": dict(zip(labels, class_chance.tolist(), strict=True)),
        "class_interval": dict(zip(labels, intervals, strict=True)),
        "class_counts": dict(zip(labels, data.class_counts.tolist(), strict=True)),
        "interval": wilson_interval(score, trials[0], confidence),
        "confidence": float(confidence),
        "n_rows": data.n_rows,
        "n_queries": len(rows),
        "distance": data.search.fitted.name,
        "method": data.search.found_by,
    }


def _sampled_trials(data: Prepared, rows: NDArray[np.intp]) -> _OfAll:
    """Sampling without replacement from the rows there are."""
    asked = np.bincount(data.codes[rows], minlength=len(data.classes))
    of_all = sampled_trials(np.array([len(rows)]), np.array([data.n_rows]))
    return float(of_all[0]), sampled_trials(asked, data.class_counts)


def _judge_groups(
    data: Prepared,
    groups: NDArray[np.intp],
    rows: NDArray[np.intp],
    confidence: float,
    n_permutations: int,
    seed: int,
    progress: Progress | None,
) -> ThorntonTest:
    """The test where rows of one group are no neighbours of each other."""
    n, n_groups, n_classes = data.n_rows, int(groups.max()) + 1, len(data.classes)
    chance = chance_between_groups(data.codes, groups, n_classes)
    chances = float(np.mean(chance)), np.bincount(data.codes, chance, n_classes) / data.class_counts
    notes = (*data.notes, *_lone_classes(data, groups))
    if len(rows) < n:
        samples = samples_of_groups(data, groups, "expected", rows, progress)
        trials, found = _sampled_trials(data, rows), _significance(0.0, n, None)
    else:
        graph = group_graph(data, groups, progress)
        samples = graph.samples(data.codes)
        trials = (
            effective_rows_of_groups(graph, samples, samples >= 0.0, confidence),
            np.array([effective_rows_of_groups(graph, samples, data.codes == c, confidence) for c in range(n_classes)]),
        )
        shuffling = group_shuffler(graph, data.codes, n_classes, data.search.table)
        found, note = _group_significance(shuffling, n_permutations, seed)
        notes = (*notes, note)
    return ThorntonTest(
        **_scores(data, rows, samples, chances, trials, confidence),
        **found,
        n_groups=n_groups,
        plan=data.plan,
        notes=notes,
    )


def _group_significance(shuffling: GroupShuffler, n_permutations: int, seed: int) -> tuple[dict[str, Any], str]:
    """What random labels of the groups would give, and how they were made."""
    test, n = group_permutations(shuffling, 0), len(shuffling.codes)
    off = test.totals - test.totals.mean()
    std = float(test.totals.std()) if np.ptp(test.totals) > 1e-9 * n else 0.0
    found = _significance(0.0, n, None) | {"permutation_std": std / n, "n_permutations": n_permutations}
    made, m = len(test.totals), len(shuffling.sizes)
    how = (
        f"the classes of the {m:,} groups were dealt out to them"
        if shuffling.by_group
        else f"the labels of each of the {m:,} groups were exchanged with those of another of its size, and shuffled "
        "in it"
    )
    if std == 0.0:
        return found, f"groups: no p-value, since all labels are as separable where {how} at random"
    if n_permutations:
        found["permutation_p"] = group_permutations(shuffling, seed, n_permutations).p_value
    found |= {
        "z": float((shuffling.observed() - test.totals.mean()) / std),
        "p_value": test.p_value,
        "p_source": "permutations",
        "permutation_skewness": float(np.mean(off**3)) / std**3,
    }
    return found, f"groups: p is from {made:,} permutations (always the same ones) in which {how} at random"


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
