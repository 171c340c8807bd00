"""The page in a real browser: light, dark, phone and paper. Needs Chromium (Debian: apt-get install chromium)."""

from __future__ import annotations

import html
import re
import subprocess

import numpy as np
import pytest

from sepal import datasets
from sepal.report import separability

# Added to a copy of the page: how wide its content is.
PROBE = "<script>document.title = 'width ' + document.documentElement.scrollWidth</script>"


@pytest.fixture(scope="module")
def browse(chromium):
    def run(*options):
        quiet = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        done = subprocess.run([chromium, *quiet, *options], capture_output=True, timeout=120, check=True)
        return done.stdout.decode(errors="replace")

    return run


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(separability(datasets.load("breast-cancer")).to_html(), encoding="utf-8")
    return path


@pytest.mark.parametrize(("scheme", "dark"), [(1, False), (0, True)])
def test_light_and_dark(browse, page, tmp_path, scheme, dark):
    from matplotlib.image import imread

    shot = tmp_path / "shot.png"
    browse(
        f"--blink-settings=preferredColorScheme={scheme}",
        "--window-size=1000,1400",
        f"--screenshot={shot}",
        page.as_uri(),
    )
    picture = imread(shot)[..., :3]
    assert picture.shape[:2] == (1400, 1000)
    corner = float(picture[5, 5].mean())
    assert corner < 0.2 if dark else corner > 0.9
    assert float(picture.std()) > 0.05  # something is drawn


@pytest.mark.parametrize("width", [500, 1000])
def test_nothing_is_wider_than_the_window(browse, page, tmp_path, width):
    copy = tmp_path / "copy.html"
    copy.write_text(page.read_text(encoding="utf-8").replace("</body>", PROBE + "</body>"), encoding="utf-8")
    document = browse(f"--window-size={width},900", "--dump-dom", copy.as_uri())
    assert int(re.search(r"<title>width (\d+)</title>", document).group(1)) <= width


def test_a_phone_cuts_no_table_and_breaks_no_word(browse, page, tmp_path):
    """On a phone tables were cut, and words broken in the middle."""
    # A frame of 390 px, since no window is that narrow: no table is wider than its place, nor the page than it.
    text = page.read_text(encoding="utf-8")
    assert "anywhere" not in text  # the rule that lets any word be broken in the middle
    probe = (
        "<script>addEventListener('load', () => { const inside = document.querySelector('iframe').contentDocument;"
        "const cut = [...inside.querySelectorAll('.scroll'), inside.documentElement]"
        ".filter(each => each.scrollWidth > each.clientWidth); document.title = 'cut ' + cut.length })</script>"
    )
    frame = f'<iframe style="width:390px;height:900px;border:0" srcdoc="{html.escape(text)}"></iframe>'
    copy = tmp_path / "phone.html"
    copy.write_text(f"<!doctype html><meta charset=utf-8><body>{frame}{probe}</body>", encoding="utf-8")
    document = browse("--window-size=800,900", "--dump-dom", copy.as_uri())
    assert re.search(r"<title>cut (\d+)</title>", document).group(1) == "0"


def test_nothing_is_cut_on_paper(browse, page, tmp_path):
    """Wide tables were cut on paper."""
    # The rules for paper, applied to a window as wide as A4 with its margins: what overflows there is not printed.
    copy = tmp_path / "paper.html"
    text = page.read_text(encoding="utf-8").replace("@media print", "@media all").replace("</body>", PROBE + "</body>")
    copy.write_text(text, encoding="utf-8")
    document = browse("--window-size=700,900", "--dump-dom", copy.as_uri())
    assert int(re.search(r"<title>width (\d+)</title>", document).group(1)) <= 700


def test_it_prints(browse, page, tmp_path):
    paper = tmp_path / "report.pdf"
    browse(f"--print-to-pdf={paper}", "--no-pdf-header-footer", page.as_uri())
    assert paper.read_bytes().startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", paper.read_bytes())) >= 2


def test_many_classes_are_told_apart_by_form_and_color():
    """Beyond eight classes marks came again."""
    rng = np.random.default_rng(0)
    names = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    y = np.repeat(names, 8)
    X = rng.normal(size=(len(y), 3)) + np.repeat(rng.normal(size=(26, 3)) * 4, 8, axis=0)
    html = separability(X, y).to_html()
    key = re.search(r'<section id="planes">.*?</ul>', html, re.DOTALL).group(0)
    marks = re.findall(r'<path d="([^"]*)" class="([^"]*)"', key)
    assert len(marks) == len(set(marks)) == 26
    picture = re.search(r"</ul>.*?<figure>(.*?)</figure>", html.split('<section id="planes">')[1], re.DOTALL).group(1)
    assert set(re.findall(r'class="tag">(.)</text>', picture)) == set(names)
    assert len(set(re.findall(r'class="(\w+ s\d)"', picture))) == 26
