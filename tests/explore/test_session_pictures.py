"""The page of a session: every action that has something to see is drawn, from the facts of its answer."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from sepal.explore import ACTIONS, Shelf, TableView, answer, session_page
from sepal.explore._pictures import DRAWN_ACTIONS, ROWS_DRAWN
from tests.explore.test_code import ASKED

SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)


def page_of(shelf, view, *asked):
    """One page of some actions."""
    answers = []
    for name, settings in asked:
        found = answer(shelf, name, view, settings)
        answers.append(({"action": name, "parameters": found["parameters"]}, found))
    return session_page(shelf, TableView.of(view), answers)


def figures(page):
    """The pictures of a page, without the marks of its key."""
    return [ElementTree.fromstring(text) for text in SVG.findall(page) if "aria-label" in text]  # noqa: S314


@pytest.fixture(scope="module")
def shelf():
    return Shelf()


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked[0])
def test_every_action_but_plain_rows_is_drawn(asked, shelf):
    name, view, settings = asked
    page = page_of(shelf, view, (name, settings))
    assert "No picture" not in page
    assert len(figures(page)) >= (name in DRAWN_ACTIONS and view.get("task") != "regress")
    assert not re.search(r"(src|href)=['\"]?(https?:)?//", page)
    assert not re.search(r"[\" ,M]nan\b", "".join(SVG.findall(page)))


def test_every_action_is_in_the_table():
    assert set(ACTIONS) - set(DRAWN_ACTIONS) == {"data.rows"}


def test_what_is_drawn_is_what_was_found(shelf):
    view = {"data": "iris"}
    page = page_of(shelf, view, ("separability.measure", {}), ("data.plane", {"x": "petal_length", "y": "petal_width"}))
    bars, plane = figures(page)
    found = answer(shelf, "separability.measure", view)["result"]
    told = [each.text for each in bars.iter("text")]
    for each in found["classes"]:
        assert {str(each["label"]), f"{each['score']:.4g}"} <= set(told)
    marks = [each.get("d") for each in plane.iter("path")]
    assert sum(mark.count("M") for mark in marks) == 150
    assert page.count("<li><svg") == 3  # the key


def test_a_large_table_is_drawn_as_a_sample_that_is_announced(shelf):
    rng = np.random.default_rng(0)
    lines = "\n".join(f"{a},{b},{'xy'[int(a > 0)]}" for a, b in rng.normal(size=(3_000, 2)).round(4).tolist())
    data = shelf.add("many.csv", f"a,b,class\n{lines}\n".encode()).data
    page = page_of(shelf, {"data": data}, ("data.plane", {}))
    assert f"{ROWS_DRAWN:,} of 3,000 rows are drawn, chosen at random" in page
    (plane,) = figures(page)
    assert sum(each.get("d").count("M") for each in plane.iter("path")) == ROWS_DRAWN


def test_names_from_the_data_are_text_and_texts_have_no_plane(shelf):
    rows = "\n".join(f"{i},{i * i % 7},{'<b>no' if i % 2 else 'yes&'}" for i in range(20))
    data = shelf.add("odd.csv", f"a<i>,b,class\n{rows}\n".encode()).data
    page = page_of(shelf, {"data": data}, ("separability.measure", {}), ("rows.suspects", {}))
    assert len(figures(page)) == 2
    assert "<b>no" not in page
    assert "a<i>" not in page
    told = [f"word{i % 5} goes to the far market with word{i * 3 % 7} today,{'ab'[i % 2]}" for i in range(30)]
    data = shelf.add("texts.csv", ("body,class\n" + "\n".join(told) + "\n").encode()).data
    view = {"data": data, "kinds": {"body": "text"}}
    assert "No picture: " in page_of(shelf, view, ("rows.suspects", {}))


def test_what_was_not_run_is_named(shelf):
    asked = {"action": "data.plane", "parameters": ACTIONS["data.plane"].settings({})}
    page = session_page(shelf, TableView("iris"), [(asked, None)])
    assert "This was not run." in page
    assert figures(page) == []
