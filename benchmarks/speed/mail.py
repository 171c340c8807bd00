"""How fast the mail filter learns and classifies, and how large its store and its memory get.

    python -m benchmarks.speed.mail [--sizes 1000 10000 100000]

Messages are drawn: 100 words each from 50,000 whose frequencies fall as those of a language do.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

from sepal.mail import MailFilter, Score

WORDS = 50_000
ASKED = 200  # messages that are learned and asked about at each size


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
    """Rates at growing stores; those that a process in use sees, and the whole command, cold."""
    print("messages  learn/s  classify/s  cold classify ms (processor ms)  store MB  memory MB")
    with tempfile.TemporaryDirectory() as folder:
        path, done = Path(folder) / "mail.db", 0
        for size in sizes:
            with MailFilter(path) as known:
                # Judging each message by all before it would take an hour for the largest store.
                known.restore((raw, spam, Score(0.0, 0.0, 0.0)) for raw, spam in drawn(size - done - ASKED, seed=size))
                learning = rate(lambda mail: known.learn_many(mail), list(drawn(ASKED, seed=size + 1)))
                asked = [raw for raw, _ in drawn(ASKED, seed=1)]
                known.classify(asked[0])
                asking = rate(lambda raws: [known.classify(raw) for raw in raws], asked)
                known.compact()
            done = size
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            stored = path.stat().st_size / 1e6
            took, spent = cold(path, asked[0])
            print(
                f"{size:8d}  {learning:7.0f}  {asking:10.0f}  {took:9.0f} ({spent:.0f})  {stored:8.1f}  {memory:7.0f}",
                flush=True,
            )


def rate(work: Callable[[Any], Any], asked: list[Any]) -> float:
    """How many a second of processor time, so that a busy machine matters less."""
    start = time.process_time()
    work(asked)
    return len(asked) / (time.process_time() - start)


def cold(path: Path, raw: bytes) -> tuple[float, float]:
    """Milliseconds of the whole command for one message, from its start to its end, and of processor time; medians."""
    found = []
    for _ in range(11):
        before, start = _children(), time.perf_counter()
        told = [Path(sys.executable).parent / "sepal", "mail", "classify", "--store", path, "-"]
        subprocess.run(told, input=raw, capture_output=True)
        found.append((1000 * (time.perf_counter() - start), 1000 * (_children() - before)))
    return median(each[0] for each in found), median(each[1] for each in found)


def _children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def run(data_folder: Path | None) -> None:
    """Messages are drawn; no folder is needed."""
    throughput([1_000, 10_000, 100_000])


def main() -> None:
    """Run what was asked for."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    throughput(asked.parse_args().sizes)


if __name__ == "__main__":
    main()
