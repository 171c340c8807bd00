from __future__ import annotations

import html
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from functools import partial
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from sepal import datasets
from sepal.exceptions import ParameterError, SepalError
from sepal.report import separability
from sepal.report._content import content

VOID = {"meta", "br", "circle", "line", "polygon", "polyline", "path", "rect"}


class Page(HTMLParser):
    """Checks that tags close in order, and keeps text, attributes and ids."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.attributes, self.wrong = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, *attr) for attr in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes += [(tag, *attr) for attr in attrs]

    def handle_endtag(self, tag):
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text.append(data)


def read(page):
    parser = Page()
    parser.feed(page)
    return parser


@pytest.fixture(scope="module")
def liver():
    return separability(datasets.load("liver"))


def test_the_page_is_whole_small_and_needs_no_network(liver):
    page = liver.to_html()
    parser = read(page)
    assert parser.wrong == []
    assert parser.open == []
    assert len(page.encode()) < 3_000_000
    assert not [a for a in parser.attributes if a[1] in ("src", "srcset", "data", "action")]
    anchors = {value for _, name, value in parser.attributes if name == "id"}
    links = [value for _, name, value in parser.attributes if name == "href"]
    assert links
    assert all(link.startswith("#") and link[1:] in anchors for link in links)
    for word in ("url(", "@import", "<script", "<link", "<iframe"):
        assert word not in page


def test_every_sentence_and_caution_is_on_the_page(liver):
    text = " ".join(read(liver.to_html()).text)
    for verdict in liver.verdict:
        assert verdict.text in text
    assert "not a diagnosis" in text
    assert "p = 8e-9" in text
    codes = [value for _, name, value in read(liver.to_html()).attributes if name == "data-code"]
    assert codes == [verdict.code for verdict in (*liver.verdict[1:], *liver.next_steps)]
    assert len(liver.next_steps) == 3
    for step in liver.next_steps:
        assert step.text in text


def test_suspects_have_row_numbers_from_zero(liver):
    line = content(liver, None)["suspects"]["rows"][0]
    assert line["row"] == f"{liver.suspects.rows[0].row:,}"
    assert f"row {line['row']}" in liver.to_html()


def test_the_lines_that_reproduce_it(liver):
    lines = content(liver, None)["lines"]
    assert "sepal.separability(sepal.datasets.load('liver'))" in lines["python"]
    assert lines["shell"] == "sepal report liver --out report.html"
    lines = content(liver, "my data.csv")["lines"]
    assert "read_table('my data.csv', target='class')" in lines["python"]
    assert lines["shell"] == "sepal report 'my data.csv' --target class --out report.html"


def test_the_seed_is_in_the_lines_and_groups_are_the_callers():
    table = datasets.load("iris")
    report = separability(table, groups=np.arange(150) // 2, random_state=5, time_limit=0.01)
    lines = content(report, None)["lines"]
    assert "groups=groups" in lines["python"]
    assert "random_state=5" in lines["python"]
    assert lines["python"].endswith("# with the groups that were given")
    assert lines["shell"].startswith("sepal report iris --seed 5 --groups COLUMN")


def test_json_and_text_carry_the_same_facts(liver):
    found = json.loads(liver.to_json())
    assert found["kind"] == "report"
    assert found["angle"]["pairs"][0]["mahalanobis"] == pytest.approx(0.793, abs=5e-4)  # tests/measures/test_angle.py
    assert found["complexity"]["values"]["N3"] == pytest.approx(1 - found["thornton"]["score"], abs=0.05)
    assert [v["code"] for v in found["verdict"]] == [v.code for v in liver.verdict]
    text = liver.to_text()
    assert "matter of units" in " ".join(text.split())
    assert "mahalanobis" in liver.frame()["measure"].tolist()
    assert liver.verdict[0].text in repr(liver)
    assert "<li>" in liver._repr_html_()


def test_words_of_the_data_are_escaped():
    frame = pd.DataFrame({"<b>x</b>": np.arange(12.0), "z": [0, 1] * 6})
    labels = np.array(["<script>alert(1)</script>", 'quo"te'])[np.arange(12) // 6]
    page = separability(frame, labels).to_html()
    assert "<script>alert" not in page
    assert "<b>x</b>" not in page
    assert "&lt;script&gt;" in page
    assert read(page).wrong == []


@pytest.mark.parametrize("name", datasets.names())
def test_every_bundled_set(name):
    report = separability(datasets.load(name))
    assert report.skipped == {}
    page = read(report.to_html())
    assert (page.wrong, page.open) == ([], [])
    json.loads(report.to_json())
    assert "nan" not in " ".join(page.text).lower().split()


def test_many_classes_and_few_rows():
    rng = np.random.default_rng(0)
    y = np.array([chr(65 + i % 26) for i in range(520)])
    X = rng.normal(size=(520, 4)) + np.array([[ord(c) % 7, ord(c) % 5, 0, 0] for c in y])
    report = separability(X, y)
    assert len(report.angle.pairs) == 325
    words = content(report, None)
    assert len(words["pairs"]["lines"]) == 30
    assert words["pairs"]["more"] == 295
    small = separability([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [5.0, 5.0], [6.0, 5.0], [7.0, 7.0]] * 1, list("aaabbb"))
    assert read(small.to_html()).wrong == []


def test_one_column_has_no_plane_and_says_so():
    report = separability([[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]], list("aaabbb"))
    assert "two columns" in report.skipped["projections"]
    assert "left out" in report.to_html()


def test_large_tables_are_sampled_and_say_so(monkeypatch):
    monkeypatch.setattr("sepal.report._rows.ALL_PAIRS_ROWS", 500)
    monkeypatch.setattr("sepal.report._rows.SAMPLE_ROWS", 200)
    monkeypatch.setattr("sepal.report._sections.ALL_PAIRS_ROWS", 500)
    monkeypatch.setattr("sepal.report._sections.SAMPLE_ROWS", 200)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 900)
    report = separability(rng.normal(size=(900, 3)) + y[:, None], y)
    assert report.sample_rows == pytest.approx(200, abs=3)
    assert report.suspects.n_checked == 200
    assert "random sample of 200 of 900 rows" in report.to_html()


def test_time_limit_leaves_sections_out():
    ticks = []
    report = separability(datasets.load("athletes"), time_limit=1e-6, progress=lambda what, done: ticks.append(done))
    assert set(report.skipped) == {
        "angle",
        "suspects",
        "overlap",
        "features",
        "alignment",
        "model",
        "complexity",
        "projections",
    }
    assert "time limit" in report.to_html()
    assert ticks == sorted(ticks)
    assert ticks[-1] == 1.0
    with pytest.raises(ParameterError, match="time_limit"):
        separability(datasets.load("athletes"), time_limit=0)


def test_picture():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    assert len(separability(datasets.load("ripley-train")).plot()) == 1
    pyplot.close("all")


def test_nothing_slow_is_imported_for_a_report():
    code = "import sys, sepal; sepal.separability(sepal.datasets.load('athletes')).to_html(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"polars", "matplotlib"} & set(done.stdout.split())


@pytest.mark.parametrize("options", [(), ("--missing", "drop", "--distance", "manhattan", "--scale", "none")])
def test_the_lines_that_reproduce_a_report_run(tmp_path, options):
    run = partial(subprocess.run, cwd=tmp_path, capture_output=True, text=True, check=True)
    (tmp_path / "my rows.csv").write_text("kind,a,b\n" + "x,1,2\nx,2,3\nx,2,?\ny,8,9\ny,9,7\ny,7,8\n" * 3)
    command = [sys.executable, "-c", "from sepal.cli import main; main()"]
    first = run([*command, "report", "my rows.csv", "--target", "kind", *options, "--out", "first.html"])
    assert "first.html" in first.stderr
    python, shell = re.findall(r"<pre>(.*?)</pre>", (tmp_path / "first.html").read_text(), re.DOTALL)
    again = run([sys.executable, "-c", html.unescape(python)])
    assert "Sepal report: my rows" in again.stdout
    words = shlex.split(html.unescape(shell))
    assert words[0] == "sepal"
    run([*command, *words[1:]])
    assert _timeless(tmp_path / "report.html") == _timeless(tmp_path / "first.html")


def _timeless(page):
    return re.sub(r"It took .*?</p>", "", page.read_text())


def test_a_time_limit_ends_a_section_that_tells_nothing(monkeypatch):
    """A limit of 30 s took 93 s: the angle was computed to its end, and then thrown away."""
    from sepal.report import _sections

    def endless(*arguments, **options):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(_sections, "complexity", endless)
    report = separability(datasets.load("athletes"), time_limit=4.0)
    assert report.skipped["complexity"] == "the time limit was over"
    assert report.angle is not None
    assert report.suspects is not None
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_a_section_without_end_leaves_time_for_those_after_it(monkeypatch):
    """Where classes mix used 39 of 50 s, was thrown away, and nothing after it had time."""
    from sepal.report import _sections

    def endless(*arguments, **options):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(_sections, "overlap_regions", endless)
    report = separability(datasets.load("athletes"), time_limit=6.0)
    assert report.skipped["overlap"] == "its share of the time limit was over"
    assert report.seconds["overlap"] < 5.0
    assert report.alignment is not None
    assert report.angle is not None
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_section_that_tells_its_progress_ends_with_its_share():
    """Where no alarm can ring, as in a thread."""
    from sepal.report import TimeIsOverError, _separability

    clock = _separability.Clock(1e9)
    tick = _separability._ticking(lambda what, done: None, "overlap", 0.0, 1.0, clock)
    with clock.share(1e-20), pytest.raises(TimeIsOverError):
        tick("", 0.5)
    with clock.share(1e-20):
        assert clock.why_over() == "its share of the time limit was over"
    tick("", 0.5)
    with clock.share(0.5):
        assert 4e8 < clock.left() < 5.1e8
    assert clock.left() > 9e8


def test_a_section_that_ended_as_time_ran_out_is_kept():
    """A section that ended just as the time did was thrown away."""
    from sepal.report import TimeIsOverError, _separability

    clock = _separability.Clock(1e-9)
    tick = _separability._ticking(lambda what, done: None, "complexity", 0.0, 1.0, clock)
    tick("", 1.0)
    with pytest.raises(TimeIsOverError):
        tick("", 0.99)


def test_where_records_were_repeated_the_verdict_is_about_each_once():
    """Repeated records passed for evidence, since every row finds its copy."""
    rng = np.random.default_rng(3)
    once, labels = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    report = separability(once.repeat(2, axis=0), labels.repeat(2), time_limit=20.0)
    assert report.thornton.score == 1.0  # every row finds its copy
    assert report.verdict[0].code == "repeated_records"
    assert "120 rows are 60 records" in report.verdict[0].text
    codes = [each.code for each in report.verdict[1:]]
    assert codes == [each.code for each in separability(once, labels).verdict if each.code in codes]
    assert "like_chance" in codes
    assert not {"always_agree", "above_majority", "narrow_interval"} & set(codes)
    assert "repeated_records" not in [each.code for each in separability(once, labels).verdict]


@pytest.mark.filterwarnings("error")
def test_cells_at_both_ends_of_the_numbers():
    """A column of both largest numbers, whose range is infinite, or of denormal ones made a report warn or fail."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    largest = np.finfo(np.float64).max
    X[3:5, 1] = largest, -largest
    X[:, 2] = 0.0
    X[5, 2] = 5e-324
    report = separability(X, y)
    assert report.suspects is not None
    page = report.to_html()
    assert "inf" not in " ".join(read(page).text).split()
    assert "nan" not in page.lower().split()
    json.dumps(report.to_dict(), allow_nan=False)


def test_a_report_on_many_classes_says_which_pairs_it_looked_at():
    """500 classes of 2,000 rows did not finish in 100 s."""
    rng = np.random.default_rng(0)
    report = separability(rng.normal(size=(600, 2)), np.arange(600) % 150)
    assert report.skipped == {}
    text = str(report)
    for told in ("the 50 largest of 150 classes", "1,225 of 11,175 class pairs"):
        assert told in " ".join(text.split())
    assert len(report.angle.pairs) == len(report.overlap.regions) == 1225


def test_a_report_on_many_classes_that_do_not_mix():
    place = np.repeat(np.arange(60.0) * 100, 6) + np.tile(np.arange(6.0), 60)
    X = np.column_stack([place, np.random.default_rng(0).permutation(place) / 1e6])
    report = separability(X, np.repeat(np.arange(60), 6), scale=None)
    assert report.skipped == {}
    assert report.overlap.regions == ()
    assert str(report)
    assert report.to_html()


@pytest.mark.parametrize("missing", ["distance", "drop"])
def test_columns_without_a_value_are_set_apart(missing):
    """They took alignment, class means and complexity away, and ``missing="drop"`` left no row."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    frame = pd.DataFrame({"a": rng.normal(size=60) + y, "p": np.nan, "b": rng.normal(size=60), "q": np.nan})
    report, without = (separability(X, y, missing=missing) for X in (frame, frame[["a", "b"]]))
    assert report.skipped == {}
    assert report.thornton == without.thornton
    assert (report.table.n_columns, report.table.n_missing, report.settings.n_dropped) == (2, 0, 0)
    caution = next(each for each in report.table.cautions if each.code == "set_apart_empty")
    assert caution.columns == ("p", "q")
    assert caution.text == 'not a single value in 2 columns: "p", "q": set apart and not used'
    assert caution.text in " ".join(str(report).split())


def test_where_no_column_has_a_value_all_stay():
    with pytest.raises(SepalError):
        separability(np.full((20, 2), np.nan), np.arange(20) % 2, missing="drop")
