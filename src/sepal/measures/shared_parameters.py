"""The parameters that many estimators share, each said once."""

from __future__ import annotations

from dataclasses import replace

from sepal.data import SCALES
from sepal.distances import DISTANCES
from sepal.kernels import KERNELS
from sepal.parameters import EVERYWHERE, Parameter

DISTANCE = replace(EVERYWHERE["distance"], words=("auto", "precomputed", *DISTANCES))
DISTANCE_PARAMS = EVERYWHERE["distance_params"]
SCALE = replace(
    EVERYWHERE["scale"],
    help="how numeric columns are scaled by the training rows",
    words=tuple(SCALES),
    looked_up=False,
)
N_JOBS = EVERYWHERE["n_jobs"]
RANDOM_STATE = replace(EVERYWHERE["random_state"], at_most=2**32 - 1, also=("RandomState",))
TIME_LIMIT = EVERYWHERE["time_limit"]
CLASS_WEIGHT = Parameter(
    "class_weight", "other", "a factor for each class", words=("balanced",), optional=True, also=("mapping",)
)
KERNEL = replace(
    EVERYWHERE["kernel"],
    words=tuple(dict.fromkeys(("rbf", "linear", "poly", "sigmoid", "precomputed", *KERNELS))),
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
