"""Unusual tables on every screen: said, drawn, readable in light and dark, and never wider than a phone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.explore.page.conftest import SIZE, Tab
from tests.explore.page.test_screens import IDLE

ALL_SCREENS = ("data", "separability", "features", "neighbors", "rows", "kernels", "classify", "predict")
# Words of the page that do not stand out from what is behind them: WCAG's ratio of luminances below 4.5.
FAINT = r"""() => {
  const parts = (text) => {
    const all = text.match(/[\d.]+/g).map(Number);
    return all.length === 3 ? [...all, 1] : all;
  };
  const line = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * line(r / 255) + 0.7152 * line(g / 255) + 0.0722 * line(b / 255);
  const behind = (at) => {
    for (let each = at; each; each = each.parentElement) {
      const colour = parts(getComputedStyle(each).backgroundColor);
      if (colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const spoken = (at) => at.checkVisibility() && !at.disabled
    && [...at.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  return [...document.querySelectorAll("#header *, #rail *, #screen *")].filter(spoken).map((at) => {
    const [high, low] = [light(parts(getComputedStyle(at).color)), light(behind(at))].sort((x, y) => y - x);
    return [(high + 0.05) / (low + 0.05), at.tagName, at.textContent.trim().slice(0, 30)];
  }).filter(([ratio]) => ratio < 4.5).map((each) => each.join(" "));
}"""


def table(kind: str) -> str:
    """A table as a file."""
    rng = np.random.default_rng(5)
    if kind == "five rows":
        return "x,y,kind\n1,2,u\n3,1,v\n2,2,u\n5,4,v\n4,4,u\n"
    if kind == "one class":
        return "x,y,kind\n" + "".join(f"{i},{i % 3},u\n" for i in range(12))
    if kind == "a number":
        return "x,y,kind\n" + "".join(f"{i},{i % 7},{i * 0.37 + 0.01:.3f}\n" for i in range(60))
    shape = {"300 columns": (40, 300, 2), "200 classes": (600, 3, 200), "100,000 rows": (100_000, 3, 3)}[kind]
    cells = rng.normal(size=shape[:2]).round(2).tolist()
    head = ",".join([*(f"a_rather_long_name_{j}" for j in range(shape[1])), "class"])
    return (
        "\n".join([head, *(",".join([*map(str, row), f"class_{i % shape[2]}"]) for i, row in enumerate(cells))]) + "\n"
    )


@pytest.mark.parametrize("kind", ["five rows", "one class", "a number", "300 columns", "200 classes", "100,000 rows"])
def test_unusual_tables_are_met_on_every_screen(tab: Tab, kind: str) -> None:
    """No screen is empty or wider than the window, and none says something that is wrong with the server."""
    tab.drop("unusual.csv", table(kind))
    tab.page.locator("#screen:not([aria-busy]) h1", has_text="Data").wait_for()
    data = tab.page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('data')")
    try:
        for at, screen in enumerate(ALL_SCREENS):
            tab.page.set_viewport_size({"width": 390, "height": 844})
            tab.page.emulate_media(color_scheme=("light", "dark")[at % 2])
            tab.page.evaluate("address => { location.hash = address; }", f"#/{screen}?data={data}")
            tab.until(
                "screen => document.querySelector('#rail [aria-current]')?.href.includes('/' + screen + '?')"
                " && !document.querySelector('#screen').hasAttribute('aria-busy')",
                screen,
            )
            tab.until(IDLE)
            assert tab.page.locator("#screen h1").count() == 1
            assert tab.page.locator(".note.bad:visible, .toast.bad").all_inner_texts() == []
            tab.until("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            for scheme in ("light", "dark"):
                tab.page.emulate_media(color_scheme=scheme)
                assert tab.page.evaluate(FAINT) == [], (screen, scheme)
            tab.page.set_viewport_size(SIZE)
            tab.until("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    finally:
        tab.page.emulate_media(color_scheme=None)


def test_a_wide_table_shows_its_first_columns_and_finds_the_others(tab: Tab) -> None:
    tab.drop("wide.csv", table("300 columns"))
    page = tab.page
    page.locator("#screen:not([aria-busy]) h1", has_text="Data").wait_for()
    assert page.locator("section.column").count() == 48
    page.get_by_label("Find columns").fill("name_299")
    page.locator("section[aria-label='a_rather_long_name_299']").wait_for()
    assert page.locator("section.column").count() == 1
    page.get_by_label("Find columns").fill("")
    page.get_by_role("button", name="Show all 300").click()
    assert page.locator("section.column").count() == 300
    page.locator("#rail a", has_text="Predict").click()
    page.locator("#screen:not([aria-busy]) h1", has_text="Predict").wait_for()
    fields = "() => [...document.querySelectorAll('.form .field')].filter((each) => each.checkVisibility()).length"
    assert page.evaluate(fields) == 24
    page.get_by_label("Find columns").fill("name_29")
    assert page.evaluate(fields) == 11  # 29 and 290 to 299
