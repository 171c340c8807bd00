"""The promises of docs/guide/how-sure.md on a small scale; ``python -m benchmarks.statistics`` has the full one."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.statistics._coverage import (
    chance_of_classes,
    classes_cover,
    complexity_covers,
    evaluation_covers,
    mahalanobis_covers,
    queries_cover,
    share_of,
    shifted,
    stability_covers,
    thornton_covers,
    tied,
)
from benchmarks.statistics._null import ALPHAS, levels
from benchmarks.statistics._null_designs import NullDesign, copied, normal, whole
from sepal.measures import thornton_test
from sepal.measures._thornton_p import LabelMoments

SMALL = (
    NullDesign("many small classes", normal(40, 2), (2,) * 20),
    NullDesign("a rare class", normal(80, 3), (74, 6)),
    NullDesign("three binary columns", whole(300, 3, 2), (150, 150)),
    NullDesign("copies", copied(30, 4), (60, 60)),
    NullDesign("no ties", normal(300, 2), (100, 200)),
)


@pytest.mark.parametrize("design", SMALL, ids=lambda design: design.name)
def test_p_is_as_often_small_as_it_says_when_labels_mean_nothing(design):
    """The normal p-value did not keep its level for tied rows, copies, rare and many classes."""
    _, found = levels(design, 3, 20_000, 1)
    # The index has steps: the attainable level is the largest at most alpha that any test of it has.
    for alpha, (ours, attainable), factor in zip(ALPHAS, found, (1.3, 1.3, 1.5), strict=True):
        assert ours <= factor * alpha
        assert ours >= attainable / factor


def test_moments_alone_would_not_do_for_many_small_classes():
    test = thornton_test(np.random.default_rng(0).normal(size=(40, 2)), np.repeat(np.arange(20), 2))
    assert test.p_source == "permutations"
    assert any("permutations" in note and "skewed" in note for note in test.notes)


def test_tail_of_pearson_three_is_that_of_its_special_cases():
    # Skewness 2: an exponential distribution less 1; skewness -2 its mirror image; none: the normal distribution.
    assert LabelMoments(5.0, 2.0, 2.0, 0.0, 0.0).tail(5.0 + 2.0 * 3.0) == pytest.approx(np.exp(-4.0), rel=1e-12)
    assert LabelMoments(5.0, 2.0, -2.0, 0.0, 0.0).tail(5.0 - 2.0 * 3.0) == pytest.approx(1 - np.exp(-4.0), rel=1e-12)
    assert LabelMoments(5.0, 2.0, 0.0, 0.0, 0.0).tail(5.0 + 2.0 * 1.959963984540054) == pytest.approx(0.025, rel=1e-9)
    near, none = (LabelMoments(0.0, 1.0, skew, 0.0, 0.0).tail(12.0) for skew in (1.01e-4, 0.99e-4))
    assert near == pytest.approx(none, rel=0.05)  # no jump where one formula takes over from the other


def test_far_tail_is_kept_where_no_permutation_reaches_it():
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 30.0])
    test = thornton_test(X, np.repeat([0, 1], 20))
    assert test.p_source == "permutations"
    assert test.p_value < 1e-6


COVERS = {
    "Thornton's index, no difference": (lambda r: thornton_covers(shifted(0.0, 2), 60, r), 150, 0.91),
    "Thornton's index, tied rows": (lambda r: thornton_covers(tied, 60, r), 100, 0.90),
    "Thornton's index by class, no difference": (lambda r: classes_cover(shifted(0.0, 2), 60, r), 100, 0.90),
    "Thornton's index by class, one class in ten": (lambda r: classes_cover(shifted(1.5, 3, 0.1), 60, r), 100, 0.90),
    "Thornton's index by class, tied rows": (lambda r: classes_cover(tied, 60, r), 80, 0.90),
    "Thornton's index of a sample": (lambda r: queries_cover(300, 60, r), 100, 0.90),
    "Mahalanobis distance": (lambda r: mahalanobis_covers(30, 3, 1.0, r), 150, 0.91),
    "stability": (lambda r: stability_covers(100, 40, r), 300, 0.91),
    "cross-validation": (lambda r: evaluation_covers(25, 4, 60, r), 40, 0.80),
}


@pytest.mark.parametrize("name", COVERS)
def test_intervals_cover_what_they_are_intervals_of(name):
    """Rows that are each other's nearest, or answer each other in folds, counted as independent."""
    covers, repeats, least = COVERS[name]
    assert share_of(covers, repeats) >= least


def test_a_class_agrees_by_chance_as_often_as_said():
    score, chance = chance_of_classes(shifted(1.5, 3, 0.2), 50, 300)
    assert score == pytest.approx(chance, abs=0.02)
    assert 0.1 < chance < 0.25


def test_intervals_of_sampled_complexity_cover_the_mean_over_samples():
    shares = complexity_covers(shifted(1.5, 3), 130, 40, 16)
    assert np.mean([*shares.values()]) >= 0.85
