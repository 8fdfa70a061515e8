"""The JSON text of blocks."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from corpora.tagged_text import block_text

_TEXTS = st.text() | st.text(st.characters(codec="ascii"))
_VALUES = st.none() | st.booleans() | _TEXTS | st.lists(st.none() | _TEXTS, max_size=2)


@given(st.lists(st.lists(_TEXTS) | st.lists(st.integers().map(str)) | st.lists(_VALUES)))
@example([['a","b'], ["c"]])
@example([['"', "a"], ['a"', '"b'], [""], []])
@example([["a\\"], ["a\x7f"], ["a\n"], ["\ud800"], ["\u00e9"]])
def test_a_block_is_written_as_json_writes_it(block):
    """The text is that of `json.dumps`, whatever the values are."""
    assert block_text(block) == json.dumps(block, separators=(",", ":"))
