"""Parameters of DuckDB's statements as literals, for versions before 0.9."""

import math

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.engines.duckdb.inlined import Inlined, connected
from harness.engines.errors import Unsupported

_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    st.binary(),
)


@given(_VALUES)
def test_a_literal_is_the_value(value):
    """DuckDB returns the value that was written into the text, whatever a text contains."""
    (result,) = Inlined(duckdb.connect()).execute("SELECT $value", {"value": value}).fetchone()
    assert result == value or (math.isnan(result) and math.isnan(value))


def test_names_and_texts_are_no_parameters():
    """A dollar in a quoted name or text is left alone; a list is one of literals."""
    row = Inlined(duckdb.connect()).sql(
        "SELECT '$one''s', 1 AS \"$one\", $one", params={"one": ["a'b", "$one"]}
    )
    assert row.columns[1] == "$one"
    assert row.fetchall() == [("$one's", 1, ["a'b", "$one"])]


def test_others_are_unsupported():
    """What has no literal is not guessed."""
    with pytest.raises(Unsupported, match="a dict has no literal"):
        Inlined(duckdb.connect()).sql("SELECT $one", params={"one": {}})
    with pytest.raises(Unsupported):
        Inlined(duckdb.connect()).sql("SELECT $one", params={"one": "a\0b"})


def test_only_old_versions_need_it():
    """A connection that takes parameters is left as it is."""

    class Old:
        def connect(self):
            return self

        def sql(self, text):
            return text

    assert isinstance(connected(Old()), Inlined)
    assert not isinstance(connected(duckdb), Inlined)
