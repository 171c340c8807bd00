"""Dates in the notation of Java's SimpleDateFormat."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sepal.data._java_dates import DEFAULT_PATTERN, date_parser


def at(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("pattern", "text", "seconds"),
    [
        (DEFAULT_PATTERN, "2001-04-03T12:13:14", at(2001, 4, 3, 12, 13, 14)),
        ("yyyy-MM-dd", "1969-07-20", at(1969, 7, 20)),
        ("yyyyMMdd", "20240229", at(2024, 2, 29)),
        ("yyyyMMddHHmmss", "20240229235958", at(2024, 2, 29, 23, 59, 58)),
        ("d/M/yyyy", "3/4/2001", at(2001, 4, 3)),
        ("dd/MM/yyyy", "3/4/2001", at(2001, 4, 3)),
        ("dd-MMM-yy", "05-Feb-99", at(1999, 2, 5)),
        ("dd-MMM-yy", "05-feb-24", at(2024, 2, 5)),
        ("d MMMM yyyy", "5 September 2020", at(2020, 9, 5)),
        ("yy", "69", at(1969, 1, 1)),
        ("yy", "68", at(2068, 1, 1)),
        ("yy", "2031", at(2031, 1, 1)),
        ("yyyy", "0068", datetime(68, 1, 1, tzinfo=UTC).timestamp()),
        ("EEE, d MMM yyyy HH:mm:ss Z", "Wed, 4 Jul 2001 12:08:56 -0700", at(2001, 7, 4, 19, 8, 56)),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSX", "2001-07-04T12:08:56.235Z", at(2001, 7, 4, 12, 8, 56) + 0.235),
        ("yyyy-MM-dd HH:mm z", "2001-07-04 12:00 GMT+05:30", at(2001, 7, 4, 6, 30)),
        ("yyyy-MM-dd HH:mm z", "2001-07-04 12:00 UTC", at(2001, 7, 4, 12)),
        ("h:mm a", "12:08 AM", at(1970, 1, 1, 0, 8)),
        ("h:mm a", "12:08 pm", at(1970, 1, 1, 12, 8)),
        ("K:mm a", "0:08 PM", at(1970, 1, 1, 12, 8)),
        ("k:mm", "24:30", at(1970, 1, 1, 0, 30)),
        ("yyyy-D", "2024-60", at(2024, 2, 29)),
        ("hh 'o''clock' a", "09 o'clock PM", at(1970, 1, 1, 21)),
        ("yyyy''MM", "2001'05", at(2001, 5, 1)),
        ("yyyy.MM.dd G", "2001.07.04 AD", at(2001, 7, 4)),
        ("H:m:s,S", "1:2:3,4", 3600 + 120 + 3 + 0.004),
    ],
)
def test_parses(pattern: str, text: str, seconds: float) -> None:
    assert date_parser(pattern)(text) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy-MM-dd", "2001-13-01"),
        ("yyyy-MM-dd", "2001-02-29"),
        ("yyyy-MM-dd", "2001-02-03x"),
        ("HH:mm", "25:00"),
        ("HH:mm", "12:60"),
        ("h:mm a", "13:00 PM"),
        ("dd-MMM-yy", "05-Foo-99"),
        ("yyyy", "20.5"),
    ],
)
def test_refuses_texts(pattern: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"a date like {pattern}"):
        date_parser(pattern)(text)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("yyyy-'W'ww", "the date letter w in"),
        ("", "has no date letter"),
        ("---", "has no date letter"),
        ("QQ", "the date letter Q in"),
    ],
)
def test_refuses_patterns(pattern: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        date_parser(pattern)
