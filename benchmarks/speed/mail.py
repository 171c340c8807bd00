"""How fast the mail filter learns and classifies, how large its store gets, and whether kill -9 costs anything.

    python -m benchmarks.speed.mail [--sizes 1000 10000] [--kills 1000] [--fuzz 10000]

Messages are drawn: 100 words each from 50,000 whose frequencies fall as those of a language do.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from sepal.exceptions import SepalError
from sepal.mail import MailFilter, read_message, tokens

WORDS = 50_000


def drawn(n: int, seed: int = 0) -> Iterator[tuple[bytes, bool]]:
    """Messages, four in ten of them spam, whose words shift a little with the class."""
    draw = random.Random(seed)  # noqa: S311
    heights = list(accumulate(1.0 / (rank + 5) for rank in range(WORDS)))
    for number in range(n):
        spam = draw.random() < 0.4
        places = draw.choices(range(WORDS), cum_weights=heights, k=100)
        text = " ".join(word((place * (7 if spam and place > 500 else 1)) % WORDS) for place in places)
        head = f"From: a@b.example\nMessage-ID: {seed}.{number}\nSubject: {word(places[0])}\n"
        yield f"{head}\n{text}\n".encode(), spam


def word(number: int) -> str:
    """A number in letters: figures count by their shape only."""
    return "w" + "".join("abcdefghij"[int(figure)] for figure in str(number))


def throughput(sizes: list[int]) -> None:
    """Rates at growing stores; one that a process in use sees, and the whole command, cold."""
    print("messages  learn/s  classify/s  cold classify ms (median of 7)  store MB  memory MB")
    with tempfile.TemporaryDirectory() as folder:
        path, done = Path(folder) / "mail.db", 0
        for size in sizes:
            mail = list(drawn(size - done, seed=size))
            with MailFilter(path) as known:
                start = time.perf_counter()
                known.learn_many(mail)
                learning = (size - done) / (time.perf_counter() - start)
                asked = [raw for raw, _ in drawn(200, seed=1)]
                known.classify(asked[0])
                start = time.perf_counter()
                for raw in asked:
                    known.classify(raw)
                asking = len(asked) / (time.perf_counter() - start)
                known.compact()
            done = size
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            stored = path.stat().st_size / 1e6
            took = 1000 * cold(path, asked[0])
            print(f"{size:8d}  {learning:7.0f}  {asking:10.0f}  {took:9.0f}  {stored:8.1f}  {memory:7.0f}", flush=True)


def cold(path: Path, raw: bytes) -> float:
    """Seconds of the whole command for one message, from its start to its end."""
    found = []
    for _ in range(7):
        start = time.perf_counter()
        told = [Path(sys.executable).parent / "sepal", "mail", "classify", "--store", path, "-"]
        subprocess.run(told, input=raw, capture_output=True)
        found.append(time.perf_counter() - start)
    return sorted(found)[3]


def kills(times: int) -> None:
    """End a process that learns, at a random moment, so many times; everything it said must be there, once."""
    code = (
        "import sys; from sepal.mail import MailFilter; from benchmarks.speed.mail import drawn\n"
        "known = MailFilter(sys.argv[1])\n"
        "first = known.base().n_messages\n"
        "for i, (raw, spam) in enumerate(drawn(100000)):\n"
        "    if i >= first: known.learn(raw, spam=spam); print(i, flush=True)\n"
    )
    draw = random.Random(0)  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        path, said = Path(folder) / "mail.db", -1
        for _ in range(times):
            child = subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE, text=True)
            first = child.stdout.readline()  # it has begun
            time.sleep(draw.random() * 0.1)
            os.kill(child.pid, signal.SIGKILL)
            said = max([said, *map(int, (first + child.communicate()[0]).split("\n")[:-1])])
        with MailFilter(path) as known:
            found = [each.hash for each in known.messages()]
        expected = [read_message(raw).hash for raw, _ in drawn(len(found))]
        print(
            f"{times} kills: {said + 1} messages acknowledged, {len(found)} in the store, in order: {found == expected}"
        )


def fuzz(times: int) -> None:
    """Mutated messages through reading, learning and classifying: an answer or an error of ours, in time."""
    draw, slowest = random.Random(0), 0.0  # noqa: S311
    pieces = (
        b"\n", b"\r\n\r\n", b"\0", b"\xff", b"<", b"<!--", b"--b", b"=?utf-8?b?", b";", b"Content-Type: ",
        b"multipart/", b"boundary=b", b"charset=", b"base64", b"&#", b"<div style=", b"=", b'"', b"From ",
    )  # fmt: skip
    start = (
        b"From: a@b.example\nSubject: =?utf-8?q?x?=\nContent-Type: multipart/alternative; boundary=b\n\n--b\n"
        b"Content-Type: text/plain; charset=utf-8\n\nhello world http://x.example/\n--b\nContent-Type: text/html\n"
        b'Content-Transfer-Encoding: quoted-printable\n\n<html><p style=3D"display:none">hid</p>seen</html>\n--b--\n'
    )
    with tempfile.TemporaryDirectory() as folder, MailFilter(Path(folder) / "mail.db") as known:
        for number in range(times):
            raw = bytearray(start * draw.choice([1, 1, 1, 20]))
            for _ in range(draw.randint(1, 60)):
                place = draw.randrange(len(raw))
                times_more = draw.choice([1, 1, 1, 50, 3000 if number % 50 == 0 else 1])
                raw[place : place + draw.randint(0, 8)] = draw.choice(pieces) * times_more
            begin = time.perf_counter()
            try:
                tokens(read_message(bytes(raw)))
                known.classify(bytes(raw))
                known.learn(bytes(raw), spam=bool(draw.random() < 0.5))
            except SepalError as error:
                print(f"{number}: {error}")
            slowest = max(slowest, time.perf_counter() - begin)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{times} mutated messages: slowest {slowest:.2f} s, memory of the process at most {memory:.0f} MB")


def main() -> None:
    """Run what was asked for."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--sizes", type=int, nargs="*", default=[1000, 10_000])
    asked.add_argument("--kills", type=int, default=0)
    asked.add_argument("--fuzz", type=int, default=0)
    given = asked.parse_args()
    if given.sizes:
        throughput(given.sizes)
    if given.kills:
        kills(given.kills)
    if given.fuzz:
        fuzz(given.fuzz)


if __name__ == "__main__":
    main()
