"""Where the filter keeps what it knows: one SQLite file in WAL mode, for several processes at once.

A store is a function of the ordered messages in it. ``message`` is that list; all other tables follow from it.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from sepal.exceptions import DataError, ParameterError
from sepal.mail._cases import PARTS, CaseBase, Part, Word
from sepal.mail._keeping import CasePolicy, CaseQueue

APPLICATION = 0x5365704D  # "SepM"
STORE_VERSION = 2  # 1 knew no trust in labels and no policy
_CHUNK = 512  # cases of a word in one row
_FLAGS = 4096  # bytes of flags in one row
_MOST = 2**32  # what numbers of words and messages stay below
_POLICY = tuple(each.name for each in fields(CasePolicy))
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE message (
    number INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, spam INTEGER NOT NULL, learned REAL NOT NULL,
    subject TEXT NOT NULL, words BLOB NOT NULL, cases REAL NOT NULL, linear REAL NOT NULL, log_odds REAL NOT NULL);
CREATE TABLE word (
    number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, spam INTEGER NOT NULL, ham INTEGER NOT NULL,
    weight REAL NOT NULL, cases BLOB NOT NULL);
CREATE TABLE more_cases (word INTEGER, chunk INTEGER, cases BLOB NOT NULL, PRIMARY KEY (word, chunk)) WITHOUT ROWID;
CREATE TABLE flags (chunk INTEGER PRIMARY KEY, flags BLOB NOT NULL);
"""


class Store:
    """A connection to the file; see :func:`open_store`."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.db = connection
        self.path = path

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    def damaged(self, what: str) -> DataError:
        """The error of a file that contradicts itself."""
        return damaged(self.path, what)

    def rows(self, query: str, kinds: tuple[type, ...], *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, each cell of its kind: SQLite would let a damaged file hold anything anywhere."""
        for row in self.db.execute(query, values):
            if tuple(map(type, row)) != kinds:
                raise self.damaged("a cell holds what it cannot hold")
            yield row

    def row(self, query: str, kinds: tuple[type, ...], *values: object) -> tuple[Any, ...]:
        """The one row that there must be."""
        for row in self.rows(query, kinds, *values):
            return row
        raise self.damaged("a row is missing")

    def part(self) -> Part:
        """Which learner it has."""
        return self._fact("part", lambda part: part in PARTS)  # type: ignore[no-any-return]

    def policy(self) -> CasePolicy:
        """Which messages stay cases."""
        with self.reading():
            found = dict(self.db.execute("SELECT key, value FROM meta").fetchall())
        try:
            return CasePolicy(**{name: found.get(name) for name in _POLICY})
        except ParameterError as error:
            raise self.damaged(str(error)) from error

    def _fact(self, key: str, allowed: Callable[[Any], bool]) -> Any:
        """A count or setting."""
        with self.reading():
            found = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if found is None or not allowed(found[0]):
            raise self.damaged(f"{key} is missing, or not what it can be")
        return found[0]

    def _count(self, key: str) -> int:
        return int(self._fact(key, lambda count: type(count) is int and 0 <= count < _MOST))

    def _number(self, key: str, least: float = -sys.float_info.max, most: float = sys.float_info.max) -> float:
        return float(self._fact(key, lambda number: isinstance(number, (int, float)) and least <= number <= most))

    def version(self) -> int:
        """In which form the file is written."""
        with store_errors(self.path):
            return int(self.db.execute("PRAGMA user_version").fetchone()[0])

    def load_words(self, words: Sequence[str]) -> dict[str, Word]:
        """Those of the words that are known, with the cases that have them."""
        found = {}
        kinds = (int, int, int, float, bytes)
        with self.reading():
            for word in words:
                for number, spam, ham, weight, last in self.rows(
                    "SELECT number, spam, ham, weight, cases FROM word WHERE word = ?", kinds, word
                ):
                    cases = bytearray()
                    if 4 * (spam + ham) > len(last):
                        for (chunk,) in self.rows(
                            "SELECT cases FROM more_cases WHERE word = ? ORDER BY chunk", (bytes,), number
                        ):
                            cases += chunk
                    cases += last
                    if len(cases) != 4 * (spam + ham) or min(spam, ham) < 0 or not 0 <= number < _MOST:
                        raise self.damaged("a word is not in as many messages as were counted")
                    found[word] = Word(number, spam, ham, weight, cases, len(cases) // 4)
        return found

    def numbers(self, raw: bytes) -> array[int]:
        """The numbers of a message's words."""
        if len(raw) % 4:
            raise self.damaged("the words of a message are cut")
        found = array("I")
        found.frombytes(raw)
        return found

    def texts(self) -> Callable[[bytes], tuple[str, ...]]:
        """What gives the words of a message by their numbers."""
        words = dict(self.rows("SELECT number, word FROM word", (int, str)))

        def of(raw: bytes) -> tuple[str, ...]:
            found = tuple(words.get(number) for number in self.numbers(raw))
            if None in found:
                raise self.damaged("a message has a word that is not there")
            return found  # type: ignore[return-value]

        return of

    def case_base(self) -> CaseBase:
        """What is known, words loaded when they are asked for."""
        with self.reading():
            flags = bytearray()
            for (each,) in self.rows("SELECT flags FROM flags ORDER BY chunk", (bytes,)):
                flags += each
            policy, n_spam, n_ham = self.policy(), self._count("n_spam"), self._count("n_ham")
            if len(flags) != 4 * (n_spam + n_ham):
                raise self.damaged(f"{len(flags) // 4} flags of {n_spam + n_ham} messages")
            return CaseBase(
                part=self.part(),
                policy=policy,
                wrong=self._number("wrong", 0.0, 1.0),
                queue=None if policy == CasePolicy() else CaseQueue(policy, self._used(flags)),
                n_spam=n_spam,
                n_ham=n_ham,
                shares=(self._number("share_linear"), self._number("share_cases"), self._number("share_offset")),
                next_word=self._count("next_word"),
                flags=flags,
                source=self,
            )

    def _used(self, flags: bytearray) -> Iterator[tuple[int, bool, float]]:
        """Number, label and time of the messages that are cases."""
        kinds = (int, int, float)
        for number, spam, when in self.rows("SELECT number, spam, learned FROM message ORDER BY number", kinds):
            if not 0 <= number < len(flags) // 4:
                raise self.damaged("a message has no flags")
            if flags[4 * number] & 1:
                yield number, bool(spam), when

    def write(self, base: CaseBase) -> None:
        """What has changed in memory; inside a transaction."""
        rows, more = [], []
        for text in sorted(base.changed):
            word = base.words[text]
            n = len(word.cases) // 4
            last = n // _CHUNK * _CHUNK
            for begin in range(word.stored // _CHUNK * _CHUNK, last, _CHUNK):
                more.append((word.number, begin // _CHUNK, bytes(word.cases[4 * begin : 4 * (begin + _CHUNK)])))
            rows.append((word.number, text, word.spam, word.ham, word.weight, bytes(word.cases[4 * last :])))
            word.stored = n
        self.db.executemany("INSERT OR REPLACE INTO word VALUES (?, ?, ?, ?, ?, ?)", rows)
        self.db.executemany("INSERT OR REPLACE INTO more_cases VALUES (?, ?, ?)", more)
        if base.lowest is not None:
            for chunk in range(4 * base.lowest // _FLAGS, -(-len(base.flags) // _FLAGS)):
                part = bytes(base.flags[chunk * _FLAGS : (chunk + 1) * _FLAGS])
                self.db.execute("INSERT OR REPLACE INTO flags VALUES (?, ?)", (chunk, part))
        base.changed.clear()
        base.lowest = None
        self.write_meta(base)

    def write_meta(self, base: CaseBase) -> None:
        """Counts and shares; ``changes`` tells other processes that what they remember is old."""
        linear, cases, offset = base.shares
        facts = {
            "n_spam": base.n_spam,
            "n_ham": base.n_ham,
            "share_linear": linear,
            "share_cases": cases,
            "share_offset": offset,
            "wrong": base.wrong,
            "next_word": base.next_word,
        }
        self.db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", facts.items())
        self.db.execute("UPDATE meta SET value = value + 1 WHERE key = 'changes'")

    def changes(self) -> int:
        """How often the store was written."""
        return self._count("changes")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One state of the store for all that is read, whatever other processes write meanwhile."""
        with store_errors(self.path):
            if self.db.in_transaction:  # of whoever asks
                yield
            else:
                with _transaction(self.db, "BEGIN"):
                    yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: all of it, or nothing."""
        with store_errors(self.path), _transaction(self.db, "BEGIN IMMEDIATE"):
            yield


@contextmanager
def _transaction(db: sqlite3.Connection, begin: str) -> Iterator[None]:
    db.execute(begin)
    try:
        yield
    except BaseException:
        if db.in_transaction:  # some errors end it
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


# What SQLite calls an error of the disk where there was no room in memory for a file that processes share.
_NO_MEMORY = ("SQLITE_NOMEM", "SQLITE_IOERR_NOMEM", "SQLITE_IOERR_SHMMAP")


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Errors of SQLite as ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise DataError(
                f"{path}: another process has been writing to the store for too long",
                hint="try again, or give more time with --wait",
            ) from error
        if getattr(error, "sqlite_errorname", "") in _NO_MEMORY:
            raise MemoryError(str(error)) from error
        if "decode" in str(error):
            raise damaged(path, "a text is none") from error
        raise DataError(f"{path}: the store cannot be used: {error}") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # what SQLite says holds bytes of the file
        raise damaged(path, str(error)) from error


def damaged(path: Path, what: str) -> DataError:
    """The one error of a damaged store."""
    return DataError(
        f"{path}: the store is damaged: {what}",
        hint="restore it from a copy, or from sepal mail export; the file was left as it is",
    )


def open_store(
    path: str | os.PathLike[str],
    *,
    part: Part | None = None,
    policy: CasePolicy | None = None,
    create: bool,
    wait: float = 10.0,
) -> Store:
    """Open a store, or make one.

    A file that is no store, a damaged one and one of a later version are refused and left as they are.
    """
    place = Path(path)
    if wait < 0:
        raise ParameterError(f"wait must be at least 0 seconds; got {wait}")
    there = place.exists() and place.stat().st_size > 0
    if not there and not create:
        raise DataError(f"{place}: there is no store", hint="sepal mail learn --spam FILE makes one")
    if there:
        _check_head(place)
    elif not place.parent.is_dir():
        try:
            place.parent.mkdir(parents=True)
        except OSError as error:
            raise DataError(f"{place}: the folder cannot be made: {error.strerror}") from error
    with store_errors(place):
        # Transactions are written out: BEGIN IMMEDIATE ... COMMIT.
        db = sqlite3.connect(place, timeout=wait, isolation_level=None)
        try:
            if there:
                _check_version(db, place, wait)
            else:
                _make(db, part or "both", policy or CasePolicy(), wait)
        except BaseException:
            db.close()
            raise
        db.execute("PRAGMA synchronous = NORMAL")
    store = Store(db, place)
    try:
        for name, asked, kept in (("part", part, store.part()), ("policy", policy, store.policy())):
            if asked is not None and asked != kept:
                raise ParameterError(f"{place}: this store was made with {name} {kept!r}, not {asked!r}")
    except BaseException:
        store.close()
        raise
    return store


def _check_head(place: Path) -> None:
    try:
        with place.open("rb") as file:
            head = file.read(16)
    except OSError as error:
        raise DataError(f"{place}: cannot be read: {error.strerror}") from error
    if head != b"SQLite format 3\0":
        raise DataError(f"{place}: this is no store of sepal mail; the file was left as it is")


def _check_version(db: sqlite3.Connection, place: Path, wait: float) -> None:
    with _transaction(db, "BEGIN"):  # another process may be making it
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        empty = db.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    if application == 0 and version == 0 and empty:
        _make(db, "both", CasePolicy(), wait)  # whoever made the file was ended before it wrote anything
        return
    if application != APPLICATION:
        raise DataError(f"{place}: this SQLite file is no store of sepal mail; it was left as it is")
    if version > STORE_VERSION:
        raise DataError(
            f"{place}: the store has version {version}, and this sepal knows {STORE_VERSION}; it was left as it is",
            hint="use the newer sepal that wrote it",
        )


def _in_wal_mode(db: sqlite3.Connection, *, last: bool) -> bool:
    """Whether the file could be set so; SQLite itself does not wait here for another process that makes the file."""
    try:
        db.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if last or "locked" not in str(error):
            raise
        return False
    return True


def _make(db: sqlite3.Connection, part: Part, policy: CasePolicy, wait: float) -> None:
    """Tables of an empty store, in one transaction; another process may have been first."""
    until = time.monotonic() + wait
    while not _in_wal_mode(db, last=time.monotonic() >= until):
        time.sleep(0.01)
    with _transaction(db, "BEGIN IMMEDIATE"):
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
            return
        for statement in _TABLES.strip().split(";\n"):
            if statement:
                db.execute(statement)
        first = CaseBase(part=part)
        meta = {"part": part, "n_spam": 0, "n_ham": 0, "wrong": first.wrong, "next_word": 0, "changes": 0}
        meta |= {name: getattr(policy, name) for name in _POLICY}
        shares = dict(zip(("share_linear", "share_cases", "share_offset"), first.shares, strict=True))
        db.executemany("INSERT INTO meta VALUES (?, ?)", {**meta, **shares}.items())
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {STORE_VERSION}")
