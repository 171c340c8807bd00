"""python -m benchmarks.quality.mail_trials [--kills 1000] [--mutations 10000] [--out FILE]: the filter ill-treated.

Kills: processes that learn, alone or two at once, message by message or in batches, are ended with SIGKILL at random
moments from their start on. Everything a process said it had learned must be there, nothing twice, and at the end the
store must be the same as one that was made without a kill.

Mutations: changed messages through reading, classifying, explaining and learning. Each must get an answer or an error
of ours, within 2 s of processor time, and the whole process must stay below 200 MB.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks._machine import made_on
from sepal.exceptions import SepalError
from sepal.mail import MailFilter, explain_message, read_message

MOST_SECONDS, MOST_MEGABYTES = 2.0, 200.0
ALIVE = 0.08  # seconds at most before a process is ended, from its start or from the first that it says


def numbered(stream: int, number: int) -> tuple[bytes, bool]:
    """Message ``number`` of a stream, always the same one."""
    draw = random.Random(1_000_000 * stream + number)  # noqa: S311
    spam = draw.random() < 0.4
    words = " ".join(
        f"w{chr(97 + min(25, int(draw.expovariate(0.2))))}{chr(97 + draw.randrange(26))}" for _ in range(30)
    )
    return f"Message-ID: {stream}.{number}\nSubject: {stream} of {number}\n\n{words}\n".encode(), spam


def learning(path: Path, stream: int, first: int, batch: int, told: int) -> None:
    """What the process does that is ended: learn the messages from ``first`` on, and say each that is learned."""
    known = MailFilter(path, wait=60.0)
    number = first
    while True:
        for _ in known.learn_each(numbered(stream, each) for each in range(number, number + batch)):
            os.write(told, b"%d\n" % number)
            number += 1


def started(path: Path, stream: int, first: int, batch: int) -> tuple[int, int]:
    """A process that learns: its number, and where it says what it learned."""
    hears, says = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hears)
        try:
            learning(path, stream, first, batch, says)
        except BaseException as error:
            os.write(says, f"failed: {type(error).__name__}: {error}\n".encode())
        os._exit(1)
    os.close(says)
    return child, hears


def heard(hears: int) -> list[str]:
    """All that was said before the end."""
    said = b""
    while part := os.read(hears, 65_536):
        said += part
    os.close(hears)
    return said.decode().split("\n")[:-1]


def stored(path: Path) -> list[str]:
    """The subjects of all messages in the store, in order; each names its message."""
    if not path.exists():
        return []
    with MailFilter(path) as known:
        return [row[0] for row in known.store.db.execute("SELECT subject FROM message ORDER BY number")]


def tables(path: Path) -> list[object]:
    """All that a store holds but the moments of learning and how often it was written."""
    with MailFilter(path) as known:
        db = known.store.db
        found: list[object] = [db.execute("PRAGMA integrity_check").fetchall()]
        found += db.execute(
            "SELECT number, hash, spam, subject, words, cases, linear, log_odds FROM message"
        ).fetchall()
        found += db.execute("SELECT * FROM word ORDER BY number").fetchall()
        found += db.execute("SELECT * FROM flags ORDER BY chunk").fetchall()
        found += db.execute("SELECT * FROM meta WHERE key != 'changes' ORDER BY key").fetchall()
    return found


def kills(times: int) -> list[str]:
    """Run it; a line of figures, and an error where something is lost or doubled."""
    draw = random.Random(0)  # noqa: S311
    acknowledged, ended, in_pairs, before_first = {0: 0, 1: 0}, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mail.db"
        while ended < times:
            streams = (0, 1) if draw.random() < 0.3 else (draw.randrange(2),)
            names = stored(path)
            if len(set(names)) != len(names):
                raise SystemExit(f"after {ended} kills a message is there twice")
            first = {stream: sum(name.startswith(f"{stream} of ") for name in names) for stream in (0, 1)}
            for stream in (0, 1):
                if first[stream] < acknowledged[stream]:
                    raise SystemExit(f"after {ended} kills {acknowledged[stream]} were said, {first[stream]} are there")
            running = [(s, *started(path, s, first[s], draw.choice([1, 1, 7, 100]))) for s in streams]
            if draw.random() < 0.6:  # it is ended while it learns; else maybe while it opens the store
                select.select([hears for _, _, hears in running], [], [], 5.0)
            time.sleep(ALIVE * draw.random())
            for stream, child, hears in running:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                said = heard(hears)
                if any(each.startswith("failed") for each in said):
                    raise SystemExit(f"after {ended} kills: {said[-1]}")
                acknowledged[stream] = max([acknowledged[stream], *(int(each) + 1 for each in said)])
                before_first += not said
                ended += 1
            in_pairs += len(streams) == 2
        found = stored(path)
        with MailFilter(Path(folder) / "whole.db") as known:
            again = (tuple(map(int, subject.split(" of "))) for subject in found)
            if known.learn_many(numbered(stream, number) for stream, number in again) != len(found):
                raise SystemExit("a message is there twice")
        same = tables(path) == tables(Path(folder) / "whole.db")
        if not same or len(found) < sum(acknowledged.values()):
            raise SystemExit("the store differs from one that was made without a kill")
    said = (
        f"{ended:,} processes ended with SIGKILL ({in_pairs} times two at once, {before_first} before they had said "
        f"anything): {sum(acknowledged.values()):,} messages acknowledged, {len(found):,} in the store, none lost, "
        "none twice; the store equals one that was made without a kill, to the last bit."
    )
    return [said]


PIECES = (
    b"\n", b"\r\n\r\n", b"\0", b"\xff", b"<", b"<!--", b"--b", b"=?utf-8?b?", b";", b"Content-Type: ", b"multipart/",
    b"boundary=b", b"charset=", b"base64", b"&#", b"<div style=", b"=", b'"', b"From ", b"message/rfc822", b"\x80\x81",
    b"charset=utf-7", b"charset=idna", b"charset=hex", b"name*0*=", b"=?x?q?", b"(((", b"<<<", b"\t", b"@", b"http://",
)  # fmt: skip


def beginnings() -> list[bytes]:
    """Messages of several shapes, which are then changed."""
    plain = b"From: a@b.example\nSubject: =?utf-8?q?x?=\nTo: c@d.example\n\nhello world http://x.example/\n"
    parts = (
        b"From: a@b.example\nSubject: =?utf-8?q?x?=\nContent-Type: multipart/alternative; boundary=b\n\n--b\n"
        b"Content-Type: text/plain; charset=utf-8\n\nhello world http://x.example/\n--b\nContent-Type: text/html\n"
        b'Content-Transfer-Encoding: quoted-printable\n\n<html><p style=3D"display:none">hid</p>seen</html>\n--b--\n'
    )
    nested = b"Subject: deep\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (depth, depth) for depth in range(60)
    )
    attached = (
        b"Subject: file\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/pdf; "
        b"name*=utf-8''%C3%A4.pdf\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment\n\n"
        + b"QUJD" * 5000
        + b"\n--b\nContent-Type: message/rfc822\n\nSubject: inner\n\nwords\n--b--\n"
    )
    lying = "Subject: grüße\nContent-Type: text/plain; charset=us-ascii\n\nschöne grüße € 100\n".encode("cp1252")
    return [plain, parts, nested, attached, lying]


def mutated(times: int) -> Iterator[tuple[bytes, bool]]:
    draw = random.Random(0)  # noqa: S311
    shapes = beginnings()
    for number in range(times):
        raw = bytearray(draw.choice(shapes) * draw.choice([1, 1, 1, 20]))
        for _ in range(draw.randint(1, 60)):
            place = draw.randrange(len(raw))
            times_more = draw.choice([1, 1, 1, 50, 3000 if number % 50 == 0 else 1])
            raw[place : place + draw.randint(0, 8)] = draw.choice(PIECES) * times_more
        if number % 500 == 0:  # large ones
            raw *= 1 + 3_000_000 // len(raw)
        yield bytes(raw), draw.random() < 0.5


def mutations(times: int) -> list[str]:
    """Run it; a line of figures, and an error where a message takes too long or too much."""
    slowest, refused = 0.0, 0
    with tempfile.TemporaryDirectory() as folder, MailFilter(Path(folder) / "mail.db") as known:
        for number, (raw, spam) in enumerate(mutated(times)):
            begin = time.process_time()
            try:
                read_message(raw)
                known.classify(raw)
                explain_message(known, raw)
                known.learn(raw, spam=spam)
            except SepalError as error:
                refused += 1
                if "is known as" not in str(error):
                    print(f"{number}: {error}", file=sys.stderr)
            took = time.process_time() - begin
            slowest = max(slowest, took)
            if took > MOST_SECONDS:
                raise SystemExit(f"message {number} took {took:.1f} s")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if memory > MOST_MEGABYTES:
        raise SystemExit(f"the process needed {memory:.0f} MB")
    said = (
        f"{times:,} mutated messages read, classified, explained and learned: {refused} clear errors (a message known "
        f"with the other label), no other one; slowest {slowest:.2f} s of processor time for all four, the whole "
        f"process at most {memory:.0f} MB."
    )
    return [said]


def main() -> None:
    """Run what was asked for, and print or write what came out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.mail_trials", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--mutations", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=None)
    asked = parser.parse_args()
    lines = [
        "# The mail filter ill-treated; regenerate with `python -m benchmarks.quality.mail_trials --out FILE`",
        "",
    ]
    for said in (mutations(asked.mutations) if asked.mutations else [], kills(asked.kills) if asked.kills else []):
        lines += [f"- {each}" for each in said]
        print("\n".join(said), flush=True)
    if asked.out is not None:
        asked.out.write_text("\n".join([*lines, "", made_on(), ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
