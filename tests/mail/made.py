"""Messages that are made, so that tests need none of anybody's."""

from __future__ import annotations

import random

SPAM = ("cheap", "pills", "buy", "now", "free", "offer", "click", "winner", "money", "credit", "loan", "prize")
HAM = ("meeting", "minutes", "agenda", "project", "report", "review", "patch", "build", "release", "lunch", "notes")
BOTH = ("the", "and", "you", "for", "with", "this", "that", "have", "from", "will", "your", "are", "not", "can", "all")


def message(number: int, spam: bool) -> bytes:
    draw = random.Random(number * 2 + spam)  # noqa: S311
    words = draw.choices(SPAM if spam else HAM, k=12) + draw.choices(BOTH, k=12)
    draw.shuffle(words)
    subject = " ".join(draw.choices(SPAM if spam else HAM, k=3))
    sender = f"{draw.choice('abc')}@{'shop' if spam else 'work'}.example"
    head = f"From: {sender}\nMessage-ID: <{number}.{int(spam)}@example>\nSubject: {subject}\n"
    return f"{head}\n{' '.join(words)} {number}\n".encode()


def stream(n: int) -> list[tuple[bytes, bool]]:
    draw = random.Random(n)  # noqa: S311
    return [(message(number, spam), spam) for number in range(n) for spam in [draw.random() < 0.4]]
