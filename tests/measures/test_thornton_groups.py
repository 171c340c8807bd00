"""Thornton's index without the rows of one's own group, against plain loops."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import norm
from scipy.stats import t as student

from benchmarks.statistics._groups import COVERED, NULL, group_covers, null_p
from sepal.data import as_table
from sepal.exceptions import DataError, ParameterError
from sepal.measures import (
    _thornton_group_test as group_test,
)
from sepal.measures import (
    expected_accuracy_curve,
    hypothesis_margin,
    informative_projections,
    overlap_regions,
    prepare,
    thornton_samples,
    thornton_score,
    thornton_test,
)
from tests.oracles import selection as oracle
from tests.oracles.thornton import effective_groups
from tests.oracles.thornton import thornton_samples as expected_samples


@pytest.mark.parametrize("ties", ["expected", "index", "pessimistic", "optimistic"])
@pytest.mark.parametrize("most", [12, 3])
def test_against_the_oracle(ties, most):
    rng = np.random.default_rng(most)
    X, y = rng.integers(0, 4, size=(40, 2)).astype(float), rng.choice(list("abc"), size=40)
    groups = rng.integers(0, most, size=40)
    D = oracle.squared_distances(X, range(2))
    D[groups[:, None] == groups[None, :]] = np.inf
    expected = [float(share) for share in expected_samples(D, y, ties)]
    assert thornton_samples(X, y, scale=None, ties=ties, groups=groups).tolist() == pytest.approx(expected)
    sparse = thornton_samples(csr_array(X), y, distance="euclidean", scale=None, ties=ties, groups=groups)
    assert sparse.tolist() == pytest.approx(expected)


def test_copies_of_noise():
    """Copies are each other's nearest rows: noise with every row twice had an index of 1, and nothing said so."""
    rng = np.random.default_rng(2)
    once, codes = rng.normal(size=(100, 3)), np.arange(100) % 2
    X, y = np.repeat(once, 2, axis=0), np.repeat(codes, 2)
    assert thornton_score(X, y) == 1.0
    assert thornton_score(X, y, groups="copies") == thornton_score(once, codes)
    (note,) = (note for note in thornton_test(X, y).notes if "copies" in note)
    assert note.startswith("copies: 100.0% of the rows have a copy, which is their nearest row")
    assert not any("copies" in note for note in thornton_test(once, codes).notes)
    coarse = rng.integers(0, 3, size=(300, 2)).astype(float)  # copies come about by chance there
    assert not any("copies" in note for note in thornton_test(coarse, np.arange(300) % 2).notes)


def test_dropped_rows_and_wrong_groups():
    X = np.array([[0.0], [1.0], [np.nan], [5.0], [6.0], [9.0]])
    y, groups = list("aabbba"), [1, 1, 2, 3, 4, 4]
    # Nearest of another group: 5 (b) for the two a, 6 (b) for 5, 5 (b) for 6 and for 9.
    assert thornton_samples(X, y, scale=None, missing="drop", groups=groups).tolist() == [0, 0, 1, 1, 0]
    ready = prepare(X, y, scale=None, missing="drop")
    assert thornton_samples(ready, groups=[1, 1, 3, 4, 4]).tolist() == [0, 0, 1, 1, 0]
    with pytest.raises(DataError, match="one label for each of 6 rows"):
        thornton_samples(X, y, missing="drop", groups=groups[:5])
    with pytest.raises(ParameterError, match="'rows', 'copies' or None"):
        thornton_score(X, y, missing="drop", groups="people")


def test_the_learning_curve_says_that_records_were_repeated():
    """The curve said nothing of repeated records, whose copies answer for each other."""
    rng = np.random.default_rng(2)
    once, codes = rng.normal(size=(50, 3)), np.arange(50) % 2
    (note,) = expected_accuracy_curve(np.repeat(once, 2, axis=0), np.repeat(codes, 2), (0.5,)).notes
    assert note.startswith("copies: 100.0% of the rows have a copy")
    assert expected_accuracy_curve(once, codes, (0.5,)).notes == ()


def all_dealings(X, y_of_group, groups) -> tuple[list[float], list[float]]:
    """The index and its chance level for every way to deal the classes out to the groups, by plain loops."""
    D = oracle.squared_distances(X, range(X.shape[1]))
    D[groups[:, None] == groups[None, :]] = np.inf
    scores, chances = [], []
    for dealt in sorted(set(permutations(y_of_group))):
        y = [dealt[g] for g in groups]
        scores.append(float(sum(expected_samples(D, y)) / len(y)))
        alike = [[y[i] == y[j] for j in range(len(y)) if groups[j] != groups[i]] for i in range(len(y))]
        chances.append(float(np.mean([np.mean(each) for each in alike])))
    return scores, chances


@pytest.mark.parametrize("sizes", [(3, 3, 3, 3, 3, 3), (1, 4, 2, 3, 2, 5)])
def test_p_is_the_share_of_all_dealings(sizes):
    rng = np.random.default_rng(sum(sizes))
    groups = np.repeat(np.arange(6), sizes)
    X, classes = rng.normal(size=(len(groups), 2)), (0, 0, 0, 1, 1, 1)
    X[:, 0] += 0.8 * np.array(classes)[groups]
    y = np.array(list("ab"))[np.array(classes)[groups]]
    scores, chances = all_dealings(X, classes, groups)
    at = sorted(set(permutations(classes))).index(classes)
    excess = np.array(scores) - chances
    exact = np.mean(excess >= excess[at] - 1e-9)
    found = thornton_test(X, y, scale=None, groups=[f"who{g}" for g in groups], n_permutations=2_000)
    assert (found.score, found.chance) == (pytest.approx(scores[at]), pytest.approx(chances[at]))
    assert found.n_groups == 6
    assert found.p_value == pytest.approx(exact, abs=0.02)  # four deviations of 9,999 permutations
    assert found.permutation_p == pytest.approx(exact, abs=0.045)
    assert found.z == pytest.approx((excess[at] - excess.mean()) / excess.std(), abs=0.1)
    assert found.permutation_std == pytest.approx(excess.std(), rel=0.03)
    (note,) = (note for note in found.notes if note.startswith("groups:"))
    assert note == (
        "groups: p is from 9,999 permutations (always the same ones) in which the classes of the 6 groups were dealt "
        "out to them at random"
    )


def test_labels_of_mixed_groups_move_within_groups_and_between_those_of_a_size():
    """Two groups of two rows and one of one: 2 x 2 x 2 arrangements of ab, ab; the single row keeps its b."""
    X = np.array([[0.0], [1.0], [1.1], [2.5], [0.2]])
    y, groups = np.array(list("abbab")), np.array([0, 0, 1, 1, 2])
    D = np.abs(X - X.T)
    D[groups[:, None] == groups] = np.inf
    scores = []
    for first, second in product(("ab", "ba"), repeat=2):
        labels = [*first, *second, "b"]
        scores.append(float(sum(expected_samples(D, labels)) / 5))
    given = float(sum(expected_samples(D, list(y))) / 5)
    found = thornton_test(X, y, scale=None, groups=groups)
    assert found.p_value == pytest.approx(np.mean(np.array(scores) >= given - 1e-9), abs=0.025)
    assert any("exchanged with those of another of its size, and shuffled in it" in note for note in found.notes)


def test_no_order_and_no_name_changes_the_test():
    rng = np.random.default_rng(3)
    X, groups = np.round(rng.normal(size=(40, 3)), 1), rng.integers(0, 12, size=40)
    X[5], X[9] = X[6], X[6]
    table, order = as_table(X, names=("u", "v", "w")), rng.permutation(40)
    for y in (rng.choice(list("ab"), 40), np.array(list("abc"))[rng.integers(0, 3, 12)[groups]]):
        usual = thornton_test(table, y, groups=groups)
        turned = table.take(order).select(["w", "u", "v"])
        other = thornton_test(turned, np.char.add("z", y[order]), groups=np.array(list("qwertyuiopas"))[groups[order]])
        assert (other.p_value, other.score) == (usual.p_value, pytest.approx(usual.score))
        assert other.interval == pytest.approx(usual.interval)


def test_people_with_many_rows_are_no_evidence():
    """Each person's rows are near each other and of one class: rows without groups are sure of what is chance."""
    rng = np.random.default_rng(8)
    who = np.repeat(np.arange(30), 4)
    X, y = rng.normal(size=(30, 2))[who] + 0.01 * rng.normal(size=(120, 2)), (np.arange(30) % 2)[who]
    fooled, honest = thornton_test(X, y), thornton_test(X, y, groups=who)
    assert fooled.p_value < 1e-9
    assert fooled.interval[0] > 0.9
    assert honest.p_value > 0.05
    assert honest.interval[1] - honest.interval[0] > 0.25
    assert honest.per_class == pytest.approx({c: thornton_samples(X, y, groups=who)[y == c].mean() for c in (0, 1)})
    once = thornton_test(np.repeat(X[::4], 2, axis=0), np.repeat(y[::4], 2), groups="copies")
    assert once.score == thornton_test(X[::4], y[::4]).score
    assert once.p_value == pytest.approx(thornton_test(X[::4], y[::4]).p_value, abs=0.03)
    sampled = thornton_test(X, y, groups=who, n_queries=40)
    assert (sampled.p_value, sampled.n_queries, sampled.n_groups) == (None, 40, 30)
    assert sampled.interval[0] <= honest.score <= sampled.interval[1]


def test_of_one_group_for_each_class_nothing_can_be_said():
    """Both classes are in one group each: rows never meet their own, and to deal is to exchange the names."""
    found = thornton_test([[0.0], [1.0], [5.0], [6.0]], list("aabb"), groups=[1, 1, 2, 2])
    assert (found.score, found.p_value) == (0.0, None)
    assert any("no p-value" in note for note in found.notes)
    assert any("class a is in one group only" in note for note in found.notes)


def test_margins_overlaps_and_planes_without_the_own_group():
    rng = np.random.default_rng(6)
    X, y = rng.integers(0, 6, size=(30, 3)).astype(float), rng.choice(list("ab"), size=30)
    groups = rng.integers(0, 9, size=30)
    D = np.sqrt(oracle.squared_distances(X, range(3)))
    D[groups[:, None] == groups] = np.inf
    other = y[:, None] != y
    miss, hit = np.where(other, D, np.inf).min(axis=1), np.where(other, np.inf, D).min(axis=1)
    np.testing.assert_allclose(hypothesis_margin(X, y, scale=None, groups=groups), (miss - hit) / 2)
    single = overlap_regions(X, y, n_neighbors=1, scale=None, groups=groups).regions[0]
    shares = [np.mean(other[i][D[i] == D[i].min()]) for i in range(30)]
    assert single.mixing == pytest.approx(np.mean(shares))
    planes = informative_projections(X, y, scale=None, groups=groups)
    for plane in planes.planes:
        columns = [int(name[1:]) - 1 for name in (plane.first, plane.second)]
        assert plane.score == pytest.approx(thornton_score(X[:, columns], y, scale=None, groups=groups))


def test_p_of_groups_keeps_its_level_and_the_interval_covers(monkeypatch):
    """On a small scale; ``python -m benchmarks.statistics groups`` has the full one."""
    monkeypatch.setattr(group_test, "MOST_GROUP_SHUFFLES", 199)
    monkeypatch.setattr(group_test, "LEAST_SHUFFLES", 199)
    p = np.array([null_p(*NULL["30 groups of 1 to 9, of one class each"], repeat) for repeat in range(100)])
    assert np.mean(p <= 0.2) <= 0.31  # 0.2 and two and a half deviations
    assert np.mean(p) > 0.42
    share = np.mean([group_covers(*COVERED["30 groups of 5, means 1.5 apart"], repeat) for repeat in range(40)])
    assert share >= 0.85


@pytest.mark.parametrize("classes", ["ab", "abc"])
def test_classes_of_groups_have_their_chance_and_their_interval(classes, rng):
    groups = rng.integers(0, 8, size=32)
    X, y = np.round(rng.normal(size=(32, 2)), 1), rng.choice(list(classes), 32)
    D = np.hypot(*(X[:, None] - X[None]).T)
    found = thornton_test(X, y, scale=None, groups=groups)
    z = norm.ppf(0.975)
    for c in classes:
        others = [np.mean(y[groups != groups[i]] == c) for i in range(32) if y[i] == c]
        assert found.class_chance[c] == pytest.approx(np.mean(others), rel=1e-12)
        m = len(set(groups[y == c]))
        n = float(effective_groups(D, y.tolist(), groups.tolist(), of=c)) * (z / student.ppf(0.975, m - 1)) ** 2
        p = found.per_class[c]
        for end in found.class_interval[c]:
            assert abs(p - end) == pytest.approx(z * np.sqrt(end * (1 - end) / n), rel=1e-9, abs=1e-7)
    n = float(effective_groups(D, y.tolist(), groups.tolist())) * (z / student.ppf(0.975, 7)) ** 2
    for end in found.interval:
        assert abs(found.score - end) == pytest.approx(z * np.sqrt(end * (1 - end) / n), rel=1e-9, abs=1e-7)


def test_a_class_in_one_group_tells_nothing():
    found = thornton_test([[0.0], [1.0], [5.0], [6.0], [9.0]], list("aabba"), groups=[1, 1, 2, 2, 3])
    assert found.class_interval["b"] == (0.0, 1.0)
    assert found.class_chance["b"] == 0.0
    assert found.class_interval["a"] != (0.0, 1.0)
