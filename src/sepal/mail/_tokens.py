"""A message as a set of words: text in small letters, figures by their shape, and marked words from other places."""

from __future__ import annotations

import math
import re

from sepal.mail._message import MailMessage

MOST_WORDS = 20_000  # of a text
_LONGEST = 32
_WORD = re.compile(r"[\w$!%'€£]+")
_FIGURE = re.compile(r"\d")
_LINK = re.compile(r"(?:https?|ftp)://(?:[^\s/@<>\"']{0,100}@)?([^\s/<>\"'?#:]{1,255})", re.IGNORECASE)
_ADDRESS = re.compile(r"[\w.+-]{1,64}@([\w-]{1,63}(?:\.[\w-]{1,63}){1,10})")


def tokens(message: MailMessage) -> tuple[str, ...]:
    """The words of a message, sorted, each once.

    Words of the subject begin with ``s:``, those that HTML hides with ``hid:``, domains of links with ``url:``, of
    addresses in the text with ``mail:``, of the sender with ``from:``, attachments with ``file:``; ``cap:`` marks words
    in capitals and ``html:`` what kind of HTML there was.

    Parameters
    ----------
    message : MailMessage
        As :func:`read_message` gives it.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from sepal.mail import MailMessage, tokens
    >>> tokens(MailMessage(subject="Win", sender="example.com", text="FREE $100"))
    ('$000', 'cap:free', 'free', 'from:example.com', 's:win')
    """
    found: set[str] = set()
    for word in _words(message.text):
        found.add(_plain(word))
        if len(word) > 2 and word.isupper():
            found.add("cap:" + _plain(word))
    found.update("s:" + _plain(word) for word in _words(message.subject))
    found.update("hid:" + _plain(word) for word in _words(message.hidden)[:2000])
    for link in (*_LINK.findall(message.text)[:500], *_LINK.findall(" ".join(message.links[:500]))):
        found.update("url:" + domain for domain in _domains(link))
    for address in _ADDRESS.findall(message.text)[:500]:
        found.update("mail:" + domain for domain in _domains(address))
    found.update("from:" + domain for domain in _domains(message.sender))
    for kind, name in message.attachments[:50]:
        found.add("file:" + kind.lower()[:_LONGEST])
        found.update("file:" + _plain(word) for word in _words(name))
    if message.html_only:
        found.add("html:only")
    if message.n_tags:
        found.add(f"html:{min(4, int(2.0 * math.log10(message.n_tags)))}")
    return tuple(sorted(found))


def _words(text: str) -> list[str]:
    return _WORD.findall(text)[:MOST_WORDS]


def _plain(word: str) -> str:
    return _FIGURE.sub("0", word.lower())[:_LONGEST]


def _domains(host: str) -> list[str]:
    """a.b.example.com, b.example.com and example.com."""
    parts = host.lower().strip(".")[:255].split(".")[-6:]
    return [".".join(parts[place:]) for place in range(max(1, len(parts) - 1))] if host else []
