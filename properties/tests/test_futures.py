"""Strategies of files from the future: the reference handles each file at least as well as it should."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.investigate.minimize.tests.files import orc_file, parquet
from properties.strategies.futures import orc_futures, parquet_futures
from properties.strategies.mutations.futures import FUTURES as PARQUET
from properties.strategies.mutations.handling import Handling
from properties.strategies.mutations.orc.futures import FUTURES as ORC
from reference_impl.errors import ReferenceError_
from reference_impl.orc.file import OrcFile
from reference_impl.parquet.file import ParquetFile

FILES = {
    "parquet": st.sampled_from([parquet(3), parquet(30), b"PAR1PAR1"]).filter(lambda one: len(one) > 8),
    "orc": st.sampled_from([orc_file(3), orc_file(20)]),
}


@given(parquet_futures(FILES["parquet"]))
@settings(max_examples=30, deadline=None)
def test_parquet(found):
    """The reference reads all of a file whose handling is READS; others may raise documented errors."""
    assert found.handling is PARQUET[found.feature].handling
    try:
        ParquetFile(found.data).read()
    except ReferenceError_:
        assert found.handling is not Handling.READS


@given(orc_futures(FILES["orc"]))
@settings(max_examples=30, deadline=None)
def test_orc(found):
    """The reference reads all of a file whose handling is READS; others may raise documented errors."""
    assert found.handling is ORC[found.feature].handling
    try:
        OrcFile(found.data).read()
    except ReferenceError_:
        assert found.handling is not Handling.READS


@pytest.mark.parametrize("feature", ["codec", "unknown fields"])
@given(st.data())
@settings(max_examples=5, deadline=None)
def test_one_feature(feature, data):
    """A strategy that is given one feature draws no other."""
    assert data.draw(parquet_futures(FILES["parquet"], [feature])).feature == feature
