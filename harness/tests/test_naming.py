from __future__ import annotations

import pytest

from harness.engines.naming import EngineName, NamingError, parse
from harness.engines.registry import ENGINES, Entry


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("spark", EngineName("spark")),
        ("spark@4.3.0", EngineName("spark", "4.3.0")),
        ("spark:vectorized=off", EngineName("spark", None, {"vectorized": "off"})),
        ("polars@2.1:api=lazy", EngineName("polars", "2.1", {"api": "lazy"})),
        ("pyarrow:api=table,mmap=on", EngineName("pyarrow", None, {"api": "table", "mmap": "on"})),
        ("duckdb@1.5.0.dev12+gabc", EngineName("duckdb", "1.5.0.dev12+gabc")),
    ],
)
def test_names_there_and_back(text, name):
    """A name is read into its parts, and its parts say the name."""
    assert parse(text) == name
    assert str(name) == text
    assert {parse(text), name} == {name}


def test_order_of_switches():
    """Two spellings of one configuration have one name."""
    assert str(parse("pyarrow:mmap=on,api=dataset")) == str(parse(" pyarrow:api=dataset,mmap=on "))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "sparc",
            "unknown engine 'sparc'; did you mean spark? known: reference, pyarrow, pyarrow_orc, pyorc,",
        ),
        ("", "unknown engine ''; known:"),
        ("spark@", "'' is no version; write spark@1.2.3, or spark alone"),
        ("spark@../x", "'../x' is no version"),
        ("reference@1.0", "reference is part of colconf and has no other versions; write reference"),
        ("spark:", "no switch after the colon; write spark:vectorized=off"),
        ("spark:vectorised=on", "unknown switch 'vectorised'; did you mean vectorized? known: vectorized"),
        ("spark:vectorized=yes", "'yes' is no value of vectorized; use vectorized=on or vectorized=off"),
        ("spark:vectorized", "vectorized needs a value; use vectorized=on or vectorized=off"),
        ("spark:vectorized=on,vectorized=off", "vectorized is given twice; give it once"),
        ("plain:fast=on", "plain has no switches; write plain"),
    ],
)
def test_what_is_wrong_and_what_would_be_right(monkeypatch, text, message):
    """The error is one line that says what is wrong and how to mend it."""
    monkeypatch.setitem(ENGINES, "plain", Entry("plain", "plain", "Plain"))
    with pytest.raises(NamingError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
