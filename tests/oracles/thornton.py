"""Thornton's index and its relatives, written from the definitions.

Everything starts from a full square matrix D of distances (or squared distances: only their order and their
ties matter, except in ``hypothesis_margins``) and a vector of labels y. A row is never its own neighbour.
Probabilities are exact fractions, so two ways to the same number can be compared with ``==``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from tests.oracles.neighbors import TIE_TOLERANCE, tied_groups

Labels = Sequence[Hashable]
Groups = list[list[int]]


def neighbor_groups(D: np.ndarray, tolerance: float = TIE_TOLERANCE) -> list[Groups]:
    """For every row, all other rows in tied groups, nearest group first."""
    return [[rows for _, rows in tied_groups(D[i], tolerance, exclude=i)] for i in range(len(D))]


def first_groups(D: np.ndarray, tolerance: float = TIE_TOLERANCE) -> Groups:
    """For every row, its nearest tied group."""
    return [next(tied_groups(D[i], tolerance, exclude=i))[1] for i in range(len(D))]


def same_class(y: Labels, i: int, j: int) -> bool:
    return bool(y[i] == y[j])  # a plain bool, so that counts are Python integers and never overflow


# ---------------------------------------------------------------- the index


def thornton_samples(
    D: np.ndarray, y: Labels, policy: str = "expected", tolerance: float = TIE_TOLERANCE
) -> list[Fraction]:
    """Per row: does its nearest neighbour have its class? The only member of a class always gets 0."""
    return _samples(first_groups(D, tolerance), y, policy)


def _samples(groups: Groups, y: Labels, policy: str) -> list[Fraction]:
    samples = []
    for i, group in enumerate(groups):
        agrees = [same_class(y, i, row) for row in group]  # rows ascend: agrees[0] is the lowest row
        value = {
            "expected": Fraction(sum(agrees), len(agrees)),
            "index": Fraction(agrees[0]),
            "pessimistic": Fraction(all(agrees)),
            "optimistic": Fraction(any(agrees)),
        }[policy]
        samples.append(value)
    return samples


def thornton_score(D: np.ndarray, y: Labels, policy: str = "expected", tolerance: float = TIE_TOLERANCE) -> Fraction:
    return mean(thornton_samples(D, y, policy, tolerance))


def per_class_scores(samples: Sequence[Fraction], y: Labels) -> dict[Hashable, Fraction]:
    """Mean of the samples of each class."""
    return {c: mean([s for s, label in zip(samples, y, strict=True) if label == c]) for c in set(y)}


def macro_average(samples: Sequence[Fraction], y: Labels) -> Fraction:
    """Every class counts alike, a class of one member (score 0) too."""
    return mean(list(per_class_scores(samples, y).values()))


def chance_level(y: Labels) -> Fraction:
    """Mean of the index over all permutations of the labels."""
    n = len(y)
    return Fraction(sum(count * (count - 1) for count in Counter(y).values()), n * (n - 1))


def chance_corrected(score: Fraction, y: Labels) -> Fraction:
    """Kappa: 0 at chance level, 1 at best."""
    chance = chance_level(y)
    return (score - chance) / (1 - chance)


def mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def standard_deviation(values: Sequence[Fraction]) -> float:
    """Root of the mean squared deviation (divided by the number of values: they are the whole population)."""
    center = mean(values)
    return math.sqrt(mean([(v - center) ** 2 for v in values]))


# ---------------------------------------------------------------- all splits, one after another


def all_splits(n: int, m: int) -> Iterator[tuple[int, ...]]:
    """Every choice of m training rows."""
    return combinations(range(n), m)


def all_stratified_splits(y: Labels, counts: Mapping[Hashable, int]) -> Iterator[tuple[int, ...]]:
    """Every choice of ``counts[c]`` training rows from each class c."""
    per_class = [combinations([i for i in range(len(y)) if y[i] == c], counts[c]) for c in set(y)]
    for choice in product(*per_class):
        yield tuple(row for rows in choice for row in rows)


def vote_is_right(groups: Groups, training: set[int], y: Labels, i: int, k: int = 1) -> Fraction:
    """Probability that most of the k nearest training rows have the class of i.

    If the k-th place falls inside a tied group, the places left are filled by each subset of that group in
    turn, all equally likely. k = 1 takes any number of classes, larger k must be odd with two classes.
    """
    sure: list[int] = []
    for group in groups:
        present = [row for row in group if row in training]
        if len(sure) + len(present) < k:
            sure += present
            continue
        picks = list(combinations(present, k - len(sure)))
        right = sum(2 * sum(same_class(y, i, row) for row in [*sure, *pick]) > k for pick in picks)
        return Fraction(right, len(picks))
    raise AssertionError(f"fewer than k={k} training rows")


def split_accuracy(groups: list[Groups], y: Labels, training_rows: Iterable[int], k: int = 1) -> Fraction:
    """Accuracy of k-NN on the rows held out by one split; random choices among ties are averaged."""
    assert k == 1 or (k % 2 == 1 and len(set(y)) == 2)
    training = set(training_rows)
    return mean([vote_is_right(groups[i], training, y, i, k) for i in range(len(y)) if i not in training])


def accuracies_of_all_splits(
    D: np.ndarray, y: Labels, m: int, k: int = 1, tolerance: float = TIE_TOLERANCE
) -> list[Fraction]:
    """One accuracy per split: their mean is A(m), their standard deviation that of ONE random split."""
    groups = neighbor_groups(D, tolerance)
    return [split_accuracy(groups, y, rows, k) for rows in all_splits(len(y), m)]


def accuracies_of_all_stratified_splits(
    D: np.ndarray, y: Labels, counts: Mapping[Hashable, int], k: int = 1, tolerance: float = TIE_TOLERANCE
) -> list[Fraction]:
    groups = neighbor_groups(D, tolerance)
    return [split_accuracy(groups, y, rows, k) for rows in all_stratified_splits(y, counts)]


def sampled_split_accuracies(
    D: np.ndarray,
    y: Labels,
    m: int,
    n_splits: int,
    rng: np.random.Generator,
    k: int = 1,
    tolerance: float = TIE_TOLERANCE,
) -> list[Fraction]:
    """Accuracies of some random splits, for data too large to enumerate."""
    groups = neighbor_groups(D, tolerance)
    draws = [rng.permutation(len(y))[:m].tolist() for _ in range(n_splits)]
    return [split_accuracy(groups, y, rows, k) for rows in draws]


def expected_accuracy_of_groups(
    D: np.ndarray, y: Labels, groups: Sequence[Hashable], m: int, tolerance: float = TIE_TOLERANCE
) -> Fraction:
    """Share of right answers among all rows tested in all splits that train on m whole groups, split by split."""
    near, right, tested = neighbor_groups(D, tolerance), Fraction(0), 0
    for drawn in combinations(sorted(set(groups)), m):
        training = {row for row in range(len(y)) if groups[row] in drawn}
        for i in set(range(len(y))) - training:
            right += vote_is_right(near[i], training, y, i)
            tested += 1
    return right / tested


def accuracies_of_all_splits_of_groups(
    D: np.ndarray, y: Labels, groups: Sequence[Hashable], m: int, tolerance: float = TIE_TOLERANCE
) -> list[Fraction]:
    """One accuracy per split that trains on m whole groups."""
    near = neighbor_groups(D, tolerance)
    return [
        split_accuracy(near, y, [row for row in range(len(y)) if groups[row] in drawn])
        for drawn in combinations(sorted(set(groups)), m)
    ]


def bootstrap_accuracy_of_groups(
    D: np.ndarray, y: Labels, groups: Sequence[Hashable], tolerance: float = TIE_TOLERANCE
) -> Fraction:
    """The chance that a row is right, given that its group is none of as many draws as there are groups; draw by draw.

    A group that is drawn twice trains as if drawn once.
    """
    near, names = neighbor_groups(D, tolerance), sorted(set(groups))
    right = Fraction(0)
    for i in range(len(y)):
        others = [name for name in names if name != groups[i]]
        for draws in product(others, repeat=len(names)):
            training = {row for row in range(len(y)) if groups[row] in draws}
            right += vote_is_right(near[i], training, y, i) / Fraction(len(others) ** len(names))
    return right / len(y)


# ---------------------------------------------------------------- all splits, by ranks


def expected_accuracy(D: np.ndarray, y: Labels, m: int, tolerance: float = TIE_TOLERANCE) -> Fraction:
    """A(m) for 1-NN: the nearest training row lies in the group at ranks a+1..b with chance Q_a - Q_b."""
    others = len(y) - 1
    empty = [math.comb(others - j, m) for j in range(others + 1)]  # subsets that miss the j nearest
    return _survival_mean(D, y, empty, tolerance)


def bootstrap_accuracy(D: np.ndarray, y: Labels, tolerance: float = TIE_TOLERANCE) -> Fraction:
    """Out-of-bag accuracy: n draws with replacement among the other n - 1 rows, Q_j = ((N - j) / N)^n."""
    n = len(y)
    others = n - 1
    empty = [(others - j) ** n for j in range(others + 1)]
    return _survival_mean(D, y, empty, tolerance)


def _survival_mean(D: np.ndarray, y: Labels, empty: Sequence[int], tolerance: float) -> Fraction:
    """Mean over rows of the sum over groups of (Q_a - Q_b) * (share of the row's class in the group).

    Q_j = empty[j] / empty[0]. The share is right because all members of a tied group are equally likely.
    """
    total = Fraction(0)
    for i in range(len(y)):
        passed = 0
        for _, group in tied_groups(D[i], tolerance, exclude=i):
            if empty[passed] == 0:
                break
            same = sum(same_class(y, i, row) for row in group)
            total += Fraction((empty[passed] - empty[passed + len(group)]) * same, len(group))
            passed += len(group)
    return total / (len(y) * empty[0])


def expected_vote_accuracy(D: np.ndarray, y: Labels, m: int, k: int, tolerance: float = TIE_TOLERANCE) -> Fraction:
    """A(m) for k-NN with two classes and odd k.

    The k-th nearest training row lies in the group at ranks a+1..b, with t < k training rows before it and
    at least k - t in it. Those t are a uniform subset of the first a ranks, and the k - t voters a uniform
    subset of the group, so the votes of either part are hypergeometric.
    """
    assert k % 2 == 1
    assert len(set(y)) == 2
    n, others = len(y), len(y) - 1
    assert k <= m < n
    total = Fraction(0)
    for i in range(n):
        passed = passed_same = 0
        for _, group in tied_groups(D[i], tolerance, exclude=i):
            size, same = len(group), sum(same_class(y, i, row) for row in group)
            for t in range(min(k - 1, passed) + 1):
                ways = sum(
                    math.comb(passed, t) * math.comb(size, g) * math.comb(others - passed - size, m - t - g)
                    for g in range(k - t, min(size, m - t) + 1)
                )
                if ways:
                    total += ways * _majority(passed, passed_same, t, size, same, k - t)
            passed, passed_same = passed + size, passed_same + same
    return total / (n * math.comb(others, m))


def _majority(before: int, before_same: int, t: int, size: int, same: int, s: int) -> Fraction:
    """Chance that t rows drawn from ``before`` and s drawn from ``size`` are mostly of the wanted class."""
    right = sum(
        math.comb(before_same, u)
        * math.comb(before - before_same, t - u)
        * math.comb(same, v)
        * math.comb(size - same, s - v)
        for u in range(t + 1)
        for v in range(s + 1)
        if 2 * (u + v) > t + s
    )
    return Fraction(right, math.comb(before, t) * math.comb(size, s))


def expected_stratified_accuracy(
    D: np.ndarray, y: Labels, counts: Mapping[Hashable, int], tolerance: float = TIE_TOLERANCE
) -> Fraction:
    """The mean over all stratified splits of 1-NN accuracy, ``counts[c]`` training rows from each class c.

    Classes are drawn at different rates, so the members of a tied group are not equally likely to be drawn
    and their share will not do: sum over how many training rows u_c each class has in the group, the winner
    being of class y_i with chance u_{y_i} / sum u.
    """
    n, members = len(y), Counter(y)
    assert set(counts) == set(members)
    total = Fraction(0)
    for i in range(n):
        held_out = members[y[i]] - counts[y[i]]
        if held_out == 0:
            continue
        left = members - Counter([y[i]])  # rows from here on, per class, without i
        all_ways = math.prod(math.comb(left[c], counts[c]) for c in members)
        chance = Fraction(0)
        for _, group in tied_groups(D[i], tolerance, exclude=i):
            inside = Counter(y[row] for row in group)
            for drawn in product(*(range(inside[c] + 1) for c in members)):
                if not any(drawn):
                    continue
                u = dict(zip(members, drawn, strict=True))
                ways = math.prod(
                    math.comb(inside[c], u[c]) * _comb(left[c] - inside[c], counts[c] - u[c]) for c in members
                )
                chance += Fraction(ways * u[y[i]], all_ways * sum(drawn))
            left = left - inside
        total += Fraction(held_out, members[y[i]]) * chance
    return total / (n - sum(counts.values()))


def _comb(n: int, k: int) -> int:
    return math.comb(n, k) if k >= 0 else 0


def sampled_bootstrap_accuracy(
    D: np.ndarray, y: Labels, n_replicates: int, rng: np.random.Generator, tolerance: float = TIE_TOLERANCE
) -> float:
    """Share of right answers among all out-of-bag predictions of many bootstrap replicates."""
    n, groups = len(y), neighbor_groups(D, tolerance)
    right, asked = 0.0, 0
    for _ in range(n_replicates):
        bag = set(rng.integers(n, size=n).tolist())
        for i in set(range(n)) - bag:
            right += float(vote_is_right(groups[i], bag, y, i))
            asked += 1
    return right / asked


# ---------------------------------------------------------------- permuted labels


def distinct_labelings(y: Labels) -> Iterator[tuple[Hashable, ...]]:
    """Every arrangement of the labels, equal ones once; under a random permutation all are equally likely."""
    if not y:
        yield ()
    for c in set(y):
        rest = list(y)
        rest.remove(c)
        for tail in distinct_labelings(rest):
            yield (c, *tail)


def permutation_moments_by_enumeration(
    D: np.ndarray, y: Labels, policy: str = "expected", tolerance: float = TIE_TOLERANCE
) -> tuple[Fraction, Fraction]:
    """Mean and variance of n * SI over all arrangements of the labels."""
    groups = first_groups(D, tolerance)
    sums = [sum(_samples(groups, labels, policy), Fraction(0)) for labels in distinct_labelings(list(y))]
    center = mean(sums)
    return center, mean([(s - center) ** 2 for s in sums])


def permutation_moments(
    D: np.ndarray, y: Labels, policy: str = "expected", tolerance: float = TIE_TOLERANCE
) -> tuple[Fraction, Fraction]:
    """The same by the formula: how often 2, 3 and 2 + 2 distinct rows share a class under random labels."""
    n = len(y)
    assert n >= 4
    assert policy in ("expected", "index")
    a = [[Fraction(0)] * n for _ in range(n)]
    for i, group in enumerate(first_groups(D, tolerance)):
        for row in group if policy == "expected" else group[:1]:
            a[i][row] = Fraction(1, len(group)) if policy == "expected" else Fraction(1)
    b = [[a[i][j] + a[j][i] for j in range(n)] for i in range(n)]
    pairs = [b[i][j] for i in range(n) for j in range(i + 1, n)]
    B, squares = sum(pairs), sum(v * v for v in pairs)
    paths = sum(sum(b[i]) ** 2 - sum(v * v for v in b[i]) for i in range(n))
    sizes = list(Counter(y).values())
    P2 = Fraction(sum(_falling(s, 2) for s in sizes), _falling(n, 2))
    P3 = Fraction(sum(_falling(s, 3) for s in sizes), _falling(n, 3))
    within = sum(_falling(s, 4) for s in sizes)
    across = sum(_falling(s, 2) for s in sizes) ** 2 - sum(_falling(s, 2) ** 2 for s in sizes)
    P22 = Fraction(within + across, _falling(n, 4))
    return P2 * B, squares * (P2 - P22) + paths * (P3 - P22) + B * B * (P22 - P2 * P2)


def central_moment_by_enumeration(D: np.ndarray, y: Labels, order: int) -> Fraction:
    """A central moment of n * SI over all arrangements of the labels."""
    groups = first_groups(D)
    sums = [sum(_samples(groups, labels, "expected"), Fraction(0)) for labels in distinct_labelings(list(y))]
    center = mean(sums)
    return mean([(s - center) ** order for s in sums])


def share_at_least_as_separable(D: np.ndarray, y: Labels) -> Fraction:
    """The exact permutation p-value: the share of all arrangements of the labels with an index as large or larger."""
    groups = first_groups(D)
    observed = sum(_samples(groups, y, "expected"), Fraction(0))
    sums = [sum(_samples(groups, labels, "expected"), Fraction(0)) for labels in distinct_labelings(list(y))]
    return Fraction(sum(s >= observed for s in sums), len(sums))


def class_chances(y: Labels) -> dict[Hashable, Fraction]:
    """Mean of each class's score over all permutations of the labels: a neighbour is any of the other rows."""
    return {c: Fraction(count - 1, len(y) - 1) for c, count in Counter(y).items()}


def class_chances_by_enumeration(D: np.ndarray, y: Labels) -> dict[Hashable, Fraction]:
    """The same, arrangement by arrangement."""
    groups = first_groups(D)
    scores = [per_class_scores(_samples(groups, labels, "expected"), labels) for labels in distinct_labelings(list(y))]
    return {c: mean([each[c] for each in scores]) for c in set(y)}


def effective_rows(D: np.ndarray, y: Labels, prior: int = 4, of: Hashable | None = None) -> float:
    """Independent trials that tell as much about further rows, from rows that are really taken away one by one.

    ``of`` a class: about further rows of that class, from its rows; pairs of rows count if both are of it.
    """
    samples, groups = thornton_samples(D, y), first_groups(D)
    n, score = len(y), mean(samples)

    def change(i: int, k: int) -> Fraction:
        """What row i's agreement loses when row k is gone."""
        left = [row for row in range(n) if row not in (i, k)]
        if not left:
            return samples[i] - score
        least = min(D[i, row] for row in left)
        near = [row for row in left if D[i, row] <= least * (1 + TIE_TOLERANCE)]
        return samples[i] - Fraction(sum(same_class(y, i, row) for row in near), len(near))

    told = [i for i in range(n) if of is None or y[i] == of]
    pairs = [(i, k) for i in told for k in groups[i] if i in groups[k]]
    products = sum((change(i, k) * change(k, i) for i, k in pairs if k in told), Fraction(0))
    alone = sum(len(groups[i]) == 1 == len(groups[k]) for i, k in pairs)
    m, own = len(told), mean([samples[i] for i in told])
    binomial = m * own * (1 - own)
    spread = sum((samples[i] - own) ** 2 for i in told) + max(Fraction(0), products)
    return float(m * (binomial + prior) / (min(spread, 2 * binomial) + prior * (1 + Fraction(alone, m))))


def effective_groups(
    D: np.ndarray, y: Labels, groups: Sequence[Hashable], prior: int = 4, of: Hashable | None = None
) -> Fraction:
    """The same where rows of one group are no neighbours, from groups that are really taken away; without Student."""

    def agreement(i: int, gone: Hashable | None = None) -> Fraction | None:
        left = [j for j in range(len(y)) if groups[j] not in (groups[i], gone)]
        if not left:
            return None
        least = min(D[i, j] for j in left)
        near = [j for j in left if D[i, j] <= least * (1 + TIE_TOLERANCE)]
        return Fraction(sum(same_class(y, i, j) for j in near), len(near))

    def asked(i: int) -> set[Hashable]:
        left = [j for j in range(len(y)) if groups[j] != groups[i]]
        least = min(D[i, j] for j in left)
        return {groups[j] for j in left if D[i, j] <= least * (1 + TIE_TOLERANCE)}

    samples = [agreement(i) or Fraction(0) for i in range(len(y))]
    told = [i for i in range(len(y)) if of is None or y[i] == of]
    names = sorted({groups[i] for i in told}, key=str)
    rows = {g: [i for i in told if groups[i] == g] for g in names}
    n, m, score = len(told), len(names), mean([samples[i] for i in told])
    own = sum(sum(samples[i] - score for i in rows[g]) ** 2 for g in names) * Fraction(m, m - 1)
    pairs, mutual = Fraction(0), 0
    for g, h in ((g, h) for g in names for h in names if g != h):
        here, there = [i for i in rows[g] if h in asked(i)], [i for i in rows[h] if g in asked(i)]
        without = [agreement(i, h) for i in here], [agreement(i, g) for i in there]
        change = [
            sum(
                (samples[i] - (mean(samples) if w is None else w) for i, w in zip(part, gone, strict=True)), Fraction(0)
            )
            for part, gone in zip((here, there), without, strict=True)
        ]
        pairs, mutual = pairs + change[0] * change[1], mutual + len(here) * len(there)
    usual = Fraction(sum(len(each) ** 2 for each in rows.values()) + mutual, n)
    return n * (n * score * (1 - score) + prior) / (own + max(Fraction(0), pairs) + prior * usual)


def _falling(x: int, k: int) -> int:
    return math.prod(range(x - k + 1, x + 1)) if x >= k else 0


def permuted_scores(
    D: np.ndarray,
    y: Labels,
    n_permutations: int,
    rng: np.random.Generator,
    policy: str = "expected",
    tolerance: float = TIE_TOLERANCE,
) -> list[float]:
    """The index under randomly permuted labels."""
    groups = first_groups(D, tolerance)
    scores = []
    for _ in range(n_permutations):
        shuffled = [y[j] for j in rng.permutation(len(y))]
        scores.append(float(mean(_samples(groups, shuffled, policy))))
    return scores


# ---------------------------------------------------------------- margins


def nearest_hits_and_misses(distances: np.ndarray, y: Labels) -> list[tuple[float, float]]:
    """Per row: distance to the nearest other row of its class (inf if there is none) and of another class."""
    answer = []
    for i in range(len(y)):
        hit = min((distances[i, j] for j in range(len(y)) if j != i and y[j] == y[i]), default=math.inf)
        miss = min(distances[i, j] for j in range(len(y)) if y[j] != y[i])
        answer.append((float(hit), float(miss)))
    return answer


def hypothesis_margins(distances: np.ndarray, y: Labels, normalized: bool = False) -> list[float]:
    """Half of (miss - hit); normalised: divided by (miss + hit), so within [-1/2, 1/2].

    ``distances`` must be distances, not squares. The only member of its class has its hit at infinity: its
    margin is NaN. Hit and miss both at distance 0 (equal rows of two classes): the normalised margin is 0.
    """
    margins = []
    for hit, miss in nearest_hits_and_misses(distances, y):
        margin = math.nan if math.isinf(hit) else 0.5 * (miss - hit)
        if normalized and miss + hit > 0 and not math.isnan(margin):
            margin /= miss + hit
        margins.append(margin)
    return margins
