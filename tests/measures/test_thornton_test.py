"""The significance of Thornton's index: exact moments, permutations, intervals, per-class values."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import norm

from sepal.data import as_table
from sepal.exceptions import DataError, ParameterError
from sepal.measures import prepare, thornton_samples, thornton_score, thornton_test
from tests.measures.labelled_rows import FAMILIES, copies, no_ties, one_place, rows
from tests.oracles import thornton as oracle


def same_moments(X, y, D):
    """Mean and deviation of the index over all arrangements of the labels, enumerated."""
    mean, variance = oracle.permutation_moments_by_enumeration(D, y)
    test = thornton_test(X, y, scale=None)
    assert test.chance * len(y) == pytest.approx(float(mean), rel=1e-12)
    assert test.permutation_std * len(y) == pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-12)
    if test.permutation_std > 0:
        third = oracle.central_moment_by_enumeration(D, y, 3)
        assert test.permutation_skewness == pytest.approx(float(third) / math.sqrt(variance) ** 3, rel=1e-9, abs=1e-9)
    return test


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("sizes", [(4, 3), (2, 2, 3), (5, 1, 1), (4, 4), (1, 1, 1, 1, 2)])
def test_permutation_moments_by_enumeration(family, sizes, rng):
    n = sum(sizes)
    X, _, D = family(rng, n)
    y = [chr(97 + c) for c, size in enumerate(sizes) for _ in range(size)]
    y = [y[j] for j in rng.permutation(n)]
    test = same_moments(X, y, D)
    if test.permutation_std > 0:
        assert test.z == pytest.approx((test.score - test.chance) / test.permutation_std, rel=1e-9)
        share = float(oracle.share_at_least_as_separable(D, y))
        assert test.p_source == "permutations"  # the index of so few rows has few values
        assert test.p_value == pytest.approx(share, rel=4 * math.sqrt((1 - share) / 100), abs=1e-9)
    else:
        assert test.z is None
        assert test.p_value is None


@pytest.mark.parametrize("n", [2, 3, 4])
def test_permutation_moments_of_very_few_rows(n, rng):
    X = rng.normal(size=(n, 2))
    for y in (["a"] * (n - 1) + ["b"], list("abcd"[:n])):
        same_moments(X, y, rows(X, y).D)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_permutation_moments_by_formula_on_more_rows(family, rng):
    X, y, D = family(rng, 60, "abc")
    mean, variance = oracle.permutation_moments(D, y)
    test = thornton_test(X, y, scale=None)
    assert test.chance * 60 == pytest.approx(float(mean), rel=1e-12)
    assert test.permutation_std * 60 == pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-7)


def test_permutation_p_value_is_the_share_of_labelings_at_least_as_separable(rng):
    X, y, D = no_ties(rng, 8)
    groups = oracle.first_groups(D)
    score = oracle.thornton_score(D, y)
    scores = [oracle.mean(oracle._samples(groups, labels, "expected")) for labels in oracle.distinct_labelings(y)]
    share = sum(each >= score for each in scores) / len(scores)
    found = thornton_test(X, y, 2000, scale=None, random_state=1).permutation_p
    assert found == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 2000) + 1 / 2001)


def test_permutation_p_value_counts_the_observed_labels(rng):
    X = np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 50.0])
    test = thornton_test(X, np.repeat([0, 1], 30), 99, random_state=0)
    assert test.permutation_p == 1 / 100
    assert test.n_permutations == 99
    assert test.p_value < 1e-6


def test_permutation_p_value_where_every_labeling_is_alike():
    """Rounding left a little variance where every labeling has the same index, and there was a z."""
    # All rows equal: every arrangement has the same index, so all are "at least as separable".
    test = thornton_test(np.ones((6, 2)), list("aabbbb"), 50, random_state=0)
    assert test.permutation_p == 1.0
    assert test.permutation_std == pytest.approx(0.0, abs=1e-9)
    assert test.z is None


@pytest.mark.parametrize("family", FAMILIES[:3], ids=lambda family: family.__name__)
def test_random_labels_have_uniform_p_values(family, rng):
    X, y, _ = family(rng, 60)
    p_values, permuted = [], []
    for seed in range(60):
        shuffled = np.random.default_rng(seed).permutation(y)
        test = thornton_test(X, shuffled, 60, random_state=seed)
        p_values.append(test.p_value)
        permuted.append(test.permutation_p)
    for values in (p_values, permuted):
        assert 0.35 < np.mean(values) < 0.65
        assert np.mean(np.array(values) < 0.1) < 0.25


def test_permutation_p_value_and_normal_p_value_tell_the_same_story(rng):
    X, y = rng.normal(size=(120, 2)), np.repeat([0, 1], 60)
    X[:, 0] += 0.35 * y
    test = thornton_test(X, y, 2000, random_state=3)
    assert test.permutation_p == pytest.approx(test.p_value, abs=0.03)


def test_permutations_depend_on_the_seed_alone(rng):
    X, y, _ = no_ties(rng, 40)
    a, b = (thornton_test(X, y, 100, random_state=7).permutation_p for _ in range(2))
    assert a == b
    c, d = (thornton_test(X, y, 100).permutation_p for _ in range(2))
    assert c == d


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("seed", [0, 3])
def test_permutations_do_not_depend_on_the_order_of_rows_columns_or_class_names(family, seed, rng):
    """Labels were shuffled by place, so that another order of the rows had another p."""
    X, y, _ = family(rng, 40, "abc")
    names = [f"column {j}" for j in range(X.shape[1])]
    first = thornton_test(as_table(X, y, names=names), None, 137, random_state=seed)
    assert first.p_source == (None if family is one_place else "permutations")  # where all rows are one there is no p
    for _ in range(4):
        rows_, columns = rng.permutation(40), rng.permutation(X.shape[1])
        renamed = [{"a": "z", "b": "b", "c": "a"}[label] for label in np.array(y)[rows_]]
        moved = as_table(X[rows_][:, columns], renamed, names=[names[j] for j in columns])
        test = thornton_test(moved, None, 137, random_state=seed)
        assert test.permutation_p == first.permutation_p
        assert test.p_value == first.p_value


def test_sparse_permutations_do_not_depend_on_the_order_of_rows(rng):
    X = csr_array(rng.poisson(0.4, size=(60, 8)).astype(float))
    y, order = rng.integers(2, size=60), rng.permutation(60)
    first, moved = (thornton_test(X[at], y[at], 137) for at in (np.arange(60), order))
    assert (first.permutation_p, first.p_value) == (moved.permutation_p, moved.p_value)


def test_number_of_threads_does_not_change_the_permutations(rng):
    X, y, _ = no_ties(rng, 900)
    assert len({thornton_test(X, y, 2500, n_jobs=n_jobs).permutation_p for n_jobs in (1, 2, 5)}) == 1


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("classes", ["ab", "abcd"])
def test_scores_per_class_macro_and_corrected(family, classes, rng):
    X, y, D = family(rng, 40, classes)
    samples = oracle.thornton_samples(D, y)
    score = oracle.mean(samples)
    test = thornton_test(X, y, scale=None)
    assert test.score == pytest.approx(float(score), rel=1e-12)
    assert test.chance == pytest.approx(float(oracle.chance_level(y)), rel=1e-12)
    assert test.corrected == pytest.approx(float(oracle.chance_corrected(score, y)), rel=1e-9, abs=1e-12)
    assert test.macro == pytest.approx(float(oracle.macro_average(samples, y)), rel=1e-12)
    assert test.per_class.keys() == set(classes)
    for c, value in oracle.per_class_scores(samples, y).items():
        assert test.per_class[c] == pytest.approx(float(value), rel=1e-12)
    assert test.class_counts == dict(Counter(y))
    assert (test.n_rows, test.n_queries, test.n_permutations) == (40, 40, 0)


def test_class_with_one_member_is_noted_and_counts_in_the_macro_average(rng):
    X, y, D = no_ties(rng, 11)
    y[0] = "alone"
    test = thornton_test(X, y, scale=None)
    assert test.per_class["alone"] == 0.0
    assert test.macro == pytest.approx(float(oracle.macro_average(oracle.thornton_samples(D, y), y)))
    note = test.notes[0]
    assert "alone" in note
    assert "one row" in note


def test_every_class_with_one_member(rng):
    test = thornton_test(rng.normal(size=(4, 2)), ["a", "b", "c", "d"])
    assert (test.score, test.chance, test.corrected, test.macro) == (0.0, 0.0, 0.0, 0.0)
    assert test.z is None
    assert len(test.notes) == 4  # and no p-value to speak of


def test_one_class_is_refused():
    with pytest.raises(DataError, match="two classes"):
        thornton_test(np.eye(3), ["a", "a", "a"])


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("size", [4, 5, 12, 50])
def test_interval_counts_rows_that_are_nearest_to_each_other(family, size, rng):
    """Rows that are each other's nearest neighbour counted as independent, and the interval covered too little."""
    X, y, D = family(rng, size, "ab")
    y[:2] = ["a", "b"]
    low, high = thornton_test(X, y, scale=None).interval
    score, n, z = float(oracle.thornton_score(D, y)), oracle.effective_rows(D, y), norm.ppf(0.975)
    centre, half = score + z * z / (2 * n), z * math.sqrt(score * (1 - score) / n + z * z / (4 * n * n))
    assert low == pytest.approx((centre - half) / (1 + z * z / n), rel=1e-9, abs=1e-12)
    assert high == pytest.approx((centre + half) / (1 + z * z / n), rel=1e-9)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("sizes", [(4, 3), (2, 2, 3), (5, 1, 1)])
def test_chance_of_a_class_is_its_mean_over_all_arrangements(family, sizes, rng):
    X, _, D = family(rng, sum(sizes))
    y = [chr(97 + c) for c, size in enumerate(sizes) for _ in range(size)]
    chance = oracle.class_chances(y)
    assert oracle.class_chances_by_enumeration(D, y) == chance
    found = thornton_test(X, y, scale=None)
    assert found.class_chance == pytest.approx({c: float(value) for c, value in chance.items()}, rel=1e-12)
    weighted = sum(found.class_counts[c] * value for c, value in found.class_chance.items()) / len(y)
    assert weighted == pytest.approx(found.chance, rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize(("size", "classes"), [(5, "ab"), (12, "ab"), (50, "ab"), (50, "abcd")])
def test_interval_of_a_class_counts_its_rows_that_are_nearest_to_each_other(family, size, classes, rng):
    X, y, D = family(rng, size, classes)
    y[: len(classes)] = list(classes)
    found = thornton_test(X, y, scale=None, confidence=0.9)
    z = norm.ppf(0.95)
    for c, score in oracle.per_class_scores(oracle.thornton_samples(D, y), y).items():
        if y.count(c) == 1:
            assert found.class_interval[c] == (0.0, 1.0)
            continue
        n, p = oracle.effective_rows(D, y, of=c), float(score)
        centre, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        low, high = found.class_interval[c]
        assert low == pytest.approx((centre - half) / (1 + z * z / n), rel=1e-9, abs=1e-12)
        assert high == pytest.approx((centre + half) / (1 + z * z / n), rel=1e-9)


def test_interval_of_a_class_from_a_sample_of_rows(rng):
    X, y, _ = no_ties(rng, 60)
    y[0] = "rare"
    exact, found = thornton_test(X, y), thornton_test(X, y, n_queries=20, random_state=3)
    asked = prepare(X, y, n_queries=20, random_state=3).asking
    z = norm.ppf(0.975)
    for c, (low, high) in found.class_interval.items():
        here, there = sum(y[i] == c for i in asked), y.count(c)
        if here in (0, there):
            assert (low, high) == ((0.0, 1.0) if here == 0 else (found.per_class[c], found.per_class[c]))
            continue
        n, p = here * (there - 1) / (there - here), found.per_class[c]
        for end in (low, high):
            assert abs(p - end) == pytest.approx(z * math.sqrt(end * (1 - end) / n), rel=1e-9, abs=1e-12)
    assert found.class_chance == exact.class_chance


def test_interval_is_wilsons(rng):
    X, y, D = no_ties(rng, 50)
    test = thornton_test(X, y, scale=None, confidence=0.9)
    n, z, p = oracle.effective_rows(D, y), norm.ppf(0.95), test.score
    # Wilson 1927: the p0 for which |p - p0| = z sqrt(p0 (1 - p0) / n)
    for end in test.interval:
        assert abs(p - end) == pytest.approx(z * math.sqrt(end * (1 - end) / n), rel=1e-9)
    assert test.interval[0] < p < test.interval[1]
    assert test.confidence == 0.9
    wider = thornton_test(X, y, scale=None, confidence=0.99).interval
    assert wider[0] < test.interval[0]
    assert wider[1] > test.interval[1]


def test_interval_stays_within_zero_and_one():
    separated = thornton_test([[0.0], [0.1], [9.0], [9.1]], list("aabb"))
    assert separated.score == 1.0
    assert 0.0 < separated.interval[0] < 1.0
    assert separated.interval[1] == 1.0
    parity = thornton_test([[0.0], [1.0], [2.0], [3.0]], list("abab"))
    assert parity.score == 0.0
    assert parity.interval[0] == 0.0


def test_result_shows_itself(rng):
    X, y, _ = copies(rng, 30, "abc")
    test = thornton_test(X, y)
    frame = test.frame()
    assert frame["class"].tolist() == ["a", "b", "c"]
    assert frame["rows"].sum() == 30
    assert frame["chance"].tolist() == list(test.class_chance.values())
    assert list(zip(frame["low"], frame["high"], strict=True)) == list(test.class_interval.values())
    assert f"{test.score:.4f}" in str(test)
    assert "<table" in test._repr_html_()
    with pytest.raises(AttributeError):
        test.score = 1.0


def test_result_names_distance_method_and_notes():
    table = as_table([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [5.0, 1.0]], list("aabb"), names=["moving", "still"])
    test = thornton_test(table, distance="manhattan", method="brute")
    assert (test.distance, test.method) == ("manhattan", "brute")
    assert any("still" in note for note in test.notes)


def test_dropped_rows_are_counted_in_the_notes(rng):
    X, y, _ = no_ties(rng, 30)
    X[[3, 8], 0] = np.nan
    test = thornton_test(X, y, missing="drop")
    assert test.n_rows == 28
    assert any("2 of 30" in note for note in test.notes)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"n_permutations": -1}, "n_permutations"),
        ({"n_permutations": 1.5}, "n_permutations"),
        ({"n_permutations": True}, "n_permutations"),
        ({"confidence": 0.0}, "confidence"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": np.nan}, "confidence"),
        ({"n_queries": 5, "n_permutations": 10}, "n_permutations"),
    ],
)
def test_bad_parameters_are_named(call, said, rng):
    X, y, _ = no_ties(rng, 12)
    with pytest.raises(ParameterError, match=said):
        thornton_test(X, y, **call)


# ---------------------------------------------------------------- a sample of rows asks


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_asking_all_rows_is_not_sampling(family, rng):
    X, y, _ = family(rng, 30)
    full = thornton_test(X, y)
    for n_queries in (30, 31, 10_000):
        assert thornton_score(X, y, n_queries=n_queries, random_state=0) == full.score
        assert thornton_test(X, y, n_queries=n_queries).z == full.z


@pytest.mark.parametrize("ties", ["expected", "index", "pessimistic", "optimistic"])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_a_sampled_row_has_the_value_it_has_among_all(family, ties, rng):
    X, y, _ = family(rng, 25, "abc")
    full = thornton_samples(X, y, ties=ties)
    # Rows tell who they are by their value only; leaving one row out at a time, the sums must differ by its value.
    for seed in range(12):
        found = thornton_samples(X, y, ties=ties, n_queries=24, random_state=seed)
        assert len(found) == 24
        left_out = [i for i in range(25) if np.allclose(np.delete(full, i), found, rtol=1e-14)]
        assert left_out, "no row can be left out of the full answer to give this one"


def test_sampling_is_without_bias(rng):
    X, y = rng.normal(size=(300, 3)), rng.integers(3, size=300)
    X[:, 0] += y
    full = thornton_score(X, y)
    scores = [thornton_score(X, y, n_queries=60, random_state=seed) for seed in range(49)]
    assert abs(np.mean(scores) - full) < 4 * np.std(scores, ddof=1) / 7


def test_sampling_depends_on_the_seed_alone(rng):
    X, y, _ = no_ties(rng, 100)
    a, b = (thornton_samples(X, y, n_queries=40, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(a, b)
    c = thornton_samples(X, y, n_queries=40, random_state=np.random.default_rng(3))
    np.testing.assert_array_equal(a, c)
    others = {thornton_score(X, y, n_queries=40, random_state=seed) for seed in range(10)}
    assert len(others) > 1


@pytest.mark.parametrize("n_queries", [40, 300])
def test_interval_of_a_sample_covers_the_score_of_all_rows(n_queries, rng):
    X, y = rng.normal(size=(400, 3)), rng.integers(2, size=400)
    X[:, 0] += 1.5 * y
    full = thornton_score(X, y)
    intervals = [thornton_test(X, y, n_queries=n_queries, random_state=seed).interval for seed in range(40)]
    covered = sum(low <= full <= high for low, high in intervals)
    assert covered >= 34  # of 40 at 95 %
    widths = [high - low for low, high in intervals]
    # Narrower than Wilson's for n_queries independent rows, since there are only 400 rows to know about.
    assert max(widths) < 2 * 1.96 * math.sqrt(0.25 / n_queries) * math.sqrt((400 - n_queries) / 399) * 1.05
    assert min(widths) > 0


def test_sampled_test_has_no_p_value_and_says_how_many_were_asked(rng):
    X, y, _ = no_ties(rng, 100)
    test = thornton_test(X, y, n_queries=30, random_state=0)
    assert (test.n_rows, test.n_queries) == (100, 30)
    assert (test.z, test.p_value, test.permutation_std, test.permutation_p) == (None, None, None, None)
    assert "30 of 100" in str(test)
    assert test.score == thornton_score(X, y, n_queries=30, random_state=0)


def test_class_that_nobody_was_asked_from_has_no_score_and_no_warning(rng):
    X = rng.normal(size=(200, 2))
    y = ["common"] * 199 + ["rare"]
    tests = [thornton_test(X, y, n_queries=3, random_state=seed) for seed in range(5)]
    for test in tests:
        assert test.macro == pytest.approx(np.nanmean(list(test.per_class.values())))
        assert test.class_counts == {"common": 199, "rare": 1}
