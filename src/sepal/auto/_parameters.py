"""What the few parameters of the estimators without choices may be, and what they mean."""

from __future__ import annotations

from dataclasses import replace

from sepal.measures import shared_parameters as shared
from sepal.parameters import Parameter

_TIME_LIMIT = replace(shared.TIME_LIMIT, help="seconds at most; what is found by then is used")
SEPAL_REGRESSOR = (_TIME_LIMIT, shared.N_JOBS, shared.RANDOM_STATE)
SEPAL_CLASSIFIER = (*SEPAL_REGRESSOR, Parameter("balanced", "flag", "whether errors count alike in every class"))
PAPER_CHAIN = (
    Parameter("subset", "word", "features by separability, or all of them", words=("separability",), optional=True),
    Parameter("multiclass", "word", "one output per class, or a tree of two-class chains", words=("direct", "tree")),
    Parameter("max_vectors", "whole", "the most feature vectors", at_least=1, optional=True),
    shared.RANDOM_STATE,
    shared.N_JOBS,
)
