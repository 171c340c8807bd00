"""Parts of messages, as the standard library writes them, as others do, and as nobody should."""

from __future__ import annotations

import binascii
import random
from email.message import EmailMessage

import pytest

from sepal.mail import _mime, read_message
from sepal.mail._html import html_text
from sepal.mail._mime import MOST_PARTS, mail_parts

WORDS = ("plain", "grüße", "привет", "会议记录", "a" * 200, "From here", "--b", "=3D", ".", "")


def _made(draw: random.Random, depth: int, texts: list[str], files: list[tuple[str, str]]) -> EmailMessage:
    """A message with parts in parts; what is in it is added to the two lists, in order."""
    message = EmailMessage()
    text = "\n".join(draw.choices(WORDS, k=4)) + "\n"
    coding = draw.choice(["base64", "quoted-printable", "8bit"])
    message.set_content(text, cte=coding, charset="utf-8")
    texts.append(text)
    if draw.random() < 0.5:
        markup = f"<p>{draw.choice(WORDS[:4])}</p>"
        message.add_alternative(markup, subtype="html", cte="base64")
    for _ in range(draw.randint(0, 2)):
        if depth and draw.random() < 0.5:
            message.add_attachment(_made(draw, depth - 1, texts, files))
        else:
            name = draw.choice(["notes.txt", "Grüße und mehr.pdf", "会议" * 30 + ".doc", 'a "b" c.exe'])
            message.add_attachment(b"hush", maintype="application", subtype="x-made", filename=name)
            files.append(("application/x-made", name))
    return message


@pytest.mark.parametrize("seed", range(40))
def test_what_the_standard_library_writes_is_read(seed):
    draw = random.Random(seed)  # noqa: S311
    texts: list[str] = []
    files: list[tuple[str, str]] = []
    raw = _made(draw, 2, texts, files).as_bytes()
    for given in (raw, raw.replace(b"\n", b"\r\n")):
        found = read_message(given)
        words = [line for text in texts for line in text.split("\n") if line]
        seen = found.text.replace("\r", "").split("\n")
        assert [line for line in seen if line and line in words][: len(words)] == words
        assert found.attachments == tuple((kind, name) for kind, name in files)
        assert "hush" not in found.text


@pytest.mark.parametrize(
    ("head", "body", "wanted"),
    [
        (b"", b"hi", [("text/plain", "", None, b"\nhi")]),
        (b"X: y\nno header", b"hi", [("text/plain", "", None, b"no header\n\nhi")]),
        (b"Content-Type: nonsense", b"hi", [("text/plain", "", None, b"hi")]),
        (b"Content-Type: TEXT/Html ; Charset='koi8-r'", b"hi", [("text/html", "", "'koi8-r'", b"hi")]),
        (b"Content-Type: text/html charset=x name=a.b", b"hi", [("text/html", "a.b", "x", b"hi")]),
        (
            b"Content-Type: text/plain;\n\tname*0*=utf-8'en'a%20;\n name*1=b%20c",
            b"",
            [("text/plain", "a b%20c", None, b"")],
        ),
        (b"Content-Type: a/b; name==?utf-8?q?=C3=BC?=", b"x", [("a/b", "ü", None, b"x")]),
        (b'Content-Type: a/b; name="x;y=z \\" w"', b"x", [("a/b", 'x;y=z " w', None, b"x")]),
        (
            b"Content-Type: a/b; name=old\nContent-Disposition: attachment; filename=new",
            b"x",
            [("a/b", "new", None, b"x")],
        ),
        (b"Content-Transfer-Encoding: Base64", b"aGk", [("text/plain", "", None, b"hi")]),
        (
            b"Content-Transfer-Encoding: x-uuencode",
            b"hey\nbegin 644 a\n" + binascii.b2a_uu(b"hi") + b"#\xff\xff\nend\nno",
            [("text/plain", "", None, b"hi")],
        ),
        (b"Content-Type: multipart/mixed", b"hi", [("text/plain", "", None, b"hi")]),
        (b"Content-Type: multipart/mixed; boundary=q", b"hi", [("text/plain", "", None, b"hi")]),
        (
            b"Content-Type: multipart/mixed; boundary=q",
            b"--q\n\na\n--qq\n--q  \nX: y\n\nb\n--q--\nc\n--q\n\nd",
            [("text/plain", "", None, b"a\n--qq"), ("text/plain", "", None, b"b")],
        ),
        (
            b"Content-Type: multipart/x; boundary=q",
            b"--q\nno header\n\na",
            [("text/plain", "", None, b"no header\n\na")],
        ),
        (b'Content-Type: multipart/x; boundary="q.*"', b"--qq\n--q.*\n\na\n--q.*--", [("text/plain", "", None, b"a")]),
        (
            b"Content-Type: multipart/digest; boundary=q",
            b"--q\n\nSubject: x\n\na\n--q--",
            [("text/plain", "", None, b"a")],
        ),
        (b"Content-Type: message/rfc822", b"Content-Type: text/html\n\na", [("text/html", "", None, b"a")]),
    ],
)
def test_parts_by_hand(head, body, wanted):
    assert [
        (each.kind, each.name, each.charset, each.content()) for each in mail_parts(head + b"\n\n" + body)
    ] == wanted


def _nested(depth: int, rest: bytes) -> bytes:
    head = b"Subject: x\nContent-Type: multipart/mixed; boundary=b0\n\n"
    for i in range(depth):
        head += b"--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n" % (i, i + 1)
    return head + rest


@pytest.fixture
def looks(monkeypatch):
    """How many bytes each part had whose headers were looked for."""
    found, split = [], _mime._split
    monkeypatch.setattr(_mime, "_split", lambda raw: (found.append(len(raw)), split(raw))[1])
    return found


def test_crafted_parts_cost_no_more_than_there_are(looks):
    """100 parts in each other of 400 kB took 3 s, 400 with long headers 17 s: every line was asked for every part."""
    deep = _nested(500, b"a\n" * 200_000)
    read_message(deep)
    assert len(looks) <= 32
    assert sum(looks) < 32 * len(deep)
    looks.clear()
    header = b"Content-Type: text/plain; " + b"".join(b'a%d="x y"; ' % i for i in range(150))
    many = b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n" + (b"--b\n" + header + b"\n\nhi\n") * 400
    assert len(read_message(many).text.split()) == MOST_PARTS - 1  # one holds the others
    assert len(looks) == MOST_PARTS
    assert sum(looks) < 2 * len(many)
    assert "a\na" in read_message(_nested(500, b"a\na")).text


def test_a_long_name_in_a_tag_is_looked_at_once():
    assert html_text(("<a " + "a" * 1995 + ">") * 3_000 + "seen").seen == ["seen"]
    assert html_text("<a data-href=x href = \"y\" src='z'>").links == ["y", "z"]
