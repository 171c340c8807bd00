"""Which rows a seed draws, and what follows from them, does not depend on how rows are cut, ordered, or looked at."""

from __future__ import annotations

import json
from math import comb

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sepal
from sepal.cli._app import app
from sepal.exceptions import DataError
from sepal.machines import FeatureVectorClassifier
from sepal.report import partitions_report
from sepal.scale import _drawing as drawing
from sepal.scale import (
    ask_partitions,
    fit_partitions,
    fit_parts,
    measure_partitions,
    partitioned,
    prepare_partitions,
    sample_table,
    suspects_asked,
)
from sepal.scale._drawing import draw_rows
from sepal.scale._leave_one_out import class_order
from sepal.scale._marked import arrivals
from tests.scale.frames import frame

KINDS = ("real", "whole", "mixed")
N = 740
SIZES = {1: [N], 2: [100, 640], 5: [3, 500, 37, 100, 100], 37: [20] * 37}


@pytest.fixture(params=KINDS)
def ways(request, cut):
    """The same rows in files cut 1, 2, 5 and 37 ways; in another order of rows, of files and of columns."""
    table = frame(request.param, N)
    rng = np.random.default_rng(11)
    found = {f"{n} files": cut(table, sizes, f"{n}.csv") for n, sizes in SIZES.items()}
    found["rows shuffled"] = cut(table.iloc[rng.permutation(N)], SIZES[5], "shuffled.csv")
    found["files turned round"] = cut(table.iloc[::-1], SIZES[5][::-1], "turned.csv")
    found["columns turned round"] = cut(table[table.columns[::-1]], SIZES[2], "columns.csv")
    found["parquet"] = cut(table, SIZES[2], "parquet")
    return found


def _in_order(values):
    return values[np.lexsort(values.T)]


def test_a_seed_draws_the_same_rows_however_they_are_cut(ways, here, there):
    """Which rows a seed drew depended on how they were cut into files."""
    drawn = {}
    for name, pattern in ways.items():
        for work in (here, there) if name in ("2 files", "37 files") else (here,):
            schema = fit_parts(partitioned(pattern, "class"), work).schema
            found = draw_rows(schema, work, 90, 5)
            by_name = np.argsort(np.array(schema.like.names))
            drawn[name, type(work).__name__] = found.number, found.codes, found.values[:, by_name]
            assert len(found.rows) == len(set(found.rows.tolist())) == 90
            table = np.concatenate([schema.table(at).values for at in range(len(schema.source.parts))])
            assert np.array_equal(table[found.rows], found.values, equal_nan=True)
    first = drawn["1 files", "Here"]
    for name, each in drawn.items():
        for a, b in zip(first, each, strict=True):
            assert np.array_equal(a, b, equal_nan=True), name


def test_sampled_answers_do_not_depend_on_the_cut(ways, client):
    """What follows from a sample depended on how rows were cut into files."""
    # Thornton's index with its interval, the rows that ask, the sample: bit for bit.
    found = {}
    for name, pattern in ways.items():
        for where in ({"n_jobs": 1}, {"client": client}) if name == "5 files" else ({"n_jobs": 1},):
            source = partitioned(pattern, "class")
            test = measure_partitions(source, n_queries=120, random_state=3, **where).thornton
            ready = prepare_partitions(source, n_queries=80, random_state=3, **where)
            sample = sample_table(source, 100, random_state=3, **where).table
            values = sample.values[:, np.argsort(np.array(sample.names))]
            found[name, *where] = (
                [test.score, *test.interval, *test.per_class.values()],
                np.sort(sepal.measures.thornton_samples(ready)),
                values,
                (sample.y == "a").astype(float),
            )
    first = found["1 files", "n_jobs"]
    for name, each in found.items():
        for a, b in zip(first, each, strict=True):
            assert np.array_equal(a, b, equal_nan=True), name


def test_what_is_learnt_does_not_depend_on_the_cut(ways, client):
    """Models of a sample depended on how rows were cut into files."""
    # Of a sample bit for bit; by sums over all rows to rounding.
    new = frame("whole" if "x9" not in pd.read_csv(ways["1 files"].replace("*", "part-000")) else "real", 60, 9)
    coefficients, answers = {}, {}
    for name in ("1 files", "37 files", "rows shuffled", "files turned round"):
        where = {"client": client} if name == "37 files" else {"n_jobs": 1}
        source = partitioned(ways[name], "class")
        near = fit_partitions(sepal.KNNClassifier(3), source, n_sample=200, **where)
        kinds = set(near.table.kinds)
        if kinds != {"numeric"} or near.table.has_missing:
            answers[name] = near.table.values
            continue
        answers[name] = near.model.predict_proba(new.drop(columns="class"))
        vectors = fit_partitions(FeatureVectorClassifier(max_vectors=12), source, n_sample=150, **where).model
        coefficients[name] = np.vstack([vectors.intercept_, vectors.coef_])
    for each in answers.values():
        assert np.array_equal(each, answers["1 files"], equal_nan=True)
    for each in coefficients.values():
        np.testing.assert_allclose(each, coefficients["1 files"], rtol=1e-9, atol=1e-12)


def test_suspects_of_a_sample_do_not_depend_on_the_cut(ways, here):
    told = {}
    for name, pattern in ways.items():
        fitted = fit_parts(partitioned(pattern, "class"), here)
        _, asked = ask_partitions(fitted, 150, 0.95, 3, None, depth=5)
        rows = suspects_asked(fitted.schema, here, asked, 5, ()).found.rows
        told[name] = sorted(
            (each.label, each.voted, *np.round([each.own_share, each.voted_share, each.margin], 12)) for each in rows
        )
    assert len(told["1 files"]) > 5
    for name, each in told.items():
        assert str(each) == str(told["1 files"]), name  # as texts: a margin may be missing


def test_the_report_does_not_depend_on_the_cut(cut, monkeypatch):
    """A report of a sample depended on how rows were cut into files."""
    # Every figure of it but times, and how many partitions there are.
    monkeypatch.setattr("sepal.report._partitions.TOGETHER", 150)
    table, said = frame("mixed", N), []
    how = {"distance": "auto", "scale": "minmax", "missing": "distance", "random_state": 0, "n_jobs": 1}
    for n in (1, 5, 37):
        source = partitioned(cut(table, SIZES[n], f"{n}.csv"), "class")
        found = partitions_report(source, **how, n_queries=100, time_limit=None, progress=None)
        facts = json.loads(found.to_json())
        assert facts["partitions"].pop("n_partitions") == n
        assert facts.pop("seconds")
        assert facts["partitions"].pop("plan")
        assert facts["partitions"].pop("seconds")
        assert facts["table"].pop("name")
        said.append(facts)
    assert said[1] == said[0]
    assert said[2] == said[0]


def test_as_many_copies_are_drawn_as_by_chance():
    """Of 3 rows that are equal and 4 single ones 3 are drawn: hypergeometric, C(3, a) C(4, 3 - a) / C(7, 3)."""
    marks, count = np.arange(1, 6, dtype=np.uint64), np.array([3, 1, 1, 1, 1])
    times, seen = 4_000, np.zeros(4)
    for seed in range(times):
        which, when = arrivals(marks, count, np.full(5, np.inf), seed)
        assert len(which) == 7
        seen[np.count_nonzero(which[np.argsort(when)[:3]] == 0)] += 1
    wanted = np.array([comb(3, a) * comb(4, 3 - a) / comb(7, 3) for a in range(4)])
    spread = np.sqrt(wanted * (1 - wanted) / times)
    assert np.all(np.abs(seen / times - wanted) < 4 * spread)


@pytest.mark.parametrize("kind", ["whole", "one"])
def test_rows_with_many_copies_are_counted_in_a_pass_of_their_own(kind, cut, there, monkeypatch):
    """Few buckets, and copies spread over all files: the same rows as where buckets are many."""
    table = frame("whole", N)[["x0", "x1", "class"]]
    if kind == "one":  # one row a thousand times, others once
        table["x0"] = np.where(np.arange(N) % 2, 1.0, np.arange(N) / 7)
        table["x1"] = 0.0
    asked, run = [], type(there).run
    monkeypatch.setattr(type(there), "run", lambda self, name, *given: asked.append(name) or run(self, name, *given))
    found = []
    for sizes in (SIZES[1], SIZES[5]):
        schema = fit_parts(partitioned(cut(table, sizes), "class"), there).schema
        found.append([draw_rows(schema, there, 12, seed) for seed in range(3)])
        assert schema.class_counts.sum() == N
    assert "fetch equal rows" in asked
    assert "count equal rows" in asked
    for each in (pair for other in found[1:] for pair in zip(other, found[0], strict=True)):
        assert np.array_equal(each[0].values, each[1].values)
        assert np.array_equal(each[0].number, each[1].number)


def test_a_draw_that_falls_short_is_made_again(cut, here, monkeypatch):
    monkeypatch.setattr(drawing, "_SPARE", -6.0)
    schema = fit_parts(partitioned(cut(frame("real", 300), [100, 200]), "class"), here).schema
    short = draw_rows(schema, here, 120, 4)
    monkeypatch.undo()
    assert np.array_equal(short.rows, draw_rows(schema, here, 120, 4).rows)


def test_columns_are_judged_by_all_rows(cut, here, tmp_path):
    """Columns were judged file by file: a small file may hold every city once, which made it the name of a row."""
    rng = np.random.default_rng(2)
    table = frame("real", N)[["x0", "x1", "class"]]
    table["city"] = [f"town {c}" for c in rng.integers(0, 90, N)]
    table["age"] = rng.integers(18, 70, N)
    table["nr"] = rng.permutation(N) + 1
    table["who"] = [f"person {c}" for c in rng.permutation(N)]
    table.to_csv(tmp_path / "all.csv", index=False)
    wanted = {column.name for column in sepal.read_table(tmp_path / "all.csv", target="class").apart}
    assert wanted == {"nr", "who"}
    for n, sizes in SIZES.items():
        schema = fit_parts(partitioned(cut(table, sizes, f"{n}.csv"), "class"), here).schema
        assert set(schema.apart) == wanted
        assert schema.like.names == ("x0", "x1", "city", "age")
        assert len(schema.like.levels[2]) == table["city"].nunique()


def test_too_many_levels_and_classes_are_those_of_all_files(cut, here, monkeypatch):
    """Whether a column has too many levels was judged file by file."""
    monkeypatch.setattr("sepal.scale._facts.LEVELS_AT_MOST", 50)
    monkeypatch.setattr("sepal.scale._schema.LEVELS_AT_MOST", 50)
    table = frame("real", N)[["x0", "class"]]
    table["city"] = [f"town {c}" for c in np.arange(N) % 74]
    for sizes in (SIZES[1], SIZES[37]):
        with pytest.raises(DataError, match=r'column "city": more than 50 levels'):
            fit_parts(partitioned(cut(table, sizes), "class", columns=["x0", "city"]), here)
    monkeypatch.setattr("sepal.scale._facts._MOST_CLASSES", 50)
    for sizes in (SIZES[2], SIZES[5]):
        with pytest.raises(DataError, match=r'the target "city" has more than 50 distinct values'):
            fit_parts(partitioned(cut(table, sizes), "city"), here)


def test_where_classes_lie_is_the_same_however_rows_are_cut(cut, there):
    """The last bit of a sum, which depends on the cut, ranked classes that mirror each other: now their names do."""
    rng = np.random.default_rng(5)
    half = rng.normal(size=(100, 2))
    table = pd.DataFrame(np.concatenate([half, half[::-1, ::-1]]), columns=["p", "q"])
    table["class"] = np.repeat(["b", "a"], 100)
    for sizes in ([200], [3, 97, 50, 50], [20] * 10):
        ready = prepare_partitions(cut(table, sizes), "class", client=there.client, block_rows=20, scale=None)
        assert class_order(ready.search, ready.classes).tolist() == [0, 1]
        turned = class_order(ready.search, ready.classes[::-1])
        assert turned.tolist() == [0, 1]


def test_verbs_on_files_do_not_depend_on_the_cut(cut, tmp_path, monkeypatch):
    """Rows that a verb learns from depended on how they were cut into files."""
    # ``evaluate`` and ``train`` learn from a sample of 300 rows; ``predict`` asks the model about others.
    monkeypatch.setattr("sepal.scale._learning.LEARNT_FROM", 300)
    table, new = frame("mixed", N), frame("mixed", 60, seed=9).drop(columns="class")
    asked = cut(new, [10, 50], "new.csv")
    said = []
    for n in (1, 5, 37):
        pattern, model = cut(table, SIZES[n], f"{n}.csv"), str(tmp_path / f"{n}.sepal")
        answers = tmp_path / f"{n}.csv"
        verbs = (
            ("evaluate", pattern, "--target", "class", "-l", "knn", "--json"),
            ("train", pattern, "--target", "class", "-l", "knn", "-o", model),
            ("predict", model, asked, "-o", str(answers)),
        )
        done = [CliRunner().invoke(app, verb) for verb in verbs]
        assert [each.exit_code for each in done] == [0, 0, 0], [each.output for each in done]
        facts = json.loads(done[0].stdout)
        assert "sample of 300 of 740 rows" in done[0].stderr
        assert facts["partitions"].pop("n_partitions") == n
        assert facts["partitions"].pop("plan")
        left = {key: facts[key] for key in facts if "seconds" not in key and key != "data"}
        said.append((left, answers.read_text()))
    for each in said[1:]:
        assert each[1] == said[0][1]
        assert each[0] == said[0][0]
