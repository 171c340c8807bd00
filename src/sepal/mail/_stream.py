"""Test, then train: each message is judged before its label is known, as a filter in use would."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sepal.exceptions import DataError, ParameterError
from sepal.mail._cases import CaseBase, Part
from sepal.mail._decision import Costs
from sepal.mail._keeping import CasePolicy


@dataclass(frozen=True)
class StreamResult:
    """What was said of each message before its label was known.

    Attributes
    ----------
    log_odds : tuple of float
    spam : tuple of bool
        The true labels.
    skipped : int
        How many first messages do not count.

    Examples
    --------
    >>> found = StreamResult((-1.0, 2.0, -3.0, 1.0), (False, True, True, False), 0)
    >>> found.false_alarms, found.misses, found.error, found.area_above
    (1, 1, 0.5, 0.5)
    """

    log_odds: tuple[float, ...]
    spam: tuple[bool, ...]
    skipped: int

    def _scored(self) -> Iterator[tuple[float, bool]]:
        return zip(self.log_odds[self.skipped :], self.spam[self.skipped :], strict=True)

    @property
    def n_scored(self) -> int:
        """Messages that count."""
        return len(self.spam) - self.skipped

    @property
    def false_alarms(self) -> int:
        """Good messages called spam, where both errors cost the same."""
        return sum(score > 0.0 and not spam for score, spam in self._scored())

    @property
    def misses(self) -> int:
        """Spam called good, where both errors cost the same."""
        return sum(score <= 0.0 and spam for score, spam in self._scored())

    @property
    def error(self) -> float:
        """Share of wrong answers where both errors cost the same."""
        return (self.false_alarms + self.misses) / self.n_scored

    @property
    def area_above(self) -> float:
        """1 - AUC: how often spam has a lower score than good mail; equal ones count half."""
        n_spam = sum(self.spam[self.skipped :])
        n_ham = self.n_scored - n_spam
        if not n_spam or not n_ham:
            return float("nan")
        below, wrong = 0, 0.0  # spam seen so far, from the lowest score on
        ordered = sorted(self._scored())
        at = 0
        while at < len(ordered):
            end = at
            while end < len(ordered) and ordered[end][0] == ordered[at][0]:
                end += 1
            spam = sum(label for _, label in ordered[at:end])
            ham = end - at - spam
            wrong += ham * (below + spam / 2.0)
            below += spam
            at = end
        return wrong / (n_spam * n_ham)

    def mean_cost(self, costs: Costs) -> float:
        """What the answers cost per message, none of them unsure."""
        limit = math.log(costs.ham / costs.spam)
        total = 0.0
        for score, spam in self._scored():
            total += costs.ham * (score > limit and not spam) + costs.spam * (score <= limit and spam)
        return total / self.n_scored


def judge_stream(
    messages: Iterable[tuple[Sequence[str], bool]],
    *,
    part: Part = "both",
    skip: int = 200,
    delay: int = 0,
    taught: Sequence[bool] | None = None,
    policy: CasePolicy | None = None,
) -> StreamResult:
    """Prequential evaluation of a stream: judge each message by those before it, then learn it.

    Parameters
    ----------
    messages : iterable of (words, spam)
        In the order in which they came; words as from :func:`tokens`.
    part : {"both", "cases", "linear"}
        Which learner.
    skip : int
        So many first messages do not count.
    delay : int
        The label of a message is learned when so many further ones have been judged.
    taught : sequence of bool, optional
        The labels that are learned, where these differ from the true ones.
    policy : CasePolicy, optional
        Which messages stay cases; not by days, since messages have no times here.

    Returns
    -------
    StreamResult
        What was said of each message, and the errors.

    Examples
    --------
    >>> mail = [(("cheap", "pills"), True), (("meeting", "minutes"), False)] * 20
    >>> judge_stream(mail, skip=2).error
    0.0
    """
    if policy is not None and policy.days is not None:
        raise ParameterError("days need a store: the messages of a stream have no times", hint="give window= instead")
    for name, value in (("skip", skip), ("delay", delay)):
        if not hasattr(value, "__index__") or value < 0:
            raise ParameterError(f"{name} must be an integer of at least 0; got {value!r}")
    base = CaseBase(part=part, policy=policy or CasePolicy())
    scores: list[float] = []
    labels: list[bool] = []
    waiting: deque[tuple[Sequence[str], bool]] = deque()  # read, but their labels are not known yet
    case = 0
    for place, (words, spam) in enumerate(messages):
        now = base.score(words)
        scores.append(now.log_odds)
        labels.append(spam)
        waiting.append((words, spam if taught is None else taught[place]))
        while len(waiting) > delay:
            known, label = waiting.popleft()
            base.learn(known, label, case, base.score(known) if delay else now)
            case += 1
    if len(labels) <= skip:
        raise DataError(f"{len(labels)} messages, of which the first {skip} do not count: none is left")
    return StreamResult(tuple(scores), tuple(labels), skip)
