"""Which rows are equal: one hash, one grouping, two ways to number the groups."""

from __future__ import annotations

import numpy as np

from sepal.data import (
    as_table,
    copies_of,
    draw_by_class,
    equal_groups,
    groups_by_class,
    key_groups,
    mixed_bits,
    row_groups,
    row_hash,
    sample_by_class,
    sorted_groups,
)

ROWS = np.array([[2.0, 5.0], [3.0, 5.0], [2.0, 5.0], [0.0, np.nan], [-0.0, np.nan], [3.0, 7.0], [3.0, 5.0]])
BY_HAND = [0, 1, 0, 2, 2, 3, 1]


def test_equal_rows_share_a_number_in_order_of_appearance():
    assert equal_groups(ROWS).tolist() == BY_HAND
    assert equal_groups(np.zeros((3, 0))).tolist() == [0, 0, 0]


def test_any_rows_are_grouped_as_their_cells_say(rng):
    rows = rng.choice([0.0, -0.0, 1.0, np.nan, -np.nan, np.inf, 5e-324], (500, 3))
    first: dict[tuple[str, ...], int] = {}
    cells = [tuple("nan" if x != x else repr(x + 0.0) for x in row) for row in rows.tolist()]
    expected = [first.setdefault(row, len(first)) for row in cells]
    group_of, first_rows = row_groups(rows)
    assert group_of.tolist() == expected
    assert first_rows.tolist() == [expected.index(group) for group in range(len(first))]


def test_threads_do_not_change_groups(rng):
    rows = rng.integers(3, size=(20_000, 9)).astype(float)
    first: dict[tuple[float, ...], int] = {}
    expected = [first.setdefault(tuple(row), len(first)) for row in rows.tolist()]
    for threads in (1, 2, 5):
        group_of, first_rows = row_groups(rows, threads=threads)
        assert group_of.tolist() == expected
        assert first_rows.tolist() == np.unique(expected, return_index=True)[1].tolist()


def splitmix(x):
    """The number that splitmix64 gives after the state x (Steele, Lea and Flood 2014)."""
    z = (x + GOLDEN) & WORD
    z = ((z ^ (z >> 30)) * FACTORS[0]) & WORD
    z = ((z ^ (z >> 27)) * FACTORS[1]) & WORD
    return z ^ (z >> 31)


def unmixed(z):
    """The state before which splitmix64 gave z: its steps backwards."""
    z = z ^ (z >> 31) ^ (z >> 62)
    z = (z * pow(FACTORS[1], -1, 2**64)) & WORD
    z = z ^ (z >> 27) ^ (z >> 54)
    z = (z * pow(FACTORS[0], -1, 2**64)) & WORD
    z = z ^ (z >> 30) ^ (z >> 60)
    return (z - GOLDEN) & WORD


GOLDEN, WORD = 0x9E3779B97F4A7C15, 2**64 - 1
FACTORS = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def test_numbers_are_mixed_as_splitmix64_mixes_them(rng):
    assert splitmix(0) == 0xE220A8397B1DCDAF  # the first number of java.util.SplittableRandom(0).nextLong()
    given = rng.integers(0, 2**64, (40, 3), dtype=np.uint64)
    assert mixed_bits(given).tolist() == [[splitmix(x) for x in row] for row in given.tolist()]
    assert [unmixed(splitmix(x)) for x in given[:, 0].tolist()] == given[:, 0].tolist()


def test_the_hash_of_a_row_is_the_sum_of_its_mixed_cells(rng):
    cells = rng.normal(size=(50, 4))
    places = [splitmix(f) for f in range(4)]
    expected = [sum(map(splitmix, (x ^ f for x, f in zip(row, places, strict=True)))) & WORD for row in bits_of(cells)]
    assert row_hash(cells).tolist() == expected


def bits_of(cells):
    return cells.view(np.uint64).tolist()


def test_rows_of_one_hash_are_not_taken_for_equal(rng):
    """Two rows whose sums agree by design: the hash alone would call them copies."""
    found = 0
    while not found:
        u, v = rng.integers(0, 2**63, 2).tolist()
        pairs = [(u, v), ((u + 1) & WORD, (v - 1) & WORD)]
        bits = np.array([[unmixed(x) ^ splitmix(0), unmixed(y) ^ splitmix(1)] for x, y in pairs], dtype=np.uint64)
        found = np.isfinite(bits.view(np.float64)).all()
    rows = bits.view(np.float64)
    assert len(set(row_hash(rows).tolist())) == 1
    assert equal_groups(np.concatenate([rows, rows])).tolist() == [0, 1, 0, 1]
    assert key_groups(np.concatenate([bits, bits])).tolist() == [0, 1, 0, 1]
    assert len(set(copies_of(as_table(rows)).tolist())) == 2


def test_keys_are_compared_by_all_their_bits():
    """Cells of these bits would be one value: two zeros, and two numbers that are none."""
    keys = np.array([[0, 1], [2**63, 1], [0x7FF8000000000001, 1], [0x7FF8000000000000, 1], [2**63, 1]], dtype=np.uint64)
    assert key_groups(keys).tolist() == [0, 1, 2, 3, 1]


def test_groups_sorted_by_their_cells():
    first, group = sorted_groups(ROWS[[0, 1, 2, 5, 6]])
    assert first.tolist() == [0, 1, 3]  # (2, 5), (3, 5), (3, 7)
    assert group.tolist() == [0, 1, 0, 2, 1]
    first, group = sorted_groups(np.array([[3.0, 7.0], [-0.0, 1.0], [3.0, 5.0], [0.0, 1.0]]))
    assert (first.tolist(), group.tolist()) == ([1, 2, 0], [2, 0, 1, 0])


def test_in_how_many_groups_each_class_is():
    assert groups_by_class(np.array([0, 0, 1, 1, 1, 3]), np.array([8, 8, 8, 9, 8, 9]), 4).tolist() == [1, 2, 0, 1]


def test_numbers_of_copies_go_with_the_row_wherever_it_stands(rng):
    order = rng.permutation(len(ROWS))
    assert copies_of(as_table(ROWS[order])).tolist() == copies_of(as_table(ROWS))[order].tolist()
    assert len(set(copies_of(as_table(ROWS)).tolist())) == 4


def test_the_hash_tells_the_places_of_cells():
    cells = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    found = row_hash(cells)
    assert found[0] == found[2] != found[1]


def test_a_sample_keeps_the_shares_of_the_classes(rng):
    codes = np.repeat([0, 2, 5], [60, 30, 3])
    drawn = sample_by_class(np.arange(93), codes, 31, rng)
    assert np.bincount(codes[drawn])[[0, 2, 5]].tolist() == [20, 10, 2]  # 3 * 31 / 93 is 1, and two are the least
    assert drawn.tolist() == sorted(set(drawn.tolist()))


def test_any_rule_says_how_many_of_a_class_are_drawn():
    codes, order = np.repeat([4, 7], [9, 4]), np.arange(12)[::-1]  # the last row is not in the order
    drawn = draw_by_class(order, codes, lambda n: n // 3, np.random.default_rng(0))
    assert np.bincount(codes[drawn])[[4, 7]].tolist() == [3, 1]
    assert 12 not in drawn
    assert drawn.tolist() == draw_by_class(order, codes, lambda n: n // 3, np.random.default_rng(0)).tolist()
    again = {tuple(draw_by_class(order, codes, lambda n: n // 3, np.random.default_rng(seed))) for seed in range(9)}
    assert len(again) > 1
