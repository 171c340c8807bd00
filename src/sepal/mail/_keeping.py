"""Which of the learned messages are compared with new ones: all of them, unless a store was made otherwise."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal, get_args

from sepal.exceptions import ParameterError

Editing = Literal["enn", "redundancy"]


@dataclass(frozen=True)
class CasePolicy:
    """Which messages stay cases; the linear model and the frequencies of words learn from all of them.

    Everything is off unless it is asked for: on the mail that was tried, forgetting did harm.

    Attributes
    ----------
    window : int, optional
        Only the last so many messages.
    days : float, optional
        Only those learned at most so many days before the last one.
    quota : int, optional
        Only the last so many cases of each kind.
    editing : {"enn", "redundancy"}, optional
        Which messages do not become cases at all, once ten of each kind are known. ``"enn"`` (Wilson's edited nearest
        neighbour): those whose five most similar cases have the other label in the majority. ``"redundancy"`` (Hart's
        condensing): those whose five most similar cases have their label already, all of them.

    Examples
    --------
    >>> CasePolicy(window=1000, editing="enn").editing
    'enn'
    """

    window: int | None = None
    days: float | None = None
    quota: int | None = None
    editing: Editing | None = None

    def __post_init__(self) -> None:
        for name in ("window", "quota"):
            value = getattr(self, name)
            if value is not None and (not hasattr(value, "__index__") or value < 1):
                raise ParameterError(f"{name} must be None or an integer of at least 1; got {value!r}")
        if self.days is not None and (not isinstance(self.days, (int, float)) or not self.days > 0.0):
            raise ParameterError(f"days must be None or a number above 0; got {self.days!r}")
        if self.editing is not None and self.editing not in get_args(Editing):
            raise ParameterError(f"editing must be one of {', '.join(get_args(Editing))}; got {self.editing!r}")

    def admits(self, neighbors: Sequence[bool], spam: bool, n_neighbors: int) -> bool:
        """Whether a message becomes a case, by the labels of its most similar ones (nearest first)."""
        nearest = [each == spam for each in neighbors[:n_neighbors]]
        if self.editing == "enn":
            return 2 * sum(nearest) >= len(nearest)
        return self.editing != "redundancy" or len(nearest) < n_neighbors or not all(nearest)


class CaseQueue:
    """The cases in use, oldest first, and which of them go when a message comes."""

    def __init__(self, policy: CasePolicy, cases: Iterable[tuple[int, bool, float]] = ()) -> None:
        self.policy = policy
        self._of: tuple[OrderedDict[int, None], OrderedDict[int, None]] = (OrderedDict(), OrderedDict())
        self._by_time: list[tuple[float, int, bool]] = []  # a heap, with cases that are gone
        for each in cases:
            self.add(*each)

    def add(self, case: int, spam: bool, when: float) -> None:
        """A message became a case."""
        self._of[spam][case] = None
        if self.policy.days is not None:
            heappush(self._by_time, (when, case, spam))

    def leaving(self, case: int, when: float) -> Iterator[int]:
        """The cases that are no longer compared, now that message ``case`` has come."""
        policy = self.policy
        if policy.days is not None:  # times need not ascend: imported messages bring their own
            while self._by_time and self._by_time[0][0] < when - 86_400.0 * policy.days:
                _, old, spam = heappop(self._by_time)
                if old in self._of[spam]:
                    del self._of[spam][old]
                    yield old
        for kept in self._of:
            while kept and (
                (policy.window is not None and next(iter(kept)) <= case - policy.window)
                or (policy.quota is not None and len(kept) > policy.quota)
            ):
                yield kept.popitem(last=False)[0]
