"""``sepal mail explain``, ``eval`` and ``status``: what people ask for, not every message."""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import time
import zlib
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from sepal.cli._mail_answers import give_mail_answer, write_mail_answer
from sepal.exceptions import DataError, ParameterError
from sepal.mail import (
    Costs,
    MailFilter,
    MailStatus,
    StreamResult,
    explain_message,
    judge_stream,
    mail_status,
    message_of,
    read_mail,
    read_message,
    tokens,
)  # fmt: skip

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:50em;margin:2em auto;padding:0 1em;color:#222}}
pre{{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f6f6;padding:1em}}
svg{{width:100%;height:auto}}</style></head>
<body><h1>{title}</h1>
{body}
</body></html>
"""


def explain(asked: argparse.Namespace) -> int:
    """The reasons for each message."""
    texts, facts = [], []
    with MailFilter(asked.store, create=False, wait=asked.wait) as known:
        for file in asked.files or ["-"]:
            for name, raw in read_mail(file):
                why = explain_message(known, raw, asked.words)
                score, (linear, cases, _) = why.score, why.shares
                lines = [
                    f"{name}: {read_message(raw).subject}",
                    f"probability of spam {score.probability:.4f}, log-odds {score.log_odds:+.2f}",
                    f"linear part {score.linear:+.2f} x {linear:.2f}, similar mail {score.cases:+.2f} x {cases:.2f}",
                ]
                for kind, title in ((True, "Most similar spam"), (False, "Most similar good mail")):
                    lines.append(f"{title}:")
                    for each in why.similar:
                        if each.spam == kind:
                            doubted = " (this label is doubted)" if each.trust < 0.5 else ""
                            shared = " ".join(each.words)
                            lines.append(f"  {each.similarity:8.3f}  {each.subject}: {shared}{doubted}")
                for title, words in (("Words for spam", why.for_spam), ("Words for good mail", why.for_ham)):
                    lines.append(f"{title}: " + ", ".join(f"{word} {part:+.2f}" for word, part in words))
                texts.append(_printable("\n".join(lines)) + "\n")
                facts.append({"file": name, "subject": read_message(raw).subject, "explanation": why})
    return give_mail_answer(asked, "mail_explanations", "".join(texts), {"messages": facts})


def _printable(text: str) -> str:
    """Without characters that a terminal would act on: subjects are written by strangers."""
    return "".join(sign if sign == "\n" or sign.isprintable() else "?" for sign in text)


def evaluate_stream(asked: argparse.Namespace) -> int:
    """Figures of test-then-train, for a CSV file with a class, or for files whose names say which is spam."""
    mail = list(_labelled(asked.files))
    costs = Costs(asked.ham_cost, 1.0, None)
    lines = [f"{len(mail)} messages, the first {asked.skip} do not count; errors where both cost the same"]
    found: dict[str, StreamResult] = {}
    for part, title in (("both", "both parts"), ("cases", "similar cases alone"), ("linear", "linear model alone")):
        result = found[title] = judge_stream(mail, part=part, skip=asked.skip)  # type: ignore[arg-type]
        lines.append(
            f"{title:<20} error {100 * result.error:6.2f} %  false alarms {result.false_alarms:5d}  misses "
            f"{result.misses:5d}  1 - AUC {100 * result.area_above:7.3f} %  cost at {asked.ham_cost:g}:1 "
            f"{result.mean_cost(costs):.4f}"
        )
    text = "\n".join(lines) + "\n"
    facts = {
        "messages": len(mail),
        "skipped": asked.skip,
        "parts": {
            title: {
                "error": result.error,
                "false_alarms": result.false_alarms,
                "misses": result.misses,
                "area_above": result.area_above,
                "mean_cost": result.mean_cost(costs),
            }
            for title, result in found.items()
        },
    }
    return _give_page(asked, "mail_stream", "Test, then train", text, _error_curve(found["both parts"]), facts)


def _error_curve(result: StreamResult, n: int = 40) -> list[tuple[int, float, float]]:
    pairs = list(zip(result.log_odds, result.spam, strict=True))[result.skipped :]
    step = max(1, -(-len(pairs) // n))
    found = []
    for begin in range(0, len(pairs), step):
        part = pairs[begin : begin + step]
        alarms = sum(score > 0 and not spam for score, spam in part) / len(part)
        misses = sum(score <= 0 and spam for score, spam in part) / len(part)
        found.append((result.skipped + begin + len(part), alarms, misses))
    return found


def _labelled(files: Sequence[str]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Words and labels: rows of a CSV file by their date, or messages of files called spam... and ham..., in turn."""
    for file in files:
        name = Path(file).name.lower()
        if name.endswith((".csv", ".csv.gz")):
            yield from _csv_messages(file)
        elif name.startswith(("spam", "junk", "ham", "good", "inbox")):
            spam = name.startswith(("spam", "junk"))
            yield from ((tokens(read_message(raw)), spam) for _, raw in read_mail(file))
        else:
            raise ParameterError(
                f"{file}: eval reads CSV files with columns text and class, and mail whose file name begins with spam, "
                "junk, ham, good or inbox"
            )


def _csv_messages(path: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    csv.field_size_limit(2**30)
    try:
        raw = gzip.decompress(Path(path).read_bytes()) if path.endswith(".gz") else Path(path).read_bytes()
        reader = csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline=""))
        rows = []
        for row in reader:
            short = [name for name, cell in row.items() if cell is None]
            if short:
                raise DataError(f"{path}, line {reader.line_num}: the row is short: there is no {short[0]}")
            rows.append(row)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read: {error}") from error
    if not rows or not {"text", "class"} <= set(rows[0]):
        raise DataError(f"{path}: expected the columns text and class, and where there are any subject and date")
    if "date" in rows[0]:
        rows.sort(key=lambda row: row["date"])
    for row in rows:
        plain, markup = ("", row["text"]) if row.get("html_only") == "1" else (row["text"], "")
        yield tokens(message_of(plain, markup, subject=row.get("subject") or "")), row["class"] == "spam"


def status(asked: argparse.Namespace) -> int:
    """The state of the store as text, or as a page."""
    with MailFilter(asked.store, create=False, wait=asked.wait) as known:
        found = mail_status(known)
    text = _printable(_status_text(found))
    return _give_page(asked, "mail_status", "Mail filter", text, found.curve, {"status": found})


def _give_page(
    asked: argparse.Namespace,
    kind: str,
    title: str,
    text: str,
    curve: Sequence[tuple[int, float, float]],
    facts: dict[str, Any],
) -> int:
    """As :func:`give_mail_answer`; with an ending of HTML a page that shows the errors over time, too."""
    if not (asked.out or "").lower().endswith((".html", ".htm")):
        return give_mail_answer(asked, kind, text, facts)
    write_mail_answer(asked.out, _PAGE.format(title=title, body=f"<pre>{escape(text)}</pre>" + _svg(curve)))
    return 0


def _day(when: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(when))
    except (OverflowError, OSError, ValueError):  # of a store that was filled with what is no time
        return "an unknown time"


def _status_text(found: MailStatus) -> str:
    times = [_day(each) for each in (found.first, found.last)]
    alarms, misses, n = found.lately
    lines = [
        f"{found.n_spam:,} spam and {found.n_ham:,} good messages, {found.n_words:,} words, {found.size:,} bytes",
        f"from {times[0]} to {times[1]}" if found.n_spam + found.n_ham else "nothing learned yet",
        f"errors in {found.n_scored:,} messages: {found.false_alarms} false alarms and {found.misses} misses",
        f"in the last {n:,}: {alarms} and {misses}",
    ]
    if found.n_scored:
        lines.append(f"labels that seem to be wrong: about {100.0 * found.wrong_labels:.1f} % of the last hundred")
    lines += ["the last labels that what was known contradicted:"] if found.doubted else []
    lines += [f"  {kind:<5} {subject}" for kind, subject in found.doubted]
    lines += [f"drift: {kind} changed at message {place:,}" for kind, place in found.alarms[-10:]]
    lines += [] if found.alarms else ["drift: no alarm"]
    for title, words in (("words that came", found.came), ("words that went", found.went)):
        lines.append(
            f"{title}: " + (", ".join(f"{word} ({now}, {then} before)" for word, now, then in words) or "none")
        )
    return "\n".join(lines) + "\n"


def _svg(curve: Sequence[tuple[int, float, float]]) -> str:
    """Shares of both errors over the messages."""
    if len(curve) < 2:
        return ""
    top = max(0.01, *(max(alarms, misses) for _, alarms, misses in curve))
    first, last = curve[0][0], curve[-1][0]

    def line(which: int, color: str) -> str:
        points = " ".join(
            f"{50 + 540 * (each[0] - first) / (last - first):.1f},{180 - 160 * each[which] / top:.1f}" for each in curve
        )
        return f'<polyline fill="none" stroke="{color}" stroke-width="2" points="{points}"/>'

    return (
        '<h2>Errors over time</h2><svg viewBox="0 0 600 220" role="img" aria-label="shares of both errors">'
        f'<line x1="50" y1="180" x2="590" y2="180" stroke="#888"/><text x="5" y="25" font-size="12">{100 * top:.1f}'
        " %</text>"
        f'<text x="5" y="184" font-size="12">0 %</text><text x="50" y="200" font-size="12">{first:,}</text>'
        f'<text x="545" y="200" font-size="12">{last:,}</text>{line(1, "#1f77b4")}{line(2, "#d62728")}'
        '<text x="60" y="216" font-size="12" fill="#1f77b4">false alarms</text>'
        '<text x="160" y="216" font-size="12" fill="#d62728">misses</text></svg>'
    )
