"""What validation asks of text, found in large pieces: the same as string by string."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.byte_arrays import ByteArrays
from reference_impl.orc.validate import values
from reference_impl.orc.validate.scan import before

_LETTERS = st.text(st.characters(codec="utf-8"), max_size=4)
TEXTS = st.lists(st.one_of(_LETTERS.map(str.encode), st.binary(max_size=3)), max_size=6)


def is_text(raw):
    """Return whether bytes are UTF-8."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(1, 8))
def test_the_first_string_that_is_no_text(texts, piece):
    """Whatever the size of pieces, and where strings cut a character in two."""
    wrong = next((at for at, raw in enumerate(texts) if not is_text(raw)), None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "_BLOCK", piece)
        assert values.not_text(ByteArrays.of(texts)) == wrong


@settings(max_examples=100, deadline=None)
@given(st.lists(_LETTERS, max_size=6))
def test_characters_are_counted(texts):
    """Characters, not bytes, also of empty strings."""
    found = values.characters(ByteArrays.of([text.encode() for text in texts]))
    assert found.tolist() == [len(text) for text in texts]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.booleans(), max_size=20), st.lists(st.integers(0, 20), max_size=4))
def test_what_stands_before_a_row_group(mask, starts):
    """Counts run on over row groups, empty ones as well."""
    cuts = sorted({0, *(min(one, len(mask)) for one in starts), len(mask)})
    found = before(np.array(mask, np.bool_), np.array(cuts, np.int64))
    assert found.tolist() == [sum(mask[:cut]) for cut in cuts]
