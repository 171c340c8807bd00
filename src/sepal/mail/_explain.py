"""Why a message is taken for what it is: the most similar messages of each kind, and the words of the linear part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sepal.exceptions import ParameterError
from sepal.mail._cases import CaseBase, Score
from sepal.mail._filter import MailFilter
from sepal.mail._message import read_message
from sepal.mail._store import Store
from sepal.mail._tokens import tokens


@dataclass(frozen=True)
class SimilarMessage:
    """A message that was learned, and how it resembles the one that is asked about.

    Attributes
    ----------
    similarity : float
        As it counts for the answer: the squared inverse document frequencies of the words that both have, added and
        divided by the root of the product of how many words each has. 0 where no word is shared; copies of a message of
        rare words have the largest, which grows with the number of messages learned and may be far above 1.
    spam : bool
        The label it was learned with.
    subject : str
    words : tuple of str
        Those that both have, rarest first.
    trust : float
        The probability that its label is the true one, by what was known when it came.

    Examples
    --------
    >>> SimilarMessage(2.5, True, "offer", ("cheap", "pills")).words[0]
    'cheap'
    """

    similarity: float
    spam: bool
    subject: str
    words: tuple[str, ...]
    trust: float = 1.0


@dataclass(frozen=True)
class MailExplanation:
    """What speaks for and against spam.

    Attributes
    ----------
    score : Score
    shares : tuple of float
        How much the linear part and the cases count.
    similar : tuple of SimilarMessage
        The five most similar messages of each kind.
    for_spam, for_ham : tuple of (str, float)
        Words by what they add to the log-odds of the linear part, strongest first.

    Examples
    --------
    >>> import os, tempfile
    >>> from sepal.mail import MailFilter, explain_message
    >>> with tempfile.TemporaryDirectory() as folder, MailFilter(os.path.join(folder, "mail.db")) as known:
    ...     _ = known.learn(b"Subject: offer\\n\\ncheap pills", spam=True)
    ...     _ = known.learn(b"Subject: meeting\\n\\nminutes", spam=False)
    ...     why = explain_message(known, b"Subject: pills\\n\\ncheap pills")
    >>> why.similar[0].subject, why.similar[0].words
    ('offer', ('cheap', 'pills'))
    """

    score: Score
    shares: tuple[float, float, float]
    similar: tuple[SimilarMessage, ...]
    for_spam: tuple[tuple[str, float], ...]
    for_ham: tuple[tuple[str, float], ...]


def explain_message(known: MailFilter, raw: bytes, n_words: int = 10) -> MailExplanation:
    """Say why a message is taken for what it is.

    Parameters
    ----------
    known : MailFilter
        What was learned.
    raw : bytes
        The message.
    n_words : int
        How many words each list has at most; 0 for none.

    Returns
    -------
    MailExplanation
        Similar messages of each kind, and the words for and against.

    Examples
    --------
    >>> import os, tempfile
    >>> from sepal.mail import MailFilter, explain_message, mail_status
    >>> with tempfile.TemporaryDirectory() as folder, MailFilter(os.path.join(folder, "mail.db")) as known:
    ...     _ = known.learn(b"Subject: offer\\n\\ncheap pills", spam=True)
    ...     explain_message(known, b"Subject: pills\\n\\npills").similar[0].words
    ('pills',)
    """
    if not isinstance(n_words, int) or n_words < 0:
        raise ParameterError(f"n_words must be an integer of at least 0; got {n_words!r}")
    words = tokens(read_message(raw))
    with known.store.reading():
        base = known.base()
        score = base.score(words)
        similar = tuple(_similar(known.store, base, score, words, n_words))
    n = base.n_messages
    values = {word: 1.0 + math.log((n + 1) / (base.words[word].messages + 1)) for word in words if word in base.words}
    fresh = (len(words) - len(values)) * (1.0 + math.log(n + 1)) ** 2
    norm = math.sqrt(sum(value * value for value in values.values()) + fresh) or 1.0
    parts = sorted(((base.words[word].weight * value / norm, word) for word, value in values.items()))
    against = tuple((word, part) for part, word in parts[:n_words] if part < 0)
    speaking = tuple((word, part) for part, word in parts[::-1][:n_words] if part > 0)
    return MailExplanation(score, base.shares, similar, speaking, against)


def _similar(
    store: Store, base: CaseBase, score: Score, words: Sequence[str], n_words: int
) -> Iterator[SimilarMessage]:
    """The messages that a score names, with the words they share, rarest first."""
    numbers = {base.words[word].number: word for word in words if word in base.words}

    def rarity(word: str) -> tuple[int, str]:
        return base.words[word].messages, word

    for spam, cases in ((True, score.spam), (False, score.ham)):
        for similarity, case in cases:
            query = "SELECT subject, words FROM message WHERE number = ?"
            subject, raw = store.row(query, (str, bytes), case)
            shared = sorted((numbers[each] for each in store.numbers(raw) if each in numbers), key=rarity)
            yield SimilarMessage(similarity, spam, subject, tuple(shared[:n_words]), base.trust(case))
