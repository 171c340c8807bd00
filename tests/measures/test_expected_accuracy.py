"""The exact mean over all splits, against enumeration of all splits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from sepal import datasets
from sepal.exceptions import DataError, ParameterError
from sepal.measures import Prepared, expected_accuracy, expected_accuracy_curve, thornton_score
from sepal.measures import _split_accuracy as splitting
from sepal.measures._stratified import Strata
from tests.measures.labelled_rows import FAMILIES, copies, lattice, no_ties
from tests.oracles import thornton as oracle

by_name = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)


@by_name
@pytest.mark.parametrize("classes", ["ab", "abc"])
def test_every_train_size_by_enumeration(family, classes, rng):
    X, y, D = family(rng, 8, classes)
    sizes = list(range(1, 8))
    wanted = [float(oracle.mean(oracle.accuracies_of_all_splits(D, y, m))) for m in sizes]
    np.testing.assert_allclose(expected_accuracy(X, y, sizes, scale=None), wanted, rtol=1e-12)
    for m, value in zip(sizes, wanted, strict=True):
        assert expected_accuracy(X, y, m, scale=None) == pytest.approx(value, rel=1e-12)


@by_name
def test_every_train_size_by_ranks(family, rng):
    X, y, D = family(rng, 40, "abc")
    sizes = [1, 2, 5, 13, 20, 30, 38, 39]
    wanted = [float(oracle.expected_accuracy(D, y, m)) for m in sizes]
    np.testing.assert_allclose(expected_accuracy(X, y, sizes, scale=None), wanted, rtol=1e-11)


@by_name
@pytest.mark.parametrize("k", [3, 5])
def test_majority_of_k_by_enumeration(family, k, rng):
    """Impossible draws from a tied group were NaN and counted as 0, so that means over splits were wrong."""
    X, y, D = family(rng, 8)
    for m in range(k, 8):
        wanted = float(oracle.mean(oracle.accuracies_of_all_splits(D, y, m, k)))
        assert expected_accuracy(X, y, m, n_neighbors=k, scale=None) == pytest.approx(wanted, rel=1e-11, abs=1e-14)


@by_name
@pytest.mark.parametrize("k", [3, 7])
def test_majority_of_k_by_ranks(family, k, rng):
    X, y, D = family(rng, 36)
    for m in (k, 12, 18, 35):
        wanted = float(oracle.expected_vote_accuracy(D, y, m, k))
        assert expected_accuracy(X, y, m, n_neighbors=k, scale=None) == pytest.approx(wanted, rel=1e-10, abs=1e-13)


@by_name
def test_out_of_bag_form(family, rng):
    X, y, D = family(rng, 25, "abc")
    found = expected_accuracy(X, y, "bootstrap", scale=None)
    assert found == pytest.approx(float(oracle.bootstrap_accuracy(D, y)), rel=1e-11)


def test_out_of_bag_form_against_replicates(rng):
    X, y, D = lattice(rng, 14)
    sampled = oracle.sampled_bootstrap_accuracy(D, y, 3000, rng)
    # about 5 rows out of each bag: 15,000 answers, not independent
    assert expected_accuracy(X, y, "bootstrap", scale=None) == pytest.approx(sampled, abs=0.02)


@by_name
@pytest.mark.parametrize("classes", ["ab", "abcd"])
def test_all_but_one_row_is_thorntons_index(family, classes, rng):
    X, y, _ = family(rng, 50, classes)
    assert expected_accuracy(X, y, 49) == pytest.approx(thornton_score(X, y), rel=1e-13)


def test_shares_are_rounded_to_rows(rng):
    X, y, D = no_ties(rng, 11)
    for share, m in ((0.5, 6), (0.05, 1), (0.9, 10), (1 / 3, 4)):  # 5.5 goes to the even 6
        assert expected_accuracy(X, y, share, scale=None) == pytest.approx(float(oracle.expected_accuracy(D, y, m)))


def test_shape_follows_the_sizes_asked_for(rng):
    X, y, _ = no_ties(rng, 20)
    assert isinstance(expected_accuracy(X, y, 0.5), float)
    assert isinstance(expected_accuracy(X, y, 10), float)
    assert expected_accuracy(X, y, [0.5]).shape == (1,)
    assert expected_accuracy(X, y, np.array([5, 10, 15])).shape == (3,)
    mean, std = expected_accuracy(X, y, [0.25, 0.5], return_std=True)
    assert mean.shape == std.shape == (2,)
    assert isinstance(expected_accuracy(X, y, 0.5, return_std=True)[1], float)


@pytest.mark.parametrize(("family", "classes", "k"), [(no_ties, "abc", 1), (lattice, "ab", 1), (copies, "ab", 3)])
def test_within_four_standard_errors_of_300_sampled_splits(family, classes, k, rng):
    X, y, D = family(rng, 40, classes)
    for m in (8, 20, 32):
        sampled = [float(a) for a in oracle.sampled_split_accuracies(D, y, m, 300, rng, k)]
        error = np.std(sampled, ddof=1) / math.sqrt(300)
        assert abs(expected_accuracy(X, y, m, n_neighbors=k, scale=None) - np.mean(sampled)) < 4 * error


def test_large_numbers_of_rows_keep_their_digits(rng):
    # Two far groups in one place each: the nearest training row is wrong only if the own group has none.
    n = 4000
    X = np.repeat([[0.0], [1.0]], n // 2, axis=0)
    y = np.repeat([0, 1], n // 2)
    own, m = n // 2 - 1, 5
    none = math.comb(n - 1 - own, m) / math.comb(n - 1, m)
    assert expected_accuracy(X, y, m) == pytest.approx(1 - none, rel=1e-10)


# ---------------------------------------------------------------- stratified splits

# class sizes, train_size, training rows of each class, by hand: whole parts, then the largest remainders; where these
# are equal, every way there is
STRATIFIED = [
    ((4, 4), 4, [(2, 2)]),
    ((4, 4), 0.25, [(1, 1)]),
    ((6, 3), 6, [(4, 2)]),
    ((6, 3), 3, [(2, 1)]),
    ((3, 3, 3), 3, [(1, 1, 1)]),
    ((3, 3, 3), 4, [(2, 1, 1), (1, 2, 1), (1, 1, 2)]),  # 4/3 each
    ((3, 3, 3), 5, [(2, 2, 1), (2, 1, 2), (1, 2, 2)]),
    ((5, 3), 4, [(3, 1), (2, 2)]),  # 2.5 and 1.5
    ((5, 4), 0.6, [(3, 2)]),  # m = 5: 2.8 and 2.2, different rates
    ((4, 3, 1), 0.5, [(2, 2, 0), (2, 1, 1)]),  # 2, 1.5 and 0.5
    ((4, 3, 1), 0.75, [(3, 2, 1)]),  # the class of one always trains
    ((4, 3, 1), 2, [(1, 1, 0)]),  # and here it never does
    ((5, 1), 0.5, [(3, 0), (2, 1)]),
    ((4, 4), 1, [(1, 0), (0, 1)]),
    ((3, 3, 2), 7, [(3, 2, 2), (2, 3, 2)]),  # 2.625, 2.625, 1.75: the last first, then one of the two
]


def test_stratified_sizes_by_hand():
    """Shares of classes were rounded one by one: 20 classes of 3 rows and train_size=30 trained on 40 rows."""
    for sizes, train_size, ways in STRATIFIED:
        n = sum(sizes)
        m = train_size if isinstance(train_size, int) else round(train_size * n)
        assert all(sum(way) == m for way in ways)
        strata = Strata.of(np.array(sizes), m)
        assert strata.n_ways == len(ways)
        drawn = strata.drawn(200, np.random.default_rng(0))
        assert {tuple(way) for way in drawn.tolist()} == set(ways)


@by_name
@pytest.mark.parametrize(("sizes", "train_size", "ways"), STRATIFIED)
def test_stratified_splits_by_enumeration(family, sizes, train_size, ways, rng):
    n = sum(sizes)
    X, _, D = family(rng, n)
    y = ["abc"[c] for c, size in enumerate(sizes) for _ in range(size)]
    y = [y[j] for j in rng.permutation(n)]
    each = [
        float(oracle.mean(oracle.accuracies_of_all_stratified_splits(D, y, dict(zip("abc", counts, strict=False)))))
        for counts in ways
    ]
    found = expected_accuracy(X, y, train_size, stratified=True, scale=None)
    assert found == pytest.approx(np.mean(each), rel=1e-11, abs=1e-14)


@by_name
def test_stratified_splits_by_ranks(family, rng):
    X, _, D = family(rng, 24)
    y = list("a" * 12 + "b" * 8 + "c" * 4)
    y = [y[j] for j in rng.permutation(24)]
    # 12, 8, 4 times the share m / 24
    for m, ways in ((12, [(6, 4, 2)]), (7, [(4, 2, 1)]), (21, [(11, 7, 3), (10, 7, 4)])):
        each = [oracle.expected_stratified_accuracy(D, y, dict(zip("abc", way, strict=True))) for way in ways]
        found = expected_accuracy(X, y, m, stratified=True, scale=None)
        assert found == pytest.approx(float(np.mean([float(one) for one in each])), rel=1e-10)


def test_stratified_splits_of_many_small_classes_train_on_as_many_rows_as_they_say(rng):
    """Shares of classes were rounded one by one, and the answer for 30 rows was that for 40."""
    # 20 classes of 3 rows, 30 train: 10 classes give two rows and 10 one; by far too many ways to list.
    X, y = rng.normal(size=(60, 2)) + np.repeat(rng.normal(size=(20, 2)) * 3, 3, axis=0), np.repeat(np.arange(20), 3)
    D = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    right = []
    for _ in range(3000):
        taken = np.where(rng.permutation(20) < 10, 2, 1)
        training = np.concatenate([3 * c + rng.permutation(3)[:m] for c, m in enumerate(taken)])
        tested = np.setdiff1d(np.arange(60), training)
        right.append(np.mean(y[training[D[np.ix_(tested, training)].argmin(axis=1)]] == y[tested]))
    found, std = expected_accuracy(X, y, 30, stratified=True, return_std=True, scale=None)
    assert found == pytest.approx(np.mean(right), abs=4 * np.std(right) / np.sqrt(3000))
    assert std == pytest.approx(np.std(right), rel=0.2)
    curve = expected_accuracy_curve(X, y, [20, 30, 40], stratified=True, scale=None)
    assert curve.train_sizes.tolist() == [20, 30, 40]
    assert curve.accuracy[1] == found


# ---------------------------------------------------------------- how noisy one split is


@pytest.mark.parametrize("family", [no_ties, lattice, copies], ids=lambda family: family.__name__)
@pytest.mark.parametrize("m", [2, 5, 7, 9])
def test_deviation_of_one_split_by_enumeration(family, m, rng):
    X, y, D = family(rng, 10)
    wanted = oracle.standard_deviation(oracle.accuracies_of_all_splits(D, y, m))
    mean, std = expected_accuracy(X, y, m, return_std=True, scale=None)
    assert mean == pytest.approx(float(oracle.expected_accuracy(D, y, m)))
    assert std == pytest.approx(wanted, rel=0.25)


@pytest.mark.parametrize(("sizes", "m", "counts"), [((6, 5), 6, (3, 3)), ((7, 4), 6, (4, 2))])
def test_deviation_of_one_stratified_split_by_enumeration(sizes, m, counts, rng):
    n = sum(sizes)
    X, _, D = no_ties(rng, n)
    y = ["ab"[c] for c, size in enumerate(sizes) for _ in range(size)]
    splits = oracle.accuracies_of_all_stratified_splits(D, y, dict(zip("ab", counts, strict=True)))
    _, std = expected_accuracy(X, y, m, stratified=True, return_std=True, scale=None)
    assert std == pytest.approx(oracle.standard_deviation(splits), rel=0.25)


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("family", [no_ties, lattice], ids=lambda family: family.__name__)
def test_deviation_of_one_split_of_k_nearest_by_sampling(family, k, rng):
    """For k above 1 the deviation was the binomial one, up to a quarter too large."""
    X, y, D = family(rng, 40)
    X = X + (np.array(y) == "a")[:, None] * 1.5 if family is no_ties else X
    D = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    sampled = [float(a) for a in oracle.sampled_split_accuracies(D, y, 20, 500, rng, k)]
    _, std = expected_accuracy(X, y, 20, n_neighbors=k, return_std=True, scale=None)
    assert std == pytest.approx(np.std(sampled, ddof=1), rel=0.25)


# The deviation of one half split, as sampled with other code.
@pytest.mark.parametrize(("name", "figure"), [("liver", 0.0339), ("sonar", 0.0344), ("diabetes", 0.0191)])
def test_deviation_of_one_half_split_of_bundled_sets(name, figure):
    _, std = expected_accuracy(datasets.load(name), train_size=0.5, return_std=True)
    assert std == pytest.approx(figure, rel=0.25)


def test_deviation_depends_on_the_seed_alone_and_hardly_on_it(rng):
    X, y, _ = no_ties(rng, 60)
    stds = [expected_accuracy(X, y, return_std=True, random_state=seed)[1] for seed in (0, 0, 1, 2, 3)]
    assert stds[0] == stds[1]
    assert len(set(stds)) > 1
    assert max(stds) / min(stds) < 1.4


def test_separable_classes_have_no_noise(rng):
    X = np.concatenate([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 1000.0])
    mean, std = expected_accuracy(X, np.repeat([0, 1], 30), 0.5, return_std=True)
    assert mean == pytest.approx(1.0, abs=1e-7)
    assert std < 0.01


# ---------------------------------------------------------------- the curve


def test_curve_is_the_accuracy_at_each_size(rng):
    X, y, _ = lattice(rng, 40)
    curve = expected_accuracy_curve(X, y)
    shares = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]  # the default
    mean, std = expected_accuracy(X, y, shares, return_std=True)
    np.testing.assert_array_equal(curve.accuracy, mean)
    np.testing.assert_array_equal(curve.split_std, std)
    assert curve.train_sizes.tolist() == [4, 8, 12, 16, 20, 24, 28, 32, 36]
    assert (curve.n_rows, curve.k, curve.stratified) == (40, 1, False)
    frame = curve.frame()
    assert frame["train_rows"].tolist() == curve.train_sizes.tolist()
    np.testing.assert_allclose(frame["train_share"], shares)
    assert "<table" in curve._repr_html_()


def test_curve_takes_k_and_strata(rng):
    X, y, _ = lattice(rng, 40)
    np.testing.assert_array_equal(
        expected_accuracy_curve(X, y, [10, 20], n_neighbors=3).accuracy,
        expected_accuracy(X, y, [10, 20], n_neighbors=3),
    )
    np.testing.assert_array_equal(
        expected_accuracy_curve(X, y, [10, 20], stratified=True).accuracy,
        expected_accuracy(X, y, [10, 20], stratified=True),
    )


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "train_size", [0.0, 1.0, -0.5, 1.5, np.nan, 0, 12, -1, "half", None, True, [0.5, 2.0], 0.01, 0.99]
)
def test_impossible_train_sizes(train_size, rng):
    X, y, _ = no_ties(rng, 12)
    with pytest.raises(ParameterError, match="train_size"):
        expected_accuracy(X, y, train_size)


@pytest.mark.parametrize("train_size", [[], [[0.5]]])
def test_train_sizes_of_an_odd_shape(train_size, rng):
    X, y, _ = no_ties(rng, 12)
    with pytest.raises(ParameterError, match="train_size"):
        expected_accuracy(X, y, train_size)


@pytest.mark.parametrize(
    ("k", "what"), [(2, "odd"), *((k, "an integer of at least 1") for k in (0, -1, True, 1.0, "3"))]
)
def test_k_must_be_odd(k, what, rng):
    X, y, _ = no_ties(rng, 12)
    with pytest.raises(ParameterError, match=f"n_neighbors must be {what}"):
        expected_accuracy(X, y, 0.5, n_neighbors=k)


def test_k_above_one_is_for_two_classes_and_plain_splits(rng):
    X, y, _ = no_ties(rng, 20, "abc")
    with pytest.raises(ParameterError, match="n_neighbors must be 1"):
        expected_accuracy(X, y, 0.5, n_neighbors=3)
    X, y, _ = no_ties(rng, 20)
    for call in ({"stratified": True}, {"train_size": "bootstrap"}):
        with pytest.raises(ParameterError, match="n_neighbors must be 1"):
            expected_accuracy(X, y, n_neighbors=3, **call)
    with pytest.raises(ParameterError, match="train_size"):
        expected_accuracy(X, y, 2, n_neighbors=3)


def test_bootstrap_has_no_strata_and_no_deviation(rng):
    X, y, _ = no_ties(rng, 12)
    with pytest.raises(ParameterError, match="stratified"):
        expected_accuracy(X, y, "bootstrap", stratified=True)
    with pytest.raises(ParameterError, match="return_std"):
        expected_accuracy(X, y, "bootstrap", return_std=True)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="two classes"):
        expected_accuracy(np.eye(4), [1, 1, 1, 1])


def test_two_rows():
    assert expected_accuracy([[0.0], [1.0]], ["a", "b"], 1) == 0.0


def test_an_error_in_progress_comes_out(rng):
    def stop(text: str, share: float) -> None:
        raise KeyboardInterrupt

    X, y = rng.normal(size=(8000, 40)), rng.integers(2, size=8000)
    with pytest.raises(KeyboardInterrupt):
        expected_accuracy(X, y, 0.5, progress=stop)


def test_labels_drawn_at_random_give_chance(rng):
    X, y = rng.normal(size=(1500, 2)), rng.random(1500) < 0.5
    chance = 2 * 0.25
    sd = math.sqrt(chance * (1 - chance) / 1500)
    assert abs(expected_accuracy(X, y, 0.5) - chance) < norm.ppf(0.99999) * 2 * sd


@pytest.mark.parametrize("kind", ["real", "tied"])
def test_long_lists_are_asked_for_by_some_rows_at_a_time(kind, monkeypatch):
    """A report of 20,000 rows held half a gigabyte here; the answers are the same to the last bit."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    X, y = X if kind == "real" else np.round(X), (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    sizes = [0.1, 0.5]
    wanted = [expected_accuracy(X, y, sizes), expected_accuracy(X, y, sizes, n_neighbors=3)]
    asked, ranking = [], Prepared.ranking

    def heard(self, n_neighbors, rows=None, progress=None):
        asked.append(n_neighbors * (self.n_rows if rows is None else len(rows)))
        return ranking(self, n_neighbors, rows, progress)

    monkeypatch.setattr(Prepared, "ranking", heard)
    monkeypatch.setattr(splitting, "_ASKED_ENTRIES", 5_000)
    found = [expected_accuracy(X, y, sizes), expected_accuracy(X, y, sizes, n_neighbors=3)]
    assert np.array_equal(found, wanted)
    assert len(asked) > 10
    assert max(asked) <= 5_000


def test_not_even_the_last_bit_depends_on_the_order_of_rows():
    """Means of shares were sums of floats, one row after the other."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(700, 3)), rng.integers(0, 2, 700)
    sizes = np.arange(50, 690, 40)
    found = expected_accuracy(X, y, sizes)
    for _ in range(5):
        order = rng.permutation(len(X))
        assert np.array_equal(expected_accuracy(X[order], y[order], sizes), found)
