"""What was tried, how it scored, what was chosen."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from sepal.data import data_frame


@dataclass(frozen=True)
class Trial:
    """One model that leave-one-out judged.

    Attributes
    ----------
    member : str
        Which member of the average it might have become.
    rows, vectors : int
        On how many rows it was judged, and how many rows carry a coefficient.
    width : float
        Of the kernel, in coordinates of the view.
    ridge : float
        Relative to the mean of the centred kernel's diagonal.
    criteria : dict
        By name, smaller is better.
    score, standard_error : float
        Leave-one-out accuracy (or R squared).
    picked_by : tuple of str
        The criteria that chose it; empty if none did.
    """

    member: str
    rows: int
    vectors: int
    width: float
    ridge: float
    criteria: dict[str, float]
    score: float
    standard_error: float
    picked_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class MemberLine:
    """A member of the average: its weight, and the leave-one-out score of its own decisions."""

    name: str
    weight: float
    score: float
    standard_error: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Trace:
    """The whole way to the fitted model.

    Attributes
    ----------
    trials : tuple of Trial
    members : tuple of MemberLine
    score, standard_error : float
        Leave-one-out of the average.
    notes : tuple of str
        What was left out or cut short, and why.
    seconds : float
    """

    trials: tuple[Trial, ...]
    members: tuple[MemberLine, ...]
    score: float
    standard_error: float
    notes: tuple[str, ...]
    seconds: float

    def frame(self) -> Any:
        """One line per trial."""
        plain = [field.name for field in fields(Trial) if field.name not in ("criteria", "picked_by")]
        lines: list[dict[str, Any]] = []
        for trial in self.trials:
            line = {name: getattr(trial, name) for name in plain} | trial.criteria
            lines.append(line | {"picked_by": ", ".join(trial.picked_by)})
        return data_frame(lines)
