"""A mail filter that learns while it is used.

In: messages, mbox files, Maildirs, folders. Out: spam, ham or unsure, why, and a store that follows every label.

Similar cases of each class and an on-line linear model of the same words are joined in log-odds. Nothing heavy is
imported: a filter starts once for every message, and what only people ask for is loaded when it is first used. May be
imported by reproduce and the command.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sepal.mail._cases import CaseBase as CaseBase
from sepal.mail._cases import Part as Part
from sepal.mail._cases import Score
from sepal.mail._decision import Costs, MailVerdict
from sepal.mail._filter import Labelled as Labelled
from sepal.mail._filter import MailFilter
from sepal.mail._keeping import CasePolicy
from sepal.mail._message import MailMessage, read_message
from sepal.mail._message import message_of as message_of
from sepal.mail._sources import read_mail
from sepal.mail._tokens import tokens

if TYPE_CHECKING:
    from sepal.mail._explain import MailExplanation, SimilarMessage, explain_message
    from sepal.mail._status import MailStatus, mail_status
    from sepal.mail._stream import StreamResult, judge_stream

_LATER = {
    "MailExplanation": "_explain",
    "SimilarMessage": "_explain",
    "explain_message": "_explain",
    "MailStatus": "_status",
    "mail_status": "_status",
    "StreamResult": "_stream",
    "judge_stream": "_stream",
}

__all__ = [
    "CasePolicy",
    "Costs",
    "MailExplanation",
    "MailFilter",
    "MailMessage",
    "MailStatus",
    "MailVerdict",
    "Score",
    "SimilarMessage",
    "StreamResult",
    "explain_message",
    "judge_stream",
    "mail_status",
    "read_mail",
    "read_message",
    "tokens",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
