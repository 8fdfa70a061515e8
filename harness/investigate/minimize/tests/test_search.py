"""The search skips reductions that raise a documented exception, and lets every other exception pass."""

from dataclasses import replace

import pytest

from harness.investigate.minimize import pages, parquet, rows
from harness.investigate.minimize.reduction import Impossible, Reduction, Sites, overlaps
from harness.investigate.minimize.search import Search
from harness.investigate.minimize.tests.files import parquet as parquet_file
from reference_impl.errors import Malformed
from reference_impl.parquet import anatomy

DATA = b"abcd"


def searched(reduction):
    """The best file of a search in which every file shows the finding."""
    search = Search(DATA, lambda _: True, lambda _: True, lambda _data, _progress: None, float("inf"))
    search.hold(DATA, [reduction])
    assert not search.needed
    return search.run([reduction])


def raising(error):
    """A reduction without sites, and the same with sites that cannot be reduced."""

    def fails(*_):
        raise error

    return Reduction("no sites", fails), Reduction("not reduced", lambda _: Sites(1, fails))


@pytest.mark.parametrize("error", [Impossible("x"), Malformed("x")])
def test_what_cannot_be_is_passed_over(error):
    """If a reduction raises a documented exception, the file stays as it is."""
    for reduction in raising(error):
        assert searched(reduction) == DATA


@pytest.mark.parametrize("error", [ValueError, IndexError, TypeError, OverflowError, KeyError])
def test_other_exceptions_are_bugs(error):
    """An exception that no reduction documents ends the search."""
    for reduction in raising(error("x")):
        with pytest.raises(error):
            searched(reduction)


def test_overlaps():
    """Sites are counted through parts; parts without any of them are left out."""
    assert list(overlaps(1, 5, [2, 0, 1, 4, 3])) == [(0, 1, 2), (2, 0, 1), (3, 0, 2)]
    assert not list(overlaps(0, 3, []))


def test_a_row_group_without_all_chunks():
    """A file whose row group lacks a chunk has no decoded contents, which rows need."""
    own = anatomy.dissect(parquet_file())
    own.groups[0].chunks.pop()
    data = anatomy.assemble(own)
    with pytest.raises(Impossible):
        pages.Contents(data)
    with pytest.raises(Impossible):
        rows.rows(data)


def test_a_schema_without_elements():
    """A file whose schema is empty has no names to shorten."""
    own = anatomy.dissect(parquet_file())
    own.metadata = replace(own.metadata, schema=[])
    assert parquet.short_names(anatomy.assemble(own), frozenset()).count == 0
