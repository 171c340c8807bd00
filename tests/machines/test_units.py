"""Answers do not depend on the unit of measurement: values times a power of two have the same digits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from sepal.exceptions import DataError, ParameterError
from sepal.machines import FisherDiscriminant, KernelAdatronClassifier, ParzenClassifier, SVMClassifier
from sepal.measures import angle_of_separability

POWERS = (-1030, -700, -300, -40, -1, 1, 40, 300, 510, 700, 1015)


def _rows(seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    X[30:] += [1.5, 0.0, -1.0]
    return np.round(X * 1024) / 1024, np.repeat(["a", "b"], 30)  # few digits: exact in the smallest units too


@pytest.mark.parametrize("power", POWERS)
def test_mahalanobis_and_its_tests_do_not_depend_on_the_unit(power):
    """D was 0 for values times 1e-200, and LinAlgError from 1e155."""
    X, y = _rows()
    one, two = (angle_of_separability(rows, y, n_permutations=19) for rows in (X, np.ldexp(X, power)))
    assert (one.mahalanobis, one.standardized_theta) == (two.mahalanobis, two.standardized_theta)
    assert one.hotelling == two.hotelling
    assert (one.permutation_p, one.wilks, one.pillai) == (two.permutation_p, two.wilks, two.pillai)
    assert two.theta == pytest.approx(np.arctan(np.ldexp(np.tan(one.theta), -power)) if power > -1000 else np.pi / 2)


def test_mahalanobis_does_not_depend_on_the_units_of_single_columns():
    X, y = _rows()
    one = angle_of_separability(X, y, n_permutations=0)
    two = angle_of_separability(np.ldexp(X, [-200, 0, 200]), y, n_permutations=0)
    assert two.mahalanobis == pytest.approx(one.mahalanobis, rel=1e-12)
    assert two.hotelling.p_value == pytest.approx(one.hotelling.p_value, rel=1e-9)


@pytest.mark.parametrize("power", POWERS)
def test_fisher_does_not_depend_on_the_unit(power):
    """Accuracy fell from 0.85 to 0.50 for values times 1e-200, and LinAlgError came from 1e155."""
    X, y = _rows()
    one, two = FisherDiscriminant().fit(X, y), FisherDiscriminant().fit(np.ldexp(X, power), y)
    assert np.array_equal(one.decision_function(X), two.decision_function(np.ldexp(X, power)))
    assert np.array_equal(one.transform(X), two.transform(np.ldexp(X, power)))
    assert np.array_equal(np.ldexp(one.means_, power), two.means_)


def test_fisher_with_a_singular_covariance_does_not_depend_on_the_unit():
    X, y = _rows()
    X = np.column_stack([X, X[:, 0], y == "b"])
    with pytest.warns(UserWarning, match="separated perfectly"):
        one = FisherDiscriminant().fit(X, y)
    with pytest.warns(UserWarning, match="separated perfectly"):
        two = FisherDiscriminant().fit(np.ldexp(X, -600), y)
    assert np.array_equal(one.decision_function(X), two.decision_function(np.ldexp(X, -600)))
    assert np.array_equal(np.ldexp(one.null_norms_, -600), two.null_norms_)


@pytest.mark.parametrize("distance", [1e2, 4.6e4, 1e6, 1e9, 1e12])
def test_the_interval_holds_its_estimate_for_very_distant_classes(distance):
    """From D of about 46,000 the interval did not contain D.

    With so distant means the spread of T^2 is that of the covariance alone: D^2 times chi-square / df.
    """
    from scipy.stats import chi2

    from sepal.measures._hotelling import hotelling

    test = hotelling(distance**2, 30, 30, 3, 58, 0.95)
    low, high = test.interval
    assert low < distance < high
    if distance > 1e4:
        expected = distance * np.sqrt(chi2(test.df[1]).ppf([0.025, 0.975]) / 58)
        np.testing.assert_allclose((low, high), expected, rtol=1e-4)


@pytest.mark.parametrize(("df1", "df2"), [(1, 10), (3, 76), (40, 25)])
def test_the_two_forms_of_the_noncentral_f_meet(df1, df2):
    from scipy.special import ncfdtr

    from sepal.measures._hotelling import _noncentral_f

    for share in (0.6, 1.0, 1.5):
        f = 1.1e7 / df1 * share
        assert _noncentral_f(df1, df2, 1.1e7, f) == pytest.approx(ncfdtr(df1, df2, 1.1e7, f), rel=1e-8)


MACHINES = [
    SVMClassifier(scale=None),
    SVMClassifier(scale=None, gamma="scale"),
    SVMClassifier(scale=None, kernel="poly", C=10.0),
    SVMClassifier(),
    KernelAdatronClassifier(scale=None, gamma="scale"),
    ParzenClassifier(scale=None),
    ParzenClassifier(scale=None, width="aligned"),
    ParzenClassifier(),
]


@pytest.mark.parametrize("power", [-1000, -520, -30, 30, 520, 1015])
@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_kernel_machines_that_choose_their_width_do_not_depend_on_the_unit(machine, power):
    """From 1e160 there was a ZeroDivisionError or NaN, and below 1e-160 all rows counted as equal."""
    X, y = _rows()
    one, two = clone(machine).fit(X, y), clone(machine).fit(np.ldexp(X, power), y)
    assert np.array_equal(one.decision_function(X), two.decision_function(np.ldexp(X, power)))
    if machine.scale is None and one.width_ is not None:
        assert two.width_ == np.ldexp(one.width_, power)


@pytest.mark.parametrize("machine", [SVMClassifier, ParzenClassifier])
def test_a_given_width_is_in_the_units_given(machine):
    X, y = _rows()
    one = machine(scale=None, width=0.75).fit(X, y)
    two = machine(scale=None, width=float(np.ldexp(0.75, 520))).fit(np.ldexp(X, 520), y)
    assert np.array_equal(one.decision_function(X), two.decision_function(np.ldexp(X, 520)))
    assert (one.width_, two.width_) == (0.75, np.ldexp(0.75, 520))


@pytest.mark.filterwarnings("ignore:.*for every training row")
@pytest.mark.parametrize(
    ("machine", "width"),
    [(SVMClassifier, 1e300), (KernelAdatronClassifier, 1e300), (ParzenClassifier, 1e300), (ParzenClassifier, 1e-300)],
)
def test_absurd_widths_have_an_answer(machine, width):
    """Widths whose squares overflow or vanish had no answer."""
    X, y = _rows()
    assert np.all(np.isfinite(machine(width=width).fit(X, y).decision_function(X)))


@pytest.mark.parametrize("machine", [SVMClassifier, KernelAdatronClassifier])
def test_a_width_that_rounding_swallows_is_refused(machine):
    """So narrow a kernel was made of rounding errors, and taken."""
    X, y = _rows()
    with pytest.raises(ParameterError, match="too narrow for these rows"):
        machine(width=1e-300).fit(X, y)


def test_products_beyond_the_largest_float_are_refused():
    X, y = _rows()
    with pytest.raises(DataError, match="beyond the largest float"):
        SVMClassifier(kernel="linear", scale=None).fit(X * 1e160, y)
