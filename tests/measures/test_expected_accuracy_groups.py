"""The exact mean over all splits of whole groups, against enumeration of all subsets of the groups."""

from __future__ import annotations

import numpy as np
import pytest

from sepal import prepare
from sepal.exceptions import DataError, ParameterError
from sepal.measures import expected_accuracy, expected_accuracy_curve, thornton_score
from sepal.measures._split_groups import OfAll, UnequalGroups, WithReplacement
from tests.measures.labelled_rows import FAMILIES, lattice, no_ties
from tests.oracles import thornton as oracle

by_name = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)


def dealt(rng: np.random.Generator, n: int, n_groups: int) -> list[str]:
    """Names of groups of unequal size, in no order."""
    groups = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, n - n_groups) ** 2 // n_groups])
    return [f"g{7 * group % 10}" for group in rng.permutation(groups)]


@by_name
@pytest.mark.parametrize("classes", ["ab", "abc"])
def test_every_number_of_groups_by_enumeration(family, classes, rng):
    X, y, D = family(rng, 13, classes)
    groups = dealt(rng, 13, 6)
    wanted = [float(oracle.expected_accuracy_of_groups(D, y, groups, m)) for m in range(1, 6)]
    found = expected_accuracy(X, y, list(range(1, 6)), scale=None, groups=groups)
    np.testing.assert_allclose(found, wanted, rtol=1e-11)
    assert found[-1] == pytest.approx(thornton_score(X, y, scale=None, groups=groups), rel=1e-12)
    assert expected_accuracy(X, y, 0.5, scale=None, groups=groups) == pytest.approx(wanted[2], rel=1e-11)


@by_name
def test_out_of_bag_form_by_enumeration(family, rng):
    X, y, D = family(rng, 9)
    groups = dealt(rng, 9, 4)
    wanted = float(oracle.bootstrap_accuracy_of_groups(D, y, groups))
    assert expected_accuracy(X, y, "bootstrap", scale=None, groups=groups) == pytest.approx(wanted, rel=1e-11)


def test_by_hand():
    # Three groups: a row of a at 0, two of a and one of b at 1, one of b at 2. One of them trains.
    X, y, groups = [[0.0], [1.0], [1.0], [1.0], [2.0]], list("aaabb"), list("xyyyz")
    # x: by y 2/3, by z 0. The two a of y: by x 1, by z 0; its b: by x 0, by z 1. z: by x 0, by y 1/3.
    wanted = (2 / 3 / 2 + 2 * 1 / 2 + 1 / 2 + 1 / 3 / 2) / 5
    assert expected_accuracy(X, y, 1, scale=None, groups=groups) == pytest.approx(wanted, rel=1e-12)
    # x and y train where z asks: y is nearer. x asks: y. y asks x and z, equally near: half of both.
    assert expected_accuracy(X, y, 2, scale=None, groups=groups) == pytest.approx(
        (2 / 3 + 3 / 2 + 1 / 3) / 5, rel=1e-12
    )


def test_unequal_groups_by_all_subsets(rng):
    from itertools import combinations

    size, same = np.array([1, 4, 2, 2, 7]), np.array([1.0, 0.0, 2.0, 1.0, 3.0])
    for u, found in enumerate(UnequalGroups().share(size, same)):
        each = [same[list(part)].sum() / size[list(part)].sum() for part in combinations(range(5), u) if part]
        assert found == pytest.approx(np.mean(each) if each else 0.0, rel=1e-12)


@pytest.mark.parametrize("drawing", [OfAll(9, 4), OfAll(9, 1), OfAll(9, 9), WithReplacement(9)], ids=repr)
def test_chances_add_up(drawing):
    missed = drawing.missed()
    for ahead, tied in ((0, 3), (2, 5), (4, 1), (6, 3)):
        drawn = drawing.drawn(ahead, tied)
        assert drawn.sum() == pytest.approx(missed[ahead], rel=1e-12, abs=1e-14)
        assert drawn[0] == pytest.approx(missed[ahead + tied], rel=1e-12, abs=1e-14)


def test_groups_of_one_row_change_nothing(rng):
    for family in (lattice, no_ties):
        X, y, _ = family(rng, 60, "abc")
        alone = rng.permutation(60)
        sizes = [1, 5, 30, 59]
        for how in ({}, {"stratified": True}, {"return_std": True}):
            one, other = (expected_accuracy(X, y, sizes, groups=groups, **how) for groups in (None, alone))
            np.testing.assert_array_equal(one, other)
        assert expected_accuracy(X, y, "bootstrap") == expected_accuracy(X, y, "bootstrap", groups=alone)


def test_the_curve_counts_groups(rng):
    X, y, D = lattice(rng, 24)
    groups = np.arange(24) % 8
    curve = expected_accuracy_curve(X, y, [2, 4, 7], scale=None, groups=groups)
    assert (curve.n_groups, curve.n_rows, curve.train_sizes.tolist()) == (8, 24, [2, 4, 7])
    assert curve.frame().columns.tolist() == ["train_groups", "train_share", "accuracy", "split_std"]
    assert curve.frame()["train_share"].tolist() == [0.25, 0.5, 0.875]
    for m, mean, std in zip((2, 4, 7), curve.accuracy, curve.split_std, strict=True):
        each = [float(v) for v in oracle.accuracies_of_all_splits_of_groups(D, y, groups.tolist(), m)]
        assert mean == pytest.approx(np.mean(each), rel=1e-11)  # groups of equal size: splits count alike
        assert std == pytest.approx(np.std(each), rel=0.2)  # 200 splits: one deviation is 5 %
    order = rng.permutation(24)
    again = expected_accuracy_curve(X[order], np.array(y)[order], [2, 4, 7], scale=None, groups=100 - groups[order])
    np.testing.assert_allclose(again.accuracy, curve.accuracy, rtol=1e-12)
    np.testing.assert_allclose(again.split_std, curve.split_std, rtol=1e-12)


def test_copies_are_kept_together(rng):
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    once, twice = expected_accuracy(X, y, 0.5), expected_accuracy(np.repeat(X, 2, 0), np.repeat(y, 2), 0.5)
    assert expected_accuracy(np.repeat(X, 2, 0), np.repeat(y, 2), 0.5, groups="copies") == pytest.approx(
        once, rel=1e-12
    )
    assert twice > once + 0.1
    ready = prepare(np.repeat(X, 2, 0), np.repeat(y, 2))
    assert expected_accuracy(ready, None, 0.5, groups=np.repeat(np.arange(30), 2)) == pytest.approx(once, rel=1e-12)


@pytest.mark.parametrize(
    ("how", "error", "text"),
    [
        ({"train_size": 4}, ParameterError, "between 1 and 3 of the 4 groups"),
        ({"train_size": 2, "stratified": True}, ParameterError, "stratified=True has no exact form with groups"),
        ({"train_size": 2, "n_neighbors": 3}, ParameterError, "n_neighbors must be 1 with groups"),
        ({"train_size": 2, "groups": [0] * 12}, DataError, "all rows are in one group"),
    ],
)
def test_what_has_no_answer(how, error, text):
    X, y = np.arange(12.0)[:, None], [0, 1] * 6
    with pytest.raises(error, match=text):
        expected_accuracy(X, y, **({"groups": np.arange(12) // 3} | how))
