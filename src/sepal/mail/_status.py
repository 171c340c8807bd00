"""How the filter is doing: volume, errors, alarms of drift, and the words that came and went."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sepal.mail._filter import MailFilter
from sepal.mail._store import Store

_LATELY = 500  # messages that are compared with those before them
_FIRST = 200  # messages whose errors do not count: the filter had hardly begun
_POINTS = 40  # of the curves
_DOUBTED, _SHOWN = 0.5, 10  # trust below which a label is doubted, and how many of these are shown


@dataclass(frozen=True)
class MailStatus:
    """Facts about a store; errors are those of answers that were given before the label was known.

    Attributes
    ----------
    n_spam, n_ham, n_words, size : int
        Messages of each kind, words, and bytes of the file.
    false_alarms, misses, n_scored : int
        Errors where both cost the same, among messages after the first 200.
    lately : tuple of int
        The same three of the last 500 messages.
    alarms : tuple of (str, int)
        Which kind of error changed ("false alarms" or "misses"), and at which message that was noticed, by ADWIN.
    came, went : tuple of (str, int, int)
        Words that are more, and less, frequent in the last 500 messages than before: now, and before.
    curve : tuple of (int, float, float)
        Messages so far, and the shares of false alarms and misses in the stretch up to there.
    first, last : float
        When the first and last message were learned, in seconds since 1970.
    wrong_labels : float
        The share of labels that seem to be wrong, about the last hundred messages.
    doubted : tuple of (str, str)
        Label and subject of the last messages whose label is most probably wrong: what was known when they came
        contradicted it.

    Examples
    --------
    >>> import os, tempfile
    >>> from sepal.mail import MailFilter, mail_status
    >>> with tempfile.TemporaryDirectory() as folder, MailFilter(os.path.join(folder, "mail.db")) as known:
    ...     _ = known.learn(b"Subject: offer\\n\\ncheap pills", spam=True)
    ...     mail_status(known).n_spam
    1
    """

    n_spam: int
    n_ham: int
    n_words: int
    size: int
    false_alarms: int
    misses: int
    n_scored: int
    lately: tuple[int, int, int]
    alarms: tuple[tuple[str, int], ...]
    came: tuple[tuple[str, int, int], ...]
    went: tuple[tuple[str, int, int], ...]
    curve: tuple[tuple[int, float, float], ...]
    first: float
    last: float
    wrong_labels: float = 0.0
    doubted: tuple[tuple[str, str], ...] = ()


def mail_status(known: MailFilter) -> MailStatus:
    """Gather the facts about a store.

    Parameters
    ----------
    known : MailFilter
        The filter whose store is looked at.

    Returns
    -------
    MailStatus
        Volume, errors, alarms, and words that came and went.

    Examples
    --------
    >>> import os, tempfile
    >>> from sepal.mail import MailFilter, explain_message, mail_status
    >>> with tempfile.TemporaryDirectory() as folder, MailFilter(os.path.join(folder, "mail.db")) as known:
    ...     _ = known.learn(b"Subject: offer\\n\\ncheap pills", spam=True)
    ...     mail_status(known).n_words
    3
    """
    store = known.store
    with store.reading():
        base = known.base()
        rows = list(store.rows("SELECT spam, log_odds, learned FROM message ORDER BY number", (int, float, float)))
        if len(rows) != base.n_messages:
            raise store.damaged(f"{len(rows)} messages, of which {base.n_messages} were counted")
        doubted = _doubted(store, [number for number in range(len(rows)) if base.trust(number) < _DOUBTED][-_SHOWN:])
        (n_words,) = store.row("SELECT count(*) FROM word", (int,))
        came, went = _moved(store, len(rows))
    errors = [(bool(spam), (log_odds > 0.0) != bool(spam)) for spam, log_odds, _ in rows]
    scored = errors[_FIRST:]
    return MailStatus(
        n_spam=base.n_spam,
        n_ham=base.n_ham,
        n_words=n_words,
        size=store.path.stat().st_size,
        false_alarms=sum(wrong and not spam for spam, wrong in scored),
        misses=sum(wrong and spam for spam, wrong in scored),
        n_scored=len(scored),
        lately=_counts(scored[-_LATELY:]),
        alarms=_alarms(errors),
        came=came,
        went=went,
        curve=_curve(scored),
        first=rows[0][2] if rows else 0.0,
        last=rows[-1][2] if rows else 0.0,
        wrong_labels=base.wrong,
        doubted=doubted,
    )


def _doubted(store: Store, numbers: list[int]) -> tuple[tuple[str, str], ...]:
    rows = [store.row("SELECT spam, subject FROM message WHERE number = ?", (int, str), each) for each in numbers]
    return tuple(("spam" if spam else "ham", subject) for spam, subject in rows)


def _counts(errors: list[tuple[bool, bool]]) -> tuple[int, int, int]:
    return sum(w and not s for s, w in errors), sum(w and s for s, w in errors), len(errors)


def _alarms(errors: list[tuple[bool, bool]]) -> tuple[tuple[str, int], ...]:
    """Both kinds of error are watched, each among the messages where it can happen."""
    from sepal.learners import ADWIN

    watching: dict[bool, Any] = {False: ADWIN(), True: ADWIN()}
    found = []
    for place, (spam, wrong) in enumerate(errors):
        if place >= _FIRST and watching[spam].update(float(wrong)):
            found.append(("misses" if spam else "false alarms", place))
    return tuple(found)


def _moved(store: Store, n: int, most: int = 12) -> tuple[Any, Any]:
    """Words whose frequency changed most between the last messages and as many before them."""
    lately = min(_LATELY, n // 2)
    rows = store.rows("SELECT words FROM message ORDER BY number DESC LIMIT ?", (bytes,), 2 * lately)
    now: Counter[int] = Counter()
    before: Counter[int] = Counter()
    for place, (numbers,) in enumerate(rows):
        (now if place < lately else before).update(store.numbers(numbers))
    change = sorted(
        ((now[word] - before[word]) / (now[word] + before[word] + 10.0) ** 0.5, word) for word in {*now, *before}
    )

    def named(pairs: list[tuple[float, int]]) -> tuple[tuple[str, int, int], ...]:
        query = "SELECT word FROM word WHERE number = ?"
        return tuple((*store.row(query, (str,), word), now[word], before[word]) for _, word in pairs)

    came = [pair for pair in reversed(change[-most:]) if pair[0] > 0]
    return named(came), named([pair for pair in change[:most] if pair[0] < 0])


def _curve(errors: list[tuple[bool, bool]]) -> tuple[tuple[int, float, float], ...]:
    step = max(50, -(-len(errors) // _POINTS))
    found = []
    for begin in range(0, len(errors), step):
        alarms, misses, n = _counts(errors[begin : begin + step])
        found.append((_FIRST + begin + n, alarms / n, misses / n))
    return tuple(found)
