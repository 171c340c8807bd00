"""What holds on every screen once all its questions are answered: saving, tables behind pictures, names, focus."""

from __future__ import annotations

import pytest

from tests.explore.page.conftest import Tab
from tests.explore.page.test_screens import IDLE

# Screen -> its heading and the buttons that start its work.
WORK = {
    "data": ("Data", []),
    "separability": ("Separability", ["Work out everything"]),
    "features": ("Features", ["Try every subset", "Search", "Rank the columns", "Find informative planes"]),
    "neighbors": ("Neighbours", []),
    "rows": ("Rows", ["Look for suspects", "Choose prototypes", "Compare all methods"]),
    "kernels": ("Kernels", ["Work out the alignment", "Work out the surface"]),
    "classify": ("Classify", ["Start"]),
    "predict": ("Predict", ["Copy it", "Predict this row"]),
}
# Pictures without both buttons or without a table behind them, tables without CSV.
UNSAVED = """() => [
  ...[...document.querySelectorAll("#screen .plot")].filter((plot) => plot.checkVisibility()).flatMap((plot) => {
    const words = [...plot.querySelectorAll("button")].map((each) => each.textContent);
    const lacks = ["PNG", "SVG"].filter((word) => !words.includes(word));
    const behind = plot.querySelector("details table") || plot.querySelector("details summary");
    return [...lacks.map((word) => `${plot.textContent.slice(0, 40)}: no ${word}`),
      ...(behind ? [] : [`${plot.textContent.slice(0, 40)}: no table behind`])];
  }),
  ...[...document.querySelectorAll("#screen table")].filter((table) => table.checkVisibility()
    && !table.closest(".plot") && !table.classList.contains("costs")).filter((table) => {
      const frame = table.closest(".table-frame, .sideways, figure, section");
      return ![...(frame?.querySelectorAll("button") ?? [])].some((each) => each.textContent === "CSV");
    }).map((table) => `${table.getAttribute("aria-label") ?? table.className}: no CSV`),
]"""
# Controls that a screen reader could not name.
NAMELESS = """() => [...document.querySelectorAll("#screen :is(button, input, select, a, textarea)")]
  .filter((at) => at.checkVisibility() && at.getAttribute("aria-hidden") !== "true"
    && !(at.textContent.trim() || at.getAttribute("aria-label") || at.labels?.length || at.title))
  .map((at) => at.outerHTML.slice(0, 80))"""
# Where Tab leads from the first control on, and whether focus is seen there.
STOPS = """() => [...document.querySelectorAll("#screen button, #screen input, #screen select, #screen a[href], "
  + "#screen textarea, #screen summary, #screen [tabindex='0']")]
  .filter((at) => at.checkVisibility({ visibilityProperty: true }) && !at.disabled && at.tabIndex >= 0
    && !(at.type === "radio" && !at.checked)).length"""


@pytest.mark.parametrize("screen", WORK)
def test_every_picture_and_table_is_saved_and_everything_has_a_name(tab: Tab, screen: str) -> None:
    heading, buttons = WORK[screen]
    page = tab.go(f"#/{screen}?data={'iris' if screen == 'rows' else 'athletes'}", heading)
    tab.until(IDLE)
    if screen in ("classify", "predict"):
        page.locator("#learner").select_option("knn")
    for name in buttons:
        page.get_by_role("button", name=name, exact=True).first.click()
        tab.until(IDLE)
        page.wait_for_timeout(100)
        tab.until(IDLE)
    if screen == "classify":
        page.locator(".matrix").first.wait_for()
        page.evaluate("() => document.querySelectorAll('#screen details').forEach((each) => (each.open = true))")
        page.get_by_role("button", name="Apply the matrix").click()
        page.locator("h3", has_text="Confusion at these costs").wait_for()
    assert page.locator(".note.bad:visible, .toast.bad").all_inner_texts() == []
    assert page.evaluate(UNSAVED) == []
    assert page.evaluate(NAMELESS) == []
    if screen not in ("data", "predict"):
        assert page.locator("#screen .plot").count() > 0
    # By keyboard alone: Tab from the first control reaches as many as there are, and focus is seen at each.
    wanted = page.evaluate(STOPS)
    page.evaluate("() => { document.activeElement?.blur(); document.getElementById('screen').focus(); }")
    page.locator("#rail a").last.focus()
    seen = set()
    for _ in range(min(wanted, 60)):
        page.keyboard.press("Tab")
        at, ringed = page.evaluate(
            "() => { const at = document.activeElement; at.dataset.stop ??= String(Math.random());"
            " const style = getComputedStyle(at);"
            " return [at.dataset.stop, style.outlineStyle !== 'none' || style.boxShadow !== 'none']; }"
        )
        assert ringed, page.evaluate("() => document.activeElement.outerHTML.slice(0, 120)")
        seen.add(at)
    assert len(seen) >= min(wanted, 60) * 0.9
