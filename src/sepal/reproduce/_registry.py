"""The list of experiments: a table of data, nothing is imported until it is run."""

from __future__ import annotations

from sepal.exceptions import ParameterError
from sepal.reproduce._facts import Experiment

GROUPS = {
    "A": "Thornton's index and kernel alignment (J. R. Greene, feature subset selection, 2001)",
    "B": "The angle of separability (A. Ben-Israel and Y. Levin, 2005)",
    "C": "Course notes on k-NN and support vector machines",
    "D": "A lecture on k nearest neighbours (S. Sarkar, IIT Kharagpur)",
    "E": "Slides on nearest-neighbour classifiers (D. Greene, University College Dublin, 2015)",
}

_LIST = (
    Experiment(
        "E1",
        "Athletes: who will be selected?",
        "_e1_athletes",
        "Twenty athletes by speed and agility; will one with (3, 8) be selected? Look at the three nearest.",
    ),
    Experiment(
        "E2",
        "Distances and normalisation by hand",
        "_e2_distances",
        "(60, 62) and (70, 53) are 19 apart by absolute differences and 13.45 by Euclid; ages are brought into 0 to 1.",
    ),
    Experiment(
        "E3",
        "Noise, and k as large as the data",
        "_e3_noise",
        "One nearest neighbour is misled by every noisy row; with k near n the answer is always the largest class.",
    ),
    Experiment(
        "E4",
        "Condensed sets: twenty random orders, and one order that does not depend on chance",
        "_e4_condensed",
        "Condensed nearest neighbour gives other rows for every order; sort by the distance to the nearest unlike row.",
    ),
    Experiment(
        "E5",
        "Words, bigrams and the cosine",
        "_e5_words",
        "A text is a bag of words; six words make five bigrams; likeness is the cosine of the angle between counts.",
    ),
    Experiment(
        "E6",
        "A run as Weka prints it",
        "_e6_weka_run",
        "Load the weather data, choose lazy, IBk, and press Start.",
    ),
)
EXPERIMENTS = {each.id: each for each in sorted(_LIST, key=lambda one: one.id)}


def wanted(only: str | None) -> tuple[Experiment, ...]:
    """Experiments by ids and letters of groups, in the order of the list; all where nothing is said.

    Examples
    --------
    >>> [each.id for each in wanted("e2, E1")]
    ['E1', 'E2']
    """
    if only is None:
        return tuple(EXPERIMENTS.values())
    words = [word.strip().upper() for word in only.split(",") if word.strip()]
    chosen = {key for key in EXPERIMENTS if key in words or key[0] in words}
    unknown = [word for word in words if word not in EXPERIMENTS and word not in GROUPS]
    if unknown or not words:
        raise ParameterError(
            f"there is no experiment {', '.join(unknown) or 'in an empty list'}",
            hint=f"the experiments are {', '.join(EXPERIMENTS)}; a letter alone means its whole group",
        )
    return tuple(EXPERIMENTS[key] for key in EXPERIMENTS if key in chosen)
