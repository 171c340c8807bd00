"""The angle of separability of a pair of classes and of all pairs, as results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sepal.data import data_frame, frame_html, p_phrase
from sepal.exceptions import ParameterError
from sepal.measures._hotelling import GlobalTest, HotellingTest
from sepal.neighbors import ToldOfRows

Pooled = Literal["all", "pair"]


@dataclass(frozen=True)
class ClassPairAngle:
    """Two classes: the angle between them, and what does not depend on units.

    Attributes
    ----------
    classes : tuple
        The two labels.
    class_rows : tuple of int
    theta, degrees, cos : float
        The angle in radians and degrees, and its cosine. Depends on the units of the columns.
    solution_norm, null_norm : float
        ``|S^+ d|``, and ``|Qd|``: how far the means differ where the classes have no spread at all. If that is not 0
        the given rows are separated perfectly.
    mahalanobis : float
        D = sqrt(d'S^+ d). Does not depend on units, nor on any other change of basis while S is regular.
    invariant_theta : float
        atan(D / 2) in radians: an angle in the same spirit that does not depend on units.
    standardized_theta : float
        The angle, in radians, after each column was divided by its standard deviation inside the classes; by that of
        all rows where it is constant inside them.
    plug_in_error : float
        Error of the best linear rule if both classes were normal with the means and covariance seen: Phi(-D/2).
        Optimistic, since these were fitted to the same rows. 0 if ``null_norm`` is not 0.
    hotelling : HotellingTest
        Whether the means differ at all; exact for normal classes.
    adjusted_p : float or None
        Hotelling's p-value after Holm's adjustment for all pairs that are here.
    permutation_p : float or None
        Share of shuffled labelings whose angle is at least as large, this one counted in.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.measures import angle_of_separability
    >>> pair = angle_of_separability(table, n_permutations=0).pairs[0]
    >>> pair.classes, round(pair.degrees, 1), round(pair.mahalanobis, 2)
    (('no', 'yes'), 55.4, 3.12)
    """

    classes: tuple[Any, Any]
    class_rows: tuple[int, int]
    theta: float
    solution_norm: float
    null_norm: float
    mahalanobis: float
    invariant_theta: float
    standardized_theta: float
    plug_in_error: float
    hotelling: HotellingTest
    adjusted_p: float | None
    permutation_p: float | None

    @property
    def degrees(self) -> float:
        """The angle in degrees."""
        return float(np.degrees(self.theta))

    @property
    def cos(self) -> float:
        """The cosine of the angle."""
        return float(np.cos(self.theta))


@dataclass(frozen=True, eq=False)
class SeparabilityAngle(ToldOfRows):
    """Angles between pairs of classes, with their companions.

    With two classes the numbers of the only pair are attributes of this object too: ``theta``, ``degrees``, ``cos``,
    ``mahalanobis`` and so on. Angles of many pairs are not averaged: ask :meth:`frame` or ``pairs``.

    Attributes
    ----------
    pairs : tuple of ClassPairAngle
    wilks, pillai : GlobalTest
        Whether any two class means differ.
    kappa : float
    scale : str or None
    pooled : str
        Whose covariance is used: of all classes, or of the pair.
    rank, n_columns, n_rows : int
        ``rank`` is smaller than ``n_columns`` where the covariance is singular.
    n_permutations : int
        How often labels were shuffled.
    notes : tuple of str
    plan, exact, rows_seen
        As in :class:`ThorntonTest`.
    interval : tuple of tuples
        At ``confidence``, for the Mahalanobis distance of each pair.

    Examples
    --------
    >>> import sepal
    >>> table = sepal.datasets.load("athletes")
    >>> from sepal.measures import angle_of_separability
    >>> angle_of_separability(table, n_permutations=0)
    theta = 55.38 degrees in the units given (it changes with units); Mahalanobis D = 3.119, Hotelling p = 2e-5
    """

    pairs: tuple[ClassPairAngle, ...]
    wilks: GlobalTest
    pillai: GlobalTest
    kappa: float
    scale: str | None
    pooled: str
    rank: int
    n_columns: int
    n_rows: int
    n_permutations: int
    notes: tuple[str, ...]
    plan: Any = None

    @property
    def interval(self) -> tuple[tuple[float, float] | None, ...]:
        """For the Mahalanobis distance of each pair."""
        return tuple(pair.hotelling.interval for pair in self.pairs)

    def _only(self) -> ClassPairAngle:
        if len(self.pairs) > 1:
            raise ParameterError(
                f"there are {len(self.pairs)} pairs of classes and an angle for each; they have no meaningful mean",
                hint="use .frame() or .pairs",
            )
        return self.pairs[0]

    def __getattr__(self, name: str) -> Any:
        # Only reached for names this class does not have: the fields of the one pair.
        if name.startswith("_") or name not in (*ClassPairAngle.__dataclass_fields__, "degrees", "cos"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._only(), name)

    def frame(self) -> Any:
        """One line per pair of classes."""
        return data_frame([_line(pair) for pair in self.pairs])

    def plot(self, ax: Any = None) -> Any:
        """Mahalanobis distances of all pairs with their intervals, as a matplotlib picture."""
        from sepal.plots import draw_intervals

        return draw_intervals(
            [" / ".join(map(str, pair.classes)) for pair in self.pairs],
            [pair.mahalanobis for pair in self.pairs],
            [pair.hotelling.interval for pair in self.pairs],
            xlabel="Mahalanobis distance between class means (does not depend on units)",
            ax=ax,
        )

    def _repr_html_(self) -> str:
        return f"<p>{self}</p>{frame_html(self, float_format='{:.4g}'.format)}"

    def __str__(self) -> str:
        if len(self.pairs) > 1:
            return f"{len(self.pairs)} pairs of classes: {self.wilks.name} {self.wilks.value:.4f}"
        pair, units = self.pairs[0], "the units given" if self.scale is None else f"{self.scale} units"
        p_value = pair.hotelling.p_value
        tested = "too few rows for Hotelling's test" if p_value is None else f"Hotelling {p_phrase(p_value)}"
        return (
            f"theta = {pair.degrees:.2f} degrees in {units} (it changes with units); "
            f"Mahalanobis D = {pair.mahalanobis:.3f}, {tested}"
        )

    __repr__ = __str__


def _line(pair: ClassPairAngle) -> dict[str, Any]:
    test = pair.hotelling
    low, high = test.interval or (None, None)
    return {
        "first": pair.classes[0],
        "second": pair.classes[1],
        "rows_first": pair.class_rows[0],
        "rows_second": pair.class_rows[1],
        "theta_degrees": pair.degrees,
        "mahalanobis": pair.mahalanobis,
        "mahalanobis_low": low,
        "mahalanobis_high": high,
        "mahalanobis_corrected": test.corrected,
        "invariant_degrees": float(np.degrees(pair.invariant_theta)),
        "standardized_degrees": float(np.degrees(pair.standardized_theta)),
        "plug_in_error": pair.plug_in_error,
        "null_norm": pair.null_norm,
        "t2": test.t2,
        "f": test.f,
        "p_value": test.p_value,
        "adjusted_p": pair.adjusted_p,
        "permutation_p": pair.permutation_p,
    }
