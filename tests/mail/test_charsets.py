"""Texts in the charsets of mail: honest labels, lies, damage, and names that are no charsets."""

from __future__ import annotations

import base64
import random

import pytest

from sepal.mail import MailFilter, read_message, tokens

JAPANESE, RUSSIAN, CHINESE, KOREAN = (
    "日本語のテキスト、会議の議事録です",
    "привет, мир",
    "会议记录在附件里",
    "회의록입니다",
)


def _read(raw: bytes, charset: str) -> str:
    coded = base64.b64encode(raw)
    head = b"Subject: x\nContent-Transfer-Encoding: base64\nContent-Type: text/plain; charset="
    return read_message(head + charset.encode() + b"\n\n" + coded).text.rstrip("\n")


@pytest.mark.parametrize(
    ("charset", "codec", "text"),
    [
        ("iso-2022-jp", None, JAPANESE),
        ("ISO-2022-KR", None, KOREAN),
        ("hz-gb-2312", None, CHINESE),
        ("utf-7", None, RUSSIAN),
        ("utf-16", None, "hello world"),
        ("utf-16", None, RUSSIAN),
        ("utf-16-le", None, RUSSIAN),
        ("utf-32", None, RUSSIAN),
        ("koi8-r", None, RUSSIAN),
        ("euc-jp", None, JAPANESE),
        ("shift_jis", None, JAPANESE),
        ("big5", None, "會議記錄"),
        ("gb2312", "gbk", "会議记录"),  # 議 is not in GB 2312
        ("gb2312", "gb18030", "会议 𠀀 记录"),
        ("gb2312", None, "拢"),  # its bytes are those of £ in UTF-8
        ("ks_c_5601-1987", "cp949", "똠방각하 회의"),
        ("shift_jis", "cp932", "①会議"),
        ("x-sjis", "cp932", JAPANESE),
        ("iso-8859-1", "cp1252", "€ 5 – “naïve”"),
        ("us-ascii", "cp1252", "naïve"),
        ("iso-8859-9", "cp1254", "€ ışık"),
        ("iso-8859-8-i", "iso-8859-8", "שלום"),
        ("windows-1251", "utf-8", RUSSIAN),  # a lie
        ("gb2312", "utf-8", CHINESE),
        ("utf-7", "utf-8", RUSSIAN + " 1 + 1"),
        ("iso-2022-jp", "utf-8", JAPANESE),
        ("utf-16", "utf-8", RUSSIAN),
        ("utf-16", "ascii", "hello world"),
    ],
)
def test_charsets_are_read_as_what_they_are(charset, codec, text):
    """UTF-8 was tried first, which all that is written in the bytes of ASCII is."""
    assert _read(text.encode(codec or charset), charset) == text


@pytest.mark.parametrize("label", ["utf-8", "us-ascii", "iso-8859-1", "no-such-thing"])
def test_a_stray_byte_does_not_turn_a_text_into_another(label):
    assert _read(RUSSIAN.encode() + b"\n-- \nfooter \xe9", label) == RUSSIAN + "\n-- \nfooter \ufffd"
    assert _read(b"Gr\xfc\xdfe", label) == "Grüße"


def test_a_damaged_text_is_read_as_its_charset():
    assert _read(CHINESE.encode("gb18030") + b"\xff", "gb2312") == CHINESE + "\ufffd"
    assert _read(JAPANESE.encode("iso-2022-jp") + b"\x1b$B!", "iso-2022-jp").startswith(JAPANESE)


def test_a_text_that_is_cut_within_a_character_is_read_as_its_charset():
    """Of a text of more than 300,000 bytes all became something else where the last character was cut."""
    assert _read(b"a" + "привет ".encode() * 30_000, "utf-8").startswith("aпривет привет ")
    assert _read(b"a" + "会议 ".encode("gbk") * 70_000, "gb2312").startswith("a会议 会议 ")


@pytest.mark.parametrize(
    ("value", "subject"),
    [
        ("[Список] =?utf-8?q?gr=C3=BC=C3=9Fe?=", "[Список] grüße"),
        ("=?iso-2022-jp?b?GyRCMnE1RBsoQg==?= =?iso-2022-jp?b?GyRCNUQ7dk8/GyhC?= x", "会議議事録 x"),
        ("=?utf-8?b?0L/R?= =?UTF-8?b?gNC40LLQtdGC?=", "привет"),  # cut within a character
        ("=?utf-8*en?q?a_b?=", "a b"),
        ("a =?utf-8?q?b?= c =?utf-8?q?d?=", "a b c d"),
        ("=?utf-8?b?aGVsbG8?= =?utf-8?b?aGVsbG8=x?=", "hellohello"),
        ("=?unicode_escape?q?=5Cud800=E9_hi?=", "\\ud800é hi"),
        ("=?utf-7?q?+2AA-_hi?=", "\ufffd hi"),
        ("=?utf-8?x?no?= =?", "=?utf-8?x?no?= =?"),
    ],
)
def test_subjects(value, subject):
    assert read_message(b"Subject: " + value.encode() + b"\n\n").subject == subject


@pytest.mark.parametrize(
    "charset", ["unicode_escape", "raw_unicode_escape", "utf-7", "rot13", "idna", "punycode", "undefined", "hex", "zip"]
)
def test_no_charset_makes_what_cannot_be_written(tmp_path, charset):
    """Lone surrogates ended learning and filtering with a UnicodeEncodeError."""
    raw = (
        f"Subject: =?{charset}?q?=5Cud800=E9_+2AA-_hi?=\nContent-Type: text/plain; charset={charset}\n\n"
        "http://\\ud800.com/ http://+2AA-.com/ "
    ).encode() + b"\xe9 \xed\xa0\x80\n"
    message = read_message(raw)
    for text in (message.subject, message.text, *tokens(message)):
        text.encode()
    if charset != "utf-7":
        assert "\\ud800.com" in message.text
    with MailFilter(tmp_path / "a") as known:
        assert known.learn_many([(raw, True), (raw + b"more", True)]) == 2
        assert known.classify(raw).label == "unsure"


def test_any_bytes_in_any_charset_can_be_written():
    draw = random.Random(4)  # noqa: S311
    names = ("utf-8", "utf-7", "utf-16", "utf-32", "hz", "iso-2022-jp", "iso-2022-kr", "gb2312", "big5", "euc-jp", "x")
    for _ in range(300):
        raw = bytes(draw.choice(b"\x1b$B(~{+-\x0e\0\xff\xfeaA0\xd8\xe3\x81") for _ in range(draw.randint(0, 30)))
        _read(raw, draw.choice(names)).encode()
