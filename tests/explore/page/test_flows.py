"""What hands do on the screens: samples, subsets, suspects, matrices, surfaces, sessions, unusual tables."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

import sepal
from tests.explore.page.conftest import SIZE, Explorer, Tab
from tests.explore.page.test_screens import body, press


def given(tab: Tab, name: str, text: str) -> str:
    """Drop a file on the start page; what the server calls it."""
    tab.drop(name, text)
    tab.page.locator("#screen:not([aria-busy]) h1", has_text="Data").wait_for()
    return str(tab.page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('data')"))


def rows_of(n: int, seed: int = 0) -> str:
    """Two overlapping classes as CSV."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    x = rng.normal(size=(n, 2)) + 2 * y[:, None]
    return "x,y,kind\n" + "".join(f"{a:.3f},{b:.3f},{'uv'[c]}\n" for (a, b), c in zip(x.tolist(), y, strict=True))


def test_a_sample_is_chosen_named_and_written_into_the_code(tab: Tab) -> None:
    given(tab, "many.csv", rows_of(2500))
    page = tab.page
    assert page.locator("#rows-used option:checked").inner_text() == "all 2\u202f500 rows"
    page.locator("#rows-used").select_option("1000")
    page.locator(".note", has_text="a random sample of").wait_for()
    assert page.locator("#rows-used option:checked").inner_text() == "a sample of 1\u202f000 of 2\u202f500 rows"
    page.locator("#rail a", has_text="Separability").click()
    page.locator(".figures b").first.wait_for()
    page.get_by_role("button", name="Code").click()
    page.locator("dialog pre").nth(1).wait_for()
    shell, python = page.locator("dialog pre").all_inner_texts()
    assert "--sample 1000" in shell
    assert "sepal.data.sampled(sepal.read_table('many.csv'), 1000)" in python
    page.keyboard.press("Escape")


def test_a_session_of_the_command_line_is_taken_over(browser: Any, explorer: Explorer) -> None:
    """What it asked stands under Code, and its runs in the list of Classify."""
    context = browser.new_context(viewport=SIZE)
    tab = Tab(context.new_page())
    run = {"learner": "knn", "settings": {"n_neighbors": 3}, "mode": "cv", "cv": 4, "percent": 66.0, "test": None}

    def with_session(route: Any) -> None:
        answer = route.fetch()
        told = answer.json()
        told["start"]["view"] = {"data": "iris", "scale": "standard"}
        told["start"]["actions"] = [{"action": "classify.run", "parameters": {**run, "seed": 5}}]
        route.fulfill(response=answer, body=json.dumps(told))

    tab.page.route("**/api/login", with_session)
    tab.page.goto(explorer.new_link())
    tab.page.locator("#screen:not([aria-busy]) h1", has_text="Data").wait_for()
    tab.page.get_by_role("button", name="Code").click()
    tab.page.get_by_label("all screens").check()
    tab.page.locator("dialog pre", has_text="KNNClassifier(n_neighbors=3").wait_for()
    tab.page.keyboard.press("Escape")
    tab.page.locator("#rail a", has_text="Classify").click()
    tab.page.locator(".runs button", has_text="knn (n_neighbors=3), 4-fold, seed 5").wait_for()
    tab.check(explorer.home)
    context.close()


def test_a_subset_is_clicked_and_used_everywhere_and_a_box_enlarges(tab: Tab) -> None:
    page = tab.go("#/features?data=iris", "Features")
    press(tab, "Try every subset", "figure:has-text('Every subset')")
    canvas = page.locator("figure", has_text="Every subset").locator("canvas.over")
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.05 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.97 * box["width"], box["y"] + 0.5 * box["height"], steps=4)
    page.mouse.up()
    page.get_by_role("button", name="Show all again").click()
    canvas.focus()
    canvas.press("ArrowDown")  # the best set first
    page.locator("p[role=status]", has_text="Enter uses it").wait_for()
    canvas.press("Enter")
    page.locator("#header .badge", has_text="only").wait_for()
    named = page.locator(".note", has_text="In use:").inner_text()
    best = sepal.selection.subset_sweep(sepal.datasets.load("iris")).best
    assert all(name in named for name in best.features)
    page.locator("#rail a", has_text="Data").click()
    page.locator("#screen:not([aria-busy]) h1", has_text="Data").wait_for()
    assert page.locator("section.column:not(.out)").count() == len(best.features)


def test_suspects_are_judged_by_keys_and_saved(tab: Tab) -> None:
    page = tab.go("#/rows?data=iris", "Rows")
    press(tab, "Look for suspects", "table[aria-label^='suspects']")
    one = page.locator("section.one")
    one.focus()
    page.keyboard.press("2")  # doubt, and on to the next
    page.locator("h3", has_text="2 of").wait_for()
    page.keyboard.press("n")
    page.keyboard.type("typo, surely")
    one.focus()
    page.keyboard.press("k")
    page.locator("h3", has_text="1 of").wait_for()
    with page.expect_download() as caught:
        page.get_by_role("button", name="Save the judgements").click()
    told = list(csv.reader(io.StringIO(Path(caught.value.path()).read_text())))
    suspects = sepal.measures.suspects(sepal.datasets.load("iris")).rows
    assert [int(row[0]) for row in told[1:]] == [each.row for each in suspects]
    assert told[1][4:] == ["doubt", ""]
    assert told[2][4:] == ["", "typo, surely"]


def test_a_cell_of_the_confusion_opens_its_rows(tab: Tab) -> None:
    page = tab.go("#/classify?data=iris", "Classify")
    page.locator("#learner").select_option("knn")
    press(tab, "Start", ".matrix")
    found = sepal.evaluate(sepal.KNNClassifier(), sepal.datasets.load("iris"), cv=10, random_state=0)
    a, p = next((i, j) for i in range(3) for j in range(3) if i != j and found.confusion[i, j])
    page.locator(".matrix tbody tr").nth(a).locator("td").nth(p).locator("button").click()
    wanted = np.sort(found.rows[(found.actual == a) & (found.predicted == p)]).tolist()
    page.locator("h3", has_text="answered").wait_for()
    name = f"{found.classes[a]} answered {found.classes[p]}"
    page.locator(f"table[aria-label='{name}'] td.soft").first.wait_for()
    assert sorted(int(row[0]) for row in body(tab, name)) == wanted
    assert page.locator(".badge.good", has_text="inside the folds").count() == 1


def test_a_cell_of_the_surface_leads_to_its_map(tab: Tab) -> None:
    data = given(tab, "small.csv", rows_of(40))
    page = tab.go(f"#/kernels?data={data}&x=x&y=y", "Kernels")
    press(tab, "Work out the surface", "p:has-text('Least error')")
    canvas = page.locator("figure", has_text="Error over C and width").locator("canvas.over")
    canvas.focus()
    canvas.press("ArrowRight")
    said = canvas.get_attribute("aria-label")
    assert said is not None
    width, cost = (part.split(" ")[-1] for part in said.split(": ")[1].split(", ")[:2])
    page.locator("figcaption b", has_text=f"svm, width {width}, C {cost}").wait_for()


def test_a_prediction_names_the_nearest_rows_whatever_the_learner(tab: Tab) -> None:
    page = tab.go("#/predict?data=iris", "Predict")
    page.locator("#learner").select_option("fisher")
    page.get_by_label("Row to copy").fill("100")
    page.get_by_role("button", name="Copy it").click()
    tab.until("() => [...document.querySelectorAll('.form input')].some((each) => each.value === '6.3')")
    press(tab, "Predict this row", "table[aria-label^='neighbours of']")
    iris = sepal.datasets.load("iris")
    near = sepal.KNNClassifier(5).fit(iris).explain(iris.take([100]))
    shown = [int(row[1]) for row in body(tab, "neighbours of The new row")]
    assert shown == near.rows.tolist()


def test_texts_have_no_plane_and_the_screens_say_so(tab: Tab) -> None:
    words = {"ham": "lunch meeting report table tomorrow", "spam": "cheap prize money offer click"}
    lines = [f'"{words[kind]} {"again " * (i % 4)}number{i}",{kind}' for i in range(30) for kind in ("ham", "spam")]
    data = given(tab, "letters.csv", "text,kind\n" + "\n".join(lines) + "\n")
    for screen, title in (("features", "Features"), ("neighbors", "Neighbours"), ("kernels", "Kernels")):
        page = tab.go(f"#/{screen}?data={data}", title)
        page.locator(".empty", has_text="running text").wait_for()
    page = tab.go(f"#/rows?data={data}", "Rows")
    press(tab, "Choose prototypes", "p[role=status]:has-text('keeps')")
    page = tab.go(f"#/separability?data={data}", "Separability")
    page.locator(".figures b").first.wait_for()


def test_a_reload_in_the_middle_finds_the_job_again(tab: Tab) -> None:
    page = tab.go("#/classify?data=breast-cancer", "Classify")
    page.locator("#mode").select_option("loo")
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator(".runner.busy").wait_for()
    page.reload()
    page.locator(".runner.busy").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.locator(".said", has_text="Cancelled.").wait_for()


def test_a_reload_before_the_server_has_answered_finds_the_job_again(tab: Tab) -> None:
    """The job went on without anybody who could cancel it, and all others waited behind it."""
    page = tab.go("#/classify?data=breast-cancer", "Classify")
    page.locator("#mode").select_option("loo")
    started: list[Any] = []
    page.route("**/api/jobs", lambda route: started.append(route.fetch()))  # the server hears of it, the page not
    page.get_by_role("button", name="Start", exact=True).click()
    while not started:
        page.wait_for_timeout(20)
    page.reload()
    page.locator(".runner.busy").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.locator(".said", has_text="Cancelled.").wait_for()
    page.unroute("**/api/jobs")  # the page is that of the other tests, too


def test_changed_costs_are_marked_until_they_are_applied_and_the_matrix_is_saved(tab: Tab) -> None:
    page = tab.go("#/classify?data=iris", "Classify")
    page.locator("#learner").select_option("fisher")
    press(tab, "Start", ".matrix")
    with page.expect_download() as caught:
        page.get_by_role("button", name="Save the confusion matrix as CSV").click()
    told = list(csv.reader(io.StringIO(Path(caught.value.path()).read_text())))
    assert sum(int(cell) for row in told[1:] for cell in row[1:]) == 150
    page.locator("summary", has_text="ROC").click()
    page.locator("details p[role=status]", has_text="Area under the curve").wait_for()
    page.get_by_label("cost of a false alarm").fill("7")
    page.locator(".unapplied", has_text="earlier costs").wait_for()
    page.get_by_role("button", name="Apply the costs").click()
    page.locator(".unapplied", has_text="earlier costs").wait_for(state="hidden")
