"""The reference keeps what it has decoded for the next query, within a limit."""

import sys
import tracemalloc

import pytest

from corpora.build.recipe import leaf, schema
from corpora.tagged import Table
from harness.engines.reference import files
from harness.engines.reference.cache import Cache
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import Type
from reference_impl.parquet.writer import write


def _made_anew(most, *keys):
    """Return which keys were made anew; each key is a letter with its size behind it."""
    cache, new = Cache(most), []
    for key in keys:
        assert cache.get(key, int(key[1:]), lambda key=key: new.append(key) or key) == key
        assert cache.size <= most
    return new


@pytest.mark.parametrize(
    ("keys", "new"),
    [
        (("a4", "a4"), ["a4"]),
        (("a4", "b4", "a4", "b4"), ["a4", "b4"]),
        (("a4", "b4", "a4", "c4", "a4", "b4"), ["a4", "b4", "c4", "b4"]),
        (("a4", "d11", "d11", "a4"), ["a4", "d11", "d11"]),
        (("a4", "b4", "e10", "a4"), ["a4", "b4", "e10", "a4"]),
    ],
)
def test_the_least_recently_used_goes_first(keys, new):
    """A value is made once while it fits; the one that was not asked for longest is given up."""
    assert _made_anew(10, *keys) == new


@pytest.mark.parametrize(("between", "new"), [(255, 0), (256, 1)])
def test_a_value_that_is_not_used_for_long_is_given_up(between, new):
    """What is not used by 256 requests is made anew, though it would fit, and counts no more."""
    cache, again = Cache(1_000), []
    cache.get("a", 100, str)
    for number in range(between):
        cache.get(number % 3, 1, str)
    cache.get("a", 100, lambda: again.append("a"))
    assert len(again) == new
    assert cache.size == 103


def test_others_go_before_a_new_value_is_made():
    """While a value is made, what is kept beside it is within the limit."""
    cache = Cache(10)
    cache.get("a", 6, str)
    cache.get("b", 6, lambda: str(cache.size))
    assert cache.get("b", 6, str) == "0"


def test_values_that_are_larger_than_was_said():
    """A value that turns out to be larger counts with its size, and is not kept beyond the limit."""
    cache = Cache(10, len)
    for value in ("four", "seventy"):
        assert cache.get(value, 1, lambda value=value: value) == value
    assert cache.size == len("seventy")
    assert cache.get("x", 1, lambda: "more than ten") == "more than ten"
    assert cache.size <= len("seventy")


def test_what_cannot_be_made_is_not_kept():
    """A value whose making fails is tried again."""
    cache = Cache(10)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", 1, lambda: 1 // 0)
    assert cache.get("a", 1, lambda: "made") == "made"


def test_files_that_do_not_stay_open_keep_nothing(tmp_path, monkeypatch):
    """The rows of a file that is opened anew for each query are not kept; those of another one are."""
    plan = FilePlan(schema(leaf("a", Type.INT32)), ({"a": 1},))
    path = tmp_path / "x.parquet"
    path.write_bytes(write(plan))
    tables = Cache(1 << 20)
    monkeypatch.setattr(files, "_tables", tables)
    monkeypatch.setattr(files, "_LARGEST", 1)
    assert files.open_file(str(path), "parquet").whole().column(0) == ["1"]
    assert tables.size == 0
    monkeypatch.setattr(files, "_LARGEST", 1 << 20)
    for _ in range(2):
        assert files.open_file(str(path), "parquet").whole().column(0) == ["1"]
        assert tables.size > 0
    path.write_bytes(write(FilePlan(plan.schema, ({"a": 2},))))
    assert files.open_file(str(path), "parquet").whole().column(0) == ["2"]


def test_what_is_kept_counts_with_its_memory():
    """A table of many small values counts with the memory of the values, not with their number."""
    values = [str(number) for number in range(1000)]
    nested = [{"a": [value, None]} for value in values]
    at_least = sum(map(sys.getsizeof, values))
    assert files._weight(Table.of([("a", "string")], [values], 1000)) >= at_least
    assert files._weight(Table.of([("a", "string")], [nested], 1000)) >= 3 * at_least


def test_open_files_count_with_their_memory(tmp_path, monkeypatch):
    """Small files that stay open count with the memory that they hold, which is far more than their bytes."""
    kept = Cache(64 << 20)
    monkeypatch.setattr(files, "_files", kept)
    columns = [leaf(f"c{number}", Type.INT32) for number in range(5)]
    path = tmp_path / "x.parquet"
    tracemalloc.start()
    for row in range(30):
        path.write_bytes(write(FilePlan(schema(*columns), ({f"c{number}": row for number in range(5)},))))
        files.open_file(str(path), "parquet")
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held / 2 < kept.size < 64 << 20
