"""What the parameters of the neighbour learners may be, and what they mean."""

from __future__ import annotations

from dataclasses import replace

from sepal.learners._drift import DETECTORS
from sepal.learners._regression import AGGREGATES
from sepal.learners._vote_weights import PER_CLASS, VOTE_WEIGHTS
from sepal.learners._votes import VOTE_TIES
from sepal.measures import shared_parameters as shared
from sepal.neighbors import SEARCH_METHODS
from sepal.parameters import Parameter
from sepal.prototypes import METHODS

_VOTE_WEIGHTS = Parameter(
    "weights", "word", "how much a neighbour's vote counts", words=tuple(VOTE_WEIGHTS), also=("function",),
    looked_up=True,
)  # fmt: skip
_FEATURE_WEIGHTS = Parameter(
    "feature_weights", "other", "a weight for each column", optional=True, also=("mapping", "sequence", "anything")
)
_WIDTH = Parameter(
    "width", "number", "width of the kernel weights; by default the distance of the k-th neighbour", above=0.0,
    infinite=True, optional=True,
)  # fmt: skip
_METHOD = Parameter("method", "word", "how neighbours are searched", words=SEARCH_METHODS)
_COMMON = (
    shared.N_NEIGHBORS,
    _VOTE_WEIGHTS,
    shared.DISTANCE,
    shared.DISTANCE_PARAMS,
    _FEATURE_WEIGHTS,
    shared.SCALE,
    shared.TIES,
    shared.K_MAX,
    _WIDTH,
    _METHOD,
    shared.N_JOBS,
)
KNN_CLASSIFIER = (
    *(
        replace(each, words=(*VOTE_WEIGHTS, PER_CLASS)) if each is _VOTE_WEIGHTS else each
        for each in _COMMON
    ),
    Parameter("vote_ties", "word", "who wins an equal vote", words=tuple(VOTE_TIES)),
    shared.CLASS_WEIGHT,
    Parameter(
        "priors", "other", "class probabilities in place of the class shares", words=("equal",), optional=True,
        also=("mapping", "sequence"),
    ),
    Parameter(
        "prototypes", "word", "which training rows to keep", words=tuple(METHODS), optional=True,
        also=("function", "sequence", "anything"), looked_up=True,
    ),
    Parameter("smoothing", "number", "added to the votes of every class", at_least=0.0),
)  # fmt: skip
KNN_REGRESSOR = (
    *_COMMON,
    Parameter("aggregate", "word", "what the neighbours' numbers become", words=tuple(AGGREGATES)),
)
_STANDARDIZED = replace(shared.SCALE, help="scaling of the columns, from the training rows")
DANN = (
    replace(shared.N_NEIGHBORS, help="rows that vote under the final metric", words=()),
    Parameter("n_metric", "whole", "rows that shape the metric; a fifth of all by default", at_least=1, optional=True),
    Parameter("epsilon", "number", "regularisation of the local metric: how round the neighbourhood stays", above=0.0),
    Parameter("n_iter", "whole", "how often the metric is renewed", at_least=1, at_most=10_000),
    _STANDARDIZED,
)
METRIC_CLUSTERING = (
    Parameter("alpha", "number", "weight of the label: a large one keeps clusters pure", at_least=0.0),
    Parameter("clusters_per_class", "whole", "each class starts as so many clusters", at_least=1),
    Parameter(
        "cutoff", "number", "answer the second of two classes above this share", at_least=0.0, at_most=1.0,
        optional=True,
    ),
    Parameter("distance", "word", "how rows are compared with centres", words=("euclidean", "mahalanobis")),
    _STANDARDIZED,
    Parameter("max_iter", "whole", "passes at most", at_least=1),
)  # fmt: skip
WINDOW = (
    Parameter("window", "whole", "how many rows are held", at_least=1, optional=True),
    replace(shared.N_NEIGHBORS, help="how many rows vote", words=()),
    Parameter("max_age", "number", "older rows are forgotten", above=0.0, infinite=True, optional=True),
    Parameter("class_quota", "whole", "how many rows of one class are held", at_least=1, optional=True),
    Parameter("weights", "word", "votes count alike, or one over the distance", words=("uniform", "distance")),
    shared.DISTANCE,
    shared.DISTANCE_PARAMS,
    replace(shared.SCALE, help="divide by the range in the window", looked_up=True),
    Parameter("edit_neighbors", "whole", "take out rows that so many neighbours get wrong", at_least=1, optional=True),
    Parameter("edit_every", "whole", "after so many rows", at_least=1),
    Parameter("drift", "word", "watch the errors for a change", words=tuple(DETECTORS), optional=True),
    Parameter("on_drift", "word", "only say so, or forget the older rows", words=("signal", "forget")),
    shared.N_JOBS,
)
