"""The page's table of contents: every section that is there, in its order, and no other."""

from __future__ import annotations

import re

import pytest

from sepal import datasets
from sepal.report import separability


def links_and_sections(page):
    nav = page[page.index("<nav>") : page.index("</nav>")]
    return re.findall(r'href="#([\w-]+)"', nav), re.findall(r'<(?:section|h2) id="([\w-]+)"', page)


@pytest.mark.parametrize("name", ["heart", "athletes", "iris"])
def test_every_section_is_in_the_contents(name):
    links, sections = links_and_sections(separability(datasets.load(name)).to_html())
    assert links == sections
    assert {"next", "classes", "how"} <= set(links)
    assert len(links) >= 8


def test_what_was_left_out_is_not_in_the_contents():
    page = separability(datasets.load("heart"), time_limit=1e-6).to_html()
    links, sections = links_and_sections(page)
    assert links == sections
    assert not {"model", "planes", "complexity", "suspects"} & set(links)
