"""From log-odds to an answer: costs of the two errors, and of not being sure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sepal.exceptions import ParameterError
from sepal.mail._cases import LEAST, Score

Label = Literal["spam", "ham", "unsure"]


@dataclass(frozen=True)
class MailVerdict:
    """What a message is taken for.

    Attributes
    ----------
    label : {"spam", "ham", "unsure"}
    probability : float
        Of spam, by what was learned from past messages.
    score : Score

    Examples
    --------
    >>> from sepal.mail import Costs, Score
    >>> Costs().verdict(Score(0.0, 0.0, 5.0), 100, 100).label
    'spam'
    """

    label: Label
    probability: float
    score: Score


@dataclass(frozen=True)
class Costs:
    """What it costs to lose good mail, to let spam through, and to ask the reader (Chow's rule).

    The cheapest answer is given: spam where its probability is above 1 - unsure / ham, ham where it is below unsure /
    spam, and between these unsure; without ``unsure`` spam above ham / (ham + spam).

    Attributes
    ----------
    ham : float
        Good mail that is called spam.
    spam : float
        Spam that is called good.
    unsure : float or None
        A message that is left to the reader; None: there is always an answer.

    Examples
    --------
    >>> from sepal.mail import Costs
    >>> Costs(ham=9, unsure=None).thresholds
    (0.9, 0.9)
    """

    ham: float = 9.0
    spam: float = 1.0
    unsure: float | None = 0.3

    def __post_init__(self) -> None:
        for name in ("ham", "spam"):
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or not 0.0 < value < float("inf"):
                raise ParameterError(f"the cost of {name} must be a number above 0; got {value!r}")
        if self.unsure is not None and (not isinstance(self.unsure, (int, float)) or not self.unsure > 0.0):
            raise ParameterError(f"the cost of unsure must be None or a number above 0; got {self.unsure!r}")

    @property
    def thresholds(self) -> tuple[float, float]:
        """Probabilities of spam: ham up to the first, spam above the second."""
        even = self.ham / (self.ham + self.spam)
        if self.unsure is None:
            return even, even
        return min(even, self.unsure / self.spam), max(even, 1.0 - self.unsure / self.ham)

    def verdict(self, score: Score, n_spam: int, n_ham: int) -> MailVerdict:
        """The cheapest answer; unsure while fewer than ten messages of either kind are known."""
        low, high = self.thresholds
        p = score.probability
        label: Label = "spam" if p > high else "ham" if p <= low else "unsure"
        if min(n_spam, n_ham) < LEAST and self.unsure is not None:
            label = "unsure"
        return MailVerdict(label, p, score)
