"""Statistics of ORC columns: bounds admit what is there, stripes are the merge of their row groups."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.columns import to_python
from reference_impl.orc import statistics
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Column, Index, Statistics
from reference_impl.orc.schema import Type, TypeKind
from reference_impl.orc.statistics import Summary, key_of, merge, read, summarize
from reference_impl.orc.statistics_schema import (
    BucketStatistics,
    ColumnStatistics,
    DecimalStatistics,
    DoubleStatistics,
    StringStatistics,
    TimestampStatistics,
)
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import of_values, plan, with_columns

K = TypeKind
TOLD = [
    Statistics(),
    Statistics(widen=5),
    Statistics(truncate=2),
    Statistics(truncate=1, widen=1, nanos=False),
    Statistics(bounds=False, sum=False),
    Statistics(count=False, has_null=False, typed=False),
    Statistics(utc=False, local=True),
]


def admits(summary, key):
    """Return whether a value with this key may be there; the key None (NaN, or no order) always may."""
    if summary.count == 0:
        return False
    low, high = summary.low, summary.high
    return key is None or not ((low is not None and key < low) or (high is not None and key > high))


def told(file):
    """Yield of each column and row group (None: stripe, -1: file) what is said, and the values."""
    stride = file.footer.row_index_stride
    whole = [to_python(column) for column in file.read().columns]
    start = 0
    for number, stripe in enumerate(file.footer.stripes):
        stop = start + stripe.number_of_rows
        for node, values in zip(file.root.children, whole, strict=True):
            here = values[start:stop]
            for group, entry in enumerate(file.row_index(number, node.id).entry):
                yield node, entry.statistics, here[group * stride :][:stride]
            yield node, file.metadata.stripe_stats[number].col_stats[node.id], here
        start = stop
    for node, values in zip(file.root.children, whole, strict=True):
        yield node, file.footer.statistics[node.id], values


@pytest.mark.sweep(3)
@pytest.mark.parametrize("layout", TOLD, ids=range(len(TOLD)))
def test_written(layout):
    """All that a plan can say of values admits them, and counts are right."""
    columns = Column(index=Index(layout), statistics=layout)
    found = with_columns(plan(150, stripes=(90, 60), row_index_stride=25), columns)
    checked = 0
    for node, message, values in told(OrcFile(write(found))):
        said, scale = read(node.kind, message), node.scale if node.kind is K.DECIMAL else 0
        present = [value for value in values if value is not None]
        assert said.count in {len(present), None if not layout.count else len(present)}
        if layout.has_null:
            assert said.has_null == (len(present) < len(values))
        for value in present:
            assert admits(said, key_of(node.kind, value, scale)), (node.name, value, said)
            checked += 1
    assert checked > 5000


def test_exact():
    """By default statistics say all there is to say, of row groups, stripes, and the file."""
    for node, message, values in told(OrcFile(write(plan(150, stripes=(90, 60), row_index_stride=25)))):
        scale = node.scale if node.kind is K.DECIMAL else 0
        found, truth = read(node.kind, message), summarize(node.kind, values, scale=scale)
        if node.kind in statistics.FLOATS:
            assert found.sum == pytest.approx(truth.sum)
            truth = Summary(truth.count, truth.has_null, truth.low, truth.high, sum=found.sum)
        assert found == truth, node.name


def test_merge_of_messages():
    """What stripes say is the merge of what their row groups say."""
    file = OrcFile(write(plan(100, row_index_stride=15)))
    for node in file.root.children:
        groups = [read(node.kind, entry.statistics) for entry in file.row_index(0, node.id).entry]
        assert merge(node.kind, groups) == read(node.kind, file.metadata.stripe_stats[0].col_stats[node.id])


VALUES = {
    K.LONG: st.integers(-(2**63), 2**63 - 1),
    K.DOUBLE: st.floats(),
    K.FLOAT: st.floats(width=32),
    K.STRING: st.binary(max_size=4),
    K.BOOLEAN: st.booleans(),
    K.DECIMAL: st.tuples(st.integers(-(10**9), 10**9), st.integers(0, 6)),
    K.TIMESTAMP: st.tuples(st.integers(-(10**10), 10**10), st.integers(0, 10**9 - 1)),
    K.LIST: st.lists(st.none(), max_size=3),
}


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(sorted(VALUES)))
def test_summaries(data, kind):
    """A summary admits its values, and so does the merge of the summaries of parts."""
    values = data.draw(st.lists(st.none() | VALUES[kind], max_size=8))
    cut = data.draw(st.integers(0, len(values)))
    merged = merge(kind, [summarize(kind, values[:cut]), summarize(kind, values[cut:])])
    for found in (summarize(kind, values), merged):
        assert found.count == sum(value is not None for value in values)
        assert found.has_null == (None in values)
        assert all(admits(found, key_of(kind, value)) for value in values if value is not None)
    if not any(value is not None and kind in statistics.FLOATS and math.isnan(value) for value in values):
        assert (merged.low, merged.high) == (summarize(kind, values).low, summarize(kind, values).high)


def test_sums():
    """A sum that leaves 64 bits on the way is none, also where it comes back; NaN and infinity are sums."""
    most = 2**63 - 1
    assert summarize(K.LONG, [most, 1, -5]).sum is None
    assert summarize(K.LONG, [most, -5, 1]).sum == most - 4
    assert merge(K.LONG, [summarize(K.LONG, [most]), summarize(K.LONG, [1])]).sum is None
    assert math.isnan(summarize(K.DOUBLE, [1.0, math.nan]).sum)
    assert summarize(K.DOUBLE, [1.0, math.inf]).sum == math.inf
    assert summarize(K.DOUBLE, [1.7e308, 1.7e308]).sum is None
    assert summarize(K.STRING, [b"ab", None, b"c"]).sum == 3


@pytest.mark.parametrize(
    ("kind", "message", "low", "high"),
    [
        (K.TIMESTAMP, TimestampStatistics(minimum_utc=-1, maximum_utc=2), -1_000_000, 2_999_999),
        (
            K.TIMESTAMP,
            TimestampStatistics(minimum_utc=1, maximum_utc=2, minimum_nanos=4, maximum_nanos=1),
            1_000_003,
            2_000_000,
        ),
        (K.TIMESTAMP, TimestampStatistics(minimum=1, maximum=2), None, None),
        (K.STRING, StringStatistics(lower_bound="a", upper_bound="b"), b"a", b"b"),
        (K.DOUBLE, DoubleStatistics(minimum=1.0, maximum=2.0, sum=math.nan), None, None),
        (K.DOUBLE, DoubleStatistics(minimum=math.nan, maximum=2.0), None, None),
        (K.DECIMAL, DecimalStatistics(minimum="-1.50", maximum="2"), -15 * 10**37, 2 * 10**38),
        (K.DECIMAL, DecimalStatistics(minimum="1e9", maximum="?"), None, None),
        (K.BOOLEAN, BucketStatistics(count=(0,)), False, False),
        (K.BOOLEAN, BucketStatistics(count=(3,)), False, True),
        (K.BOOLEAN, BucketStatistics(count=(5,)), True, True),
        (K.BOOLEAN, BucketStatistics(count=(9,)), None, None),
        (K.INT, DoubleStatistics(minimum=1.0, maximum=2.0), None, None),
    ],
)
def test_read(kind, message, low, high):
    """Messages are read as the text has them; what cannot be used is not known."""
    name = {
        TimestampStatistics: "timestamp_statistics",
        StringStatistics: "string_statistics",
        DoubleStatistics: "double_statistics",
        DecimalStatistics: "decimal_statistics",
        BucketStatistics: "bucket_statistics",
    }[type(message)]
    found = read(kind, ColumnStatistics(number_of_values=5, **{name: message}))
    assert (found.low, found.high) == (low, high)


def test_nothing_is_said():
    """An empty message is no statement: it admits all."""
    found = read(K.INT, ColumnStatistics())
    assert found == Summary(None, None)
    assert admits(found, 7)
    assert not admits(read(K.INT, ColumnStatistics(number_of_values=0)), 7)


def test_zeros():
    """A minimum of zero is written as -0.0, a maximum as 0.0: readers may compare bits."""
    file = OrcFile(write(of_values(Type(kind=K.DOUBLE), [0.0, -0.0, 0.0])))
    found = file.footer.statistics[1].double_statistics
    assert [math.copysign(1, found.minimum), math.copysign(1, found.maximum)] == [-1, 1]


def test_truncated():
    """Long text has bounds of at most so many bytes, and only the one that is cut is called a bound."""
    layout = Column(statistics=Statistics(truncate=3))
    values = ["aé€".encode(), "zzé".encode()]
    file = OrcFile(write(with_columns(of_values(Type(kind=K.STRING), values), layout)))
    found = file.footer.statistics[1].string_statistics
    assert found == StringStatistics(lower_bound="aé", upper_bound="z{", sum=sum(map(len, values)))
