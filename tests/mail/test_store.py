"""The store: exact undoing, several processes, ends at any moment, and files that are no stores."""

from __future__ import annotations

import dataclasses
import math
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

from sepal.exceptions import DataError, ParameterError
from sepal.mail import CasePolicy, MailFilter, explain_message, mail_status, read_message
from sepal.mail._store import store_errors
from tests.mail.made import message, stream

TABLES = ("message", "word", "more_cases", "flags", "meta")


def _content(path) -> dict[str, list[tuple]]:
    """All that is in a store but when messages came and how often it was written."""
    with sqlite3.connect(path) as db:
        found = {table: db.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in TABLES}  # noqa: S608
    db.close()
    found["message"] = [row[:3] + row[4:] for row in found["message"]]
    found["meta"] = [row for row in found["meta"] if row[0] != "changes"]
    return found


def _made(path, mail) -> dict[str, list[tuple]]:
    with MailFilter(path) as known:
        known.learn_many(mail)
    return _content(path)


def test_learning_twice_changes_nothing(tmp_path):
    mail = stream(30)
    first = _made(tmp_path / "a", mail)
    with MailFilter(tmp_path / "a") as known:
        assert known.learn_many(mail) == 0
        with pytest.raises(DataError, match="is known as"):
            known.learn(mail[0][0], spam=not mail[0][1])
    assert _content(tmp_path / "a") == first


def test_one_at_a_time_is_the_same_as_many(tmp_path):
    mail = stream(25)
    with MailFilter(tmp_path / "a") as known:
        for raw, spam in mail:
            assert known.learn(raw, spam=spam)
            with MailFilter(tmp_path / "a") as other:  # another process would see the same
                assert other.base().n_messages == known.base().n_messages
    assert _content(tmp_path / "a") == _made(tmp_path / "b", mail)


def test_messages_restored_with_what_was_said_of_them_make_the_same_store(tmp_path):
    mail, said = stream(60), []
    with MailFilter(tmp_path / "a") as known:
        for raw, spam in mail:
            said.append((raw, spam, known.score(read_message(raw))))
            known.learn(raw, spam=spam)
    with MailFilter(tmp_path / "b") as known:
        assert known.restore(said) == 60
        assert known.restore(said) == 0
        with pytest.raises(DataError, match="is known as"):
            known.restore([(mail[0][0], not mail[0][1], said[0][2])])
    assert _content(tmp_path / "b") == _content(tmp_path / "a")


@pytest.mark.parametrize("gone", [[0], [24], [7, 13]])
def test_unlearn_is_as_if_it_had_never_been_learned(tmp_path, gone):
    mail = stream(25)
    _made(tmp_path / "a", mail)
    with MailFilter(tmp_path / "a") as known:
        assert known.unlearn([read_message(mail[i][0]).hash for i in gone]) == len(gone)
        assert known.unlearn([b"x" * 16]) == 0
    assert _content(tmp_path / "a") == _made(tmp_path / "b", [m for i, m in enumerate(mail) if i not in gone])


def test_relearn_is_as_if_it_had_always_had_that_label(tmp_path):
    mail = stream(25)
    before = _made(tmp_path / "a", mail)
    wrong = [(raw, spam != (i == 9)) for i, (raw, spam) in enumerate(mail)]
    with MailFilter(tmp_path / "a") as known:
        known.relearn([read_message(mail[9][0]).hash], spam=not mail[9][1])
        assert _content(tmp_path / "a") == _made(tmp_path / "b", wrong)
        known.relearn([read_message(mail[9][0]).hash], spam=mail[9][1])
    assert _content(tmp_path / "a") == before


def test_exactness_holds_with_every_policy(tmp_path):
    mail = stream(40)
    for place, policy in enumerate((CasePolicy(window=9, quota=3), CasePolicy(editing="enn"), CasePolicy(days=1))):
        a, b = tmp_path / f"a{place}", tmp_path / f"b{place}"
        with MailFilter(a, policy=policy) as known:
            known.learn_many(mail[:17])
        with MailFilter(a) as known:  # a process that knows the policy from the file only
            known.learn_many(mail[17:])
            assert known.base().policy == policy
            known.unlearn([read_message(mail[5][0]).hash])
        with MailFilter(b, policy=policy) as known:
            known.learn_many(mail[:5] + mail[6:])
        assert _content(a) == _content(b)
        with pytest.raises(ParameterError, match="made with policy"):
            MailFilter(a, policy=CasePolicy(window=3))


def test_a_store_of_the_first_version_is_learned_anew(tmp_path):
    now = _made(tmp_path / "a", stream(30))
    with sqlite3.connect(tmp_path / "a") as db:  # as the first version wrote it
        db.execute("UPDATE flags SET flags = zeroblob(length(flags))")
        db.execute("DELETE FROM meta WHERE key IN ('wrong', 'window', 'days', 'quota', 'editing')")
        db.execute("PRAGMA user_version = 1")
    db.close()
    with MailFilter(tmp_path / "a") as known:
        assert known.store.version() == 2
    found = _content(tmp_path / "a")
    found["meta"] = sorted(found["meta"] + [(name, None) for name in ("days", "editing", "quota", "window")])
    assert found == now


def test_frequent_words_are_kept_in_pieces(tmp_path):
    mail = [(f"Message-ID: {i}\n\nword".encode(), i % 2 == 0) for i in range(1100)]
    _made(tmp_path / "a", mail)
    with MailFilter(tmp_path / "a") as known:
        word = known.store.load_words(["word"])["word"]
        assert list(memoryview(bytes(word.cases)).cast("I")) == list(range(1100))
        assert known.store.db.execute("SELECT count(*) FROM more_cases").fetchone()[0] == 2


def test_two_processes_learn_at_once(tmp_path):
    code = (
        "import sys; from sepal.mail import MailFilter; from tests.mail.made import message\n"
        "with MailFilter(sys.argv[1], wait=60) as known:\n"
        "    first = int(sys.argv[2])\n"
        "    for i in range(first, first + 15): known.learn(message(i, i % 2 == 0), spam=i % 2 == 0)\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, tmp_path / "a", str(first)]) for first in (0, 100)]
    assert [each.wait(60) for each in both] == [0, 0]
    with MailFilter(tmp_path / "a") as known:
        raws = {read_message(message(i, i % 2 == 0)).hash for i in (*range(15), *range(100, 115))}
        assert {each.hash for each in known.messages()} == raws
        learned = [(message(i, i % 2 == 0), i % 2 == 0) for i in (*range(15), *range(100, 115))]
        order = [each.hash for each in known.messages()]
        learned.sort(key=lambda pair: order.index(read_message(pair[0]).hash))
    assert _content(tmp_path / "a") == _made(tmp_path / "b", learned)


def test_killed_at_any_moment_nothing_is_lost_or_doubled(tmp_path):
    code = (
        "import sys; from sepal.mail import MailFilter; from tests.mail.made import stream\n"
        "with MailFilter(sys.argv[1]) as known:\n"
        "    for i, (raw, spam) in enumerate(stream(400)): known.learn(raw, spam=spam); print(i, flush=True)\n"
    )
    draw = random.Random(1)  # noqa: S311
    done = -1
    for _ in range(4):
        child = subprocess.Popen([sys.executable, "-c", code, tmp_path / "a"], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(draw.random() * 0.2)
        child.send_signal(signal.SIGKILL)
        said = [int(line) for line in child.communicate()[0].split()]
        done = max([done, *said])
    with MailFilter(tmp_path / "a") as known:
        found = list(known.messages())
    assert done + 1 <= len(found) <= done + 2  # one may have been written but not said
    assert [each.hash for each in found] == [read_message(raw).hash for raw, _ in stream(400)[: len(found)]]
    assert _content(tmp_path / "a") == _made(tmp_path / "b", stream(400)[: len(found)])


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE flags SET flags = x''",
        "UPDATE flags SET flags = 'text'",
        "DELETE FROM flags",
        "DELETE FROM meta WHERE key = 'n_spam'",
        "DELETE FROM meta WHERE key = 'part'",
        "UPDATE meta SET value = -1 WHERE key = 'n_ham'",
        "UPDATE meta SET value = 'few' WHERE key = 'share_linear'",
        "UPDATE meta SET value = 7.0 WHERE key = 'wrong'",
        "UPDATE meta SET value = 'all' WHERE key = 'window'",
        "UPDATE meta SET value = NULL WHERE key = 'changes'",
        "UPDATE word SET cases = x'ffffffff' WHERE spam + ham = 1; UPDATE word SET cases = zeroblob(3) WHERE spam > 1",
        "UPDATE word SET cases = replace(cases, x'00000000', x'ffffffff')",
        "UPDATE word SET spam = spam + 1",
        "UPDATE word SET number = -number",
        "UPDATE word SET weight = 'heavy'",
        "UPDATE word SET number = number + 4294967296",
    ],
)
def test_a_damaged_store_is_told_as_such(tmp_path, harm):
    """These were an IndexError, a KeyError, a struct.error and a TypeError, which a filter did not expect."""
    _made(tmp_path / "a", stream(30))
    with sqlite3.connect(tmp_path / "a") as db:
        db.executescript(harm)
    db.close()
    for ask in (
        lambda known: known.classify(message(1, True)),
        lambda known: explain_message(known, message(1, True)),
        lambda known: known.learn(message(400, True), spam=True),
    ):
        with pytest.raises(DataError, match="the store is damaged"), MailFilter(tmp_path / "a") as known:
            ask(known)


@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM message WHERE number = 7",
        "UPDATE message SET number = number + 100",
        "UPDATE message SET words = x'ffffffff'",
        "UPDATE message SET words = x'0000'",
        "UPDATE message SET words = 'text'",
        "UPDATE message SET subject = x'ff'",
        "UPDATE message SET subject = CAST(x'ff' AS TEXT), words = x''",
        "DELETE FROM word",
    ],
)
def test_a_damaged_list_of_messages_is_told_as_such(tmp_path, harm):
    with MailFilter(tmp_path / "a", policy=CasePolicy(days=3)) as known:
        known.learn_many(stream(30))
    with sqlite3.connect(tmp_path / "a") as db:
        db.executescript(harm)
    db.close()
    refused = 0
    for ask in (
        lambda known: list(known.messages()),
        mail_status,
        lambda known: explain_message(known, message(1, True)),
        lambda known: known.learn(message(400, True), spam=True),
        lambda known: known.unlearn([read_message(message(1, True)).hash]),
    ):
        try:
            with MailFilter(tmp_path / "a") as known:
                ask(known)
        except DataError as error:
            assert "the store is damaged" in str(error)  # noqa: PT017 - not every question meets the damage
            refused += 1
    assert refused


def test_files_that_are_no_stores_are_left_as_they_are(tmp_path):
    (tmp_path / "text").write_text("hello, I am a text")
    _made(tmp_path / "newer", stream(3))
    with sqlite3.connect(tmp_path / "newer") as db:
        db.execute("PRAGMA user_version = 99")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    with sqlite3.connect(tmp_path / "other") as db:
        db.execute("CREATE TABLE x (y)")
    db.close()
    _made(tmp_path / "damaged", stream(60))
    raw = bytearray((tmp_path / "damaged").read_bytes())
    raw[4096:-4096] = b"\x55" * (len(raw) - 8192)
    (tmp_path / "damaged").write_bytes(raw)
    for name, words in (("text", "no store"), ("newer", "version 99"), ("other", "no store"), ("damaged", "damaged")):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(DataError, match=words), MailFilter(tmp_path / name) as known:
            known.learn(b"Subject: x\n\ny", spam=True)
        assert (tmp_path / name).read_bytes() == before
    with pytest.raises(DataError, match="no store"):
        MailFilter(tmp_path / "missing", create=False)
    _made(tmp_path / "both", stream(3))
    with pytest.raises(ParameterError, match="made with part"):
        MailFilter(tmp_path / "both", part="linear")


@pytest.mark.parametrize(
    ("name", "kind"),
    [("SQLITE_IOERR_SHMMAP", MemoryError), ("SQLITE_IOERR_NOMEM", MemoryError), ("SQLITE_FULL", DataError)],
)
def test_an_error_of_the_disk_that_is_one_of_memory_is_told_as_such(tmp_path, name, kind):
    """Where the address space was full, the store was said to have a disk I/O error."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = name
    with pytest.raises(kind, match="disk I/O error"), store_errors(tmp_path / "a"):
        raise error


@pytest.mark.parametrize(
    "ask", [MailFilter.classify, explain_message, lambda known, _: dataclasses.replace(mail_status(known), size=0)]
)
def test_what_others_learn_meanwhile_is_not_half_seen(tmp_path, monkeypatch, ask):
    """Words were read after a commit, flags before it: a word named a case that was not there."""
    _made(tmp_path / "a", stream(30))
    raw = message(100, True)
    with MailFilter(tmp_path / "a") as known, MailFilter(tmp_path / "a") as other:
        before = ask(known, raw)
        base = known.base

        def slowly():
            found = base()
            assert other.learn(message(101, True), spam=True)
            monkeypatch.undo()
            return found

        known._base = None
        monkeypatch.setattr(known, "base", slowly)
        assert ask(known, raw) == before
        assert known.base().n_messages == 31


def test_the_messages_of_a_store_may_be_changed_while_they_are_looked_at(tmp_path):
    mail = stream(10)
    _made(tmp_path / "a", mail)
    with MailFilter(tmp_path / "a") as known:
        assert sum(known.unlearn([each.hash]) for each in known.messages()) == 10


def test_who_makes_a_store_waits_for_another_who_does(tmp_path):
    """The second of two processes that made a store at once was told that it is locked, however long it would wait."""
    holder = sqlite3.connect(tmp_path / "a", isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("CREATE TABLE x (y)")
    soon = threading.Timer(0.3, holder.execute, ["ROLLBACK"])
    soon.start()
    with MailFilter(tmp_path / "a", wait=30) as known:
        assert known.learn(b"Subject: x\n\ny", spam=True)
    soon.join()
    holder.close()


def test_the_similarity_of_two_messages_by_hand(tmp_path):
    """Each shared word is in one of n messages, and both messages have three words."""
    with MailFilter(tmp_path / "a") as known:
        known.learn(b"Subject: offer\n\ncheap pills", spam=True)
        for n in (2, 3):
            known.learn(b"Subject: minutes\n\nof %d meetings" % n, spam=False)
            why = explain_message(known, b"Subject: pills\n\ncheap pills")
            assert why.similar[0].similarity == pytest.approx(2 * math.log((n + 1) / 1.5) ** 2 / 3)
    assert why.similar[0].similarity < 1
    with MailFilter(tmp_path / "a") as known:
        known.learn_many((b"Subject: %d\n\nx" % i, False) for i in range(40))
        assert explain_message(known, b"Subject: pills\n\ncheap pills").similar[0].similarity > 1


def test_an_explanation_has_as_many_words_as_were_asked_for(tmp_path):
    """None asked for were all of them, and -1 all but one."""
    _made(tmp_path / "a", stream(40))
    with MailFilter(tmp_path / "a") as known:
        for raw in (message(100, True), message(100, False)):
            for n in (0, 1, 3):
                why = explain_message(known, raw, n)
                lists = (why.for_spam, why.for_ham, *(each.words for each in why.similar))
                assert max(map(len, lists)) == n
        for wrong in (-1, 2.5):
            with pytest.raises(ParameterError, match="n_words must be an integer of at least 0"):
                explain_message(known, message(100, True), wrong)


def test_a_locked_store_is_told(tmp_path):
    _made(tmp_path / "a", stream(3))
    holder = sqlite3.connect(tmp_path / "a", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with MailFilter(tmp_path / "a", wait=0.1) as known:
        with pytest.raises(DataError, match="another process"):
            known.learn(b"Subject: x\n\ny", spam=True)
        assert known.classify(b"Subject: x\n\ny").label == "unsure"  # who reads need not wait
    holder.close()
