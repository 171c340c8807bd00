"""The screens Data and Neighbours, by pointer and by keys."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sepal
from tests.explore.page.conftest import Tab

MAP_OF = "k => document.querySelector('#screen > div')?.dataset.k === k"


def test_a_column_is_left_out_and_brought_back(tab: Tab) -> None:
    page = tab.go("#/data?data=iris", "Data")
    page.get_by_role("button", name="Leave out sepal_width").click()
    page.get_by_role("button", name="Bring back sepal_width").wait_for()
    assert "3 columns" in " ".join(page.locator("#header .facts").all_inner_texts())
    page.get_by_role("button", name="Bring back sepal_width").click()
    page.locator("section.column h3", has_text="sepal_width").wait_for()
    page.locator("#header .facts", has_text="4 columns").wait_for()


def test_the_kind_of_a_column_is_changed(tab: Tab) -> None:
    page = tab.go("#/data?data=breast-cancer", "Data")
    page.get_by_label("Kind of mitoses").select_option("nominal")
    tab.until("() => location.hash.includes('nominal')")
    page.locator("#screen:not([aria-busy]) section[aria-label=mitoses] select").wait_for()
    tab.until("() => document.querySelector(\"[aria-label='Kind of mitoses']\").value === 'nominal'")


def test_rows_are_sorted_by_the_server_and_saved_as_csv(tab: Tab) -> None:
    page = tab.go("#/data?data=iris", "Data")
    table = page.locator("table[aria-label='iris rows']")
    table.get_by_role("button", name="petal_length").click()
    first = "table[aria-label='iris rows'] tbody tr[aria-rowindex='2'] td:nth-child(4)"
    tab.until("at => document.querySelector(at)?.textContent === '6.9'", first)
    with page.expect_download() as caught:
        page.get_by_role("button", name="Save iris rows as CSV").click()
    rows = list(csv.reader(io.StringIO(Path(caught.value.path()).read_text())))
    assert rows[0] == ["row", "sepal_length", "sepal_width", "petal_length", "petal_width", "class"]
    lengths = [float(row[3]) for row in rows[1:]]
    expected = np.sort(sepal.datasets.load("iris").values[:, 2])[::-1]
    assert lengths == expected.tolist()


def test_a_hundred_thousand_rows_are_scrolled_with_few_elements(tab: Tab) -> None:
    text = "a,b,class\n" + "".join(f"{i},{i % 97},{'xy'[i % 2]}\n" for i in range(100_000))
    file = {"name": "long.csv", "mimeType": "text/csv", "buffer": text.encode()}
    tab.page.locator("input[type=file]").set_input_files(file)
    tab.page.locator("h1", has_text="Data").wait_for()
    scroller = "document.querySelector(\"table[aria-label='long rows']\").closest('.table')"
    tab.page.evaluate(f"() => {{ const at = {scroller}; at.scrollTop = at.scrollHeight; }}")
    tab.until(
        f"() => [...{scroller}.querySelectorAll('tbody td:first-child')].some(each => each.textContent === '99999')"
    )
    assert tab.page.evaluate(f"() => {scroller}.querySelectorAll('tr').length") < 80


def test_k_follows_the_slider_by_keys_and_the_map_is_named_after_it(tab: Tab) -> None:
    page = tab.go("#/neighbors?data=iris&k=5", "Neighbours")
    tab.until(MAP_OF, "5")
    slider = page.get_by_label("k, the number of neighbours")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    tab.until(MAP_OF, "7")
    assert page.locator("figcaption b", has_text="Decision map, k = 7").count() == 1
    tab.until("() => location.hash.includes('k=7')")


def test_neighbours_of_a_row_are_those_of_the_library(tab: Tab) -> None:
    page = tab.go("#/neighbors?data=iris&k=5&row=70", "Neighbours")
    body = page.locator("table[aria-label='neighbours of Row 70'] tbody tr:not(.gap)")
    body.first.wait_for()
    shown = [int(row.locator("td").nth(1).inner_text()) for row in body.all()]
    values = sepal.datasets.load("iris").values
    scaled = (values - values.min(0)) / (values.max(0) - values.min(0))
    distances = np.sqrt(((scaled - scaled[70]) ** 2).sum(1))
    distances[70] = np.inf
    assert set(shown) == set(np.flatnonzero(distances <= np.sort(distances)[4] + 1e-12).tolist())


def test_points_are_walked_with_arrow_keys_alone(tab: Tab) -> None:
    page = tab.go("#/neighbors?data=iris&k=3&x=petal_length&y=petal_width", "Neighbours")
    tab.until(MAP_OF, "3")
    page.locator("canvas.over[aria-label^='Decision map']").focus()
    page.keyboard.press("ArrowRight")
    page.locator("table[aria-label^='neighbours of Row']").wait_for()
    first = page.url
    page.keyboard.press("ArrowRight")
    tab.until("old => location.href !== old", first)


def test_every_control_of_a_screen_is_reached_with_tab_and_shows_focus(tab: Tab) -> None:
    page = tab.go("#/neighbors?data=iris&k=3", "Neighbours")
    tab.until(MAP_OF, "3")
    page.locator("body").press("Tab")
    seen = set()
    for _ in range(60):
        told = page.evaluate(
            "() => { const at = document.activeElement; const name = at.getAttribute('aria-label') ?? at.id;"
            " const seen = !at.matches(':focus-visible') || getComputedStyle(at).outlineStyle !== 'none';"
            " return [`${at.tagName} ${name}`, seen]; }"
        )
        assert told[1], told
        seen.add(told[0])
        page.keyboard.press("Tab")
    assert {"INPUT k, the number of neighbours", "SELECT Theme", "SELECT scale", "SELECT Across"} <= seen


def test_a_table_stands_behind_the_map(tab: Tab) -> None:
    page = tab.go("#/neighbors?data=iris&k=3&x=petal_length&y=petal_width", "Neighbours")
    tab.until(MAP_OF, "3")
    page.locator("figure", has_text="Decision map").locator("summary").click()
    head = page.locator("table[aria-label='Decision map, k = 3'] th")
    head.nth(3).wait_for()
    assert head.all_inner_texts() == ["row", "petal_length", "petal_width", "class"]


def test_pictures_are_saved_as_png_and_svg(tab: Tab) -> None:
    page = tab.go("#/neighbors?data=iris&k=3", "Neighbours")
    tab.until(MAP_OF, "3")
    saved = {}
    for kind in ("PNG", "SVG"):
        with page.expect_download() as caught:
            page.get_by_role("button", name=f"Save Decision map as {kind}").click()
        saved[kind] = Path(caught.value.path()).read_bytes()
    assert saved["PNG"].startswith(b"\x89PNG")
    text = saved["SVG"].decode()
    assert text.startswith("<svg")
    assert text.count("setosa") >= 1  # the legend is part of the picture


@pytest.mark.parametrize("kind", ["one class", "five rows", "three hundred columns", "two hundred classes", "a number"])
def test_unusual_tables_are_shown_without_an_error(tab: Tab, kind: str) -> None:
    text, says = unusual(kind)
    file = {"name": "unusual.csv", "mimeType": "text/csv", "buffer": text.encode()}
    tab.page.locator("input[type=file]").set_input_files(file)
    tab.page.locator("#screen:not([aria-busy]) h1", has_text="Data").wait_for()
    assert says in tab.page.inner_text("#screen")
    data = tab.page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('data')")
    tab.go(f"#/neighbors?data={data}", "Neighbours")
    if kind in ("five rows", "three hundred columns", "two hundred classes"):
        tab.until("() => document.querySelector('#screen > div').dataset.k !== undefined")


def unusual(kind: str) -> tuple[str, str]:
    """A table, and words that the page must say of it."""
    rng = np.random.default_rng(5)
    if kind == "one class":
        return "a,b,class\n" + "".join(f"{i},{i * i},yes\n" for i in range(20)), "All rows are of one class"
    if kind == "five rows":
        return "a,b,class\n1,2,x\n2,1,x\n5,6,y\n6,5,y\n7,7,y\n", "Only 5 rows"
    if kind == "three hundred columns":
        cells = rng.normal(size=(30, 300)).round(3)
        lines = [",".join([*map(str, row), "xy"[i % 2]]) for i, row in enumerate(cells.tolist())]
        return ",".join([*(f"c{j}" for j in range(300)), "class"]) + "\n" + "\n".join(lines), "c299"
    if kind == "two hundred classes":
        return "a,b,class\n" + "".join(f"{i % 31},{i % 37},n{i % 200}\n" for i in range(600)), "n199"
    return "a,b,y\n" + "".join(f"{i % 31},{i % 37},{i * 1.37}\n" for i in range(100)), "y is a number"


def test_the_answer_of_the_page_is_that_of_the_command(tab: Tab) -> None:
    page = tab.go("#/neighbors?data=iris&k=5&x=petal_length&y=petal_width", "Neighbours")
    tab.until(MAP_OF, "5")
    page.locator("figure", has_text="Share of rows answered wrongly").locator("summary").click()
    row = page.locator("table[aria-label^='Share of rows'] tbody tr[aria-rowindex='6'] td")
    row.first.wait_for()
    table = sepal.datasets.load("iris").select(["petal_length", "petal_width"])
    curve: Any = sepal.leave_one_out_curve(table)
    assert row.all_inner_texts()[:2] == ["5", f"{1 - curve.score[4]:.4g}"]
    assert json.loads(
        page.evaluate("() => JSON.stringify(Object.keys(sessionStorage).some(key => key.startsWith('sepal-done')))")
    )
