"""What the parameters of the machines may be, and what they mean."""

from __future__ import annotations

from dataclasses import replace

from sepal.measures import shared_parameters as shared
from sepal.parameters import Parameter

_DUAL = (
    shared.KERNEL,
    shared.WIDTH,
    replace(shared.GAMMA, words=("scale", "auto")),
    shared.DEGREE,
    shared.COEF0,
    shared.SCALE,
    shared.CLASS_WEIGHT,
    shared.PROBABILITY,
    Parameter("decision_function_shape", "word", "one score per class, or per pair of classes", words=("ovr", "ovo")),
    shared.N_JOBS,
)
_TOL = Parameter("tol", "number", "the largest violation of optimality that is let pass", above=0.0)
SVM = (
    Parameter(
        "C", "number", "the largest weight of a row; inf is the hard margin", above=0.0, infinite=True, words=("auto",)
    ),
    *_DUAL,
    _TOL,
    shared.TIME_LIMIT,
    Parameter("max_iter", "whole", "pair steps at most; -1 for no limit", at_least=-1, without=(0,)),
    Parameter("cache_size", "number", "megabytes for kernel rows", above=0.0, infinite=True),
)
ADATRON = (
    Parameter("C", "number", "the largest weight of a row; inf is the hard margin", above=0.0, infinite=True),
    *_DUAL,
    Parameter("bias", "flag", "whether to search for a bias"),
    Parameter("omega", "number", "over-relaxation", above=0.0, below=2.0),
    _TOL,
    Parameter("max_iter", "whole", "sweeps over all rows", at_least=1),
)
_VECTOR = (
    Parameter("fitness", "number", "stop when the mean fitness reaches this", above=0.0, at_most=1.0),
    Parameter("criterion", "word", "which row is added next", words=("global", "local")),
    Parameter("n_candidates", "whole", "rows tried per step; None for all", at_least=1, optional=True),
    shared.KERNEL,
    shared.GAMMA,
    shared.DEGREE,
    shared.COEF0,
    shared.SCALE,
    Parameter("tol", "number", "a row with a smaller residual is in the span", above=0.0, below=1.0),
    shared.RANDOM_STATE,
    shared.N_JOBS,
)
_N_VECTORS = Parameter("n_vectors", "whole", "how many vectors", at_least=1, words=("loo",))
_MAX_VECTORS = Parameter("max_vectors", "whole", "the most vectors that loo looks at", at_least=1)
_ALPHA = Parameter("alpha", "number", "the ridge", at_least=0.0)
_WIDTH = replace(shared.WIDTH, words=("aligned", "loo", "scale"))
VECTOR_SELECTOR = (replace(_N_VECTORS, words=()), *_VECTOR, replace(_WIDTH, words=("aligned", "scale")))
VECTOR_CLASSIFIER = (
    _N_VECTORS,
    _MAX_VECTORS,
    Parameter("model", "word", "least squares or logistic regression on the coordinates", words=("ridge", "logistic")),
    _ALPHA,
    shared.CLASS_WEIGHT,
    _WIDTH,
    *_VECTOR,
)
VECTOR_REGRESSOR = (_N_VECTORS, _MAX_VECTORS, _ALPHA, replace(_WIDTH, words=("loo", "scale")), *_VECTOR)
_PRIORS = Parameter("priors", "other", "probabilities of the classes", words=("empirical", "equal"), also=("sequence",))
DISCRIMINANT = (
    Parameter("n_components", "whole", "how many axes; classes - 1 by default", at_least=1, optional=True),
    _ALPHA,
    replace(_N_VECTORS, words=(), optional=True, help="work on so many feature vectors; None for the full kernel"),
    _PRIORS,
    shared.CLASS_WEIGHT,
    replace(_WIDTH, words=("aligned", "scale")),
    *_VECTOR,
)
PARZEN = (
    replace(shared.WIDTH, words=("loo", "aligned")),
    _PRIORS,
    shared.CLASS_WEIGHT,
    shared.SCALE,
    shared.RANDOM_STATE,
    shared.N_JOBS,
)
FISHER = (
    Parameter("kappa", "number", "variance of directions without spread inside classes", above=0.0, optional=True),
    replace(_PRIORS, words=("empirical",), optional=True),
    shared.CLASS_WEIGHT,
)
