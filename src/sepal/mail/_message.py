"""One message as the filter sees it, from bytes of any quality."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b

from sepal.mail._charsets import read_charset, unfolded
from sepal.mail._html import html_text
from sepal.mail._mime import MailPart, mail_parts, raw_headers

MOST_BYTES = 1_000_000  # of a body, its lines ending in one byte
MOST_TEXT = 300_000
_HEADERS = 200_000  # bytes of all of them
_HTML_SIGN = re.compile(
    r"<\s*(?:html|body|font|table|a\s+href|br|p|div|img|center|meta|td|span|b|i)\b[^<]{0,500}>", re.I
)
_DOMAIN = re.compile(r"@([A-Za-z0-9_.-]{1,255})")
_ANGLE = re.compile(r"<[^<>]*@([A-Za-z0-9_.-]{1,255})[^<>@]*>")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMMENT = re.compile(r"\([^()]*\)")


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
    texts = _Texts()
    for part in mail_parts(head.replace(b"\r\n", b"\n") + b"\n\n" + body):
        texts.add(part)
    headers = raw_headers(head, ("subject", "from", "message-id", "date"))
    subject, sender = (read_charset(headers.get(name, b""), None) for name in ("subject", "from"))
    return texts.message(unfolded(subject), _sender(sender), _hash(headers, body))


def _split(raw: bytes) -> tuple[bytes, bytes]:
    """Header block, and what follows the empty line; a line of mbox before it is no header."""
    if raw.startswith((b"From ", b">From ")):
        raw = raw[raw.find(b"\n") + 1 :]
    found = re.search(rb"\r?\n\r?\n", raw)
    if found is None:
        return raw, b""
    return raw[: found.start()], raw[found.end() :]


def _sender(value: str) -> str:
    """The domain of the address in a From line, never that of a display name, which may be another address."""
    bare = _COMMENT.sub("", _QUOTED.sub("", value))
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

    def add(self, part: MailPart) -> None:
        """Read one that holds no others."""
        if part.kind not in ("text/plain", "text/html") or part.name or part.attached:
            self.attachments.append((part.kind[:100], part.name[:200]))
            if not part.kind.startswith("text/") or part.name:
                return
        text = read_charset(part.content()[:MOST_TEXT], part.charset)
        (self.html if part.kind == "text/html" else self.plain).append(text)

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
