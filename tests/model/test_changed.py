"""Where two versions of a text differ."""

from __future__ import annotations

import random
from itertools import product

import pytest

from ompls.analysis.changed import changed


def test_the_same_bytes_at_both_ends_are_counted_and_none_twice() -> None:
    for old, new in product(map(bytes, product(b"ab", repeat=3)), (b"", b"a", b"ab", b"aba", b"abab", b"aaaaa")):
        before, after = changed(old, new)
        assert old[:before] == new[:before]
        assert before + after <= min(len(old), len(new))
        assert old[len(old) - after :] == new[len(new) - after :]
        inside_old, inside_new = old[before : len(old) - after], new[before : len(new) - after]
        assert not inside_old or not inside_new or inside_old[0] != inside_new[0]
        assert not inside_old or not inside_new or inside_old[-1] != inside_new[-1]


@pytest.mark.parametrize("size", [5000, 140_000])
def test_an_edit_of_a_long_text_is_found_exactly(size: int) -> None:
    text = random.Random(1).randbytes(size)
    for at in (0, 1, 4095, 4096, size // 2, size - 1):
        assert changed(text, text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :]) == (at, size - at - 1)
    assert changed(text, text) == (size, 0)
