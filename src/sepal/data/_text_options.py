"""How texts become words: a few choices, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sepal.exceptions import ParameterError
from sepal.parameters import Parameter

TextUnit = Literal["words", "characters"]
TextCount = Literal["log", "count", "binary"]
LONGEST_WORDS, LONGEST_CHARACTERS = 3, 8  # of an n-gram


@dataclass(frozen=True)
class TextOptions:
    """How a column of texts becomes numbers: one per word (or group of words or letters) that occurs.

    Given as the kind of a column, ``kinds={"body": TextOptions(ngrams=(1, 2))}``; ``"text"`` stands for the defaults.
    All columns of texts in a table are read alike.

    Parameters
    ----------
    unit : {"words", "characters"}
        What is counted: words (runs of letters, digits and underscores in any script), or letters inside words, a blank
        at both ends.
    ngrams : (int, int)
        The shortest and the longest group of adjacent units; up to 3 words or 8 characters. Stop words are taken out
        first.
    stop_words : "english", sequence of str or None
        Words that are left out.
    min_rows : int
        Words of fewer training texts are left out.
    count : {"log", "count", "binary"}
        What n occurrences count: 1 + ln n, n, or 1.
    idf : bool
        Whether a word counts by how rare it is, ln((1 + texts) / (1 + texts with it)) + 1, learned from training rows.
    lowercase : bool
        Whether capitals are the same as small letters.
    hashed : int or None
        Words are numbered by a hash, into so many columns: no word needs to be remembered and none can be named, and
        words that no training text has count, too.

    Examples
    --------
    >>> TextOptions(ngrams=(1, 2)).count
    'log'
    >>> TextOptions(count="often")
    Traceback (most recent call last):
        ...
    sepal.exceptions.ParameterError: count must be 'log', 'count' or 'binary'; got 'often'
    """

    unit: TextUnit = "words"
    ngrams: tuple[int, int] = (1, 1)
    stop_words: str | tuple[str, ...] | None = None
    min_rows: int = 1
    count: TextCount = "log"
    idf: bool = True
    lowercase: bool = True
    hashed: int | None = None

    parameter_table: ClassVar[tuple[Parameter, ...]] = (
        Parameter("unit", "word", "what is counted in a text", words=("words", "characters")),
        Parameter("ngrams", "other", "the shortest and the longest group of adjacent units", also=("sequence",)),
        Parameter(
            "stop_words", "other", "words that are left out", words=("english",), optional=True, also=("sequence",)
        ),
        Parameter("min_rows", "whole", "words of fewer texts are left out", at_least=1),
        Parameter("count", "word", "what several occurrences count", words=("log", "count", "binary")),
        Parameter("idf", "flag", "whether rare words count more"),
        Parameter("lowercase", "flag", "whether capitals are the same as small letters"),
        Parameter("hashed", "whole", "number words by a hash, into so many columns", at_least=2, optional=True),
    )

    def __post_init__(self) -> None:
        for each in self.parameter_table:
            each.check(getattr(self, each.name))
        object.__setattr__(self, "ngrams", self._checked_ngrams())
        if self.stop_words is not None and self.unit == "characters":
            raise ParameterError("stop_words have no meaning for characters", hint="leave stop_words out")
        if self.stop_words is not None and not isinstance(self.stop_words, str):
            strange = next((word for word in self.stop_words if not isinstance(word, str)), None)
            if strange is not None:
                raise ParameterError(f"stop_words: expected words, found {strange!r}")
            object.__setattr__(self, "stop_words", tuple(self.stop_words))

    def _checked_ngrams(self) -> tuple[int, int]:
        most = LONGEST_WORDS if self.unit == "words" else LONGEST_CHARACTERS
        given: tuple[Any, ...] = tuple(self.ngrams)
        size = Parameter("ngrams", "whole", "", at_least=1, at_most=most)
        if len(given) != 2 or not all(size.allows(n) for n in given) or given[0] > given[1]:
            raise ParameterError(
                f"ngrams must be two integers from 1 to {most}, the shortest and the longest; got {self.ngrams!r}"
            )
        return int(given[0]), int(given[1])

    def fits_together(self) -> bool:
        """Whether all of them are allowed: a model file may hold anything."""
        try:
            self.__post_init__()
        except ParameterError:
            return False
        return True
