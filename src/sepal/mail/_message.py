"""One message as the filter sees it, from bytes of any quality."""

from __future__ import annotations

import email.policy
import re
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.message import Message
from email.parser import BytesParser
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from sepal.mail._charsets import decoded, unfolded, whole
from sepal.mail._html import html_text

MOST_BYTES = 1_000_000  # of a body, its lines ending in one byte
MOST_PARTS = 100
MOST_TEXT = 300_000
_HEADER = 2_000  # characters of a header that are read
_HEADERS = 200_000  # bytes of all of them
_HTML_SIGN = re.compile(
    r"<\s*(?:html|body|font|table|a\s+href|br|p|div|img|center|meta|td|span|b|i)\b[^<]{0,500}>", re.I
)
_DOMAIN = re.compile(r"@([A-Za-z0-9_.-]{1,255})")
_ANGLE = re.compile(r"<[^<>]*@([A-Za-z0-9_.-]{1,255})[^<>@]*>")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
# What the standard library's parser of headers raises on headers that nobody should send.
_BROKEN = (AttributeError, HeaderParseError, IndexError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True)
class MailMessage:
    """What the filter reads of a message: never a header that a server, a list or another filter wrote.

    Attributes
    ----------
    subject, sender : str
        The sender is the domain of its address only.
    text, hidden : str
        What a reader sees, and what HTML hides.
    links : tuple of str
    attachments : tuple of (str, str)
        Type and name of each; never what is in them.
    n_tags : int
        How many HTML tags there were.
    html_only : bool
        Whether there is HTML and no plain text.
    hash : bytes
        What the message is known by.

    Examples
    --------
    >>> from sepal.mail import read_message
    >>> message = read_message(b"Subject: Hello\\nFrom: a@example.org\\n\\nSee http://example.com/x\\n")
    >>> message.subject, message.sender, message.text.strip()
    ('Hello', 'example.org', 'See http://example.com/x')
    """

    subject: str = ""
    sender: str = ""
    text: str = ""
    hidden: str = ""
    links: tuple[str, ...] = ()
    attachments: tuple[tuple[str, str], ...] = ()
    n_tags: int = 0
    html_only: bool = False
    hash: bytes = b""


class _Policy(email.policy.EmailPolicy):
    """The modern policy, for headers of a sane length; what it cannot read stays a text."""

    def header_fetch_parse(self, name: str, value: Any) -> Any:
        return _parsed_header(name, str(value)[:_HEADER])


@lru_cache(256)  # the parser asks for the type of each part six times
def _parsed_header(name: str, value: str) -> Any:
    try:
        parsed = email.policy.default.header_fetch_parse(name, value)
        str(getattr(parsed, "params", ""))
    except _BROKEN:
        return value.replace("\n", " ").replace("\r", " ")
    return parsed


_POLICY = _Policy(raise_on_defect=False)


def read_message(raw: bytes) -> MailMessage:
    """Read one message; there are no bytes that are refused.

    Of a long one 200,000 bytes of headers, 1,000,000 bytes of the body, 100 parts and 300,000 characters are read.

    Parameters
    ----------
    raw : bytes
        The message as it came.

    Returns
    -------
    MailMessage
        What the filter reads of it.

    Examples
    --------
    >>> read_message(b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\\n\\nhi").subject
    'Grüße'
    """
    head, body = _split(raw)
    head, body = head[:_HEADERS], body[: 2 * MOST_BYTES + 1].replace(b"\r\n", b"\n")[:MOST_BYTES]
    try:
        parsed: Message | None = BytesParser(policy=_POLICY).parsebytes(head + b"\n\n" + body)
    except _BROKEN:
        parsed = None
    texts: _Texts = _Texts()
    if parsed is None or not texts.gather(parsed):
        texts.plain.append(decoded(body, None))
    headers = _raw_headers(head)
    subject, sender = (decoded(headers.get(name, b""), None) for name in ("subject", "from"))
    return texts.message(unfolded(subject), _sender(sender), _hash(headers, body))


def _split(raw: bytes) -> tuple[bytes, bytes]:
    """Header block, and what follows the empty line; a line of mbox before it is no header."""
    if raw.startswith((b"From ", b">From ")):
        raw = raw[raw.find(b"\n") + 1 :]
    found = re.search(rb"\r?\n\r?\n", raw)
    if found is None:
        return raw, b""
    return raw[: found.start()], raw[found.end() :]


def _raw_headers(head: bytes) -> dict[str, bytes]:
    """The first of each header that is read, as it stands."""
    found: dict[str, bytes] = {}
    unfolded = re.sub(rb"\r?\n[ \t]+", b" ", head)
    for line in unfolded.splitlines():
        name, colon, value = line.partition(b":")
        key = name.strip().lower().decode("latin-1")
        if colon and key in ("subject", "from", "message-id", "date") and key not in found:
            found[key] = value.strip()[:_HEADER]
    return found


def _sender(value: str) -> str:
    """The domain of the address in a From line, never that of a display name, which may be another address."""
    bare = _QUOTED.sub("", value)
    found = _ANGLE.search(bare) or _DOMAIN.search(bare) or _DOMAIN.search(unfolded(value))
    return found[1].lower().strip(".") if found else ""


def _hash(headers: dict[str, bytes], body: bytes) -> bytes:
    """By who wrote what and when, not by what servers and filters add; how lines end does not count."""
    digest = blake2b(digest_size=16)
    for name in ("message-id", "date", "from", "subject"):
        raw = headers.get(name, b"")
        try:
            value = raw.decode("utf-8")
        except UnicodeDecodeError:  # hashes are in stores: this stays as it is
            value = raw.decode("cp1252", "replace")
        digest.update(" ".join(value.split()).encode("utf-8", "replace") + b"\n")
    digest.update(b"\n" + body.rstrip())
    return digest.digest()


class _Texts:
    """What the parts of a message hold."""

    def __init__(self) -> None:
        self.plain: list[str] = []
        self.html: list[str] = []
        self.attachments: list[tuple[str, str]] = []

    def gather(self, message: Message) -> bool:
        """Read the parts; whether that was possible."""
        try:
            for number, part in enumerate(message.walk()):
                if number >= MOST_PARTS:
                    break
                if not part.is_multipart():
                    self._add(part)
        except _BROKEN:
            return bool(self.plain or self.html)
        return True

    def _add(self, part: Message) -> None:
        kind = part.get_content_type()
        name = part.get_filename()
        disposition = str(part.get("content-disposition", "")).lower()
        if kind not in ("text/plain", "text/html") or name or disposition.startswith("attachment"):
            self.attachments.append((whole(kind[:100]), whole(str(name or "")[:200])))
            if not kind.startswith("text/") or name:
                return
        payload = part.get_payload(decode=True)
        raw = payload if isinstance(payload, bytes) else b""
        charset = part.get_param("charset")
        text = decoded(raw[:MOST_TEXT], charset if isinstance(charset, str) else None)
        (self.html if kind == "text/html" else self.plain).append(text)

    def message(self, subject: str, sender: str, known_by: bytes) -> MailMessage:
        """All of it, plain text that is HTML in truth read as that."""
        return message_of(
            "\n".join(self.plain)[:MOST_TEXT],
            "\n".join(self.html)[:MOST_TEXT],
            subject,
            sender,
            self.attachments,
            known_by,
        )


def message_of(
    plain: str,
    markup: str,
    subject: str = "",
    sender: str = "",
    attachments: list[tuple[str, str]] | None = None,
    known_by: bytes = b"",
) -> MailMessage:
    """A message from its texts; plain text that is HTML in truth is read as that."""
    html_only = bool(markup.strip()) and not plain.strip()
    if _HTML_SIGN.search(plain[:20_000]):
        plain, markup = "", plain + "\n" + markup
    found = html_text(markup)
    return MailMessage(
        subject=subject,
        sender=sender,
        text=plain + "\n" + "".join(found.seen),
        hidden="".join(found.hidden),
        links=tuple(found.links),
        attachments=tuple(attachments or ()),
        n_tags=found.n_tags,
        html_only=html_only,
        hash=known_by,
    )
