"""The filter: a store, what is known of it in memory, and the things one does with it."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sepal.exceptions import DataError
from sepal.mail._cases import CaseBase, Part, Score
from sepal.mail._decision import Costs, MailVerdict
from sepal.mail._keeping import CasePolicy
from sepal.mail._message import MailMessage, read_message
from sepal.mail._store import STORE_VERSION, Store, open_store, store_errors
from sepal.mail._tokens import tokens

_RESTORED = 1_000  # messages in a transaction that need no judging
_BATCH = 100  # messages that are learned in one transaction
_MOST_WORDS = 300_000  # that stay in memory


@dataclass(frozen=True)
class Labelled:
    """A message whose label is known, as the store keeps it."""

    hash: bytes
    spam: bool
    learned: float
    subject: str
    words: tuple[str, ...]


class MailFilter:
    """A mail filter that learns while it is used.

    Parameters
    ----------
    path : str or path
        The store: one SQLite file, which several processes may use at once.
    part : {"both", "cases", "linear"}, optional
        The learner of a new store: similar cases and a linear model together, or one of them.
    policy : CasePolicy, optional
        Which messages a new store compares with new ones; all of them.
    create : bool
        Whether a store that is not there is made.
    wait : float
        Seconds to wait for another process that writes.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, MailFilter(os.path.join(folder, "mail.db")) as known:
    ...     for i in range(12):
    ...         _ = known.learn(f"Subject: cheap pills\\n\\nbuy pills {i}".encode(), spam=True)
    ...         _ = known.learn(f"Subject: meeting\\n\\nminutes of meeting {i}".encode(), spam=False)
    ...     known.classify(b"Subject: pills\\n\\nbuy cheap pills").label
    'spam'
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        part: Part | None = None,
        policy: CasePolicy | None = None,
        create: bool = True,
        wait: float = 10.0,
    ) -> None:
        self.store: Store = open_store(path, part=part, policy=policy, create=create, wait=wait)
        self._base: CaseBase | None = None
        self._changes = -1
        if self.store.version() < STORE_VERSION:
            self._bring_up_to_date()

    def __enter__(self) -> MailFilter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.store.close()

    def base(self) -> CaseBase:
        """What is known now; what is in memory is used as long as nobody else has written.

        Words are read when they are asked for: who asks does so inside ``store.reading()``, or ``store.writing()``.
        """
        with self.store.reading():
            changes = self.store.changes()
            if self._base is None or changes != self._changes or len(self._base.words) > _MOST_WORDS:
                self._base, self._changes = self.store.case_base(), changes
        return self._base

    def score(self, message: MailMessage) -> Score:
        """What is known about a message."""
        words = tokens(message)
        with self.store.reading():
            return self.base().score(words)

    def classify(self, raw: bytes, costs: Costs | None = None) -> MailVerdict:
        """Say what a message is; nothing is learned.

        Parameters
        ----------
        raw : bytes
            The message.
        costs : Costs, optional
            What errors cost.
        """
        words = tokens(read_message(raw))
        with self.store.reading():
            base = self.base()
            score = base.score(words)
        return (costs or Costs()).verdict(score, base.n_spam, base.n_ham)

    def learn(self, raw: bytes, *, spam: bool) -> bool:
        """Take in one message; whether it was new. One that is known with the other label is an error."""
        return self.learn_many([(raw, spam)]) == 1

    def learn_many(self, messages: Iterable[tuple[bytes, bool]]) -> int:
        """Take in messages one after the other, a hundred in a transaction; how many were new."""
        return sum(new for new in self.learn_each(messages))

    def learn_each(self, messages: Iterable[tuple[bytes, bool]]) -> Iterator[bool]:
        """For each message, once it is in the store for good, whether it was new."""
        now = time.time()
        seen = ((read_message(raw), spam) for raw, spam in messages)
        made = (Labelled(m.hash, spam, now, m.subject[:200], tokens(m)) for m, spam in seen)
        yield from self.add(made)

    def restore(self, messages: Iterable[tuple[bytes, bool, Score]]) -> int:
        """Take in messages with what was said of each before its label came; how many were new.

        They are not judged again, which is most of the work of learning: for messages that were answered elsewhere.
        """
        now = time.time()
        seen = ((read_message(raw), spam, score) for raw, spam, score in messages)
        made = ((Labelled(m.hash, spam, now, m.subject[:200], tokens(m)), score) for m, spam, score in seen)
        return sum(new for batch in _batches(made, _RESTORED) for new in self._add_batch(batch))

    def add(self, labelled: Iterable[Labelled]) -> Iterator[bool]:
        """As :meth:`learn_each`, for messages that were read already."""
        for batch in _batches(((each, None) for each in labelled), _BATCH):
            yield from self._add_batch(batch)

    def _add_batch(self, batch: Sequence[tuple[Labelled, Score | None]]) -> list[bool]:
        db, new = self.store.db, []
        try:
            with self.store.writing():
                base = self.base()
                (number,) = self.store.row("SELECT coalesce(max(number), -1) + 1 FROM message", (int,))
                if number != base.n_messages:
                    raise self.store.damaged(f"{number} messages, of which {base.n_messages} were counted")
                for each, score in batch:
                    row = db.execute("SELECT spam FROM message WHERE hash = ?", (each.hash,)).fetchone()
                    if row is not None and bool(row[0]) != each.spam:
                        other = "spam" if row[0] else "ham"
                        raise DataError(
                            f"message {each.hash.hex()} is known as {other}",
                            hint="sepal mail relearn changes its label",
                        )
                    new.append(row is None)
                    if row is None:
                        learn_one(self.store, base, number, each, score)
                        number += 1
                if any(new):
                    self.store.write(base)
                    self._changes = self.store.changes()
        except BaseException:
            self._base = None  # memory may be ahead of what was written
            raise
        return new

    def unlearn(self, hashes: Sequence[bytes]) -> int:
        """Forget messages: the store is then the same as if they had never been learned; how many were known."""
        return self._rewrite(dict.fromkeys(hashes))

    def relearn(self, hashes: Sequence[bytes], *, spam: bool) -> int:
        """Give messages another label: the store is then the same as if they had had it from the beginning."""
        return self._rewrite(dict.fromkeys(hashes, spam))

    def _rewrite(self, wanted: dict[bytes, Any]) -> int:
        """Play the list of messages again, from the first one that changes; None takes a message out."""
        try:
            with self.store.writing():
                return replay(self.store, wanted)
        finally:
            self._base = None

    def _bring_up_to_date(self) -> None:
        """A store of an earlier version: its messages are learned anew."""
        try:
            with self.store.writing():
                if self.store.version() < STORE_VERSION:  # another process may have been first
                    play(self.store, ((each, None) for each in list(self.messages())))
                    self.store.db.execute(f"PRAGMA user_version = {STORE_VERSION}")
        except BaseException:
            self.close()
            raise

    def messages(self) -> Iterator[Labelled]:
        """All messages in the order in which they were learned."""
        with self.store.reading():
            texts = self.store.texts()
            query = "SELECT hash, spam, learned, subject, words FROM message ORDER BY number"
            rows = list(self.store.rows(query, (bytes, int, float, str, bytes)))
        for known_by, spam, learned, subject, numbers in rows:
            yield Labelled(known_by, bool(spam), learned, subject, texts(numbers))

    def compact(self) -> tuple[int, int]:
        """Write the file anew without gaps; its size before and after."""
        before = self.store.path.stat().st_size
        with store_errors(self.store.path):
            self.store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.store.db.execute("VACUUM")
            self.store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return before, self.store.path.stat().st_size


def _batches(
    messages: Iterable[tuple[Labelled, Score | None]], size: int
) -> Iterator[list[tuple[Labelled, Score | None]]]:
    """So many messages at a time."""
    rest = iter(messages)
    while batch := list(islice(rest, size)):
        yield batch


def learn_one(store: Store, base: CaseBase, number: int, each: Labelled, score: Score | None = None) -> None:
    """Score a message, learn it, and write its row; ``score`` where it is known already."""
    found = base.score(each.words) if score is None else score
    base.learn(each.words, each.spam, number, found, each.learned)
    ids = array("I", (base.words[word].number for word in each.words))
    facts = (each.hash, each.spam, each.learned, each.subject, ids.tobytes())
    row = (number, *facts, found.cases, found.linear, found.log_odds)
    store.db.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def replay(store: Store, wanted: dict[bytes, Any]) -> int:
    """Make the store anew from its list of messages, some of them with another label or none; how many there were."""
    texts = store.texts()
    query = "SELECT hash, spam, learned, subject, words, cases, linear, log_odds FROM message ORDER BY number"
    rows = list(store.rows(query, (bytes, int, float, str, bytes, float, float, float)))
    known = sum(row[0] in wanted for row in rows)
    if all(row[0] not in wanted or wanted[row[0]] == bool(row[1]) for row in rows):
        return known

    def changed() -> Iterator[tuple[Labelled, Score | None]]:
        # What was said of a message holds up to the first one that changes; editing asks for its neighbours too.
        same = store.policy().editing is None
        for known_by, spam, learned, subject, numbers, cases, linear, log_odds in rows:
            label = wanted.get(known_by, bool(spam))
            if label is not None:
                before = Score(cases, linear, log_odds) if same else None
                yield Labelled(known_by, label, learned, subject, texts(numbers)), before
            same = same and label == bool(spam)

    play(store, changed())
    return known


def play(store: Store, messages: Iterable[tuple[Labelled, Score | None]]) -> None:
    """Empty the store and learn these messages, with what was said of them where that is known."""
    base = CaseBase(part=store.part(), policy=store.policy())
    for table in ("message", "word", "more_cases", "flags"):
        store.db.execute(f"DELETE FROM {table}")  # noqa: S608 - names of our own
    for number, (each, score) in enumerate(messages):
        learn_one(store, base, number, each, score)
    store.write(base)
