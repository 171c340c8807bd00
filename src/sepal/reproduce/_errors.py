"""Where the founding documents are wrong, vague or contradict one another, and what was found instead."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceError:
    """A statement, what we found, and the experiments that show it."""

    source: str
    says: str
    found: str
    shown_in: tuple[str, ...] = ()


ERRORS = (
    SourceError(
        "A",
        "Thornton's index is identical to the asymptotic result of many random splits.",
        "Only for training parts of all rows but one. For smaller parts the mean over all splits is another number, "
        "which has an exact formula (expected_accuracy); both meet as rows become many.",
        ("A7",),
    ),
    SourceError(
        "A",
        "Leave-one-out is far too expensive; the index is not.",
        "The index is the leave-one-out accuracy of one nearest neighbour, found by one search.",
        ("A7",),
    ),
    SourceError(
        "A",
        "Without clusters the index is close to 0.5.",
        "That holds for two classes of equal size. By chance it is the sum over classes of n_c (n_c - 1) / "
        "(n (n - 1)), "
        "0.544 for the complete rows of the breast-cancer data.",
        ("A8",),
    ),
    SourceError(
        "A",
        "The code adds noise of 0.001 to every feature, as a tie-breaker.",
        "It changes who is nearest wherever gaps are about that small, and without it the code takes a copy "
        "for the row "
        "itself. Tied neighbours can be averaged instead: no noise, no order.",
        ("A8",),
    ),
    SourceError(
        "A",
        "The width of greatest alignment is the optimal width of a Parzen classifier.",
        "What is proved is a bound. The two widths differ, as do those of a support vector machine.",
        ("A5",),
    ),
    SourceError(
        "A",
        "All 512 subsets of nine features.",
        "There are 511 with a feature in them. In our copy the formulas of index and alignment are missing, and the "
        "norm of A is written with A and B.",
        ("A3",),
    ),
    SourceError(
        "A",
        "Two classes are no loss of generality: more are a tree of two-class problems.",
        "The tree must be chosen, and answers depend on it; index and alignment have direct forms for many classes.",
        ("A6",),
    ),
    SourceError(
        "A",
        "The best width hardly depends on the features; the index prefers fewer features; that the two top lists share "
        "one subset is puzzling.",
        "The peaks lie a factor of seven apart, and follow the number of features. "
        "And the top of each list holds subsets that the data cannot tell apart, "
        "so that two lists share few by chance.",
        ("A2", "A4"),
    ),
    SourceError(
        "A",
        "State of the art without a single arbitrary choice.",
        "The tie rule, scaling, grid of widths, number of vectors and C are choices; our report names them.",
        ("A6",),
    ),
    SourceError(
        "B",
        "A small angle means inseparable classes.",
        "The angle depends on the units of the columns: numbers in millimetres instead of metres turn 80 "
        "degrees into 0.3. "
        "Mahalanobis' distance and atan(D/2) do not.",
        ("B2",),
    ),
    SourceError(
        "B",
        "The distribution of the angle is available, for a simple test of angle = 0.",
        "It is not given and depends on the unknown covariance. Hotelling's T-squared tests the same hypothesis "
        "exactly under normality, and shuffled labels without it.",
        ("B1",),
    ),
    SourceError(
        "B",
        "The table of five data sets.",
        "Its columns disagree (arccos 0.99 is 8 degrees, not 4 or 3); how missing cells and yes/no were coded is not "
        "said; the diabetes row cannot be reproduced; the class of the liver data is a train/test selector.",
        ("B2",),
    ),
    SourceError(
        "B",
        "In the experiment the angle is 0 where the means coincide.",
        "In the population. In samples of 100 + 100 rows it is 4.4 degrees on average, and never 0.",
        ("B1",),
    ),
    SourceError(
        "B",
        "The limit of large kappa is the solution for a singular covariance.",
        "It throws away the very direction in which the classes have no spread and are separated perfectly; small "
        "kappa keeps it.",
        ("B3",),
    ),
    SourceError(
        "C",
        "k-NN outperforms the support vector machine: 8.8 against 9.4 and 9.0 per cent.",
        "The data are not named (they are Ripley's); k-NN got standardized columns, the test rows by their own mean, "
        "the machines raw ones; k and C were chosen on the test rows. The differences are within chance.",
        ("C2", "C6", "C7"),
    ),
    SourceError(
        "C",
        "The radial kernel is exp(beta |x - y|^2); Minkowski's distance has no absolute value; the Lagrangian is "
        "maximized over w; any support vector gives w0.",
        "exp(-beta |x - y|^2); |x_d - y_d|^p; minimized over w; only support vectors with 0 < alpha < C.",
        ("C5", "C8"),
    ),
    SourceError(
        "C",
        "Sorting dominates the cost of k-NN.",
        "The k smallest of n distances need no sorting: computing the n D differences dominates.",
    ),
    SourceError(
        "D",
        "A large KernelWidth takes more of the neighbourhood, with weights exp(-KernelWidth * distance); large k means "
        "more emphasis on near neighbours; one figure is called 15-NN and 50-NN; where weights come from is not said.",
        "With that formula a large number means a small neighbourhood; large k means less emphasis; weights can be "
        "learned in at least five ways.",
        ("D2", "D4", "D5"),
    ),
    SourceError(
        "E",
        "Distance = 1 / similarity; 1 - cosine is a metric; unscaled columns are added up; k > 2 against noise.",
        "1/similarity is infinite for unlike rows and 1 for equal ones; 1 - cosine breaks the triangle inequality; "
        "columns need one scale; k is best chosen by leave-one-out.",
        ("E2", "E3", "E5"),
    ),
    SourceError(
        "E",
        "Condensing depends on the order of the rows; sort by distance to the nearest unlike row.",
        "Right, but ties need a rule as well, or the sorted order still depends on that of the rows.",
        ("E4",),
    ),
    SourceError(
        "B and E",
        "A missed disease is the worse error (B); a good mail thrown away is the worse error (E).",
        "Costs belong to the task: they are the user's to give.",
        ("B4",),
    ),
    SourceError(
        "D and E",
        "Both call their distance weighted.",
        "One is weighted Euclidean, the other weighted Manhattan, under one name.",
        ("D4", "E2"),
    ),
)
