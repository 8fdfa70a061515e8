"""ORC files as old and other writers leave them: what does not stop decoding is noted.

Each file is put together by hand. A strict reader refuses all of them, by the same rule.
"""

from __future__ import annotations

import zlib

import pytest

from reference_impl.columns import to_python
from reference_impl.errors import Malformed
from reference_impl.notes import MOST
from reference_impl.orc.file import OrcFile
from reference_impl.orc.noted import NOTED
from reference_impl.orc.schema import (
    ColumnEncoding,
    CompressionKind,
    EncodingKind,
    Metadata,
    RowIndex,
    RowIndexEntry,
    StripeStatistics,
    Type,
    TypeKind,
)
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.validate import validate
from reference_impl.tests.orc_build import (
    DATA,
    DICTIONARY_DATA,
    LENGTH,
    ROW_INDEX,
    chunk,
    file,
    original,
    stripe,
    struct,
)
from reference_impl.tests.refusals import refused
from reference_impl.wire.protobuf import encode

INT, STRING = TypeKind.INT, TypeKind.STRING
TYPES = struct(a=INT)
ONE = b"\xff\x02"  # a literal run of version 1: 1
UNKNOWN = ColumnEncoding(unknown=((1, 0, b"\x63"),))
NEGATIVE = ColumnEncoding(unknown=((1, 0, b"\xff" * 9 + b"\x01"),))
V2 = ColumnEncoding(kind=EncodingKind.DIRECT_V2)
WORDS = ColumnEncoding(kind=EncodingKind.DICTIONARY, dictionary_size=1)


def one_row(types=TYPES, value=ONE, **change):
    """Return a stripe of one row, whose last column has the value."""
    return stripe(types, 1, {(len(types) - 1, DATA): value}, **change)


def sized(**lengths):
    """Return the stripe of one row, with other lengths in the footer."""
    body, info = one_row()
    for name, value in lengths.items():
        setattr(info, name, value)
    return body, info


def with_byte(**lengths):
    """Return the stripe of one row with a byte between its stream and its footer."""
    body, info = sized(**lengths)
    return body[:2] + b"\0" + body[2:], info


def words(rows=2, ids=b"\xfe\x00\x00", lengths=b"\xff\x01", data=b"x"):
    """Return a file of two rows in a dictionary of one word."""
    streams = {(1, DATA): ids, (1, LENGTH): lengths, (1, DICTIONARY_DATA): data}
    return file(struct(a=STRING), [stripe(struct(a=STRING), rows, streams, {1: WORDS})])


def zlibbed(behind, **postscript):
    """Return a file of one row, whose stream is compressed and has bytes behind."""
    squeezer = zlib.compressobj(wbits=-15)
    stored = chunk(squeezer.compress(ONE) + squeezer.flush() + behind)
    body, info = one_row(value=stored)
    footer = original(body[len(stored) :])
    info.footer_length = len(footer)
    compressed = {"compression": CompressionKind.ZLIB, **postscript}
    return file(TYPES, [(body[: len(stored)] + footer, info)], framed=original, postscript=compressed)


def plain(**change):
    """Return a file of one row."""
    return file(TYPES, [one_row()], **change)


LIE = Metadata(stripe_stats=(StripeStatistics(),) * 2)
MORE = Metadata(stripe_stats=(StripeStatistics(col_stats=(ColumnStatistics(),) * 3),))
NEW_CALENDAR = {"calendar": None, "unknown": ((11, 0, b"\x03"),)}
ENTRY = encode(RowIndex(entry=(RowIndexEntry(),)))
DOUBLE = bytes(6) + b"\xf0\x3f"
FILES = {
    "no magic in the postscript": (plain(postscript={"magic": None}), "ORC-FILE-003", [1]),
    "another magic in the postscript": (plain(postscript={"magic": "ORD"}), "ORC-FILE-003", [1]),
    "another magic at the front": (b"ORD" + plain()[3:], "ORC-FILE-004", [1]),
    "a block of 8 MiB": (zlibbed(b"", compression_block_size=1 << 23), "ORC-FILE-007", [1]),
    "a block of no bytes": (zlibbed(b"", compression_block_size=0), "ORC-FILE-007", [1]),
    "a version of three numbers": (plain(postscript={"version": (0, 12, 0)}), "ORC-FILE-008", [1]),
    "a version of one number": (plain(postscript={"version": (0,)}), "ORC-FILE-008", [1]),
    "headerLength 0": (plain(footer={"header_length": 0}), "ORC-FILE-009", [1]),
    "numberOfRows counts another file": (plain(footer={"number_of_rows": 2}), "ORC-FILE-011", [1]),
    "statistics of one of two columns": (
        plain(footer={"statistics": (ColumnStatistics(),)}),
        "ORC-FILE-014",
        [1],
    ),
    "statistics of two stripes": (plain(metadata=encode(LIE)), "ORC-FILE-013", [1]),
    "statistics of three columns": (plain(metadata=encode(MORE)), "ORC-FILE-018", [1]),
    "a calendar that is not known": (
        plain(footer=NEW_CALENDAR),
        "ORC-FILE-016",
        [1],
    ),
    "a VARCHAR without a length": (
        file(
            struct(a=TypeKind.VARCHAR),
            [stripe(struct(a=TypeKind.VARCHAR), 1, {(1, DATA): b"x", (1, LENGTH): b"\xff\x01"})],
        ),
        "ORC-TYPE-006",
        [b"x"],
    ),
    "indexLength counts the data": (
        file(TYPES, [sized(index_length=2, data_length=0)]),
        "ORC-STRIPE-005",
        [1],
    ),
    "a byte behind the streams": (file(TYPES, [with_byte(data_length=3)]), "ORC-STRIPE-006", [1]),
    "an index behind the data": (
        file(
            TYPES,
            [stripe(TYPES, 1, {(0, ROW_INDEX): ENTRY, (1, DATA): ONE, (1, ROW_INDEX): ENTRY})],
            footer={"row_index_stride": 1},
        ),
        "ORC-STRIPE-007",
        [1],
    ),
    "a stream of a column that does not exist": (
        file(TYPES, [stripe(TYPES, 1, {(9, DATA): b"?", (1, DATA): ONE})]),
        "ORC-STRIPE-009",
        [1],
    ),
    "a struct in an encoding that is not known": (
        file(TYPES, [one_row(encodings={0: UNKNOWN})]),
        "ORC-STRIPE-011",
        [1],
    ),
    "a struct in encoding -1": (file(TYPES, [one_row(encodings={0: NEGATIVE})]), "ORC-STRIPE-011", [1]),
    "a struct in DICTIONARY": (file(TYPES, [one_row(encodings={0: WORDS})]), "ORC-STRIPE-011", [1]),
    "a DOUBLE in DIRECT_V2": (
        file(
            struct(a=TypeKind.DOUBLE),
            [one_row(struct(a=TypeKind.DOUBLE), value=DOUBLE, encodings={1: V2})],
        ),
        "ORC-STRIPE-011",
        [1.0],
    ),
    "a length of no word": (words(lengths=b"\xff\x01\xff\x01"), "ORC-STR-002", [b"x", b"x"]),
    "a length of no word, and its bytes": (
        words(lengths=b"\xff\x01\xff\x01", data=b"xy"),
        "ORC-STR-002",
        [b"x", b"x"],
    ),
    "a byte of no word": (words(data=b"xy"), "ORC-STR-003", [b"x", b"x"]),
    "a byte behind DEFLATE": (zlibbed(b"\0"), "ORC-COMP-006", [1]),
}


def everything(data, *, strict):
    """Return an open file, its metadata and indexes read, and its first column."""
    opened = OrcFile(data, strict=strict)
    assert opened.metadata.stripe_stats is not None
    for column in range(opened.root.max_id + 1):
        opened.row_index(0, column)
    return opened, to_python(opened.read().columns[0])


@pytest.mark.parametrize("name", FILES)
def test_noted(name):
    """The rule is noted once, at a place of the file, and the values are right."""
    data, rule, values = FILES[name]
    opened, column = everything(data, strict=False)
    assert column == values
    (note,) = opened.notes
    assert note.rule == rule
    assert note.rule in NOTED
    assert 0 <= note.offset < len(data)


@pytest.mark.parametrize("name", FILES)
def test_strict(name):
    """A strict reader refuses the file, by the same rule, which the validator names alone."""
    data, rule, _ = FILES[name]
    with refused(rule):
        everything(data, strict=True)
    assert {violation.rule for violation in validate(data)} - {"ORC-COMP-007"} == {rule}


DATED = struct(a=TypeKind.DATE)
REFUSED = {
    "neither magic": (b"ORD" + plain(postscript={"magic": "ORD"})[3:], "ORC-FILE-004"),
    "a version of another major number": (plain(postscript={"version": (2,)}), "ORC-FILE-008"),
    "a stripe that does not count its rows": (
        file(TYPES, [sized(number_of_rows=0)], footer={"number_of_rows": 1}).replace(
            b"\x28\x00", b"\x78\x00"
        ),
        "ORC-FILE-011",
    ),
    "rows and no stripe": (file(TYPES, footer={"number_of_rows": 1}), "ORC-FILE-011"),
    "dates of a calendar that is not known": (
        file(DATED, [one_row(DATED)], footer=NEW_CALENDAR),
        "ORC-FILE-016",
    ),
    "a byte that may stand in the index": (file(TYPES, [with_byte(index_length=1)]), "ORC-STRIPE-005"),
    "integers in an encoding that is not known": (
        file(TYPES, [one_row(encodings={1: UNKNOWN})]),
        "ORC-STRIPE-011",
    ),
    "dictionarySize is too small": (
        words(ids=b"\xfe\x00\x01", lengths=b"\xff\x01\xff\x01", data=b"xy"),
        "ORC-STR-002",
    ),
    "a word too few": (words(lengths=b""), "ORC-STR-002"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_part(name):
    """What has several readings is refused all the same, by the rule that is broken."""
    data, rule = REFUSED[name]
    with refused(rule):
        OrcFile(data).read()


def test_an_index_that_does_not_fit_is_not_used():
    """Rows are read from the beginning of the stripe where the index has too few entries."""
    made = stripe(TYPES, 2, {(1, ROW_INDEX): ENTRY, (1, DATA): b"\xfe\x02\x04"})
    opened = OrcFile(file(TYPES, [made], footer={"row_index_stride": 1}))
    assert to_python(opened.read_rows(None, 0, 1, 2).columns[0]) == [2]
    assert [note.rule for note in opened.notes] == ["ORC-INDEX-001"]


def test_statistics_that_do_not_fit_are_not_used():
    """Nothing is said of columns and stripes where statistics are not as many."""
    assert OrcFile(FILES["statistics of one of two columns"][0]).statistics == ()
    assert OrcFile(FILES["statistics of two stripes"][0]).stripe_statistics == ()
    assert [
        part.col_stats for part in OrcFile(FILES["statistics of three columns"][0]).stripe_statistics
    ] == [()]


def test_a_stripe_that_is_opened_again():
    """A stripe is noted once, however often it is opened."""
    opened = OrcFile(file(TYPES, [one_row(encodings={0: UNKNOWN}) for _ in range(3)]))
    for _ in range(2):
        assert opened.read().num_rows == 3
    assert [note.path for note in opened.notes] == [(f"stripes[{number}]", "footer") for number in range(3)]


def test_notes_are_bounded():
    """No file makes more notes than the cap."""
    opened = OrcFile(file(TYPES, [one_row(encodings={0: UNKNOWN}) for _ in range(MOST + 1)]))
    assert opened.read().num_rows == MOST + 1
    assert len(opened.notes) == MOST


def test_a_path(tmp_path):
    """A file that is opened by its path has notes, or is refused if that is asked for."""
    path = tmp_path / "a.orc"
    path.write_bytes(FILES["headerLength 0"][0])
    assert [note.rule for note in OrcFile.open(path).notes] == ["ORC-FILE-009"]
    with pytest.raises(Malformed):
        OrcFile.open(path, strict=True)


def test_types_are_noted_where_the_footer_is_compressed():
    """The offset of a note is that of the chunk in the file."""
    types = (*TYPES[:1], Type(kind=TypeKind.CHAR))
    data = file(types, framed=original, postscript={"compression": 1})
    (note,) = OrcFile(data).notes
    assert (note.rule, note.offset, note.path) == ("ORC-TYPE-006", 3, ("footer", "types[1]"))
