"""What sums over partitions give is what all rows in one table give, and no cut, order or worker changes it."""

from __future__ import annotations

import pickle
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

import sepal
from sepal.auto import RowsOf, SepalClassifier, Whitened
from sepal.auto import _solve as solving
from sepal.estimators import AnyTable
from sepal.exceptions import DataError
from sepal.machines import FeatureVectorClassifier, FisherDiscriminant
from sepal.measures import angle_of_separability
from sepal.scale import _learning as learning
from sepal.scale import angle_partitions, fit_partitions, fit_parts, partitioned
from sepal.scale._products import RangePlaces, products_of, scatter_of
from sepal.scale._totals import PartsSums
from tests.oracles import sums as oracle
from tests.scale.frames import frame

SAME = 1e-12


def _three(n=900, seed=2):
    """Three classes, columns of other sizes and far from 0, and a nominal one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4))
    y = np.where(X[:, 0] > 1, "c", np.where(X[:, 1] + rng.normal(size=n) > 0, "b", "a"))
    table = pd.DataFrame(X * [1, 50, 1e-3, 1] + [0, 1e4, 0, -3], columns=list("pqrs"))
    table["kind"] = rng.choice(["u", "v"], n)
    table["class"] = y
    return table


@pytest.mark.parametrize("pooled", ["all", "pair"])
@pytest.mark.parametrize("scale", [None, "standard", "minmax"])
def test_the_angle_of_partitions_is_that_of_one_table(scale, pooled, cut):
    table = _three()
    how = {"scale": scale, "pooled": pooled}
    wanted = angle_of_separability(table.drop(columns="class"), table["class"], n_permutations=0, **how)
    found = angle_partitions(cut(table, [300, 1, 599]), "class", n_jobs=1, **how)
    assert (found.rank, found.n_rows) == (wanted.rank, wanted.n_rows)
    assert found.wilks.value == pytest.approx(wanted.wilks.value, rel=SAME)
    for a, b in zip(found.pairs, wanted.pairs, strict=True):
        assert a.classes == b.classes
        for name in ("theta", "mahalanobis", "standardized_theta"):
            assert getattr(a, name) == pytest.approx(getattr(b, name), rel=SAME)
        assert a.hotelling.interval == pytest.approx(b.hotelling.interval, rel=1e-9)


def test_mahalanobis_is_that_of_whole_fractions(cut):
    """Against rational arithmetic, columns nearly dependent: the condition number is not squared."""
    table = _three(120).drop(columns="kind")
    table["s"] = table["p"] + 1e-6 * table["s"]
    found = angle_partitions(cut(table, [50, 70]), "class", n_jobs=1)
    X, y = table.drop(columns="class").to_numpy(), table["class"].to_numpy()
    for pair in found.pairs:
        assert pair.mahalanobis == pytest.approx(oracle.mahalanobis(X, y, *pair.classes), rel=1e-9)


def test_no_cut_order_or_worker_changes_a_bit_of_the_angle(cut, client):
    table = _three()
    swapped = pd.concat([table.iloc[400:], table.iloc[:400]])
    found = [
        angle_partitions(cut(table, [900]), "class", n_jobs=1),
        angle_partitions(cut(table, [1] * 10 + [890]), "class", client=client),
        angle_partitions(cut(swapped, [500, 400], "parquet"), "class", client=client),
    ]
    assert found[0].pairs == found[1].pairs == found[2].pairs
    assert found[0].wilks == found[1].wilks == found[2].wilks


def test_products_are_exact():
    """Sums of products as whole numbers, against fractions; and a class that is alone in one column."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=40) * 1e-3 + 7, rng.integers(0, 9, 40) / 7, np.full(40, 0.3)])
    low, high = X.min(axis=0), X.max(axis=0)
    places = RangePlaces.between(low, high)
    scatter = scatter_of(products_of(X[:25], places) + products_of(X[25:], places), places)
    wanted = oracle.scatter(X)
    np.testing.assert_allclose(scatter.rest.T @ scatter.rest, wanted, rtol=1e-13, atol=1e-16 * wanted.max())
    assert scatter.count == 40
    assert np.all(scatter.rest[:, 2] == 0)
    with pytest.raises(DataError, match="too many for sums"):
        scatter_of(
            products_of(np.zeros((2, 401)), RangePlaces(np.zeros(401), np.ones(401))), RangePlaces(np.zeros(401), 1.0)
        )


@pytest.mark.parametrize("wrapped", [False, True])
def test_fisher_by_sums_is_fisher_of_one_table(wrapped, cut, client):
    table = _three() if wrapped else _three().drop(columns="kind")
    if wrapped:
        table.loc[::9, "p"] = np.nan
    machine = FisherDiscriminant(priors="empirical", class_weight="balanced")
    model = AnyTable(machine) if wrapped else machine
    rows = table.drop(columns="class")
    wanted = model.fit(sepal.data.as_table(rows, table["class"]))
    found = fit_partitions(model, cut(table, [200, 450, 250]), "class", client=client)
    assert found.exact
    assert (found.by_sums, found.n_sampled, found.n_rows) == (("the plane",), 0, 900)
    assert "all 900 rows by sums" in str(found)
    a, b = (each.machine_ if wrapped else each for each in (found.model, wanted))
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9)
    np.testing.assert_allclose(a.explained_ratios_, b.explained_ratios_, rtol=1e-11)
    np.testing.assert_allclose(found.model.predict_proba(rows), wanted.predict_proba(rows), atol=1e-10)
    assert found.model.feature_names_in_.tolist() == wanted.feature_names_in_.tolist()


def test_fisher_refuses_what_it_cannot_add_up(cut):
    with pytest.raises(DataError, match='column "kind" is nominal'):
        fit_partitions(FisherDiscriminant(), cut(_three(), [900]), "class", n_jobs=1)
    table = frame("real", 60)
    table.loc[3, "x2"] = np.nan
    with pytest.raises(DataError, match='column "x2" has missing cells'):
        fit_partitions(FisherDiscriminant(), cut(table, [60]), n_jobs=1)


def _by_vectors(pattern, **where):
    model = FeatureVectorClassifier(max_vectors=12, class_weight="balanced")
    return fit_partitions(model, pattern, n_sample=200, **where)


def test_feature_vectors_are_fitted_to_all_rows(cut, client):
    """The vectors are those of the sample; weights and leave-one-out errors those of all rows, by the oracle."""
    table = frame("real")
    found = _by_vectors(cut(table, [900]), n_jobs=1)
    assert (found.by_sums, found.n_sampled, found.n_rows) == (("the weights of the vectors",), 200, 900)
    assert "sample of 200" in str(found)
    model, rows = found.model, table.drop(columns="class")
    codes = (table["class"] == "b").to_numpy().astype(int)
    Z, y = model._coordinates(rows), np.eye(2)[codes]
    factors = (900 / (2 * np.bincount(codes)))[codes]
    beta = oracle.ridge(Z, y, model.alpha, factors)
    np.testing.assert_allclose(np.vstack([model.intercept_, model.coef_]), beta, rtol=1e-9, atol=1e-12)
    left_out = oracle.left_out(Z, y, model.alpha, factors)
    mass = factors / factors.sum()
    assert model.loo_squared_ == pytest.approx(mass @ ((left_out - y) ** 2).sum(axis=1), rel=1e-9)
    assert model.loo_error_ == pytest.approx(mass @ (left_out.argmax(axis=1) != codes), abs=1e-12)
    for pattern in (cut(table, [10, 390, 500]), cut(table, [300] * 3, "parquet")):
        again = _by_vectors(pattern, client=client)
        assert np.array_equal(again.table.values, found.table.values)
        np.testing.assert_allclose(again.model.coef_, model.coef_, rtol=SAME, atol=SAME)


def test_feature_vectors_of_few_rows_are_those_of_one_table(cut):
    table = frame("real", 200)
    machine = FeatureVectorClassifier(max_vectors=10)
    found = fit_partitions(machine, cut(table, [120, 80]), n_jobs=1)
    wanted = machine.fit(table.drop(columns="class"), table["class"])
    assert found.exact
    assert np.array_equal(found.model.coef_, wanted.coef_)


@pytest.fixture
def large(monkeypatch):
    """So many rows that the classifier takes feature vectors, which for a test begin early."""
    for name, value in {"WHOLE_ROWS": 300, "SEARCH_ROWS": 400, "VECTORS": (30, 60)}.items():
        monkeypatch.setattr(solving, name, value)
    rng = np.random.default_rng(4)
    X = rng.normal(size=(900, 3))
    table = pd.DataFrame(X, columns=list("abc"))
    table["class"] = np.where(X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=900) > 0, "in", "out")
    return table


@pytest.fixture
def without_choices(large):
    return SepalClassifier(time_limit=None).fit(large.drop(columns="class"), large["class"])


def test_the_members_by_sums_are_those_of_one_table(large, without_choices, cut, client):
    """A model of all rows, fitted once more by sums over them, is the same model."""
    from copy import deepcopy

    from sepal.auto import refit_by_sums
    from sepal.scale import place_of_work

    sample = sepal.data.as_table(large.drop(columns="class"), large["class"])
    model = deepcopy(without_choices)
    with place_of_work(client=client) as work:
        schema = fit_parts(partitioned(cut(large, [200, 600, 100])), work).schema
        done = refit_by_sums(model, sample, PartsSums(schema, work, model.classes_, None), 900)
    assert done == ("kernel-standard", "kernel-minmax", "kernel-rank", "linear")
    for a, b in zip(model.average_.kernels, without_choices.average_.kernels, strict=True):
        assert a is not b
        rows = sample.select(model.column_order_.tolist())
        np.testing.assert_allclose(a.decisions(rows), b.decisions(rows), atol=1e-9)
    rows = large.drop(columns="class")
    np.testing.assert_allclose(model.predict_proba(rows), without_choices.predict_proba(rows), atol=1e-9)
    assert "by sums over partitions: kernel-standard" in model.trace_.notes[-1]


def test_gram_sums_of_kernels_do_not_depend_on_partitions(large, without_choices, cut, client):
    """Z'Z and Z'Y against one product of all rows: relative errors below 1e-12."""
    from sepal.scale import place_of_work

    member = without_choices.average_.kernels[0]
    whitened = Whitened.of(member.view, member.points, float(member.widths[0]))
    seen = RowsOf(tuple(without_choices.column_order_.tolist()))
    table = sepal.data.as_table(large.drop(columns="class"))
    Z = np.concatenate([part for _, part in whitened.blocks(seen(table))], axis=1)
    wanted = Z @ Z.T
    found = []
    for sizes in ([900], [10, 390, 500], [500, 10, 390]):
        with place_of_work(client=client) as work:
            schema = fit_parts(partitioned(cut(large, sizes)), work).schema
            found.append(PartsSums(schema, work, without_choices.classes_, None).kernel_sums(seen, whitened))
    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    for each in found:
        assert np.max(np.abs(each.products - wanted) / scale) < SAME
        np.testing.assert_allclose(each.class_sums, Z @ np.eye(2)[(large["class"] == "out").to_numpy() * 1], rtol=1e-10)
        assert each.counts.tolist() == np.bincount(large["class"] == "out").tolist()


def test_the_classifier_without_choices_says_what_all_rows_decided(large, cut, client, sizes, monkeypatch):
    """And nothing larger than a partition travels, though its sums are (30 x 30 numbers) and its ranks (3 x 700)."""
    monkeypatch.setattr(learning, "LEARNT_FROM", 700)
    found = fit_partitions(SepalClassifier(time_limit=None), cut(large, [150] * 6), client=client)
    assert found.n_sampled == 700
    assert not found.exact
    assert found.by_sums[:3] == ("kernel-standard", "kernel-minmax", "kernel-rank")
    one = len(pickle.dumps(sepal.data.as_table(large[:150].drop(columns="class"), large["class"][:150])))
    assert len(sizes["add-up-products"]) > 4 * 6 * 2  # a task and an answer each, if none were in pieces
    assert {name: max(each) for name, each in sizes.items() if max(each) > one} == {}, one
    assert sizes["send-in-pieces"]
    assert "sample of 700" in str(found)
    assert "sample of 700" in found.model.trace_.notes[-1]
    assert found.model.score(large.drop(columns="class"), large["class"]) > 0.75


def test_the_classifier_without_choices_does_not_depend_on_the_cut(large, cut, client):
    """Fitted and asked. Kernel sums are rounded within a partition, so that shares agree to 1e-9 and not to the bit."""
    new = pd.DataFrame(np.random.default_rng(8).normal(size=(200, 3)), columns=list("abc"))
    found = {}
    ways = ([900], "csv", False), ([100, 800], "parquet", True), ([3, 600, 97, 100, 100], "csv", True)
    for sizes, ending, workers in (*ways, ([24] * 36 + [36], "parquet", False), ([24] * 36 + [36], "csv", True)):
        where = {"client": client} if workers else {"n_jobs": 1}
        model = fit_partitions(SepalClassifier(time_limit=None), cut(large, sizes, ending), n_sample=700, **where).model
        found[len(sizes), ending, workers] = model.predict_proba(new), model.predict(new)
    (shares, labels), *others = found.values()
    for each in others:
        np.testing.assert_allclose(each[0], shares, atol=1e-9)
        assert np.array_equal(each[1], labels)


def test_every_other_model_is_of_a_stated_sample(cut):
    table = frame("mixed", 300)
    found = fit_partitions(sepal.KNNClassifier(3), cut(table, [200, 100]), n_sample=100, n_jobs=1)
    assert (found.by_sums, found.n_sampled, found.exact) == ((), 100, False)
    assert {each.name for each in fields(found)} >= {"n_rows", "n_sampled", "by_sums"}
    assert "sample of 100 of 300 rows" in str(found)


def in_files(folder, rows, n_files):
    """A table of a name, a number and a class, in that many files."""
    folder.mkdir()
    for i in range(n_files):
        part = rows[len(rows) * i // n_files : len(rows) * (i + 1) // n_files]
        (folder / f"{i}.csv").write_text("\n".join(["c,x,t", *part, ""]))
    return folder


def test_levels_of_incomplete_rows_do_not_count_however_files_are_cut(tmp_path):
    """Level d stands in an incomplete row only: of two levels there is one column, and it was three in one file."""
    rows = ["a,1,k", "b,2,m", "a,3,m", "b,2.5,k", "a,2,k", "b,5,m", "d,,k", "b,4,m"]
    complete = [row for row in rows if not row.startswith("d")]
    X = np.array([[row.startswith("b"), float(row.split(",")[1])] for row in complete])
    expected = angle_of_separability(X, [row[-1] for row in complete], n_permutations=0).theta
    table = sepal.read_table(in_files(tmp_path / "one", rows, 1) / "0.csv", target="t")
    assert angle_of_separability(table, n_permutations=0).theta == pytest.approx(expected, rel=1e-12)
    for n_files in (1, 2, 3):
        found = angle_partitions(in_files(tmp_path / str(n_files), rows, n_files), target="t")
        assert found.theta == pytest.approx(expected, rel=1e-12)


def test_a_class_without_a_complete_row_is_named(tmp_path):
    folder = in_files(tmp_path / "files", ["a,1,k", "b,2,m", "a,3,m", "b,2.5,k", "a,,n", "b,,n", "a,4,m", "b,4,k"], 2)
    with pytest.raises(DataError, match="class n has no complete row"):
        angle_partitions(folder, target="t")
