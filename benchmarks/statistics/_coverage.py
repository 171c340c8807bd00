"""How often the package's intervals cover what they are intervals of, each with its target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from sepal import KNNClassifier, evaluate
from sepal.datasets import load
from sepal.measures import angle_of_separability, complexity, thornton_score, thornton_test
from sepal.neighbors import Search
from sepal.selection import nested_score, nogueira_stability

Sample = tuple[NDArray[np.float64], NDArray[np.int64]]
Draw = Callable[[np.random.Generator, int], Sample]
FURTHER = 10_000  # rows by which the accuracy on further rows is known; its own error must not count


def shifted(shift: float, columns: int, share: float = 0.5) -> Draw:
    """Two normal classes, one moved along the first column."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        y = (rng.random(n) < share).astype(np.int64)
        X = rng.normal(size=(n, columns))
        X[:, 0] += shift * y
        return X, y

    return draw


def three(rng: np.random.Generator, n: int) -> Sample:
    """Three classes of unequal size."""
    y = rng.choice(3, size=n, p=[0.7, 0.2, 0.1])
    X = rng.normal(size=(n, 2))
    X[:, 0] += 1.5 * (y == 1)
    X[:, 1] += 1.5 * (y == 2)
    return X, y


def board(rng: np.random.Generator, n: int) -> Sample:
    """A chequered board, one label in ten wrong."""
    X = rng.random((n, 2)) * 3
    return X, ((np.floor(X).sum(axis=1) + (rng.random(n) < 0.1)) % 2).astype(np.int64)


def curved(rng: np.random.Generator, n: int) -> Sample:
    """A curved border and no noise."""
    X = rng.normal(size=(n, 2))
    return X, (X[:, 1] > X[:, 0] ** 2 - 0.7).astype(np.int64)


def tied(rng: np.random.Generator, n: int) -> Sample:
    """Small whole numbers: many rows are equal."""
    X = rng.integers(4, size=(n, 2)).astype(float)
    return X, (rng.random(n) < 0.15 + 0.2 * X[:, 0]).astype(np.int64)


DESIGNS: dict[str, Draw] = {
    "no difference, 2 columns": shifted(0.0, 2),
    "means 1 apart, 2 columns": shifted(1.0, 2),
    "means 4 apart, 2 columns": shifted(4.0, 2),
    "means 1.5 apart, 10 columns": shifted(1.5, 10),
    "one class in ten": shifted(1.5, 3, 0.1),
    "three unequal classes": three,
    "chequered board": board,
    "curved border": curved,
    "whole numbers, many equal": tied,
}


def further_accuracy(X: NDArray[np.float64], y: NDArray[np.int64], more: Sample) -> float:
    """Accuracy of 1-NN trained on X, y on further rows; tied neighbours count by their share."""
    return float(np.mean(further_answers(X, y, more)))


def further_answers(X: NDArray[np.float64], y: NDArray[np.int64], more: Sample) -> NDArray[np.float64]:
    """For each further row how far 1-NN trained on X, y is right."""
    from sepal.data import as_table

    F, truth = more
    search = Search.prepare(as_table(X))
    lists = search.query_ranking(as_table(F), 1).per_row(1, "expected", None)
    start, rows = lists["start"], lists["flat_rows"]
    same = (y[rows] == np.repeat(truth, np.diff(start))).astype(float)
    return np.asarray(np.add.reduceat(same, start[:-1]) / np.diff(start))


def classes_cover(draw: Draw, n: int, repeat: int) -> float:
    """The share of the classes whose interval covers the accuracy of 1-NN on further rows of the class.

    Of a class of one row the interval says that nothing is known, and it does not count.
    """
    rng = np.random.default_rng([n, repeat, 79])
    X, y = draw(rng, n)
    counts = np.bincount(y)
    if np.count_nonzero(counts > 1) < 2:
        return classes_cover(draw, n, repeat + 1_000_000)
    intervals = thornton_test(X, y, scale=None, n_jobs=1).class_interval
    more = draw(rng, FURTHER)
    right, truth = further_answers(X, y, more), more[1]
    return float(
        np.mean([low <= right[truth == c].mean() <= high for c, (low, high) in intervals.items() if counts[c] > 1])
    )


def chance_of_classes(draw: Draw, n: int, repeats: int) -> tuple[float, float]:
    """The mean score of the rarest class when classes are dealt out to the rows at random, and its chance level."""
    scores, chances = [], []
    for repeat in range(repeats):
        rng = np.random.default_rng([n, repeat, 80])
        X, y = draw(rng, n)
        y = rng.permutation(y)
        found = thornton_test(X, y, scale=None, n_jobs=1)
        rarest = min(found.class_counts, key=lambda c: found.class_counts[c])
        scores.append(found.per_class[rarest])
        chances.append(found.class_chance[rarest])
    return float(np.mean(scores)), float(np.mean(chances))


def thornton_covers(draw: Draw, n: int, repeat: int) -> bool:
    """Whether the interval of one sample covers the accuracy of 1-NN on further rows."""
    rng = np.random.default_rng([n, repeat, 78])
    X, y = draw(rng, n)
    if len(np.unique(y)) < 2:
        return thornton_covers(draw, n, repeat + 1_000_000)
    low, high = thornton_test(X, y, scale=None, n_jobs=1).interval
    return low <= further_accuracy(X, y, draw(rng, FURTHER)) <= high


def subsample_covers(name: str, n: int, repeat: int) -> bool:
    """The same for rows drawn from a real set; the rows that are left are the further ones."""
    table = load(name)
    table = table.take(np.flatnonzero(~np.isnan(table.values).any(axis=1)))
    codes = np.unique(table.y, return_inverse=True)[1]
    values = (table.values - table.values.min(axis=0)) / np.ptp(table.values, axis=0)
    order = np.random.default_rng([n, repeat]).permutation(table.n_rows)
    inside, outside = order[:n], order[n:]
    low, high = thornton_test(values[inside], codes[inside], scale=None, n_jobs=1).interval
    # What is left is a sample too: the rows that all share are few, so that it strays by less than the interval.
    return low <= further_accuracy(values[inside], codes[inside], (values[outside], codes[outside])) <= high


def queries_cover(n: int, n_queries: int, repeat: int) -> bool:
    """Whether the interval of a sample of the rows covers the score of all rows."""
    rng = np.random.default_rng([n, repeat])
    X, y = shifted(1.5, 3)(rng, n)
    low, high = thornton_test(X, y, n_queries=n_queries, random_state=repeat, n_jobs=1).interval
    return low <= thornton_score(X, y, n_jobs=1) <= high


def mahalanobis_covers(n: int, columns: int, distance: float, repeat: int) -> bool:
    """Whether the interval of D covers that of the two normal distributions."""
    rng = np.random.default_rng([n, columns, repeat])
    X, y = rng.normal(size=(n, columns)), np.arange(n) % 3 == 0
    X[:, 0] += distance * y
    (pair,) = angle_of_separability(X @ rng.normal(size=(columns, columns)), y).pairs
    low, high = pair.hotelling.interval or (np.nan, np.nan)
    return bool(low <= distance <= high)


def stability_covers(runs: int, features: int, repeat: int) -> bool:
    """Whether Nogueira's interval covers the stability of the frequencies the runs are drawn from."""
    chance = np.linspace(0.05, 0.95, features) ** 2
    chosen = np.random.default_rng([runs, repeat]).random((runs, features)) < chance
    share = chance.mean()
    true = 1 - np.mean(chance * (1 - chance)) / (share * (1 - share))
    _, low, high = nogueira_stability(chosen)
    return bool(low <= true <= high)


def evaluation_covers(k: int, cv: int, n: int, repeat: int) -> bool:
    """Whether the interval of a cross-validation covers the accuracy, on further rows, of the model of all rows."""
    rng = np.random.default_rng([n, repeat])
    X, y = shifted(1.5, 3)(rng, n)
    low, high = evaluate(KNNClassifier(k, scale=None), X, y, cv=cv, random_state=repeat).interval()
    F, truth = shifted(1.5, 3)(rng, FURTHER)
    return bool(low <= np.mean(KNNClassifier(k, scale=None).fit(X, y).predict(F) == truth) <= high)


def curve_covers(k: int, n: int, repeat: int) -> bool:
    """Whether 1.96 standard errors of a leave-one-out curve reach the accuracy of the model on further rows."""
    rng = np.random.default_rng([n, repeat])
    X, y = shifted(1.5, 3)(rng, n)
    model = KNNClassifier(k, k_max=k, scale=None, n_jobs=1).fit(X, y)
    found = model.leave_one_out()
    F, truth = shifted(1.5, 3)(rng, FURTHER)
    true = np.mean(model.predict(F) == truth)
    return bool(abs(found.score[k - 1] - true) <= 1.96 * found.standard_error[k - 1])


def five_columns(rng: np.random.Generator, n: int) -> Sample:
    """A chequered board of four squares, one label in ten wrong, and three columns of noise."""
    X = rng.random((n, 5)) * 2
    return X, ((np.floor(X[:, :2]).sum(axis=1) + (rng.random(n) < 0.1)) % 2).astype(np.int64)


SELECTED: dict[str, tuple[Draw, int]] = {
    "60 rows, 1 of 4 columns": (shifted(1.5, 4), 60),
    "150 rows, 1 of 4 columns": (shifted(1.5, 4), 150),
    "60 rows, 1 of 4 columns, far apart": (shifted(3.0, 4), 60),
    "60 rows, 5 columns of noise": (shifted(0.0, 5), 60),
    "100 rows, 2 of 5 columns, chequered board": (five_columns, 100),
}


def honest_covers(draw: Draw, n: int, repeat: int) -> bool:
    """Whether the interval of a nested score covers the accuracy of 1-NN, on the columns selected from all."""
    rng = np.random.default_rng([n, repeat])
    X, y = draw(rng, n)
    found = nested_score(X, y, cv=10, random_state=repeat, n_jobs=1)
    F, truth = draw(rng, FURTHER)
    columns = list(found.subset.columns)
    low, span = X[:, columns].min(axis=0), np.ptp(X[:, columns], axis=0)
    more = (F[:, columns] - low) / span, truth
    true = further_accuracy((X[:, columns] - low) / span, y, more)
    return bool(found.interval[0] <= true <= found.interval[1])


COMPLEXITY_SAMPLED = ("N1", "N2", "N3", "N4", "T1", "LSC")


def complexity_covers(draw: Draw, n: int, sample_rows: int, repeats: int) -> dict[str, float]:
    """How often the intervals of complexity measures from three samples cover the mean over all samples of that size.

    One table, sampled again and again; the mean over all samples is known from all of them together. Samples are
    smaller than those of a time limit, which take too long to be drawn a thousand times.
    """
    X, y = draw(np.random.default_rng([n, sample_rows]), n)
    with patch("sepal.measures._complexity._in_time._PROBE_ROWS", sample_rows):
        found = [complexity(X, y, time_limit=1e-9, random_state=repeat, n_jobs=1) for repeat in range(repeats)]
    shares = {}
    for name in COMPLEXITY_SAMPLED:
        true = np.mean([each[name] for each in found])
        shares[name] = float(np.mean([each.intervals[name][0] <= true <= each.intervals[name][1] for each in found]))
    return shares


def share_of(covers: Callable[[int], float], repeats: int) -> float:
    """How often it covers."""
    return float(np.mean([covers(repeat) for repeat in range(repeats)]))


def coverage_table(repeats: int = 400) -> Iterator[str]:
    """The table, a line at a time."""
    yield "| interval | of | case | target | measured | samples |\n|---|---|---|---|---:|---:|"

    def line(what: str, of: str, case: str, target: str, covers: Callable[[int], float], times: int = 1) -> str:
        share = share_of(covers, times * repeats)
        return f"| {what} | {of} | {case} | {target} | {100 * share:.1f} % | {times * repeats:,} |"

    what, of = "`thornton_test(...).interval`", "1-NN's accuracy on further rows"
    for name, draw in DESIGNS.items():
        for n in (60, 300):
            yield line(what, of, f"{name}, {n} rows", "93 to 97 %", lambda r, d=draw, n=n: thornton_covers(d, n, r))
    of_class = "`thornton_test(...).class_interval`"
    for name, draw in DESIGNS.items():
        for n in (60, 300):
            case = f"{name}, {n} rows, mean over classes"
            yield line(
                of_class, f"{of} of the class", case, "91 to 98 %", lambda r, d=draw, n=n: classes_cover(d, n, r)
            )
    for name in ("diabetes", "breast-cancer", "ripley-test"):
        yield line(what, of, f"60 rows of {name}", "93 to 97 %", lambda r, name=name: subsample_covers(name, 60, r))
    for n_queries in (50, 300):
        yield line(
            "the same with `n_queries`",
            "the index of all rows",
            f"{n_queries} of 500 rows",
            "93 to 97 %",
            lambda r, q=n_queries: queries_cover(500, q, r),
        )
    for n, columns, distance in ((30, 3, 0.0), (30, 3, 1.0), (60, 8, 2.0), (300, 8, 4.0)):
        yield line(
            "Mahalanobis distance D of `angle_of_separability`",
            "D of two normal classes",
            f"D = {distance:g}, {n} rows, {columns} columns",
            "at least 95 %" if distance == 0 else "93 to 97 %",
            lambda r, n=n, c=columns, d=distance: mahalanobis_covers(n, c, d, r),
        )
    for runs in (10, 30, 100):
        yield line(
            "`nogueira_stability`, `stability`",
            "stability of independent runs",
            f"{runs} runs of 40 features",
            "80 to 97 %" if runs < 30 else "91 to 97 %",
            lambda r, m=runs: stability_covers(m, 40, r),
            5,
        )
    for k, cv in ((1, 10), (5, 10), (25, 10)):
        yield line(
            "`evaluate(...).interval()`",
            "the model's accuracy on further rows",
            f"{k}-NN, {cv} folds of 100 rows",
            "at least 93 %",
            lambda r, k=k, cv=cv: evaluation_covers(k, cv, 100, r),
        )
    for k in (1, 5, 25):
        yield line(
            "`leave_one_out_curve`, 1.96 standard errors",
            "the model's accuracy on further rows",
            f"{k}-NN, 100 rows",
            "none: a standard error of independent rows",
            lambda r, k=k: curve_covers(k, 100, r),
        )
    for name, (draw, n) in SELECTED.items():
        yield line(
            "`nested_score(...).interval`",
            "1-NN's accuracy on further rows, selected columns",
            name,
            "at least 92 %",
            lambda r, d=draw, n=n: honest_covers(d, n, r),
        )
    for name, design in (("means 1.5 apart, 3 columns", shifted(1.5, 3)), ("three unequal classes", three)):
        shares = complexity_covers(design, 600, 100, repeats)
        for measure, share in shares.items():
            yield (
                f"| `complexity(time_limit=...).intervals`, {measure} | its mean over all samples of that size | "
                f"{name}, 3 samples of 100 of 600 rows | 93 to 97 % | {100 * share:.1f} % | {repeats:,} |"
            )
