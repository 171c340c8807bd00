"""HTML to text: what a reader sees, what is hidden from the reader, and where links lead.

A scanner that looks at every character once: mail is written by people who want readers of mail to fail.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

_TAG = 2000  # characters of one tag that are looked at
_DEPTH = 200  # open elements that are remembered
_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9:]*)")
_ATTRIBUTE = re.compile(r"""(?<![a-zA-Z-])([a-zA-Z-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
_BLOCKS = frozenset(
    ("address", "article", "blockquote", "body", "br", "center", "dd", "div", "dl", "dt", "fieldset", "form", "h1",
     "h2", "h3", "h4", "h5", "h6", "head", "header", "footer", "hr", "html", "li", "main", "nav", "ol", "p", "pre",
     "section", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul")
)  # fmt: skip
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
_DROPPED = ("script", "style")
_ENDINGS = {word: re.compile(f"</{word}", re.IGNORECASE) for word in _DROPPED}
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)"
    r"|font-size\s*:\s*[01](?:\.\d*)?\s*(?:px|pt|em|%|;|$)"
)
_COLOR = re.compile(r"(?:^|;)\s*color\s*:\s*([^;]+)")
_WHITE = frozenset(("#fff", "#ffffff", "white", "fff", "ffffff"))


@dataclass
class HtmlText:
    """What was found: text that is seen, text that is hidden, addresses of links and pictures, and how many tags."""

    seen: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    n_tags: int = 0


def html_text(source: str) -> HtmlText:
    """Scan HTML of any quality; there is no HTML that is refused."""
    found = HtmlText()
    open_tags: list[tuple[str, bool]] = []
    at, end = 0, len(source)
    while at < end:
        begin = source.find("<", at)
        if begin < 0:
            begin = end
        if begin > at:
            hides = bool(open_tags) and open_tags[-1][1]
            (found.hidden if hides else found.seen).append(html.unescape(source[at:begin]))
        if begin == end:
            break
        at = _markup(source, begin, found, open_tags)
    return found


def _markup(source: str, begin: int, found: HtmlText, open_tags: list[tuple[str, bool]]) -> int:
    """Read what begins with ``<``; where the text goes on."""
    if source.startswith("<!--", begin):
        close = source.find("-->", begin + 4)
        found.hidden.append(source[begin + 4 : len(source) if close < 0 else close] + " ")
        return len(source) if close < 0 else close + 3
    name = _NAME.match(source, begin + 1, begin + 60)
    if name is None and source[begin + 1 : begin + 2] not in ("!", "?"):
        (found.hidden if open_tags and open_tags[-1][1] else found.seen).append("<")
        return begin + 1
    close = source.find(">", begin)
    if close < 0:
        return len(source)
    if name is None:
        return close + 1
    found.n_tags += 1
    word, tag = name[1].lower(), source[begin : min(close, begin + _TAG)]
    if word in _BLOCKS:
        found.seen.append("\n")
        found.hidden.append(" ")
    if tag.startswith("</"):
        _close(word, open_tags)
        return close + 1
    if word in _DROPPED:
        ending = _ENDINGS[word].search(source, close)
        return len(source) if ending is None else ending.start()
    _open(word, tag, found, open_tags)
    return close + 1


def _open(word: str, tag: str, found: HtmlText, open_tags: list[tuple[str, bool]]) -> None:
    attributes = {key.lower(): value.strip("\"'") for key, value in _ATTRIBUTE.findall(tag)}
    for key in ("href", "src", "action", "background"):
        if key in attributes:
            found.links.append(html.unescape(attributes[key])[:500])
    if word in _VOID:
        return
    style = attributes.get("style", "").lower()
    color = _COLOR.search(style)
    ink = (color[1] if color else attributes.get("color", "")).strip().lower()
    hides = (
        bool(_HIDING.search(style))
        or " hidden" in tag.lower()[len(word) + 1 :].split("=")[0]
        or attributes.get("size") == "0"
        or (ink in _WHITE and word in ("font", "span", "p", "div") and "background" not in style)
    )
    if len(open_tags) < _DEPTH:
        open_tags.append((word, hides or bool(open_tags and open_tags[-1][1])))


def _close(word: str, open_tags: list[tuple[str, bool]]) -> None:
    for place in range(len(open_tags) - 1, -1, -1):
        if open_tags[place][0] == word:
            del open_tags[place:]
            return
