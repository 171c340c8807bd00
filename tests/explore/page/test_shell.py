"""The page around the screens: start, addresses, theme, narrow windows, keys, a server that is gone, two tabs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.explore.page.conftest import Explorer, Tab, running

NO_SIDEWAYS = "() => document.documentElement.scrollWidth <= window.innerWidth"


def test_the_start_page_lists_the_bundled_sets_and_opens_one(tab: Tab) -> None:
    page = tab.page
    page.get_by_role("button", name="iris", exact=True).click()
    page.locator("h1", has_text="Data").wait_for()
    assert "data=iris" in page.url
    assert page.locator("#header .set").inner_text() == "iris"
    assert page.locator("#header .facts").all_inner_texts() == ["150 rows", "4 columns", "3 classes"]
    assert "token" not in page.url


def test_a_file_is_dropped_and_its_bare_class_names_get_the_name_of_the_column(tab: Tab) -> None:
    rows = "".join(f"{i},{i % 7},{i % 2}\n" for i in range(40))
    file = {"name": "grades.csv", "mimeType": "text/csv", "buffer": f"a,b,passed\n{rows}".encode()}
    tab.page.locator("input[type=file]").set_input_files(file)
    tab.page.locator("h1", has_text="Data").wait_for()
    assert tab.page.locator("ul.legend").first.inner_text().split("\n")[0].startswith("passed 0")


def test_a_file_that_cannot_be_read_is_told_in_a_sentence(tab: Tab) -> None:
    tab.page.locator("input[type=file]").set_input_files({"name": "empty.csv", "mimeType": "text/csv", "buffer": b""})
    tab.page.locator(".toast.bad").wait_for()
    assert "empty" in tab.page.locator(".toast.bad").inner_text().lower()
    assert len(tab.errors) == 1  # the browser itself notes the status 400
    tab.errors.clear()


def test_back_and_reload_and_a_copied_link_lead_to_the_same_view(tab: Tab) -> None:
    tab.go("#/data?data=iris", "Data")
    page = tab.go("#/neighbors?data=iris&k=9&x=petal_length&y=petal_width", "Neighbours")
    tab.until("() => document.querySelector('#screen > div').dataset.k === '9'")
    page.reload()
    tab.until("() => document.querySelector('#screen > div')?.dataset.k === '9'")
    assert page.get_by_label("k", exact=True).input_value() == "9"
    other = page.context.new_page()  # the bearer comes from the first tab
    other.goto(page.url)
    other.locator("h1", has_text="Neighbours").wait_for()
    other.close()
    page.go_back()
    page.locator("h1", has_text="Data").wait_for()


def test_without_its_link_the_page_says_where_it_is(browser: Any, explorer: Explorer) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(explorer.home)
    page.locator("h1", has_text="needs its link").wait_for()
    context.close()


@pytest.mark.parametrize("address", ["#/", "#/data?data=breast-cancer", "#/neighbors?data=breast-cancer&row=7"])
def test_a_narrow_window_does_not_scroll_sideways(tab: Tab, address: str) -> None:
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.page.evaluate("address => { location.hash = address; }", address)
    tab.page.locator("#screen:not([aria-busy]) h1").wait_for()
    if "neighbors" in address:
        tab.page.locator("table[aria-label^='neighbours of']").wait_for()
    tab.until(NO_SIDEWAYS)


def test_dark_follows_the_system_and_the_switch(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab(color_scheme="dark")
    ground = "() => getComputedStyle(document.body).backgroundColor"
    assert tab.page.evaluate(ground) == "rgb(20, 24, 29)"
    tab.page.get_by_label("Theme").select_option("light")
    assert tab.page.evaluate(ground) == "rgb(253, 253, 251)"
    tab.page.reload()
    assert tab.page.evaluate(ground) == "rgb(253, 253, 251)"


def test_the_code_button_shows_shell_and_python(tab: Tab) -> None:
    page = tab.go("#/neighbors?data=iris&k=3", "Neighbours")
    tab.until("() => document.querySelector('#screen > div').dataset.k === '3'")
    page.get_by_role("button", name="Code").click()
    page.locator("dialog pre").nth(1).wait_for()
    shell, python = page.locator("dialog pre").all_inner_texts()
    assert "sepal do neighbors.map iris" in shell
    assert "import sepal" in python
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")


def test_text_of_the_data_is_never_markup(tab: Tab) -> None:
    evil = "<img src=x onerror=document.title='hit'>"
    rows = "".join(f"{i},{evil if i % 2 else '<b>n</b>'}\n" for i in range(30))
    file = {"name": f"{evil}.csv", "mimeType": "text/csv", "buffer": f'"{evil}",class\n{rows}'.encode()}
    tab.page.locator("input[type=file]").set_input_files(file)
    tab.page.locator("h1", has_text="Data").wait_for()
    tab.page.locator("#screen", has_text=evil).wait_for()
    assert tab.page.locator("#screen img, #screen b img").count() == 0
    assert tab.page.title() == "Data · Sepal Explorer"


def test_a_server_that_is_gone_dims_the_page_and_is_named(browser: Any) -> None:
    with running() as started:
        context = browser.new_context()
        tab = Tab(context.new_page())
        tab.page.goto(started.link)
        tab.page.locator("h1").wait_for()
        tab.go("#/neighbors?data=iris&k=5", "Neighbours")
        tab.until("() => document.querySelector('#screen > div').dataset.k === '5'")
        started.process.kill()
        started.process.wait()
        tab.page.get_by_label("k, the number of neighbours").press("ArrowRight")
        note = tab.page.locator(".gone-note")
        note.wait_for()
        assert "the map of k = 5" in note.inner_text()
        assert tab.page.locator("figcaption b", has_text="Decision map, k = 5").count() == 1
        assert tab.page.evaluate("() => document.body.classList.contains('gone')")
        context.close()


def test_two_tabs_do_not_disturb_each_other(tab: Tab, open_tab: Callable[..., Tab]) -> None:
    first, second = tab, open_tab()
    first.go("#/neighbors?data=iris&k=3", "Neighbours")
    second.go("#/neighbors?data=breast-cancer&k=7", "Neighbours")
    first.until("() => document.querySelector('#screen > div').dataset.k === '3'")
    second.until("() => document.querySelector('#screen > div').dataset.k === '7'")
    assert first.page.locator("#header .set").inner_text() == "iris"
