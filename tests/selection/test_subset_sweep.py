from __future__ import annotations

import re

import numpy as np
import pytest

import sepal.datasets
from sepal.data import as_table
from sepal.exceptions import DataError, ParameterError
from sepal.selection import (
    Alignment,
    CenteredAlignment,
    LooKnn,
    SubsetSweep,
    Thornton,
    _criteria,
    _criterion,
    _subset_sweep,
    _sweep,
    subset_sweep,
)
from sepal.selection._problem import feature_problem
from sepal.selection._program import full_tree, of_masks
from tests.oracles.neighbors import TIE_TOLERANCE
from tests.oracles.selection import (
    alignment,
    all_subsets,
    loo_votes,
    mahalanobis,
    paired_near_best,
    squared_distances,
    subset_samples,
    subset_score,
)


def mask_of(columns: tuple[int, ...]) -> int:
    return sum(1 << f for f in columns)


@pytest.fixture(scope="module")
def breast_cancer() -> SubsetSweep:
    return subset_sweep(sepal.datasets.load("breast-cancer").drop_missing())


def small_integers(n: int = 24, p: int = 4, classes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, size=(n, p)).astype(float), rng.integers(0, classes, size=n)


# ---------------------------------------------------------------- true values
# The founding paper (A) has plots of all subsets and no figures. These: all pairs of rows for each subset, ties shared,
# in plain numpy; alignment by whole kernel matrices over 200 widths; 23 and 118 with the binomial error of the best.


def test_breast_cancer_best_subsets(breast_cancer: SubsetSweep) -> None:
    best = breast_cancer.top(3)
    assert best[0].columns == (0, 1, 4, 5, 7)
    assert {best[1].columns, best[2].columns} == {(0, 1, 2, 3, 4, 5, 7), (1, 4, 5, 6, 7, 8)}
    assert [round(s.score, 4) for s in best] == [0.9693, 0.9685, 0.9685]
    assert round(breast_cancer.scores[511], 4) == 0.9578
    assert np.isnan(breast_cancer.scores[0])


def test_breast_cancer_23_subsets_by_the_unpaired_rule(breast_cancer: SubsetSweep) -> None:
    assert len(breast_cancer.near_best(rule="unpaired")) == 23
    assert len(breast_cancer.near_best(2, rule="unpaired")) == 118


def test_breast_cancer_alignment_and_thornton_in_one_sweep() -> None:
    table = sepal.datasets.load("breast-cancer").drop_missing()
    sweep = subset_sweep(table, criterion=("thornton", Alignment("scan")))
    values = sweep.all_scores["alignment"]
    best = np.argsort(-values[1:], kind="stable")[:20] + 1
    assert sweep.problem.columns_of(int(best[0])) == (1, 2, 5)
    assert round(float(values[best[0]]), 4) == 0.6138  # 0.61388 at 120 widths, 0.61390 at 200
    assert round(float(sweep.correlation()[0, 1]), 2) == 0.89
    assert len({int(m) for m in best} & {s.mask for s in sweep.top(20)}) == 1  # as in the paper


def test_liver_best_is_all_but_feature_1() -> None:
    best = subset_sweep(sepal.datasets.load("liver")).best
    assert best.columns == (0, 2, 3, 4, 5)
    assert round(best.score, 4) == 0.6638


# ---------------------------------------------------------------- against the oracle


@pytest.fixture(params=["walk", "search"])
def way(request, monkeypatch) -> str:
    """Few rows go a common walk over all pairs, many are searched subset by subset; here all go either way."""
    monkeypatch.setattr(_criteria, "_MANY_ROWS", 2 if request.param == "search" else 10**9)
    return str(request.param)


@pytest.mark.parametrize("policy", ["expected", "index", "pessimistic", "optimistic"])
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.usefixtures("way")
def test_integers_bit_for_bit(policy: str, seed: int) -> None:
    X, y = small_integers(seed=seed)
    problem = feature_problem(X, y, scale=None)
    assert problem.packed.x.dtype == np.float32
    (program,) = full_tree(problem)
    samples = Thornton(policy).samples(problem, program)
    for out, mask in enumerate(program.masks):
        expected = subset_samples(X, y, problem.columns_of(int(mask)), policy=policy, tolerance=0.0)
        assert samples[out].tolist() == [float(value) for value in expected]


@pytest.mark.usefixtures("way")
def test_real_numbers_with_copies() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20, 3)).repeat(2, axis=0)
    y = rng.integers(0, 2, size=40)
    sweep = subset_sweep(X, y, scale=None, groups="rows")
    assert sweep.problem.packed.x.dtype == np.float64
    for columns in all_subsets(3):
        expected = subset_score(X, y, columns)
        assert sweep.scores[mask_of(columns)] == pytest.approx(float(expected), abs=1e-15)


@pytest.mark.usefixtures("way")
def test_mixed_kinds_and_missing_cells() -> None:
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.random(30), rng.integers(0, 3, 30), rng.integers(0, 2, 30)])
    X[rng.random(X.shape) < 0.15] = np.nan
    X[:2, 0] = [0.0, 1.0]
    y = rng.integers(0, 2, size=30)
    table = as_table(X, y, kinds={1: "nominal", 2: "nominal"})
    sweep = subset_sweep(table)
    scaled = sweep.problem.scaling.apply(table.values)
    for columns in all_subsets(3):
        expected = subset_score(scaled, y, columns, kinds=table.kinds)
        assert sweep.scores[mask_of(columns)] == pytest.approx(float(expected), abs=1e-14)


@pytest.mark.usefixtures("way")
def test_integers_of_one_range_keep_exact_ties_when_scaled() -> None:
    X, y = small_integers(30, 3)
    X[:2] = [[0.0] * 3, [3.0] * 3]
    problem = feature_problem(X, y, scale="minmax")
    assert problem.packed.tie == 0.0
    assert problem.packed.unit == 9.0
    problem = feature_problem(X * [1, 1, 2], y, scale="minmax")
    assert problem.packed.tie == TIE_TOLERANCE
    (program,) = full_tree(problem)
    scores = Thornton().scores(problem, program)
    for out, mask in enumerate(program.masks):
        expected = subset_score(X / 3, y, problem.columns_of(int(mask)))
        assert scores[out] == pytest.approx(float(expected), abs=1e-14)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_votes_of_neighbors(k: int) -> None:
    X, y = small_integers()
    sweep = subset_sweep(X, y, scale=None, criterion=LooKnn(k))
    for columns in all_subsets(4):
        expected = loo_votes(squared_distances(X, columns), y, k, 0.0)
        assert sweep.scores[mask_of(columns)] == pytest.approx(expected, abs=1e-12)


def test_best_k_is_the_best_of_all() -> None:
    X, y = small_integers()
    sweep = subset_sweep(X, y, scale=None, criterion=LooKnn(k_max=6))
    D = squared_distances(X, (0, 2))
    assert sweep.scores[0b101] == pytest.approx(max(loo_votes(D, y, k, 0.0) for k in range(1, 7)), abs=1e-12)
    assert sweep.near_best()[0].mask == sweep.best.mask


def test_expected_accuracy_is_that_of_the_measure() -> None:
    table = sepal.datasets.load("liver")
    sweep = subset_sweep(table, criterion="expected_accuracy")
    for columns in [(0, 1, 2, 3, 4, 5), (2,), (1, 4)]:
        expected = sepal.expected_accuracy(table.select(columns), train_size=0.5)
        assert sweep.scores[mask_of(columns)] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("kind", [Alignment, CenteredAlignment])
@pytest.mark.parametrize("classes", [2, 3])
def test_alignment_of_given_widths(kind: type[Alignment], classes: int) -> None:
    X, y = small_integers(classes=classes)
    sweep = subset_sweep(X, y, scale=None, criterion=kind(width=(0.7, 2.0)))
    for columns in all_subsets(4):
        D = squared_distances(X, columns)
        expected = max(alignment(D, y, sigma, centered=kind.centered) for sigma in (0.7, 2.0))
        assert sweep.scores[mask_of(columns)] == pytest.approx(expected, abs=1e-12)


def test_median_width_is_near_the_median_distance() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    sweep = subset_sweep(X, y, scale=None, criterion=("alignment",))
    for columns in all_subsets(3):
        D = squared_distances(X, columns)
        median = np.sqrt(np.median(D[np.triu_indices(60, 1)]))
        expected = alignment(D, y, float(median), centered=False)
        assert sweep.scores[mask_of(columns)] == pytest.approx(expected, rel=0.01, abs=1e-3)


def test_breast_cancer_mahalanobis(breast_cancer: SubsetSweep) -> None:
    table = breast_cancer.problem.table
    sweep = subset_sweep(table, criterion="mahalanobis")
    assert round(float(sweep.scores[511]), 3) == 4.857  # tests/measures/test_angle.py
    assert sweep.scores[0b110] == pytest.approx(mahalanobis(table.values[:, [1, 2]], table.y.tolist()), rel=1e-9)


def test_a_function_as_criterion() -> None:
    X, y = small_integers()
    sweep = subset_sweep(X, y, scale=None, criterion=lambda values, labels: -float(np.sum(values)) + labels[0])
    assert sweep.scores[0b11] == pytest.approx(y[0] - X[:, :2].sum())
    with pytest.raises(DataError, match="returned nan"):
        subset_sweep(X, y, criterion=lambda values, labels: float("nan"))


# ---------------------------------------------------------------- near best


def test_near_best_is_the_paired_rule() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    X = np.column_stack([2 * y + rng.normal(size=60), y + rng.normal(size=60), rng.normal(size=(60, 3))])
    sweep = subset_sweep(X, y, scale=None)
    columns = all_subsets(5)
    samples = [[float(v) for v in subset_samples(X, y, c)] for c in columns]
    for se in (0.5, 1.0, 2.0):
        expected = {mask_of(columns[i]) for i in paired_near_best(samples, se)}
        assert {s.mask for s in sweep.near_best(se)} == expected
    near = sweep.near_best()
    assert 1 < len(near) < 31
    assert sweep.smallest_near_best().size == min(s.size for s in near)
    held = sum(sweep.names[0] in s.features for s in near)
    assert sweep.inclusion()[sweep.names[0]] == held / len(near)


def test_near_best_needs_a_mean_over_rows() -> None:
    X, y = small_integers()
    with pytest.raises(ParameterError, match="not a mean over rows"):
        subset_sweep(X, y, criterion="alignment").near_best()


# ---------------------------------------------------------------- what must not matter


def test_threads_order_of_rows_and_pieces_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    table = sepal.datasets.load("heart")
    table = table.select(table.names[:9])
    criteria = ("thornton", "alignment", "loo_knn")
    one = subset_sweep(table, criterion=criteria, n_jobs=1).all_scores
    many = subset_sweep(table, criterion=criteria, n_jobs=3).all_scores
    for name in criteria:
        assert np.array_equal(one[name], many[name], equal_nan=True)
    order = np.random.default_rng(0).permutation(table.n_rows)
    moved = subset_sweep(table.take(order), criterion=criteria).all_scores
    for name in criteria:
        np.testing.assert_allclose(moved[name], one[name], rtol=1e-12)
    problem = feature_problem(table)
    pieces = list(full_tree(problem, chunk_units=5))
    assert len(pieces) == 16
    scores = np.full(512, np.nan)
    for program in pieces:
        scores[np.asarray(program.masks)] = Thornton().scores(problem, program)
    np.testing.assert_allclose(scores, one["thornton"], rtol=1e-14)


def test_long_rows_in_tiles_give_the_same() -> None:
    rng = np.random.default_rng(0)
    n, p = 3000, 40
    X = np.round(rng.normal(size=(n, p)), 1)
    y = rng.integers(0, 3, n)
    problem = feature_problem(X, y, scale="standard")
    masks = [1 << f for f in range(p)] + [0b111, (1 << 40) - 1]
    program = of_masks(problem, masks)
    tiled = Thornton().scores(problem, program)
    for out, mask in enumerate(program.masks):
        if mask in (1, 0b111, 1 << 39):
            one = of_masks(problem, [mask])
            expected = sepal.thornton_score(as_table(X[:, problem.columns_of(mask)], y), scale="standard")
            assert Thornton().scores(problem, one)[0] == pytest.approx(expected, abs=1e-12)
            assert tiled[out] == pytest.approx(expected, abs=1e-12)


def test_any_list_of_masks_gives_the_scores_of_the_sweep(breast_cancer: SubsetSweep) -> None:
    rng = np.random.default_rng(0)
    problem = breast_cancer.problem
    everything = 511
    families = [
        [everything & ~(1 << f) for f in range(9)],
        [0b101 | 1 << f for f in (1, 3, 4, 5)] + [0b101],
        sorted(set(rng.integers(1, 512, size=60).tolist())),
        [37],
    ]
    for masks in families:
        program = of_masks(problem, masks)
        assert sorted(int(m) for m in program.masks) == sorted(masks)
        np.testing.assert_allclose(
            Thornton().scores(problem, program), breast_cancer.scores[list(program.masks)], rtol=1e-14
        )


# ---------------------------------------------------------------- blocks, kept columns, refusals


def test_blocks_move_together_and_kept_columns_stay() -> None:
    X, y = small_integers(p=5)
    plain = subset_sweep(X, y, scale=None)
    sweep = subset_sweep(X, y, scale=None, blocks={"pair": [1, 3]}, keep=[4])
    assert sweep.names[1] == "pair"
    assert len(sweep.scores) == 8
    assert sweep.scores[0] == plain.scores[0b10000]
    assert sweep.scores[0b010] == plain.scores[0b11010]
    assert sweep.scores[0b111] == plain.scores[0b11111]
    assert sweep.problem.columns_of(0b010) == (1, 3, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"blocks": [[0, 1], [1]]}, "also in block"),
        ({"blocks": [[0]], "keep": [0]}, "also in keep"),
        ({"keep": [0, 1, 2, 3]}, "no feature is left"),
        ({"criterion": "gini"}, "criterion must be one of"),
        ({"criterion": ("thornton", "thornton")}, "only once"),
        ({"ties": "jitter"}, "ties must be one of"),
        ({"criterion": LooKnn(99)}, "n_neighbors must be from 1 to 23"),
        ({"criterion": Alignment([0.5, -1.0])}, "width must be"),
    ],
)
def test_refusals(options: dict, message: str) -> None:
    X, y = small_integers()
    with pytest.raises(ParameterError, match=message):
        subset_sweep(X, y, **options)


def test_too_many_features_are_refused_with_time_and_memory() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ParameterError, match=r"30 features have 1.07e\+09 subsets, about .* GiB for 50 rows"):
        subset_sweep(rng.random((50, 30)), rng.integers(0, 2, 50))


def test_mahalanobis_refuses_nominal_columns() -> None:
    with pytest.raises(DataError, match="needs numbers in every cell"):
        subset_sweep(sepal.datasets.load("heart"), criterion="mahalanobis")


def test_frame_and_html(breast_cancer: SubsetSweep) -> None:
    frame = breast_cancer.frame()
    assert len(frame) == 511
    assert frame["thornton"].round(12).is_monotonic_decreasing
    assert "23 subsets are near the best" in breast_cancer._repr_html_()


def test_progress_can_stop_a_sweep() -> None:
    class StopError(Exception):
        pass

    def progress(text: str, share: float) -> None:
        raise StopError

    rng = np.random.default_rng(0)
    with pytest.raises(StopError):
        subset_sweep(rng.random((2000, 16)), rng.integers(0, 2, 2000), progress=progress)


def test_near_best_of_one_size_compares_with_the_best_of_that_size() -> None:
    sweep = subset_sweep(sepal.datasets.load("liver"))
    near = sweep.near_best(size=2)
    assert near[0] == sweep.best_by_size()[2]
    assert {subset.size for subset in near} == {2}
    assert all(subset.difference <= subset.standard_error + 1e-12 for subset in near)
    assert near[0].difference == 0.0


def test_criteria_of_one_sweep_share_the_walk_over_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = small_integers()
    asked: list[list[str]] = []
    native = _sweep._native.sweep

    def counted(*, questions: list[dict], **rest: object) -> object:
        asked.append([question["asked"] for question in questions])
        return native(questions=questions, **rest)

    criteria = ("thornton", "alignment", "centered_alignment", "loo_knn", "expected_accuracy", "mahalanobis")
    alone = {name: subset_sweep(X, y, criterion=name).scores for name in criteria}
    monkeypatch.setattr(_sweep._native, "sweep", counted)
    together = subset_sweep(X, y, criterion=criteria).all_scores
    # The width of a kernel follows from the distances, so the kernels themselves come on a second walk.
    assert asked == [["agreement", "histogram", "neighbors", "neighbors"], ["kernels", "kernels"]]
    for name in criteria:
        np.testing.assert_array_equal(together[name], alone[name])


def test_samples_of_the_best_k_are_those_of_that_k() -> None:
    X, y = small_integers(classes=2)
    problem = feature_problem(X, y, scale=None)
    (program,) = full_tree(problem)
    criterion = LooKnn(k_max=6)
    samples = criterion.samples(problem, program)
    np.testing.assert_allclose(samples.mean(axis=1), criterion.scores(problem, program), atol=1e-14)
    for out, mask in enumerate(program.masks):
        D = squared_distances(X, problem.columns_of(int(mask)))
        best = max(loo_votes(D, y, k, 0.0) for k in range(1, 7))
        assert samples[out].mean() == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("factor", [1e-40, 1e40])
def test_the_unit_of_the_columns_does_not_matter(factor: float) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    criteria = ("thornton", "alignment", "centered_alignment")
    plain = subset_sweep(X, y, scale=None, criterion=criteria).all_scores
    scaled = subset_sweep(X * factor, y, scale=None, criterion=criteria).all_scores
    for name in criteria:
        np.testing.assert_allclose(scaled[name], plain[name], rtol=0.02)


def test_progress_tells_subsets_seconds_and_the_best_so_far() -> None:
    rng = np.random.default_rng(0)
    told: list[tuple[str, float]] = []
    y = rng.integers(0, 2, 500)
    sweep = subset_sweep(rng.random((500, 14)), y, progress=lambda *words: told.append(words))
    pattern = r"([\d,]+) of 16,384 subsets, [\d,]+ per second(?:, best so far (0\.\d{4}))?"
    said = [re.fullmatch(pattern, text) for text, _ in told]
    counts = [int(each[1].replace(",", "")) for each in said]
    assert counts == sorted(counts)
    assert counts[-1] <= 2**14 - 1
    assert [share for _, share in told] == pytest.approx([n / 2**14 for n in counts])
    best = [float(each[2]) for each in said if each[2]]
    assert best == sorted(best)
    assert 0.5 < best[-1] <= sweep.best.score + 5e-5


def test_what_a_walk_tells_never_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that told "all done" before its tree was counted said one subset too many, and the count went back."""
    native = _sweep._native.sweep

    def telling(*, progress, **rest: object) -> object:
        for share in (0.0, 0.5, 1.0):
            progress(share)
        return native(progress=None, **rest)

    monkeypatch.setattr(_sweep._native, "sweep", telling)
    monkeypatch.setattr(_subset_sweep, "LARGE_TREE", 6)
    rng = np.random.default_rng(0)
    X, y, groups = rng.random((60, 8)), rng.integers(0, 2, 60), np.arange(60) // 2
    told: list[tuple[str, float]] = []
    subset_sweep(X, y, progress=lambda *words: told.append(words))
    # Four trees of 64 subsets, the empty one not scored: 63, 127, 191 and 255 of them once a tree is done.
    tree = [0, 31, 63]
    expected = [*tree, 63, *(63 + n for n in tree), 127, *(127 + n for n in tree), 191, *(191 + n for n in tree), 255]
    assert [int(text.split()[0]) for text, _ in told] == expected
    problem = feature_problem(X, y, groups=groups)
    (program,) = full_tree(problem)
    for tell in (
        # Only Thornton's index heeds groups: two walks. The best k first, then the rows of each k that was best.
        lambda heard: _criterion.scores_together(problem, program, [Thornton(), Alignment()], heard),
        lambda heard: LooKnn(k_max=6).samples(problem, program, heard),
    ):
        shares: list[float] = []
        tell(shares.append)
        assert len(shares) >= 6
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(1.0)


def test_many_rows_are_searched_subset_by_subset(monkeypatch) -> None:
    """A walk over all pairs took minutes on 100,000 rows of four columns."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 6_000)
    X = np.column_stack([y + rng.normal(size=6_000), rng.integers(0, 9, 6_000), rng.normal(size=6_000)])
    monkeypatch.setattr(_criterion, "sweep", None)  # the walk
    found = subset_sweep(X, y).scores
    monkeypatch.undo()
    monkeypatch.setattr(_criteria, "_MANY_ROWS", 10**9)
    np.testing.assert_allclose(found[1:], subset_sweep(X, y).scores[1:], rtol=0, atol=1e-14)
