"""Adapters serve old versions by what these take: fakes stand for libraries that are not installed."""

from types import SimpleNamespace

import pytest

from corpora.predicates import In
from corpora.tagged import integer
from harness.engines.polars import versions
from harness.engines.polars.adapter import Polars
from harness.engines.polars.query import condition


class Series:
    """A series that says whether it became a list."""

    def implode(self):
        """Return the list."""
        return [self]


def polars(scan, **more):
    """Return an adapter of a library with this function."""
    adapter = Polars.__new__(Polars)
    adapter.polars = SimpleNamespace(scan_parquet=scan, read_parquet=scan, **more)
    adapter.links = SimpleNamespace(to=lambda files: pytest.fail(f"a link to {files}"))
    return adapter


def test_polars_takes_no_pattern_where_it_has_the_option():
    """Since 0.20 a path is taken as it is, by `glob`."""

    def scan(source, *, glob=True, hive_partitioning=True, use_statistics=True):
        return source, glob, hive_partitioning, use_statistics

    adapter = polars(scan)
    with adapter._named("a*b.parquet") as name:
        assert adapter._scan(name, use_statistics=False) == ("a*b.parquet", False, False, False)


def test_polars_of_old_is_given_a_plain_name():
    """Before, `glob` and `hive_partitioning` are not passed, and a file has a plain name by a link."""
    from harness.children.links import Links

    def scan(source, *, use_statistics=True):
        return source, use_statistics

    adapter = polars(scan)
    adapter.links = Links()
    with adapter._named("/tmp/a*b.parquet") as name:
        assert "*" not in name
        assert adapter._scan(name, use_statistics=False) == (name, False)
        assert adapter._whole(name) == (name, True)


@pytest.mark.parametrize("modern", [True, False])
def test_polars_looks_in_a_list_since_1_30(modern):
    """`is_in` takes a list where it has `QueryOptFlags`, before a series."""
    series = Series()
    library = SimpleNamespace(**({"QueryOptFlags": object} if modern else {}))
    assert versions.among(library, series) == ([series] if modern else series)


def test_polars_asks_for_a_list_by_version():
    """The condition leaves to the version how values are given."""
    assert ".is_in(among(pl, pl.concat(" in condition(In(("x",), integer(32), ("1", "2")))
