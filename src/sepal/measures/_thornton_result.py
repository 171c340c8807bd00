"""What the test of Thornton's index found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sepal.data import data_frame, frame_html, p_phrase
from sepal.neighbors import ToldOfRows, recall_said


@dataclass(frozen=True, eq=False)
class ThorntonTest(ToldOfRows):
    """Thornton's index with all that is needed to judge it.

    Attributes
    ----------
    score : float
        Thornton's index under ``ties="expected"``.
    chance : float
        Its exact mean over all permutations of the labels: sum n_c(n_c-1) / n(n-1). With groups, how often a random row
        of another group has the class of a row.
    corrected : float
        (score - chance) / (1 - chance): 0 at chance, 1 when every nearest neighbour agrees.
    macro : float
        The mean of the per-class scores.
    per_class : dict
        Score of each class: the share of its rows whose nearest neighbour is of that class.
    class_chance : dict
        What random labels give for it on average: (n_c - 1) / (n - 1).
    class_interval : dict
        At ``confidence``, for the accuracy that 1-NN trained on these rows has on further rows of the class; made as
        ``interval`` is, from rows of the class. 0 to 1 for a class of one row, or in one group: nothing is known.
    class_counts : dict
        Rows of each class.
    interval : tuple of float
        At ``confidence``, for the accuracy that 1-NN trained on these rows has on further rows of the same kind. It is
        Wilson's, for the number of independent rows that would tell as much: rows that are nearest to each other agree
        or disagree together. With groups it is for rows of further groups, and counts groups. With ``n_queries`` it is
        for the score of all rows instead.
    confidence : float
    z : float or None
        The score less its permutation mean, in permutation standard deviations, both exact.
    p_value : float or None
        One-sided: how often random labels are at least as separable. From the exact mean, variance and skewness
        (Pearson III), or, where these do not tell enough or rows have groups, from random permutations, which ``notes``
        then say.
    p_source : {"moments", "permutations"} or None
        Where ``p_value`` comes from.
    permutation_std, permutation_skewness : float or None
        Exact standard deviation and skewness of the score over all permutations of the labels. The skewness is None
        where very many rows are tied with each other. With groups both are those of the permutations that were made.
    permutation_p : float or None
        Share of real permutations (``n_permutations``) at least as separable, the observed one counted in.
    n_rows, n_queries, n_permutations : int
    n_groups : int or None
        Groups whose rows were no neighbours of each other; None: every other row was one.
    distance, method : str
    notes : tuple of str
    plan : object or None
        What was to be done, where the rows are in partitions.
    exact : bool
        Whether all rows asked, and all neighbours were found.
    rows_seen : int
        Rows that asked.
    recall : float or None
        Share of the neighbours that an approximate search found.

    Examples
    --------
    >>> import sepal
    >>> found = sepal.thornton_test(sepal.datasets.load("athletes"))
    >>> found.score, found.p_value, round(found.interval[0], 2)
    (1.0, 0.0001, 0.75)
    """

    score: float
    chance: float
    corrected: float
    macro: float
    per_class: dict[Any, float]
    class_chance: dict[Any, float]
    class_interval: dict[Any, tuple[float, float]]
    class_counts: dict[Any, int]
    interval: tuple[float, float]
    confidence: float
    z: float | None
    p_value: float | None
    p_source: str | None
    permutation_std: float | None
    permutation_skewness: float | None
    permutation_p: float | None
    n_rows: int
    n_queries: int
    n_permutations: int
    n_groups: int | None
    distance: str
    method: str
    notes: tuple[str, ...]
    plan: Any = None

    @property
    def rows_seen(self) -> int:
        """Rows that asked."""
        return self.n_queries

    def frame(self) -> Any:
        """One line per class."""
        return data_frame(
            {
                "class": list(self.per_class),
                "rows": [self.class_counts[c] for c in self.per_class],
                "score": list(self.per_class.values()),
                "chance": list(self.class_chance.values()),
                "low": [low for low, _ in self.class_interval.values()],
                "high": [high for _, high in self.class_interval.values()],
            }
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>{frame_html(self)}"

    def __str__(self) -> str:
        low, high = self.interval
        text = (
            f"Thornton's index {self.score:.4f} ({self.confidence:.0%} interval {low:.4f} to {high:.4f}), "
            f"chance {self.chance:.4f}"
        )
        if self.n_queries < self.n_rows:
            text += f"; {self.n_queries} of {self.n_rows} rows were asked"
        tested = "" if self.z is None else f", z = {self.z:.1f}, {p_phrase(self.p_value)}"
        return text + tested + recall_said(self.notes)
