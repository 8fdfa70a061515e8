"""Validation goes on behind a problem, reports causes and not what follows from them, and never raises.

That each rule is seen to be broken, alone, is tested over the faults (`properties/tests/test_faults.py`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora.keys import Keys, suite_key
from properties.strategies.faults import FAULTS
from properties.strategies.faults.thrift import before_stop
from reference_impl.byte_arrays import ByteArrays
from reference_impl.limits import Limits
from reference_impl.parquet.orders import Order, bounds, key
from reference_impl.parquet.plan import (
    Bloom,
    Column,
    ColumnKey,
    Dictionary,
    Encryption,
    FilePlan,
    Index,
    Page,
    Statistics,
)
from reference_impl.parquet.schema import (
    CompressionCodec,
    Empty,
    Encoding,
    FieldRepetitionType,
    LogicalType,
    SchemaElement,
    Type,
)
from reference_impl.parquet.tamper import Tamper
from reference_impl.parquet.tree import build
from reference_impl.parquet.validate import examine, footer, validate
from reference_impl.parquet.validate.measure import joined, measure
from reference_impl.parquet.writer import write
from reference_impl.validation import MOST, MOST_OF_A_RULE

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
FULL = Column(
    (Page(5), Page(7, version=2, statistics=Statistics())),
    statistics=Statistics(distinct_count=True),
    index=Index(histograms=True, sizes=True),
    bloom=Bloom(),
    size_statistics=True,
    encoding_stats=True,
)
INDEXED = (Page(4, encoding=Encoding.RLE_DICTIONARY), Page(3))


def schema(*fields):
    """Return a schema with these fields."""
    return (SchemaElement(name="schema", num_children=len(fields)), *fields)


def field(name, kind=Type.INT32, repetition=REQUIRED, **more):
    """Return a leaf."""
    return SchemaElement(type=kind, repetition_type=repetition, name=name, **more)


def ints(count=20, column=FULL, fields=("a", "b", "c"), **more):
    """Return a plan of columns of numbers."""
    rows = [dict.fromkeys(fields, number * 7 % 11) for number in range(count)]
    return FilePlan(schema(*map(field, fields)), tuple(rows), (column,) * len(fields), **more)


class Cut(Tamper):
    """Cuts a byte off the values of some pages."""

    def __init__(self, *leaves):
        self.leaves = leaves

    def section(self, place, name, data):
        """Cut."""
        return data[:-1] if name == "values" and place.leaf in self.leaves else data


class Footer(Tamper):
    """Changes the footer."""

    def __init__(self, change):
        self.footer = change


def found(data, **more):
    """Return the ids of the rules that are broken, in order, each as often as it is."""
    return [one.rule for one in validate(data, **more)]


@pytest.mark.parametrize(
    "plan",
    [
        ints(),
        ints(0),
        ints(column=replace(FULL, pages=INDEXED, dictionary=Dictionary())),
        ints(
            column=replace(FULL, codec=CompressionCodec.ZSTD), row_groups=(7, 0, 13), row_group_details=True
        ),
        ints(long_headers=True, unknown_fields=True),
    ],
)
def test_a_sound_file_breaks_nothing(plan):
    """Whatever a sound file has of indexes, filters and statistics, no rule is broken."""
    report = examine(write(plan))
    assert (report.violations, report.unchecked) == ([], [])


def test_it_goes_on_behind_a_chunk_that_cannot_be_decoded():
    """Two chunks that are cut short are two violations, and a third chunk is still looked at."""
    plan = ints()
    plan = replace(plan, columns=(FULL, replace(FULL, codec=CompressionCodec.LZ4), FULL))
    broken = [(one.rule, one.path[1]) for one in validate(write(plan, Cut(0, 2)))]
    assert broken == [
        ("PQ-PLAIN-001", "column a"),
        ("PQ-CODEC-004", "column b"),
        ("PQ-PLAIN-001", "column c"),
    ]


def test_what_follows_from_a_problem_is_not_reported():
    """Statistics, indexes and filters of a chunk that cannot be decoded are not compared with its rest."""
    assert found(write(ints(fields=("a",)), Cut(0))) == ["PQ-PLAIN-001"]


def test_a_wrong_checksum_is_one_violation():
    """A page whose stored bytes were changed is named once, whatever its values are now."""
    data = bytearray(write(ints(fields=("a",), column=replace(FULL, pages=(Page(crc=True),)))))
    data[60] ^= 1
    assert found(bytes(data)) == ["PQ-PAGE-003"]


def test_a_wrong_annotation_is_left_out():
    """A column with an annotation that it cannot have is still read, as its physical type."""
    wrong = field("a", logicalType=LogicalType(STRING=Empty()))
    data = write(ints(fields=("a",)), Footer(lambda footer: replace(footer, schema=list(schema(wrong)))))
    (one,) = validate(data)
    assert (one.rule, one.path) == ("PQ-LOGICAL-001", ("footer", "schema[1]"))


def test_a_violation_says_where_it_is():
    """Offset, path and message name the page and the field."""
    data = write(ints(), Cut(1))
    (one,) = validate(data)
    assert one.path == ("row_groups[0]", "column b", "page[0]")
    assert "5 values of INT32" in one.message
    assert one.offset is not None
    assert 4 < one.offset < len(data)


def test_violations_are_bounded():
    """Of a rule that is broken too often, some are told and the others counted."""
    names = tuple(f"c{number}" for number in range(MOST_OF_A_RULE + 30))
    report = examine(write(ints(3, Column(codec=CompressionCodec.LZ4), names)))
    assert len(report.violations) == MOST_OF_A_RULE < MOST
    assert report.suppressed == {"PQ-CODEC-004": 30}


def test_what_cannot_be_looked_at_is_no_violation():
    """An encrypted footer, a codec that is not known, and a limit of ours are told apart."""
    for data, why in (
        (b"PARE" + bytes(20) + b"PARE", "encrypted"),
        (write(ints(fields=("a",)), Footer(_other_codec)), "codec 99"),
    ):
        report = examine(data)
        assert not report.violations
        assert why in report.unchecked[0]
    report = examine(write(ints(column=Column())), limits=Limits(values=10))
    assert not report.violations
    assert len(report.unchecked) == 3


def _other_codec(footer):
    (group,) = footer.row_groups
    (chunk,) = group.columns
    chunk = replace(chunk, meta_data=replace(chunk.meta_data, codec=99))
    return replace(footer, row_groups=[replace(group, columns=[chunk])])


@pytest.mark.parametrize("header", ["09 0a", "09 8a00"])
def test_the_type_of_an_empty_list_stands_behind_its_field_header(header):
    """The id of a field may be padded: the type is still found, whether it exists or not."""
    data = write(ints())
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for code, broken in (("00", ["PQ-THRIFT-012"]), ("0c", []), ("fe00", ["PQ-THRIFT-012"])):
        footer = before_stop(f"{header} {code}")(data[start:-8])
        assert found(data[:start] + footer + len(footer).to_bytes(4, "little") + data[-4:]) == broken


@pytest.mark.parametrize("plain_footer", [False, True])
def test_empty_lists_of_deciphered_structs_are_not_looked_up_in_the_file(plain_footer):
    """Where the file has other bytes than those that were deciphered, they say nothing about a list."""
    names, key = tuple(f"x{number}" for number in range(40)), suite_key("footer")
    own = ColumnKey(key, b"k") if plain_footer else None
    encryption = Encryption(key, columns=(own,) * 40 if own else None, plaintext_footer=plain_footer)
    data = write(ints(fields=names, column=Column(), encryption=encryption), Footer(_empty_lists))
    assert found(data, keys=Keys(footer=key, by_metadata={b"k": key})) == []


def _empty_lists(footer):
    (group,) = footer.row_groups
    chunks = [
        replace(chunk, meta_data=replace(chunk.meta_data, key_value_metadata=[])) for chunk in group.columns
    ]
    return replace(footer, row_groups=[replace(group, columns=chunks)])


@pytest.mark.parametrize("data", [b"", b"PAR1", bytes(12), b"PAR1" + bytes(100) + b"PAR1"])
def test_what_is_no_parquet_file_is_one_violation(data):
    """There is nothing to go on with behind a footer that cannot be found."""
    assert len(found(data)) == 1


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_it_never_raises(data):
    """Whatever is done to a file, validation answers."""
    fault = data.draw(st.sampled_from(sorted(FAULTS)))
    raw = bytearray(FAULTS[fault].near.build())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    for one in validate(bytes(raw), limits=Limits(1 << 16, 1 << 20, 1 << 20)):
        assert one.rule.startswith("PQ-")
        assert one.message


NODES = {
    Order.SIGNED: (field("x", Type.INT64), st.integers(-(2**63), 2**63 - 1)),
    Order.FLOAT: (field("x", Type.DOUBLE), st.floats()),
    Order.FLOAT_TOTAL: (field("x", Type.DOUBLE), st.floats()),
    Order.BYTES: (field("x", Type.BYTE_ARRAY), st.binary(max_size=3)),
    Order.INT96_TIMESTAMP: (field("x", Type.INT96), st.binary(min_size=12, max_size=12)),
}


@pytest.mark.parametrize("order", NODES)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_a_measure_of_parts_is_that_of_the_whole(order, data):
    """The least and the greatest value of several pages are those of all values at once."""
    element, values = NODES[order]
    (node,) = build(list(schema(element))).leaves()
    parts = data.draw(st.lists(st.lists(values, max_size=4), max_size=3))
    arrays = [_array(element.type, part) for part in parts]
    told = joined(order, [measure(node, order, one) for one in arrays])
    flat = [value for part in parts for value in part]
    wanted = bounds(order, _array(element.type, flat))
    keys = [key(order, raw) for raw in told[:2] if raw is not None]
    assert keys == [key(order, raw) for raw in wanted or ()]
    assert told.values == len(flat)


def _array(kind, values):
    if kind == Type.BYTE_ARRAY:
        return ByteArrays.of(values)
    if kind == Type.INT96:
        return np.frombuffer(b"".join(values), np.uint8).reshape(-1, 12)
    return np.array(values, "<f8" if kind == Type.DOUBLE else "<i8")


@pytest.mark.parametrize(
    ("created_by", "is_right"),
    [
        ("parquet-mr version 1.8.1 (build abc)", True),
        ("a version b (build )", True),
        ("a version  version b (build x) (build y)", True),
        ("a\nb version b\n(c) (build x)", True),
        (" a version b (build x)", False),
        (" version b (build x)", False),
        ("a version (build x)", False),
        ("a version b (build x", False),
        ("a version b", False),
        ("parquet-cpp", False),
        ("", False),
    ],
)
def test_forms_of_created_by(created_by, is_right):
    """An application, its version and the hash of its build stand in this order, each of any length."""
    assert footer._is_created_by(created_by) is is_right


def test_the_form_of_created_by_is_looked_for_in_linear_time():
    """A long text without the end of the form is searched once for each word, not for each combination."""
    assert not footer._is_created_by("x" + " version x (build " * 200_000)
