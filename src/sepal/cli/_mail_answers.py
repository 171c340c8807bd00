"""Where the answers of ``sepal mail`` go: the screen or a file that is either whole or not there; text or JSON."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def give_mail_answer(asked: argparse.Namespace, kind: str, text: str, facts: dict[str, Any]) -> int:
    """Write one of the two to where it was asked for; the status is 0."""
    if asked.json or (asked.out or "").lower().endswith(".json"):
        from sepal.cli._answers import as_json_text

        text = as_json_text(kind, facts)
    if asked.out is None:
        sys.stdout.write(text)
    else:
        write_mail_answer(asked.out, text)
    return 0


def write_mail_answer(path: str, text: str) -> None:
    """A whole file, or none."""
    from sepal.data import write_whole

    write_whole(path, text, f"--out {path}")
