"""The parameters that many estimators share, each said once."""

from __future__ import annotations

from sepal.data import SCALES
from sepal.distances import DISTANCES
from sepal.kernels import KERNELS
from sepal.parameters import Parameter

DISTANCE = Parameter(
    "distance",
    "word",
    "how far apart two rows are; auto is Euclidean for complete numbers and HEOM for all other tables",
    words=("auto", "precomputed", *DISTANCES),
    also=("function",),
    looked_up=True,
)
DISTANCE_PARAMS = Parameter("distance_params", "other", "parameters of the distance", optional=True, also=("mapping",))
SCALE = Parameter(
    "scale", "word", "how numeric columns are scaled by the training rows", words=tuple(SCALES), optional=True
)
N_JOBS = Parameter(
    "n_jobs", "whole", "threads; all cores by default, and no answer depends on it", optional=True, without=(0,)
)
RANDOM_STATE = Parameter(
    "random_state", "whole", "seed of all that is left to chance", at_least=0, at_most=2**32 - 1, optional=True,
    also=("RandomState",),
)  # fmt: skip
TIME_LIMIT = Parameter("time_limit", "number", "seconds at most", above=0.0, infinite=True, optional=True)
CLASS_WEIGHT = Parameter(
    "class_weight", "other", "a factor for each class", words=("balanced",), optional=True, also=("mapping",)
)
KERNEL = Parameter(
    "kernel",
    "word",
    "how alike two rows are",
    words=tuple(dict.fromkeys(("rbf", "linear", "poly", "sigmoid", "precomputed", *KERNELS))),
    also=("function",),
    looked_up=True,
)
WIDTH = Parameter("width", "number", "how far the kernel reaches, on scaled columns", above=0.0, words=("aligned",))
GAMMA = Parameter("gamma", "number", "replaces the width: 1 / (2 width^2)", above=0.0, optional=True)
DEGREE = Parameter("degree", "whole", "degree of the polynomial kernel", at_least=1)
COEF0 = Parameter("coef0", "number", "what the polynomial and sigmoid kernels add to the product")
N_NEIGHBORS = Parameter(
    "n_neighbors", "whole", "how many rows vote; auto chooses by leave-one-out", at_least=1, words=("auto", "all")
)
K_MAX = Parameter("k_max", "whole", "the largest k that auto tries", at_least=1, optional=True)
TIES = Parameter(
    "ties", "word", "rows tied at the k-th place share it, or the lowest take it", words=("expected", "index")
)
PROBABILITY = Parameter("probability", "flag", "whether probabilities are wanted; five more fits")
