"""The other screens: open, press Start, and read a number that the library gives without the page."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import sepal
from tests.explore.page.conftest import Tab

IDLE = "() => !document.querySelector('.runner.busy') && !document.querySelector('#screen .waiting')"


@pytest.fixture(scope="module")
def iris() -> Any:
    return sepal.datasets.load("iris")


def press(tab: Tab, name: str, then: str) -> Any:
    """Press a Start button, and wait for what it makes."""
    tab.page.get_by_role("button", name=name, exact=True).click()
    made = tab.page.locator(then).first
    made.wait_for()
    tab.until(IDLE)
    assert tab.page.locator(".note.bad:visible, .toast.bad").all_inner_texts() == []
    return made


def body(tab: Tab, table: str) -> list[list[str]]:
    """The cells of a table that is shown."""
    tab.page.locator(f"table[aria-label={table!r}] tbody tr:not(.gap)").first.wait_for(state="attached")
    return tab.page.locator(f"table[aria-label={table!r}]").evaluate(  # type: ignore[no-any-return]
        "at => [...at.querySelectorAll('tbody tr:not(.gap)')]"
        ".map(row => [...row.cells].map(cell => cell.textContent.trim()))"
    )


def test_separability(tab: Tab, iris: Any) -> None:
    page = tab.go("#/separability?data=iris", "Separability")
    page.locator(".figures b").first.wait_for()
    score = sepal.thornton_score(iris)
    assert page.locator(".figures b").first.inner_text() == f"{float(score):.4f}"
    lines = {row[0]: row for row in body(tab, "Thornton's index by class")}
    assert lines["setosa"][3] == "1.0000"  # Fisher (1936): setosa is apart from the two others
    low, high = sepal.thornton_test(iris).class_interval["virginica"]
    assert lines["virginica"][4:6] == [f"{low:.3f} to {high:.3f}", f"{49 / 149:.4f}"]
    press(tab, "Work out everything", "table[aria-label='complexity']")
    shown = {row[0]: row[1:] for row in body(tab, "complexity")}
    values = sepal.measures.complexity(iris).values
    numbers = {name: float(row[0].replace("−", "-")) for name, row in shown.items()}
    assert numbers == pytest.approx(dict(values), abs=5e-5)
    assert all(row[1] for row in shown.values())  # every measure says what it means
    assert len(body(tab, "pairs of classes")) == 3


def test_features(tab: Tab, iris: Any) -> None:
    page = tab.go("#/features?data=iris", "Features")
    press(tab, "Try every subset", "figure:has-text('Every subset')")
    page.locator("figure", has_text="Every subset").locator("summary").click()
    sweep = sepal.selection.subset_sweep(iris, criterion=("thornton", "alignment"))
    shown = {row[0]: row[2] for row in body(tab, "Every subset of the columns")}
    assert len(shown) == 15
    assert shown["petal_length, petal_width"] == f"{sweep.all_scores['thornton'][0b1100]:.4f}"
    press(tab, "Search", "table[aria-label='near-best sets']")
    assert body(tab, "near-best sets")[0][0] == f"{sweep.best.score:.4f}"
    press(tab, "Rank the columns", "table[aria-label='ranks of columns']")
    press(tab, "Find informative planes", "a.thumb")
    best = sepal.measures.informative_projections(iris).planes[0]
    assert page.locator("a.thumb").first.locator("span").all_inner_texts() == [
        f"{best.first} × {best.second}",
        f"{best.score:.4f}",
    ]
    page.locator("a.thumb").first.click()
    page.locator("#screen:not([aria-busy]) h1", has_text="Neighbours").wait_for()


def test_rows(tab: Tab, iris: Any) -> None:
    page = tab.go("#/rows?data=iris", "Rows")
    press(tab, "Look for suspects", "table[aria-label^='suspects']")
    suspects = sepal.measures.suspects(iris)
    assert f"{len(suspects.rows)}" in page.inner_text("#screen")
    press(tab, "Choose prototypes", "p[role=status]:has-text('keeps')")
    said = page.locator("p[role=status]", has_text="keeps").inner_text()
    n_kept = len(sepal.prototypes.hart(iris).rows)
    assert said.startswith(f"hart keeps {n_kept} rows of 150")
    press(tab, "Compare all methods", "table[aria-label='prototype methods']")
    assert "hart" in {row[0] for row in body(tab, "prototype methods")}


def test_kernels(tab: Tab, iris: Any) -> None:
    table = iris.take(range(0, 150, 4)).select(["petal_length", "petal_width"])
    cells = zip(table.values.tolist(), table.y, strict=True)
    tab.drop("fewer.csv", "petal_length,petal_width,class\n" + "".join(f"{x},{y},{label}\n" for (x, y), label in cells))
    tab.page.locator("#screen:not([aria-busy]) h1", has_text="Data").wait_for()
    data = tab.page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('data')")
    page = tab.go(f"#/kernels?data={data}&x=petal_length&y=petal_width", "Kernels")
    machine = sepal.SVMClassifier(C=1.0, scale="minmax").fit(table)
    page.locator("p[role=status]", has_text="ringed").wait_for()
    said = page.locator("p[role=status]", has_text="ringed").inner_text()
    right = 100 * machine.score(table, table.y)
    assert said.startswith(f"{len(machine.support_)} rows ringed")
    assert f"{right:.1f} % of the training rows are right" in said
    press(tab, "Work out the alignment", "button:has-text('Use the aligned width')")
    press(tab, "Work out the surface", "p:has-text('Least error')")
    surface = sepal.machines.hyperparameter_surface(sepal.SVMClassifier(scale="minmax"), table)
    assert f"Least error {100 * np.min(surface.error):.1f} %" in page.locator("p", has_text="Least error").inner_text()


def test_classify_thresholds_comparison_session_and_report(tab: Tab, iris: Any) -> None:
    """Thresholds and comparisons were asked as cheap questions, which the server refuses."""
    page = tab.go("#/classify?data=iris", "Classify")
    found = {}
    for learner, made in (("knn", sepal.KNNClassifier()), ("fisher", sepal.machines.FisherDiscriminant())):
        page.locator("#learner").select_option(learner)
        press(tab, "Start", f".runs button:has-text('{learner}')")
        found[learner] = sepal.evaluate(made, iris, cv=10, random_state=0)
        page.locator(".figures b", has_text=f"{100 * found[learner].accuracy:.1f} %").first.wait_for()
    page.locator("summary", has_text="ROC").click()
    said = page.locator("details p[role=status]", has_text="Area under the curve")
    said.wait_for()
    evaluation: Any = found["fisher"]
    area = roc_auc_score(evaluation.actual == 2, evaluation.share[:, 2])
    assert f"Area under the curve {area:.4f}" in said.inner_text()
    page.get_by_label("cost of one missed").fill("0")
    page.get_by_role("button", name="Apply the costs").click()
    page.locator("details p[role=status]", has_text="0 false alarms").wait_for()  # none is worth a cost
    for box in page.get_by_label("compare this run").all():
        box.check()
    page.get_by_role("button", name="Compare the ticked runs").click()
    difference = found["fisher"].accuracy - found["knn"].accuracy
    assert abs(float(body(tab, "comparison of runs")[0][2].replace("−", "-")) - difference) < 6e-5
    page.get_by_role("button", name="Code").click()
    saved = {}
    for button in ("Save the session", "Save the report"):
        with page.expect_download() as caught:
            page.get_by_role("button", name=button).click()
        saved[button] = Path(caught.value.path()).read_text()
    page.keyboard.press("Escape")
    actions = [each["action"] for each in json.loads(saved["Save the session"])["actions"]]
    assert actions.count("classify.run") == 2
    assert f"{found['knn'].accuracy:.4f}"[:5] in saved["Save the report"]
    again(tab, saved["Save the session"])


def again(tab: Tab, session: str) -> None:
    """The session opened shows its runs; one that the server does not have is worked out when asked for."""
    tab.begin()
    changed = json.loads(session)
    changed["actions"] = [each for each in changed["actions"] if each["action"] == "classify.run"]
    changed["actions"][-1]["parameters"]["cv"] = 7
    tab.drop("iris.session.json", json.dumps(changed))
    tab.page.locator("#screen:not([aria-busy]) h1", has_text="Data").wait_for()
    tab.page.locator("#rail a", has_text="Classify").click()
    tab.page.locator(".runs button", has_text="10-fold").wait_for()
    tab.page.locator(".runs button", has_text="7-fold").click()
    press(tab, "Work it out", ".figures b")


def test_a_run_is_cancelled(tab: Tab) -> None:
    page = tab.go("#/classify?data=breast-cancer", "Classify")
    page.locator("#mode").select_option("loo")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    page.locator(".said", has_text="Cancelled.").wait_for()
    assert page.get_by_role("button", name="Start", exact=True).is_enabled()


def test_a_run_is_cancelled_before_the_server_has_named_it(tab: Tab) -> None:
    """Cancel did nothing until the server had answered Start, and the work went on."""
    page = tab.go("#/classify?data=breast-cancer", "Classify")
    page.locator("#mode").select_option("loo")
    held: list[Any] = []
    page.route("**/api/jobs", lambda route: held.append(route))
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    page.locator(".said", has_text="Cancelling").wait_for()
    held[0].continue_()
    page.locator(".said", has_text="Cancelled.").wait_for()
    page.unroute("**/api/jobs")  # the page is that of the other tests, too


def test_the_run_chosen_last_is_shown(tab: Tab) -> None:
    """A run whose answer came late was shown in place of the one that had been chosen after it."""
    page = tab.go("#/classify?data=athletes", "Classify")
    page.locator("#learner").select_option("fisher")
    for folds in ("3", "4"):
        page.get_by_label("folds").fill(folds)
        press(tab, "Start", f".runs button:has-text('{folds}-fold')")
    held: list[Any] = []
    page.route("**/api/do/classify.run", lambda route: held.append(route))
    page.reload()  # the page has no answer any more, and asks for that of one run
    page.locator(".runs button[aria-pressed=true]").wait_for()
    other = page.locator(".runs button[aria-pressed=false]").inner_text()
    page.locator(".runs button[aria-pressed=false]").click()
    while len(held) < 2:
        page.wait_for_timeout(20)
    for route in reversed(held):
        with page.expect_response("**/api/do/classify.run"):
            route.continue_()
    page.locator(".figures b").first.wait_for()
    page.wait_for_timeout(200)  # what must not happen has time to
    page.unroute("**/api/do/classify.run")  # the page is that of the other tests, too
    assert f"run={quote_plus(other)}" in page.url


def test_predict_a_row_and_a_file_without_classes(tab: Tab, iris: Any) -> None:
    """Tables with other columns were offered to be predicted."""
    page = tab.go("#/predict?data=iris", "Predict")
    assert page.locator("option", has_text="liver").count() == 0  # it has other columns
    page.locator("#learner").select_option("knn")
    page.get_by_label("Row to copy").fill("70")
    page.get_by_role("button", name="Copy it").click()
    tab.until("() => document.querySelector('.form input').value !== ''")
    press(tab, "Predict this row", ".figures b")
    model = sepal.KNNClassifier().fit(iris)
    assert page.locator(".figures b").inner_text() == model.predict(iris.take([70]))[0]
    rows = iris.take(range(0, 150, 10))
    lines = [",".join(iris.names), *(",".join(map(str, row)) for row in rows.values.tolist())]
    tab.drop("rows.csv", "\n".join(lines) + "\n")
    page.locator("option", has_text="rows.csv").wait_for(state="attached")
    press(tab, "Predict the file", "table[aria-label='iris predicted']")
    with page.expect_download() as caught:
        page.get_by_role("button", name="Save iris predicted as CSV").click()
    told = list(csv.reader(io.StringIO(Path(caught.value.path()).read_text())))
    assert [row[1] for row in told[1:]] == model.predict(rows).tolist()


@pytest.mark.parametrize("screen", ["Separability", "Features", "Rows", "Kernels", "Classify", "Predict"])
def test_no_screen_scrolls_sideways_in_a_narrow_window(tab: Tab, screen: str) -> None:
    """Features and Predict were wider than 390 pixels."""
    tab.page.set_viewport_size({"width": 390, "height": 844})
    tab.go(f"#/{screen.lower()}?data=iris", screen)
    tab.until(IDLE)
    tab.until("() => document.documentElement.scrollWidth <= window.innerWidth")
