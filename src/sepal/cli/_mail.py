"""``sepal mail``: a filter for mail. Read by argparse, and nothing heavy is imported: it starts for every message."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sepal.cli._answers import JSON_HELP, OUT_HELP
from sepal.cli._interrupts import work_begins
from sepal.cli._mail_answers import give_mail_answer, write_mail_answer
from sepal.cli._mail_filter import classify, filter_message
from sepal.exceptions import ParameterError, SepalError
from sepal.mail import CasePolicy, MailFilter, read_mail, read_message

ERROR = 3
# Verbs whose stdout is not theirs to fill with one JSON object.
_OTHER_JSON = {
    "filter": "Say the verdict, or the error, as one JSON object on one line of stderr; the message is on stdout.",
    "export": "Changes nothing: one JSON object a line is what export writes in any case.",
}


def default_store() -> str:
    """``$SEPAL_MAIL``, else a file in the user's data folder."""
    data = os.environ.get("XDG_DATA_HOME") or Path("~", ".local", "share").expanduser()
    return os.environ.get("SEPAL_MAIL") or str(Path(data, "sepal", "mail.db"))


def main_mail(words: list[str]) -> int:
    """Run ``sepal mail`` with these words; the exit status, which after an error is none that says spam or ham."""
    try:
        asked = _parser().parse_args(words)
        work_begins()
        status = int(asked.run(asked))
        sys.stdout.flush()
        return status
    except SystemExit as leaving:  # argparse has said why
        return 0 if not leaving.code else ERROR
    except (SepalError, MemoryError, KeyboardInterrupt, OSError) as error:
        from sepal.cli._leaving import last_words

        return last_words(error, ERROR, "give it fewer messages at a time")
    except Exception:
        import traceback

        traceback.print_exc()
        return ERROR


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sepal mail",
        description="A mail filter that learns while it is used. Exit status of classify: 0 spam, 1 ham, 2 unsure, 3 "
        "error.",
    )
    verbs = parser.add_subparsers(metavar="VERB", required=True)

    def verb(name: str, run: Callable[[argparse.Namespace], int], text: str, files: str | None = "*") -> Any:
        each = verbs.add_parser(name, help=text, description=text)
        each.set_defaults(run=run)
        each.add_argument(
            "--store",
            default=default_store(),
            metavar="FILE",
            help="The file with all that was learned: $SEPAL_MAIL, else %(default)s.",
        )
        each.add_argument(
            "--wait",
            type=float,
            default=10.0,
            metavar="SECONDS",
            help="How long to wait for another process that writes (default 10).",
        )
        if files is not None:
            each.add_argument(
                "files", nargs=files, metavar="FILE", help="A message, mbox, Maildir or folder; - is stdin."
            )
        return each

    learn = verb("learn", _learn, "Learn messages as spam or as good mail.")
    learn.add_argument(
        "--part",
        choices=("both", "cases", "linear"),
        help="Which learner a new store has: similar cases, a linear model, or both (the default).",
    )
    _add_policy(learn)
    relearn = verb("relearn", _relearn, "Give messages the other label, as if they had always had it.")
    for each in (learn, relearn):
        _add_kind(each, required=True)
    verb("unlearn", _unlearn, "Forget messages, as if they had never been learned.")
    imported = verb("import", _import, "Learn an mbox or Maildir, or read what export wrote (.jsonl).", "+")
    _add_kind(imported, required=False)
    for name, run, text in (
        ("classify", classify, "Classify messages: spam, ham or unsure."),
        ("filter", filter_message, "Pass a message from stdin to stdout with a header X-Sepal that says what it is."),
    ):
        each = verb(name, run, text, "*" if name == "classify" else None)
        each.add_argument(
            "--ham-cost", type=float, default=9.0, metavar="COST", help="Cost of good mail called spam (default 9)."
        )
        each.add_argument(
            "--spam-cost", type=float, default=1.0, metavar="COST", help="Cost of spam called good (default 1)."
        )
        each.add_argument(
            "--unsure-cost",
            type=float,
            default=0.3,
            metavar="COST",
            help="Cost of the answer unsure (default 0.3); 0: never unsure.",
        )
        if name == "filter":
            each.add_argument(
                "--on-error",
                choices=("tempfail", "pass"),
                default="pass",
                help="After an error the message goes on unchanged, with status 75 (tempfail) or 0 (pass).",
            )
    explain = verb("explain", _lazily("explain"), "Say why a message is taken for what it is.")
    explain.add_argument(
        "--words", type=int, default=10, metavar="N", help="How many words each list has (default 10)."
    )
    evaluated = verb(
        "eval",
        _lazily("evaluate_stream"),
        "Evaluate on a stream: judge each message by those before it, then learn it (test, then train).",
        "+",
    )
    evaluated.add_argument(
        "--skip", type=int, default=200, metavar="N", help="How many first messages do not count (default 200)."
    )
    evaluated.add_argument(
        "--ham-cost", type=float, default=9.0, metavar="COST", help="Cost of good mail called spam (default 9)."
    )
    verb("status", _lazily("status"), "Volume, errors, alarms, and words that came and went.", None)
    verb("compact", _compact, "Compact the store: write the file anew without unused space.", None)
    verb("export", _export, "Write all that was learned as JSON lines.", None)
    for name, each in verbs.choices.items():
        if name != "filter":  # which hands a message on
            each.add_argument("-o", "--out", metavar="FILE", help=OUT_HELP)
        each.add_argument("--json", action="store_true", help=_OTHER_JSON.get(name, JSON_HELP))
    return parser


def _add_kind(verb: argparse.ArgumentParser, *, required: bool) -> None:
    kind = verb.add_mutually_exclusive_group(required=required)
    kind.add_argument("--spam", action="store_true", help="The messages are spam.")
    kind.add_argument("--ham", action="store_true", help="The messages are good mail.")


def _add_policy(learn: argparse.ArgumentParser) -> None:
    learn.add_argument("--window", type=int, metavar="N", help="A new store compares only the last N messages.")
    learn.add_argument("--days", type=float, metavar="D", help="... only those of the last D days.")
    learn.add_argument("--quota", type=int, metavar="N", help="... only the last N of each kind.")
    learn.add_argument(
        "--editing", choices=("enn", "redundancy"), help="... none that its neighbours contradict, or none they know."
    )


def _policy(asked: argparse.Namespace) -> CasePolicy | None:
    """What was asked for, if anything was."""
    found = CasePolicy(*(getattr(asked, name, None) for name in ("window", "days", "quota", "editing")))
    return None if found == CasePolicy() else found


def _lazily(name: str) -> Callable[[argparse.Namespace], int]:
    """What is not needed for every message is imported when it is asked for."""

    def run(asked: argparse.Namespace) -> int:
        from sepal.cli import _mail_reports

        return int(getattr(_mail_reports, name)(asked))

    return run


def opened(asked: argparse.Namespace, *, create: bool = False) -> MailFilter:
    """The filter of the store that was named."""
    part = getattr(asked, "part", None)
    return MailFilter(asked.store, part=part, policy=_policy(asked), create=create, wait=asked.wait)


def messages_of(asked: argparse.Namespace) -> Iterator[tuple[str, bytes]]:
    """Messages of all files that were named; of standard input where none is."""
    for file in asked.files or ["-"]:
        yield from read_mail(file)


def _learn(asked: argparse.Namespace) -> int:
    with opened(asked, create=True) as known:
        return _learned(asked, known)


def _learned(asked: argparse.Namespace, known: MailFilter) -> int:
    new = old = 0
    for each in known.learn_each((raw, bool(asked.spam)) for _, raw in messages_of(asked)):
        new, old = new + each, old + (not each)
    return give_mail_answer(
        asked, "mail_learned", f"learned {new}, known before {old}\n", {"learned": new, "known_before": old}
    )


def _hashes(asked: argparse.Namespace) -> list[bytes]:
    return [read_message(raw).hash for _, raw in messages_of(asked)]


def _unlearn(asked: argparse.Namespace) -> int:
    with opened(asked) as known:
        gone = known.unlearn(_hashes(asked))
    return give_mail_answer(asked, "mail_forgotten", f"forgotten {gone}\n", {"forgotten": gone})


def _relearn(asked: argparse.Namespace) -> int:
    with opened(asked) as known:
        raws = [raw for _, raw in messages_of(asked)]
        changed = known.relearn([read_message(raw).hash for raw in raws], spam=bool(asked.spam))
        new = known.learn_many((raw, bool(asked.spam)) for raw in raws)
    return give_mail_answer(
        asked, "mail_relearned", f"relearned {changed}, new {new}\n", {"relearned": changed, "learned": new}
    )


def _import(asked: argparse.Namespace) -> int:
    with opened(asked, create=True) as known:
        if all(Path(file).suffix == ".jsonl" for file in asked.files):
            from sepal.cli._mail_exchange import read_lines

            new = sum(known.add(read_lines(asked.files, known)))
            return give_mail_answer(asked, "mail_learned", f"learned {new}\n", {"learned": new})
        if not (asked.spam or asked.ham):
            raise ParameterError("import of messages needs --spam or --ham", hint="files of export end in .jsonl")
        return _learned(asked, known)


def _compact(asked: argparse.Namespace) -> int:
    with opened(asked) as known:
        before, after = known.compact()
    facts = {"bytes_before": before, "bytes": after}
    return give_mail_answer(asked, "mail_compacted", f"{before:,} bytes before, {after:,} now\n", facts)


def _export(asked: argparse.Namespace) -> int:
    from sepal.cli._mail_exchange import lines

    with opened(asked) as known:
        if asked.out is None:
            sys.stdout.writelines(lines(known))
        else:
            write_mail_answer(asked.out, "".join(lines(known)))
    return 0
