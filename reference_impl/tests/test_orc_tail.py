"""Tails, types and stripe footers of ORC files: what is read, and which rule a broken one breaks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.errors import LimitExceeded, Malformed, Unsupported, UsageError
from reference_impl.limits import Limits
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import (
    CalendarKind,
    ColumnEncoding,
    EncodingKind,
    Metadata,
    StreamKind,
    StripeStatistics,
    Type,
    TypeKind,
)
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.types import MAX_DEPTH, build
from reference_impl.orc.validate import validate
from reference_impl.tests.orc_build import DATA, PRESENT, ROW_INDEX, chunk, file, original, stripe, struct
from reference_impl.wire.protobuf import encode

INT = TypeKind.INT
TYPES = struct(a=INT)
ONE = b"\xff\x02"  # a literal run of version 1: 1


def one_row(**change):
    """A stripe of one row, 1."""
    return stripe(TYPES, 1, {(1, DATA): ONE}, **change)


def everything(data):
    """Read tail, metadata and all columns, strictly."""
    opened = OrcFile(data, strict=True)
    return opened.metadata, opened.read()


def broken(data, rule, kind=Malformed):
    """The file breaks this rule, and the error is inside of it."""
    with pytest.raises(kind) as caught:
        everything(data)
    assert caught.value.rule == rule
    assert caught.value.offset is None or 0 <= caught.value.offset <= len(data)


def test_a_small_file():
    """One stripe with one row: the tail says what there is, the table has it."""
    opened = OrcFile(file(TYPES, [one_row()]))
    assert opened.tail.version == (0, 12)
    assert opened.calendar == CalendarKind.PROLEPTIC_GREGORIAN
    assert [(node.id, node.path, node.max_id) for node in opened.root.walk()] == [(0, (), 1), (1, ("a",), 1)]
    assert opened.read().columns[0].values.tolist() == [1]
    (place,) = opened.stripe(0).streams
    assert (place.kind, place.column, place.offset, place.length, place.index) == (DATA, 1, 3, 2, False)


def test_no_stripes_no_columns():
    """A file without stripes, and one of rows without columns, have a table as well."""
    table = OrcFile(file(TYPES)).read()
    assert (table.num_rows, len(table.columns), table.columns[0].length) == (0, 1, 0)
    table = OrcFile(file(struct(), [stripe(struct(), 1 << 40, {})])).read()
    assert (table.num_rows, table.columns) == (1 << 40, ())


def test_a_root_that_is_no_struct():
    """A root of another kind is one column without a name."""
    types = (Type(kind=INT),)
    table = OrcFile(file(types, [stripe(types, 1, {(0, DATA): ONE})])).read()
    assert [(column.name, column.values.tolist()) for column in table.columns] == [("", [1])]


def test_what_may_be_absent():
    """Versions, lengths and counts that a postscript or footer leaves out have their meaning."""
    bare = {"version": (), "metadata_length": None, "compression": None, "magic": None}
    opened = OrcFile(file(TYPES, [one_row()], postscript=bare))
    assert opened.tail.version == (0, 11)
    less = {"header_length": None, "content_length": None, "number_of_rows": None}
    assert OrcFile(file(TYPES, [one_row()], footer=less)).read().num_rows == 1
    assert OrcFile(file(TYPES, [one_row()], footer={"content_length": 1})).read().num_rows == 1


def test_the_shortest_files():
    """What is too short for a tail is refused, from nothing on."""
    broken(b"", "ORC-FILE-001")
    broken(b"O", "ORC-FILE-001")
    broken(b"ORC", "ORC-FILE-002")
    broken(b"ORC\0", "ORC-FILE-002")


UNKNOWN_ENUM = ((2, 0, b"\x63"),)
TAILS = [
    ({"postscript": {"magic": "ORD"}}, "ORC-FILE-003"),
    ({"postscript": {"magic": None}}, "ORC-FILE-003"),
    ({"postscript": {"footer_length": 0}}, "ORC-FILE-005"),
    ({"postscript": {"footer_length": (1 << 64) - 1}}, "ORC-FILE-005"),
    ({"postscript": {"stripe_statistics_length": 1 << 20}}, "ORC-FILE-005"),
    ({"postscript": {"compression": None, "unknown": UNKNOWN_ENUM}}, "ORC-FILE-006"),
    ({"postscript": {"compression": 1, "compression_block_size": 0}}, "ORC-FILE-007"),
    ({"postscript": {"compression": 1, "compression_block_size": 1 << 23}}, "ORC-FILE-007"),
    ({"postscript": {"version": (0, 12, 0)}}, "ORC-FILE-008"),
    ({"footer": {"header_length": 4}}, "ORC-FILE-009"),
    ({"footer": {"number_of_rows": 2}}, "ORC-FILE-011"),
    ({"metadata": encode(Metadata(stripe_stats=(StripeStatistics(),) * 2))}, "ORC-FILE-013"),
    ({"footer": {"statistics": (ColumnStatistics(),)}}, "ORC-FILE-014"),
    ({"footer": {"calendar": None, "unknown": ((11, 0, b"\x03"),)}}, "ORC-FILE-016"),
    (
        {"metadata": encode(Metadata(stripe_stats=(StripeStatistics(col_stats=(ColumnStatistics(),) * 3),)))},
        "ORC-FILE-018",
    ),
    ({"footer": {"types": ()}}, "ORC-TYPE-001"),
]


@pytest.mark.parametrize(("change", "rule"), TAILS)
def test_broken_tails(change, rule):
    """Each change breaks its rule."""
    broken(file(TYPES, [one_row()], **change), rule)


def test_the_magic_at_the_front():
    """A file that does not begin with the magic is refused."""
    data = file(TYPES, [one_row()])
    broken(b"ORD" + data[3:], "ORC-FILE-004")


def test_versions_to_come():
    """A version that is not known is not read, but not the writer's fault."""
    broken(file(TYPES, postscript={"version": (0, 13)}), "ORC-FILE-008", Unsupported)


def test_a_footer_too_large():
    """The limit of the footer is the caller's."""
    with pytest.raises(LimitExceeded):
        OrcFile(file(TYPES), limits=Limits(footer_bytes=5))


def test_offsets_within_compressed_footers():
    """An error of a compressed footer is where its chunk stands in the file."""
    data = file(TYPES, framed=lambda raw: original(raw[:-3]), postscript={"compression": 1})
    with pytest.raises(Malformed) as caught:
        OrcFile(data)
    assert caught.value.offset == 3
    assert caught.value.path[0] == "footer"


def leaf(kind, **fields):
    """A type without children."""
    return Type(kind=kind, **fields)


TYPE_LISTS = [
    ([leaf(TypeKind.STRUCT, subtypes=(2,), field_names=("a",)), leaf(INT), leaf(INT)], "ORC-TYPE-002"),
    ([leaf(TypeKind.STRUCT, subtypes=(0,), field_names=("a",))], "ORC-TYPE-002"),
    ([leaf(TypeKind.STRUCT, subtypes=(1,), field_names=("a",))], "ORC-TYPE-002"),
    ([leaf(TypeKind.STRUCT, subtypes=(1, 1), field_names=("a", "b")), leaf(INT)], "ORC-TYPE-002"),
    ([leaf(INT), leaf(INT)], "ORC-TYPE-002"),
    ([leaf(INT, subtypes=(1,)), leaf(INT)], "ORC-TYPE-003"),
    (
        [leaf(TypeKind.STRUCT, subtypes=(1,), field_names=("a",)), leaf(INT, subtypes=(2,)), leaf(INT)],
        "ORC-TYPE-003",
    ),
    ([leaf(TypeKind.LIST)], "ORC-TYPE-003"),
    ([leaf(TypeKind.MAP, subtypes=(1,)), leaf(INT)], "ORC-TYPE-003"),
    ([leaf(TypeKind.UNION)], "ORC-TYPE-003"),
    ([leaf(TypeKind.STRUCT, subtypes=(1,)), leaf(INT)], "ORC-TYPE-004"),
    ([leaf(None)], "ORC-TYPE-005"),
    ([leaf(TypeKind.CHAR)], "ORC-TYPE-006"),
    ([leaf(TypeKind.VARCHAR, maximum_length=0)], "ORC-TYPE-006"),
    ([leaf(TypeKind.DECIMAL, precision=39)], "ORC-TYPE-007"),
    ([leaf(TypeKind.DECIMAL, precision=4, scale=5)], "ORC-TYPE-008"),
    ([leaf(TypeKind.UNION, subtypes=tuple(range(1, 258))), *[leaf(INT)] * 257], "ORC-TYPE-009"),
]


@pytest.mark.parametrize(("types", "rule"), TYPE_LISTS)
def test_broken_types(types, rule):
    """Each list of types breaks its rule."""
    with pytest.raises(Malformed) as caught:
        build(types)
    assert caught.value.rule == rule


def test_types_as_deep_as_allowed():
    """Lists within lists are built without recursion, and reading as deep as the limit works."""
    lists = [Type(kind=TypeKind.LIST, subtypes=(level + 1,)) for level in range(MAX_DEPTH)]
    types = (*lists, leaf(INT))
    streams = {(level, StreamKind.LENGTH): b"\xff\x01" for level in range(MAX_DEPTH)}
    opened = OrcFile(file(types, [stripe(types, 1, streams | {(MAX_DEPTH, DATA): ONE})]))
    assert len(list(opened.root.walk())[-1].path) == MAX_DEPTH
    assert opened.read().num_rows == 1
    with pytest.raises(LimitExceeded):
        build(
            [
                replace(lists[0]),
                *(replace(each, subtypes=(i + 2,)) for i, each in enumerate(lists)),
                types[-1],
            ]
        )


def changed(**fields):
    """The stripe of one row, its StripeInformation changed."""
    body, found = one_row()
    for name, value in fields.items():
        setattr(found, name, value)
    return body, found


STRIPES = [
    ([changed(footer_length=1 << 63)], "ORC-STRIPE-001"),
    ([stripe(struct(a=INT, b=INT), 1, {(1, DATA): ONE})], "ORC-STRIPE-004"),
    ([changed(index_length=2, data_length=0)], "ORC-STRIPE-005"),
    ([stripe(TYPES, 1, {(1, DATA): ONE, (1, ROW_INDEX): b""})], "ORC-STRIPE-007"),
    ([stripe(TYPES, 1, {(2, DATA): ONE})], "ORC-STRIPE-009"),
    ([one_row(encodings={1: ColumnEncoding(kind=EncodingKind.DICTIONARY)})], "ORC-STRIPE-011"),
    ([one_row(encodings={1: ColumnEncoding(unknown=((1, 0, b"\x09"),))})], "ORC-STRIPE-011"),
    ([stripe(TYPES, 1, {})], "ORC-STRIPE-012"),
]


INDEXED = stripe(TYPES, 1, {(0, ROW_INDEX): b"\0\0", (1, DATA): ONE})


def lengths(**fields):
    """The indexed stripe of one row, with other lengths in the file's footer."""
    return INDEXED[0], replace(INDEXED[1], **fields)


WRONG_LENGTHS = {
    "dataLength is 0": ([lengths(data_length=0)], "ORC-STRIPE-006"),
    "dataLength is 0 in the first of two stripes": ([lengths(data_length=0), one_row()], "ORC-STRIPE-006"),
    "dataLength is 1": ([lengths(data_length=1)], "ORC-STRIPE-006"),
    "indexLength is 0": ([lengths(index_length=0)], "ORC-STRIPE-005"),
    "indexLength is 1": ([lengths(index_length=1), one_row()], "ORC-STRIPE-005"),
}


@pytest.mark.parametrize("name", WRONG_LENGTHS)
def test_the_length_that_hides_a_stripe_footer_is_named(name):
    """Where a wrong length leads to bytes that are no footer, reader and validator name the length."""
    stripes, rule = WRONG_LENGTHS[name]
    broken(file(TYPES, stripes), rule)
    assert rule in {violation.rule for violation in validate(file(TYPES, stripes))}


def test_an_error_of_a_stripe_footer_is_not_its_own_cause():
    """Where no wrong length is known, the error is raised as it was."""
    body, info = lengths()
    with pytest.raises(Malformed) as caught:
        everything(file(TYPES, [(body[:4] + b"\0" + body[5:], info)]))
    assert caught.value.__cause__ is None


def test_a_damaged_stripe_footer_is_no_wrong_length():
    """A footer that is damaged, or has a gap before it, is refused as a message."""
    body, info = lengths()
    broken(file(TYPES, [(body[:4] + b"\0" + body[5:], info)]), "ORC-PROTO-004")
    body, info = lengths(data_length=0)
    broken(file(TYPES, [(b"\0" * 4 + body[:4] + b"\0" + body[4:], info)]), "ORC-PROTO-004")


@pytest.mark.parametrize(("stripes", "rule"), STRIPES)
def test_broken_stripes(stripes, rule):
    """Each stripe breaks its rule."""
    broken(file(TYPES, stripes), rule)


def test_streams_twice_or_too_long():
    """A second stream of a kind, and one that goes beyond its area, are refused."""
    body, info = stripe(TYPES, 1, {(1, DATA): ONE, (1, StreamKind.SECONDARY): ONE})
    broken(file(TYPES, [(body.replace(b"\x08\x05", b"\x08\x01"), info)]), "ORC-STRIPE-008")
    body, info = one_row()
    broken(file(TYPES, [(body.replace(b"\x18\x02", b"\x18\x03"), info)]), "ORC-STRIPE-010")
    broken(file(TYPES, [(body.replace(b"\x18\x02", b"\x18\x01"), info)]), "ORC-STRIPE-006")


def test_stripes_that_overlap():
    """A stripe that begins before the one before has ended is refused."""
    data = file(TYPES, [one_row(), one_row()])
    opened = OrcFile(data)
    second = opened.footer.stripes[1]
    again = replace(second, offset=second.offset - 1)
    broken(
        file(TYPES, [one_row(), one_row()], footer={"stripes": (opened.footer.stripes[0], again)}),
        "ORC-STRIPE-002",
    )


def test_streams_that_are_not_known():
    """A stream of an unknown kind takes its place and is passed by; empty columns may lack their streams."""
    body, info = stripe(TYPES, 1, {(1, PRESENT): b"\xff\x00", (1, StreamKind.DICTIONARY_COUNT): b"?"})
    body = body.replace(b"\x08\x04", b"\x08\x4d")
    table = OrcFile(file(TYPES, [(body, info)])).read()
    assert table.columns[0].valid.tolist() == [False]


def test_asking_for_what_is_not_there():
    """Stripes, rows and columns that are not there are the caller's mistake."""
    opened = OrcFile(file(TYPES, [one_row()]))
    for call in (
        lambda: opened.stripe(1),
        lambda: opened.read(["b"]),
        lambda: opened.read(stripes=[-1]),
        lambda: opened.read_rows(None, 0, 0, 2),
        lambda: opened.row_index(0, 2),
        lambda: opened.bloom_filters(0, -1),
    ):
        with pytest.raises(UsageError):
            call()


def test_more_values_than_allowed():
    """No memory is taken for the number of rows that a stripe declares: its streams are too short."""
    for rows in (1 << 50, 1 << 20):
        broken(file(TYPES, [stripe(TYPES, rows, {(1, DATA): ONE})]), "ORC-RLE1-001")


def test_compressed_stripes():
    """Footers of stripes are framed as all else is."""
    types = struct(a=INT)
    body, info = stripe(types, 1, {(1, DATA): original(ONE)})
    plain = body[5:]
    info.footer_length = len(original(plain))
    stripes = [(body[:5] + original(plain), info)]
    data = file(types, stripes, framed=original, postscript={"compression": 1})
    assert OrcFile(data).read().columns[0].values.tolist() == [1]
    broken(
        file(types, [(body[:5] + chunk(plain), info)], framed=original, postscript={"compression": 1}),
        "ORC-COMP-004",
    )


def test_a_stream_without_values_is_not_decompressed():
    """What stands in a stream of a column of nulls does not matter: nothing of it is needed."""
    types = struct(a=INT)
    nulls, damaged = original(b"\xff\x00"), b"\xff\xff\xff"
    body, info = stripe(types, 1, {(1, StreamKind.PRESENT): nulls, (1, DATA): damaged})
    at = len(nulls) + len(damaged)
    framed = original(body[at:])
    info.footer_length = len(framed)
    data = file(types, [(body[:at] + framed, info)], framed=original, postscript={"compression": 1})
    (column,) = OrcFile(data).read().columns
    assert (column.length, column.valid.tolist()) == (1, [False])
