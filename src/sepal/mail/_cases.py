"""The learner: cases that are compared, and a linear model of the same words, joined in log-odds.

Labels may be wrong. The share of wrong ones is learned on the way (a mixture model: a label is the true one with
probability 1 - share), and with it how far each label is to be trusted: a label that everything known contradicts
teaches the linear model little, and its case counts half.

Every number here is a function of the ordered list of labelled messages, and of nothing else: words are summed in the
order of their letters, cases in the order in which they came. Nothing but the standard library and the native index is
imported, since a filter starts once for every message.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from struct import pack, unpack_from
from typing import Literal, Protocol

from sepal._native import most_similar_cases
from sepal.mail._keeping import CasePolicy, CaseQueue

Part = Literal["both", "cases", "linear"]
PARTS: tuple[Part, ...] = ("both", "cases", "linear")
CASES_ASKED = 5
STEP = 16.0  # of the linear model
SHARE_STEP = 0.01  # of the shares of the two parts
FIRST_SHARES = (1.0, 3.0)  # linear, cases
LEAST = 10  # messages of each kind before anything is said, or a label doubted
FIRST_WRONG = 0.001  # share of labels that are wrong
WRONG_STEP = 0.01  # of that share: about the last hundred messages count
_LEAST_WRONG = 1e-5
_WORDS_BITS, _TRUST_BITS = 20, 10  # of the number of a case
_SURE, _MOST_WORDS = (1 << _TRUST_BITS) - 1, (1 << _WORDS_BITS) - 1
_NOTHING = 1e-6  # added to both sums, so that their ratio exists
_MOST = 30.0  # log-odds beyond this are as good as certain


@dataclass
class Word:
    """How many messages of each kind have it, its weight in the linear model, and the cases that have it."""

    number: int
    spam: int = 0
    ham: int = 0
    weight: float = 0.0
    cases: bytearray = field(default_factory=bytearray)
    stored: int = 0  # cases that are in the store

    @property
    def messages(self) -> int:
        """In how many messages it is."""
        return self.spam + self.ham


class WordSource(Protocol):
    """Where words come from that are not in memory yet."""

    def load_words(self, words: Sequence[str]) -> dict[str, Word]:
        """Those of the words that are known."""
        ...

    def damaged(self, what: str) -> Exception:
        """The error to raise where words contradict what else is known."""
        ...


@dataclass(frozen=True)
class Score:
    """What the learner says of a message before it knows the label.

    Attributes
    ----------
    cases, linear : float
        Log-odds of spam by the most similar cases (the logarithm of S / H), and by the linear model.
    log_odds : float
        Both, joined by their shares.
    spam, ham : tuple of (float, int)
        The most similar cases of each kind: similarity and number.

    Examples
    --------
    >>> Score(cases=0.5, linear=-0.2, log_odds=0.0).probability
    0.5
    """

    cases: float
    linear: float
    log_odds: float
    spam: tuple[tuple[float, int], ...] = ()
    ham: tuple[tuple[float, int], ...] = ()

    @property
    def probability(self) -> float:
        """Of spam."""
        return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, self.log_odds))))


@dataclass
class CaseBase:
    """All that was learned, in memory as far as it was asked for.

    ``flags`` holds one number for each case: trust << 22 | words << 2 | spam << 1 | in use. ``source`` gives words that
    are not in memory; ``changed`` are those that differ from it, and ``lowest`` the first case that does. ``wrong`` is
    the share of labels that seem to be wrong.
    """

    part: Part = "both"
    policy: CasePolicy = field(default_factory=CasePolicy)
    n_spam: int = 0
    n_ham: int = 0
    shares: tuple[float, float, float] = (*FIRST_SHARES, 0.0)
    wrong: float = FIRST_WRONG
    next_word: int = 0
    words: dict[str, Word] = field(default_factory=dict)
    flags: bytearray = field(default_factory=bytearray)
    source: WordSource | None = None
    changed: set[str] = field(default_factory=set)
    lowest: int | None = None
    queue: CaseQueue | None = None

    @property
    def n_messages(self) -> int:
        """Messages that were learned."""
        return self.n_spam + self.n_ham

    def _known(self, tokens: Sequence[str]) -> None:
        if self.source is not None:
            self.words.update(self.source.load_words([token for token in tokens if token not in self.words]))

    def score(self, tokens: Sequence[str], k: int = CASES_ASKED) -> Score:
        """What is known so far about these words (sorted, each once)."""
        self._known(tokens)
        n = self.n_messages
        linear = 0.0
        if self.part != "cases":
            values, norm = self._values(tokens)
            for token, value in zip(tokens, values, strict=True):
                word = self.words.get(token)
                if word is not None:
                    linear += word.weight * value / norm
        spam: list[tuple[float, int]] = []
        ham: list[tuple[float, int]] = []
        cases = 0.0
        if self.part != "linear" and n and tokens:
            shared = [self.words[token] for token in tokens if token in self.words and self.words[token].messages]
            root = math.sqrt(len(tokens))
            weights = [math.log((n + 1) / (word.messages + 0.5)) ** 2 / root for word in shared]
            try:
                ham, spam = most_similar_cases(
                    postings=[word.cases for word in shared], weights=weights, cases=self.flags, k=k
                )
            except ValueError as error:
                raise error if self.source is None else self.source.damaged(str(error)) from error
            cases = math.log((self._sum(spam) + _NOTHING) / (self._sum(ham) + _NOTHING))
        by_linear, by_cases, offset = self.shares
        joined = by_linear * linear + by_cases * cases + offset
        return Score(cases, linear, max(-_MOST, min(_MOST, joined)), tuple(spam), tuple(ham))

    def trust(self, case: int) -> float:
        """How probable it was, when a case was learned, that its label is the true one."""
        return float(unpack_from("<I", self.flags, 4 * case)[0] >> (2 + _WORDS_BITS)) / _SURE

    def _sum(self, found: Sequence[tuple[float, int]]) -> float:
        """Sum of the similarities; cases with a doubted label count half."""
        return sum(similarity * 0.5 * (1.0 + self.trust(case)) for similarity, case in found)

    def _trust(self, score: Score, spam: bool) -> float:
        """The probability that a label is the true one, by what was said before it was known; the share follows."""
        wrong = max(self.wrong, _LEAST_WRONG)
        says = score.probability if spam else 1.0 - score.probability
        trust = (1.0 - wrong) * says / ((1.0 - wrong) * says + wrong * (1.0 - says))
        self.wrong += WRONG_STEP * (1.0 - trust - self.wrong)
        return trust

    def _values(self, tokens: Sequence[str]) -> tuple[list[float], float]:
        """The value of each word in the linear model, 1 + idf, and the length of all."""
        n, words = self.n_messages, self.words
        values = []
        for token in tokens:
            word = words.get(token)
            values.append(1.0 + math.log((n + 1) / ((word.messages if word else 0) + 1)))
        return values, math.sqrt(sum(value * value for value in values)) or 1.0

    def learn(self, tokens: Sequence[str], spam: bool, case: int, score: Score, when: float = 0.0) -> None:
        """Take in a message whose label is now known; ``score`` is what :meth:`score` said of it just before."""
        self._known(tokens)
        begun = min(self.n_spam, self.n_ham) >= LEAST
        trust = self._trust(score, spam) if begun else 1.0
        wrong = trust * (score.probability - spam)
        by_linear, by_cases, offset = self.shares
        self.shares = (
            max(0.0, by_linear - SHARE_STEP * wrong * score.linear),
            max(0.0, by_cases - SHARE_STEP * wrong * score.cases),
            offset - SHARE_STEP * wrong,
        )
        values, norm = self._values(tokens)
        own = trust * (1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, score.linear)))) - spam)
        number = pack("<I", case)
        for token, value in zip(tokens, values, strict=True):
            word = self.words.get(token)
            if word is None:
                word = self.words[token] = Word(self.next_word)
                self.next_word += 1
            word.weight -= STEP * own * value / norm
            word.cases += number
            if spam:
                word.spam += 1
            else:
                word.ham += 1
        self.changed.update(tokens)
        if spam:
            self.n_spam += 1
        else:
            self.n_ham += 1
        used = not begun or self._admitted(score, spam)
        packed = round(trust * _SURE) << (2 + _WORDS_BITS) | min(len(tokens), _MOST_WORDS) << 2 | spam << 1 | used
        self._keep(case, spam, packed, when)

    def _admitted(self, score: Score, spam: bool) -> bool:
        """Whether a message becomes a case, by those most similar to it."""
        nearest = sorted(
            [(-similarity, each, True) for similarity, each in score.spam]
            + [(-similarity, each, False) for similarity, each in score.ham]
        )
        return self.policy.admits([label for _, _, label in nearest], spam, CASES_ASKED)

    def _keep(self, case: int, spam: bool, packed: int, when: float) -> None:
        """Write down a message, and let go of the cases that it pushes out."""
        if len(self.flags) < 4 * (case + 1):
            self.flags.extend(bytes(4 * (case + 1) - len(self.flags)))
        self.flags[4 * case : 4 * case + 4] = pack("<I", packed)
        self.lowest = case if self.lowest is None else min(self.lowest, case)
        if self.policy == CasePolicy():
            return
        if self.queue is None:
            self.queue = CaseQueue(self.policy)
        if packed & 1:
            self.queue.add(case, spam, when)
        for each in self.queue.leaving(case, when):
            self.flags[4 * each] &= 0xFE
            self.lowest = min(self.lowest, each)
