"""What the parameters of a selection may be."""

from __future__ import annotations

from dataclasses import replace

from sepal.measures import shared_parameters as shared
from sepal.parameters import EVERYWHERE, Parameter
from sepal.selection._criteria import CRITERIA
from sepal.selection._search import OPTIONS, STRATEGY

SELECTOR = (
    replace(STRATEGY, words=("auto", "sweep", *STRATEGY.words)),
    Parameter(
        "criterion",
        "word",
        "what a subset is judged by",
        words=tuple(CRITERIA),
        also=("function", "anything"),
        looked_up=True,
    ),
    Parameter("n_features", "whole", "how many features; any number by default", at_least=1, optional=True),
    Parameter("prefer", "word", "the best subset, or the smallest near it", words=("best", "smallest")),
    shared.SCALE,
    shared.TIES,
    Parameter("blocks", "other", "columns that go together", optional=True, also=("mapping", "sequence", "anything")),
    Parameter("keep", "other", "columns that are always in", also=("sequence", "anything"), looked_up=True),
    shared.TIME_LIMIT,
    Parameter("max_evaluations", "whole", "subsets scored at most", at_least=1, optional=True),
    Parameter("patience", "whole", "subsets without progress before the end", at_least=1, optional=True),
    EVERYWHERE["random_state"],
    shared.N_JOBS,
)
PROCEDURE = (*SELECTOR, EVERYWHERE["missing"], OPTIONS)
