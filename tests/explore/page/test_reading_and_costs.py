"""How a table is read, and what errors cost: said on the page, and the same in the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sepal
from tests.explore.page.conftest import Tab
from tests.explore.page.test_screens import body, press


def people() -> str:
    """Ten people with six rows each that are nearly alike, in which an unknown weight is written as such."""
    rng = np.random.default_rng(3)
    at = rng.normal(size=(10, 2)).repeat(6, axis=0) + 0.01 * rng.normal(size=(60, 2))
    lines = [f"{'unknown' if i == 5 else x},{z},p{i // 6},{'ab'[i // 6 % 2]}" for i, (x, z) in enumerate(at.tolist())]
    return "\n".join(["x,z,who,class", *lines]) + "\n"


def test_groups_and_marks_of_missing_cells_are_said_on_the_page(tab: Tab, tmp_path: Path) -> None:
    tab.drop("people.csv", people())
    page = tab.page
    page.locator("#screen h1", has_text="Data").wait_for()
    page.locator("summary", has_text="How it is read").click()
    page.locator("#read-na").fill("unknown")
    page.locator(".unapplied", has_text="still as it was read before").wait_for()
    page.get_by_role("button", name="Read again").click()
    page.locator("section[aria-label=x] canvas").wait_for()  # a column of numbers again
    page.locator("p", has_text="1 cell missing").first.wait_for()
    page.locator("#group-column").select_option("who")
    page.locator("#header .facts", has_text="groups: who").wait_for()
    page.locator("section[aria-label='who, not used']").wait_for()
    assert "groups=who" in page.url
    page.locator("#rail a", has_text="Separability").click()
    page.locator(".figures b").first.wait_for()
    (tmp_path / "people.csv").write_text(people())
    table = sepal.read_table(tmp_path / "people.csv", na=["unknown"]).set_apart(["who"])
    found = sepal.thornton_test(table, groups=sepal.data.group_labels(table, "who"))
    assert page.locator(".figures b").first.inner_text() == f"{found.score:.4f}"
    lines = {row[0].split()[-1]: row for row in body(tab, "Thornton's index by class")}
    for label, (low, high) in found.class_interval.items():
        assert lines[label][4] == f"{low:.3f} to {high:.3f}"
        assert lines[label][5] == f"{found.class_chance[label]:.4f}"
    page.get_by_role("button", name="Code").click()
    page.locator("pre", has_text="--groups who").wait_for()
    page.get_by_role("button", name="Close").click()


def test_a_file_with_a_missing_class_is_read_in_another_way(tab: Tab) -> None:
    """It could not be opened at all, and the setting for such rows was out of reach."""
    rows = [f"{i // 2},{i % 5},{'low' if i < 10 else 'high'}" for i in range(20)]
    tab.drop("gaps.csv", "\n".join(["a,b,class", *rows, "3,3,"]) + "\n")
    page = tab.page
    page.locator("[role=alert]", has_text="the target is missing in 1 of 21 rows").wait_for()
    page.locator("#header .set", has_text="gaps.csv").wait_for()
    page.locator("#read-missing").select_option("drop")
    page.get_by_role("button", name="Read it so").click()
    page.locator("#header .facts", has_text="20 rows").wait_for()
    page.get_by_role("link", name="Sepal").click()
    page.locator("li", has_text="gaps.csv").get_by_text("to be read otherwise").wait_for()
    page.get_by_role("button", name="gaps.csv").click()
    page.locator("#read-target").select_option("b")
    page.get_by_role("button", name="Read it so").click()
    page.locator("#header .facts", has_text="21 rows").wait_for()
    tab.errors.clear()  # the browser tells refusals of the server as errors


def test_rows_without_a_class_are_predicted(tab: Tab) -> None:
    rows = [f"{i // 2},{i % 5},{'low' if i < 10 else 'high'}" for i in range(20)]
    tab.drop("known.csv", "\n".join(["a,b,class", *rows]) + "\n")
    page = tab.page
    page.locator("#screen h1", has_text="Data").wait_for()
    page.locator("#rail a", has_text="Predict").click()
    page.locator("#learner").select_option("fisher")
    asked = {"name": "asked.csv", "mimeType": "text/csv", "buffer": b"a,b,class\n1,2,?\n8,3,?\n"}
    page.locator("input[type=file]").set_input_files(asked)
    page.get_by_label("file").locator("option", has_text="asked.csv").wait_for(state="attached")
    page.get_by_role("button", name="Predict the file").click()
    page.locator("td", has_text="low").first.wait_for()
    assert [row[1] for row in body(tab, "known predicted")] == ["low", "high"]


def test_rows_with_missing_cells_are_left_out_where_that_is_said(tab: Tab) -> None:
    page = tab.go("#/data?data=hepatitis", "Data")
    page.locator("summary", has_text="How it is read").click()
    page.locator("#missing-cells").select_option("drop")
    page.locator("#header .facts", has_text="80 rows").wait_for()  # the complete ones of 155
    assert "missing" in page.url
    page.reload()
    page.locator("#header .facts", has_text="80 rows").wait_for()
    page.get_by_role("button", name="Code").click()
    page.locator("pre", has_text="--missing drop").wait_for()
    page.get_by_role("button", name="Close").click()


def test_a_cost_matrix_is_typed_in_and_decides(tab: Tab) -> None:
    page = tab.go("#/classify?data=iris", "Classify")
    page.locator("#learner").select_option("fisher")
    press(tab, "Start", ".matrix")
    page.locator("summary", has_text="Costs: a matrix").click()
    page.get_by_label("cost of versicolor answered virginica").fill("40")
    page.get_by_label("cost of virginica answered setosa").fill("-1")
    page.get_by_role("button", name="Apply the matrix").click()
    page.locator(".toast.bad", has_text="Costs are numbers").wait_for()
    page.get_by_label("cost of virginica answered setosa").fill("2")
    page.get_by_role("button", name="Apply the matrix").click()
    page.locator("h3", has_text="Confusion at these costs").wait_for()
    evaluation: Any = sepal.evaluate(sepal.machines.FisherDiscriminant(), sepal.datasets.load("iris"), random_state=0)
    costs = [[0, 1, 1], [1, 0, 40], [2, 1, 0]]
    weighed = evaluation.with_costs(costs)
    figure = page.locator(".figures div", has_text="a row costs")
    assert f"{weighed.mean_cost():.4f}" in figure.inner_text()
    assert f"{evaluation.mean_cost(costs):.4f} as answered before" in figure.inner_text()
    matrix = page.locator("details table.matrix:not(.costs) tbody tr").all()
    shown = [[int(cell) for cell in row.locator("td").all_inner_texts()] for row in matrix]
    assert shown == weighed.confusion.tolist()
    page.locator(".toast button").first.click()


def test_two_classes_get_the_threshold_of_their_matrix(tab: Tab) -> None:
    page = tab.go("#/classify?data=athletes", "Classify")
    page.locator("#learner").select_option("knn")
    press(tab, "Start", ".matrix")
    page.locator("summary", has_text="Costs: a matrix").click()
    page.get_by_label("cost of class yes answered class no").fill("4")
    page.get_by_role("button", name="Apply the matrix").click()
    page.locator("p", has_text="from a probability of 0.200 on").wait_for()
