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
        "D1",
        "Voronoi cells",
        "_d1_voronoi",
        "One nearest neighbour divides the space into regions by perpendicular bisectors: a Voronoi diagram.",
    ),
    Experiment(
        "D2",
        "Maps of 1-NN and 15-NN",
        "_d2_neighbor_maps",
        "Small k captures fine structure, large k is less sensitive to noise.",
    ),
    Experiment(
        "D3",
        "Training, ten-fold, test and Bayes error against k",
        "_d3_four_errors",
        "Test and cross-validation error fall and rise again; the training error does not warn.",
    ),
    Experiment(
        "D4",
        "Weights for elliptical classes, learned five ways",
        "_d4_learned_weights",
        "Weights allow k-NN to be effective with axis-parallel elliptical classes. Where do weights come from?",
    ),
    Experiment(
        "D5",
        "Locally weighted averages",
        "_d5_local_averages",
        "Let every row vote, with a weight that falls off rapidly; KernelWidth controls the neighbourhood.",
    ),
    Experiment(
        "D6",
        "Irrelevant columns",
        "_d6_irrelevant_columns",
        "Irrelevant features hurt neighbours most of all; removing them is very important.",
    ),
    Experiment(
        "A1",
        "Index against the accuracy of a kernel machine",
        "_a1_subset_accuracy",
        "Over feature subsets the index and the accuracy of the kernel Adatron go together remarkably well.",
    ),
    Experiment(
        "A2",
        "Alignment against width",
        "_a2_alignment_and_width",
        "Alignment has a clear peak over the width, nearly in the same place for all feature subsets.",
    ),
    Experiment(
        "A3",
        "All subsets of nine features",
        "_a3_all_subsets",
        "A scattergram of index and alignment over all 512 subsets, and its corner enlarged.",
    ),
    Experiment(
        "A4",
        "Two lists of the twenty best subsets",
        "_a4_top_lists",
        "The twenty best by index and the twenty best by alignment have, surprisingly, one subset in common.",
    ),
    Experiment(
        "A5",
        "Width by alignment, width by leave-one-out",
        "_a5_width_two_ways",
        "The peak of the alignment lies close to the width that cross-validation finds.",
    ),
    Experiment(
        "A6",
        "The whole chain against a grid",
        "_a6_whole_chain",
        "Features by index, width by alignment, a sparse machine: close to the state of the art, no choice to make.",
    ),
    Experiment(
        "A7",
        "The index and many random splits",
        "_a7_random_splits",
        "The index is identical to the asymptotic result of many random splits.",
    ),
    Experiment(
        "A8",
        "Clusters, noise and parity",
        "_a8_three_patterns",
        "Tight clusters have an index near 1, coinciding ones 0.5, the parity grid 0.",
    ),
    Experiment(
        "B1",
        "Angle and cosine against the distance of the means",
        "_b1_angle_and_distance",
        "Two normal classes move apart: the angle goes from 0 to 90 degrees.",
    ),
    Experiment(
        "B2",
        "The angle of five data sets",
        "_b2_angle_table",
        "Where the angle is large all of 33 methods predict well, where it is small all do poorly.",
    ),
    Experiment(
        "B3",
        "A singular covariance, worked through",
        "_b3_singular_covariance",
        "If the difference of the means lies outside the range of S, add kappa times a projection; let kappa grow.",
    ),
    Experiment(
        "B4",
        "Metric clustering and its cut-off",
        "_b4_metric_clustering",
        "Clusters of rows and labels answer with their mean label, and a cut-off p turns that into a class.",
    ),
    Experiment(
        "C1",
        "A rescaled axis changes the nearest pair",
        "_c1_rescaled_axis",
        "Multiply one axis by 0.3, and other points are the closest.",
    ),
    Experiment(
        "C2",
        "Error of k-NN for K = 1 to 100",
        "_c2_error_over_k",
        "On two-dimensional test data k-NN reaches 8.8 per cent at K = 33; the best possible is about 8.0.",
    ),
    Experiment(
        "C3",
        "A ring and its quadratic image",
        "_c3_annulus",
        "A ring around a cloud cannot be separated by a line; its image under a quadratic map can.",
    ),
    Experiment(
        "C4",
        "Many separating planes, one widest margin",
        "_c4_many_planes",
        "Many planes separate two classes; take the one that is farthest from both.",
    ),
    Experiment(
        "C5",
        "A toy with its support vectors",
        "_c5_support_vectors",
        "Of fifty points only three support the boundary.",
    ),
    Experiment(
        "C6",
        "Error over C for the cubic kernel",
        "_c6_cubic_kernel",
        "The support vector machine with (1 + x.y)³ has its least test error, 9.4 per cent, at C = 2.",
    ),
    Experiment(
        "C7",
        "Error over width and C for the radial kernel",
        "_c7_width_and_c",
        "The radial kernel reaches 9.0 per cent at C = 1 and beta = 1.4; so k-NN outperforms the machine.",
    ),
    Experiment(
        "C8",
        "Distances of sets, and distances from kernels",
        "_c8_sets_and_kernels",
        "Tanimoto's metric compares sets; K(x, x) + K(y, y) - 2 K(x, y) is a squared distance of images.",
    ),
    Experiment(
        "C9",
        "One nearest neighbour and twice the Bayes error",
        "_c9_twice_bayes",
        "With enough rows the error of one nearest neighbour is never more than twice the Bayes error.",
    ),
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
    Experiment(
        "E7",
        "A spam filter while spam changes",
        "_e7_mail",
        "Spam of 2015 does not look like spam of 2006; a lazy learner adapts: add recent examples, remove old ones.",
    ),
)
EXPERIMENTS = {each.id: each for each in sorted(_LIST, key=lambda one: one.id)}


def wanted(only: str | None) -> tuple[Experiment, ...]:
    """Experiments by ids and letters of groups, in the order of the list; all where nothing is said.

    Parameters
    ----------
    only : str or None
        Ids with commas between, or letters of groups; None for all.

    Returns
    -------
    tuple of Experiment

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
