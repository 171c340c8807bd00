"""Facts as plain data, JSON and text: what a report and the measures alone have in common."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from sepal.exceptions import MissingDependencyError
from sepal.neighbors import recall_told


class Shown(ABC):
    """Facts as plain data, JSON and text; a kind of them says how they stand on a terminal."""

    kind = ""
    settings: Any
    thornton: Any
    partitions: Any

    @property
    def exact(self) -> bool:
        """Whether every row asked all others, and all neighbours were found."""
        return not self.settings.sampled and self.recall is None

    @property
    def rows_seen(self) -> int:
        """Rows that asked."""
        return int(self.settings.n_asked)

    @property
    def interval(self) -> tuple[float, float]:
        """Of Thornton's index."""
        low, high = self.thornton.interval
        return low, high

    @property
    def recall(self) -> float | None:
        """Share of the neighbours that were found where they were searched approximately; else None."""
        return recall_told(self.settings.notes)

    @property
    def plan(self) -> str | None:
        """What was said before the work, where the rows are in partitions."""
        return None if self.partitions is None else str(self.partitions.plan)

    def to_dict(self) -> dict[str, Any]:
        """Dicts, lists, texts, numbers and None only; NaN and infinity become None."""
        from sepal import __version__

        return {"sepal": __version__, "kind": self.kind, **self._recall_fact(), **plain(self)}

    def _recall_fact(self) -> dict[str, float]:
        """The recall, where neighbours are approximate."""
        return {} if self.recall is None else {"recall": self.recall}

    def to_json(self) -> str:
        """One JSON object with stable keys, in ASCII."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @abstractmethod
    def to_text(self, width: int = 80, *, color: bool = False, unicode: bool = True) -> str:
        """The facts as they stand on a terminal.

        Parameters
        ----------
        width : int
            The longest line; kept within 40 to 100.
        color : bool
            With ANSI styles. They repeat what the words say.
        unicode : bool
            False keeps bars and plot to ASCII.
        """

    def __str__(self) -> str:
        try:
            return self.to_text()
        except MissingDependencyError as error:
            return f"{self._in_plain_words()}\n\n{error}"

    def _in_plain_words(self) -> str:
        """The facts where no package that formats text is installed."""
        return self.to_json()


def plain(value: Any) -> Any:
    """The value in the types JSON has. What JSON cannot say (NaN, infinity) is None."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
