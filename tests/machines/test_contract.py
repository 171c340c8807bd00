"""scikit-learn's contract for more configurations: all checks but those named, which fail for the reason given."""

from __future__ import annotations

import warnings

import pytest

from sepal.machines import (
    FeatureVectorClassifier,
    FeatureVectorRegressor,
    FeatureVectorSelector,
    GeneralizedDiscriminant,
    KernelAdatronClassifier,
    ParzenClassifier,
    SVMClassifier,
)
from tests.machines.contract import failed_checks

# Asks for 83 % on three blobs, and for those scaled to the unit square.
TRAIN = "check_classifiers_train"
# Trains on blobs that overlap all but completely, and asks that a weight of 10,000,000 decides nearly everywhere.
CLASS_WEIGHT = "check_class_weight_classifiers"

DIRECTION = {TRAIN: "the kernel sees directions from the corner of the unit box, and two of the blobs lie in one"}
TANH = {TRAIN: "tanh is no positive semidefinite kernel: the machine says so, and ends in a poor optimum"}
NARROW = {
    CLASS_WEIGHT: "on noise alignment peaks at a width of 0.007, where the nearest row's window decides alone: no "
    "factor of a class makes up for exp(-1000)"
}
NO_RIDGE = {CLASS_WEIGHT: "without a ridge as many vectors as rows reproduce every label, whatever it weighs"}


def plus_one(A, B):
    return A @ B.T + 1.0


CASES = [
    (SVMClassifier(kernel="sigmoid"), TANH),
    (SVMClassifier(kernel="cosine"), DIRECTION),
    (SVMClassifier(kernel="correlation"), DIRECTION),
    (SVMClassifier(kernel="chi2"), {}),
    (SVMClassifier(kernel=plus_one), {}),
    (SVMClassifier(scale="standard", probability=True, class_weight="balanced"), {}),
    (SVMClassifier(scale=None, gamma="scale", C=1000.0), {}),
    (KernelAdatronClassifier(kernel="poly", tol=1e-2), {}),
    (KernelAdatronClassifier(kernel="sigmoid"), TANH),
    (KernelAdatronClassifier(kernel="laplacian", class_weight="balanced"), {}),
    (ParzenClassifier("aligned", priors="empirical"), NARROW),
    (ParzenClassifier("aligned"), NARROW),
    (ParzenClassifier(priors="empirical", scale="standard"), {}),
    (GeneralizedDiscriminant(alpha=0), {}),
    (GeneralizedDiscriminant(alpha=0, n_vectors=20), {}),
    (GeneralizedDiscriminant(kernel="chi2", n_vectors=20), {}),
    (FeatureVectorClassifier(alpha=0.0), NO_RIDGE),
    (FeatureVectorClassifier(kernel="cosine"), DIRECTION),
    (FeatureVectorClassifier(kernel="chi2", max_vectors=20), {}),
    (FeatureVectorClassifier(10, kernel="polynomial", criterion="local", scale="standard"), {}),
    (FeatureVectorSelector(kernel="linear"), {}),
    (FeatureVectorRegressor(kernel="polynomial", coef0=1.0), {}),
    (FeatureVectorRegressor(alpha=0.0, width="scale"), {}),
]


@pytest.mark.parametrize(("estimator", "failing"), CASES, ids=[str(case[0]).split(" at 0x")[0] for case in CASES])
def test_contract_but_for(estimator, failing: dict[str, str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert failed_checks(estimator) == set(failing)
