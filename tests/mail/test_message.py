"""Messages of any quality."""

from __future__ import annotations

import hashlib
import random
import re

import pytest

from sepal.exceptions import DataError
from sepal.mail import read_mail, read_message, tokens


def test_headers_that_others_wrote_are_not_read():
    plain = b"From: a@b.example\nSubject: x\n\nhello\n"
    more = (
        b"Received: from evil\nX-Spam-Status: Yes\nList-Id: <l>\nPrecedence: bulk\nX-Sepal: spam\nX-Bogosity: Spam\n"
        b"Delivered-To: you\n" + plain
    )
    assert tokens(read_message(more)) == tokens(read_message(plain))
    assert read_message(more).hash == read_message(plain).hash
    assert read_message(plain.replace(b"hello", b"hallo")).hash != read_message(plain).hash
    assert read_message(plain.replace(b"\n", b"\r\n")).hash == read_message(plain).hash


def _known_by(raw: bytes) -> bytes:
    """The hash of a message of at most 1,000,000 bytes, as it stands in stores."""
    if raw.startswith((b"From ", b">From ")):
        raw = raw[raw.find(b"\n") + 1 :]
    head, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    values = dict.fromkeys(("message-id", "date", "from", "subject"), "")
    for line in reversed(re.sub(rb"\n[ \t]+", b" ", head).split(b"\n")):
        name, colon, value = line.partition(b":")
        if colon and name.strip().lower().decode("latin-1") in values:
            value = value.strip()[:2000]
            try:
                text = value.decode("utf-8")
            except UnicodeDecodeError:
                text = value.decode("cp1252", "replace")
            values[name.strip().lower().decode()] = " ".join(text.split())
    said = "".join(value + "\n" for value in values.values())
    return hashlib.blake2b(said.encode() + b"\n" + body.rstrip(), digest_size=16).digest()


def test_hashes_stay_those_of_stores():
    draw = random.Random(1)  # noqa: S311
    heads = [
        b"Subject: Gr\xc3\xbc\xc3\x9fe =?utf-8?q?x?=\n",
        b"Subject: Gr\xfc\xdfe \xc3\xbc\n  folded\n",
        b"From: =?x?q?a?= <a@b.example>\n",
        b'FROM : "c@d.example" <a@b.example>\n',
        b"Date: 1\n",
        b"Message-ID: <1>\n",
        b"X-Other: 2\n",
        b"Subject: " + b"\xd0\xbf" * 1500 + b"\n",
    ]
    for _ in range(200):
        raw = b"".join(draw.choices(heads, k=draw.randint(1, 6))) + b"\n"
        raw += bytes(draw.choice(b"ab \n\xe9<") for _ in range(draw.randint(0, 90)))
        raw = draw.choice([b"", b"From a Mon\n", b">From a\n"]) + raw
        raw = raw.replace(b"\n", draw.choice([b"\n", b"\r\n"]))
        assert read_message(raw).hash == _known_by(raw)
    raw = heads[0] + b"\n" + b"line\r\n" * 160_000
    assert read_message(raw).hash == _known_by(raw)


def test_a_long_message_is_known_whatever_servers_add(tmp_path):
    """Above a million bytes it was cut before its headers were left out: it was learned twice, and not relearned."""
    head = b"From: a@b.example\nMessage-ID: <1>\nSubject: big\n"
    body = b"\nhello big message\n" + b"".join(b"%020d\n" % i for i in range(120_000))
    crlf = (head + body).replace(b"\n", b"\r\n")
    (tmp_path / "box").write_bytes(b"From a Mon\n" + head + body + b"\nFrom b Tue\nSubject: x\n\nhi\n")
    (tmp_path / "crlf").write_bytes(crlf)
    same = [
        head + body,
        b"Received: from x\n" * 900 + head + body,
        crlf,
        b"From a Mon\n" + crlf,
        next(iter(read_mail(tmp_path / "box")))[1],
        next(iter(read_mail(tmp_path / "crlf")))[1],
    ]
    assert len({read_message(raw) for raw in same}) == 1
    assert read_message(head + body.replace(b"0100\n", b"0200\n", 1)).hash != read_message(same[0]).hash


@pytest.mark.parametrize(
    "value",
    [
        '"billing@paypal.example" <x@evil.example>',
        "billing@paypal.example <x@evil.example>",
        "=?utf-8?q?billing=40paypal.example?= <x@evil.example>",
        "=?utf-8?q?=3Cbilling=40paypal.example=3E?= <x@Evil.example>",
        '"a \\" <b@paypal.example>" <x@evil.example>, <y@paypal.example>',
        '"an open quote <x@evil.example>',
        "x@evil.example (billing@paypal.example)",
        "<@paypal.example:x@evil.example>",
        '<"x@paypal.example"@evil.example>',
        "<none> x@evil.example",
        "=?utf-8?q?x=40evil.example?=",
        '"x@evil.example"',
    ],
)
def test_the_sender_is_the_domain_of_the_address_and_not_of_the_name(value):
    """The domain was taken from the display name, where anybody may write any address."""
    assert read_message(b"From: " + value.encode() + b"\n\nhi").sender == "evil.example"


def test_encodings_that_lie():
    head = b"Subject: x\nContent-Type: text/plain; charset="
    assert "Grüße" in read_message(head + b"us-ascii\n\nGr\xc3\xbc\xc3\x9fe").text
    assert "Grüße" in read_message(head + b"utf-8\n\nGr\xfc\xdfe").text
    assert "Grüße" in read_message(head + b"no-such-thing\n\nGr\xfc\xdfe").text
    assert "привет" in read_message(head + b"koi8-r\n\n" + "привет".encode("koi8-r")).text
    coded = b"Content-Transfer-Encoding: base64\n" + head + b"utf-8\n\naGVsbG8gd29ybGQ="
    assert "hello world" in read_message(coded).text
    assert read_message(b"Subject: =?x-unknown?q?a=FC?= =?utf-8?b?w7w=?=\n\n").subject == "aüü"


def test_html_and_what_it_hides():
    raw = (
        b"Content-Type: text/html\n\n<html><style>p {x}</style><p>Vi<!-- hush -->agra <b>now</b></p>"
        b'<div style="display:none">secret <b>words</b></div><font color="#FFFFFF">white</font> seen'
        b'<a href="http://www.evil.example/buy">click</a><script>var js</script> &lt;end&gt;'
    )
    message = read_message(raw)
    assert message.text.split() == ["Viagra", "now", "seenclick", "<end>"]
    assert message.hidden.split() == ["hush", "secret", "words", "white"]
    assert message.html_only
    assert {"url:evil.example", "url:www.evil.example", "hid:secret", "html:only"} <= set(tokens(message))


def test_attachments_are_known_by_type_and_name_only():
    raw = (
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nhello\n--b\n"
        b'Content-Type: application/x-msdownload; name="Invoice.exe"\nContent-Transfer-Encoding: base64\n\nc2VjcmV0\n'
        b'--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename="notes.txt"\n\nhush\n--b--\n'
    )
    message = read_message(raw)
    assert message.attachments == (("application/x-msdownload", "Invoice.exe"), ("text/plain", "notes.txt"))
    assert "hush" not in message.text
    assert {"file:invoice", "file:exe", "file:txt"} <= set(tokens(message))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n\n",
        b"no header at all",
        b"Subject: \x00\xff\xfe\n\n\x00\x00",
        b"Content-Type: multipart/mixed\n\nno boundary",
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\n--x\n--x",
        b"Content-Type: ;;;=\n\nx",
        b"Content-Type: text/plain; charset*0*=''x; charset=\xff\n\n\xfft",
        b"Content-Type: text/html\n\n" + b"<" * 20000,
        b"Content-Type: text/html\n\n" + b"<!--" * 20000,
        b"Content-Type: text/html\n\n" + b"<script" * 5000 + b">",
        b"Content-Type: text/html\n\n" + b"<div>" * 20000,
        b"Subject: " + b"=?utf-8?q?" * 2000 + b"\n\nx",
        b"From: " + b"<" * 5000 + b"\n\nx",
        b"".join(b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (i, i) for i in range(1500)),
    ],
)
def test_no_bytes_are_refused(raw):
    assert isinstance(tokens(read_message(raw)), tuple)


@pytest.mark.parametrize("before", [b"", b"\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_mbox_files_are_read_as_such_wherever_they_are(tmp_path, before):
    """In a folder, or behind an empty line, an mbox was taken for one message."""
    box = b"From a Mon\nSubject: 1\n\n>From here on\n\nFrom b Tue\nSubject: 2\n\nho\n\n"
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "box").write_bytes(before + box)
    (folder / "one").write_bytes(b"Subject: 3\n\nhi\n\nFrom now on\n")
    both = [b"Subject: 1\n\n>From here on\n".replace(b">", b""), b"Subject: 2\n\nho\n"]
    assert [raw for _, raw in read_mail(folder / "box")] == both
    found = list(read_mail(folder))
    assert [raw for _, raw in found] == [*both, b"Subject: 3\n\nhi\n\nFrom now on\n"]
    assert [name for name, _ in found] == [f"{folder}/box:0", f"{folder}/box:1", f"{folder}/one"]


def test_a_file_of_a_maildir_is_one_message(tmp_path):
    raw = b"From a Mon\nSubject: 1\n\nhi\n\nFrom now on\n"
    for name in ("cur", "new"):
        (tmp_path / name).mkdir()
    (tmp_path / "cur" / "1").write_bytes(raw)
    for place in (tmp_path, tmp_path / "cur"):
        assert [found for _, found in read_mail(place)] == [raw]


def test_mbox_maildir_folder_and_single_files(tmp_path):
    (tmp_path / "box").write_bytes(
        b"From a Mon\nSubject: 1\n\n>From here on\nFrom nowhere\n\nFrom b Tue\nSubject: 2\n\nho\n\n"
    )
    found = list(read_mail(tmp_path / "box"))
    assert [raw for _, raw in found] == [b"Subject: 1\n\nFrom here on\nFrom nowhere\n", b"Subject: 2\n\nho\n"]
    maildir = tmp_path / "md"
    for folder in ("cur", "new", "tmp"):
        (maildir / folder).mkdir(parents=True)
    (maildir / "cur" / "1:2,S").write_bytes(b"Subject: a\n\n")
    (maildir / "new" / "2").write_bytes(b"Subject: b\n\n")
    (maildir / "tmp" / "3").write_bytes(b"half a mess")
    assert [raw for _, raw in read_mail(maildir)] == [b"Subject: a\n\n", b"Subject: b\n\n"]
    assert [raw for _, raw in read_mail(maildir / "cur")] == [b"Subject: a\n\n"]
    (tmp_path / "empty").write_bytes(b"")
    for wrong in ("empty", "nothing"):
        with pytest.raises(DataError, match=wrong):
            list(read_mail(tmp_path / wrong))


@pytest.mark.parametrize(
    "raw", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"a,b\n1,2\n", b"<!doctype html>\n<p>hi", b"\0" * 99]
)
def test_a_file_that_is_no_mail_is_told_so(tmp_path, raw):
    """A picture or a table was taken for a message."""
    (tmp_path / "file").write_bytes(raw)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(raw)
    for place in ("file", "folder"):
        with pytest.raises(DataError, match="this is no mail"):
            list(read_mail(tmp_path / place))


@pytest.mark.parametrize(
    "raw", [b"\n\nX-Odd: 1\n\nhi", b" folded\nSubject: x\n\nhi", b"\xef\xbb\xbfTo: a\n\n", b">From a\nTo: b\n\n"]
)
def test_mail_that_begins_oddly_is_mail(tmp_path, raw):
    (tmp_path / "file").write_bytes(raw)
    assert list(read_mail(tmp_path / "file")) == [(str(tmp_path / "file"), raw)]


def test_a_thousand_parts_in_each_other_take_no_time():
    deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(1000))
    with_text = b"Subject: deep\n" + deep + b"Content-Type: text/plain\n\nhello\n"
    assert read_message(with_text).subject == "deep"


def test_of_a_very_long_message_the_beginning_is_read(tmp_path):
    """A message was held whole, however long it was."""
    line = b"QUJD" * 19 + b"\n"
    long = b"Subject: long\n\n" + line * 40_000
    (tmp_path / "one").write_bytes(long)
    (tmp_path / "box").write_bytes(b"From a\n" + long + b"\nFrom b\nSubject: short\n\nhi\n")
    ((_, raw),) = read_mail(tmp_path / "one")
    assert 2_000_000 <= len(raw) < 2_000_000 + len(line)
    assert long.startswith(raw)
    (_, first), (_, second) = read_mail(tmp_path / "box")
    assert len(first) < 2_000_000 + len(line)
    assert second == b"Subject: short\n\nhi\n"
    assert read_message(raw) == read_message(long)


def test_a_comment_is_no_address():
    for sender in (b"(me@bank.com) q@z.org", b"q@z.org (me@bank.com)", b'"a@b.c" (d@e.f) <q@z.org>', b"q(x@y.z)@z.org"):
        assert read_message(b"From: " + sender + b"\n\nhi").sender == "z.org"


def test_in_a_folder_what_people_write_begins_no_message(tmp_path):
    """Files of one message behind its envelope were cut at a sentence that begins with From."""
    one = b"From: joe@x.org\nSubject: hello\n\nDear all,\n\nFrom the desk of Joe: the meeting is at 10:30.\n"
    envelope = b"From joe@x.org Mon Jan  1 10:00:00 2001\n"
    (tmp_path / "0001.txt").write_bytes(envelope + one)
    (tmp_path / "0002.txt").write_bytes(envelope + b"Subject: 1\n\nhi\n\n" + envelope + b"Subject: 2\n\nho\n")
    found = [raw for _, raw in read_mail(tmp_path)]
    assert found == [one, b"Subject: 1\n\nhi\n", b"Subject: 2\n\nho\n"]
