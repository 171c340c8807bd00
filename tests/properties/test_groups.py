"""Wherever rows are left out, their groups can be left out with them."""

from __future__ import annotations

import inspect

from sepal.evaluation import evaluate
from sepal.machines import hyperparameter_surface
from tests.properties.surface import estimators, functions

# What neither asks a row's neighbours nor holds rows out: every row counts by itself, and none judges another.
LEAVES_NOBODY_OUT = {
    "align_feature_weights",
    "alignment_curve",
    "alignment_score",
    "angle_of_separability",
    "prepare",
    "telling_words",
    # Condensers: a row that is kept answers for itself.
    "fcnn",
    "hart",
    "mss",
    "rnn",
    "rss",
    # Fitted to all rows without a choice.
    "DANNClassifier",
    "FeatureVectorSelector",
    "FisherDiscriminant",
    "MetricClusteringClassifier",
    # A stream: rows are tested before they are learnt.
    "WindowKNNClassifier",
}


def signatures() -> dict[str, inspect.Signature]:
    found = {name: inspect.signature(each) for name, each in functions().items()}
    return found | {name: inspect.signature(each.fit) for name, each in estimators().items()}


def test_everything_that_leaves_rows_out_takes_groups():
    takes = {name for name, signature in signatures().items() if "groups" in signature.parameters}
    assert set(signatures()) - takes == LEAVES_NOBODY_OUT
    for also in (evaluate, hyperparameter_surface):
        assert "groups" in inspect.signature(also).parameters
