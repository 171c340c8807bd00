"""How cells that became numbers stood in their source: dates, and numbers as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sepal.data._messy_cells import dates

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, eq=False)
class Written:
    """The text of each number of a column; where there is none at all, numbers are told as dates.

    Of two texts for one number (3,5 and 3,50) the first is told. ``unit`` is what numbers were written with: a percent
    sign, a currency, or times of the day.

    Examples
    --------
    >>> Written({0.0: "1.1.1970"}).text(0.0), Written().text(86400.0), Written().text(1.5)
    ('1.1.1970', '1970-01-02', '1970-01-01 00:00:01.500000')
    """

    texts: Mapping[float, str] = field(default_factory=dict)
    dates: bool = True
    unit: str = ""

    def text(self, number: float) -> str | None:
        """What stood there; None for a missing cell, and where there is no such date."""
        if number != number:
            return None
        found = self.texts.get(number)
        return found if found is not None or self.texts else _date(number)

    def plain(self, number: float) -> str | None:
        """The date or the time of the day in one spelling, however it stood there; None where it is neither.

        >>> Written({0.0: "1.1.1970"}).plain(0.0), Written({30600.0: "8:30"}, unit="times").plain(30600.0)
        ('1970-01-01', '08:30:00')
        """
        if number != number or not self.dates:
            return None
        return _time(number) if self.unit == "times" and 0 <= number < 86400 else _date(number)


def written_number(written: Written, text: str) -> float | None:
    """The number of a text: of one that stood there, or of another date in the same style; None where it is neither.

    >>> written_number(Written({0.0: "1.1.1970"}), "2.1.1970"), written_number(Written({0.0: "1.1.1970"}), "soon")
    (86400.0, None)
    """
    known = {each: number for number, each in written.texts.items()}
    found = known.get(text.strip())
    if found is not None or not written.dates:
        return found
    read = dates([*known, text])
    return None if read is None else read[0][text]


def _date(seconds: float) -> str | None:
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None
    return str(moment.date()) if seconds % 86400 == 0 else moment.replace(tzinfo=None).isoformat(sep=" ")


def _time(seconds: float) -> str:
    return str((_EPOCH + timedelta(seconds=seconds)).time())
