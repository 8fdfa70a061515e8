"""ORC files taken apart and put together again."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.columns import StructColumn, to_python
from reference_impl.errors import Malformed, ReferenceError_, UsageError
from reference_impl.limits import Limits
from reference_impl.orc.anatomy import Seal, Slips, assemble, dissect, edits, seals
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Bloom, Chunks, Column
from reference_impl.orc.schema import CompressionKind, StreamKind, Type, TypeKind
from reference_impl.orc.validate import validate
from reference_impl.orc.writer import write
from reference_impl.tests import orc_build
from reference_impl.tests.orc_plans import PRIMITIVES, flat, plan

K = CompressionKind
ROOT = Path(os.environ.get("ORC_TEST_DATA", "."))
EXAMPLES = sorted(ROOT.rglob("*.orc")) if "ORC_TEST_DATA" in os.environ else []
WITH_BLOOMS = tuple(
    Column(bloom=Bloom(original=True) if name not in ("boolean", "binary") else None) for name in PRIMITIVES
)


def make(**choices):
    """A file of all types, in three stripes of two row groups each."""
    chosen = {"compression": K.ZLIB, "chunks": Chunks((50,)), "gap": 3} | choices
    return write(plan(90, stripes=(40, 30, 20), row_index_stride=20, **chosen))


FILE = make(metadata=(("a", b"b"),), unknown_fields=True)


def rows(data, columns=None, stripes=None, *, strict=False):
    """The rows of a file, or of some of its columns and stripes."""
    table = OrcFile(data, strict=strict).read(columns, stripes)
    return [to_python(column) for column in table.columns]


def rules(data):
    """The rules that a file breaks."""
    return {found.rule for found in validate(data)}


def same_table(data, other):
    """Whether two files hold the same, floats and NaN alike."""
    return repr(rows(data)) == repr(rows(other))


@pytest.mark.parametrize("codec", [K.NONE, K.ZLIB, K.ZSTD])
def test_identity(codec):
    """A file that nothing was changed of is written as it stood."""
    data = make(compression=codec)
    assert assemble(dissect(data)) == data


@pytest.mark.unmeasured
@pytest.mark.corpus
@pytest.mark.skipif(not EXAMPLES, reason="ORC_TEST_DATA is not set")
def test_identity_of_examples(some_of):
    """The examples come back byte by byte, those that break rules as well, and mended ones read alike."""
    for path in some_of(((path.name, path) for path in EXAMPLES), 8):
        data = path.read_bytes()
        if not data:
            continue
        parts = dissect(data)
        assert assemble(parts) == data, path
        if len(data) < 20_000 and "corrupt" not in path.parts and "1999" not in path.name:
            assert same_table(assemble(edits.mended(parts)), data), path


@pytest.mark.unmeasured
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_identity_of_broken_files(data):
    """Whatever is wrong with a file that has a footer, it comes back as it was."""
    found = bytearray(FILE)
    for _ in range(data.draw(st.integers(1, 4))):
        found[data.draw(st.integers(0, len(found) - 1))] = data.draw(st.integers(0, 255))
    try:
        parts = dissect(bytes(found))
    except ReferenceError_:
        return
    assert assemble(parts) == bytes(found)
    assemble(edits.mended(parts))


@given(st.binary(max_size=60))
def test_any_bytes(data):
    """Nothing but our own errors leaves; what can be taken apart comes back."""
    try:
        parts = dissect(data)
    except ReferenceError_:
        return
    assert assemble(parts) == data


def test_no_footer():
    """Without a footer to go by there is no anatomy."""
    for data in (b"", b"O", FILE[:-1] + b"\0", FILE[:40] + FILE[-30:]):
        with pytest.raises(Malformed):
            dissect(data)


def test_overlapping_stripes_are_not_placed():
    """A stripe that lies over another one is kept as the footer has it, and its bytes are not taken twice."""
    types = orc_build.struct(x=TypeKind.BYTE)
    stripe = orc_build.stripe(types, 4, {(1, orc_build.DATA): b"\1\7"})
    parts = dissect(orc_build.file(types, [stripe]))
    info = parts.tail.stripes[0]
    doubled = edits.with_footer(parts, lambda footer: replace(footer, stripes=(info,) * 50))
    one = replace(parts.stripes[0], placed=False)
    found = assemble(replace(doubled, stripes=(parts.stripes[0], *(one,) * 49)))
    again = dissect(found)
    assert [stripe.placed for stripe in again.stripes] == [True] + [False] * 49
    assert assemble(again) == found


def test_limits_hold_for_streams():
    """A stream that is larger inside than the limits allow is not opened."""
    parts = dissect(make(), limits=Limits(page_bytes=20))
    large = next(stream for _, _, stream in parts.all_streams() if len(stream.stored) > 100)
    assert parts.opened(large.stored) is None


@pytest.mark.sweep(3)
@pytest.mark.unmeasured
@pytest.mark.parametrize("stripe", [0, 1, 2])
def test_without_stripe(stripe):
    """A file without a stripe is legal, and holds the rows of the others."""
    found = assemble(edits.without_stripe(dissect(FILE), stripe))
    rest = [number for number in range(3) if number != stripe]
    assert rows(found) == rows(FILE, stripes=rest)
    assert not rules(found)
    assert len(OrcFile(found).metadata.stripe_stats) == 2


def test_without_stripes():
    """A file may lose all its stripes, not one that it does not have."""
    found = assemble(edits.with_stripes(dissect(FILE), ()))
    assert OrcFile(found).read().num_rows == 0
    with pytest.raises(UsageError):
        edits.without_stripe(dissect(FILE), 3)


@pytest.mark.unmeasured
def test_without_each_column(some_of):
    """A file without a column, or a field of one, is legal and holds all that is left."""
    parts = dissect(FILE)
    names = OrcFile(FILE).root.type.field_names
    by_id = {node.id: node for node in OrcFile(FILE).root.walk()}
    dropped = edits.columns(parts)
    assert len(dropped) > len(names)
    for column in some_of(((str(column), column) for column in dropped), 12):
        found = assemble(edits.without_column(parts, column))
        path = by_id[column].path
        if len(path) == 1:
            assert rows(found) == rows(FILE, [name for name in names if name != path[0]])
        else:
            assert OrcFile(found).root.type.field_names == names
        if not column % 4:
            assert not rules(found), path
    kept = assemble(edits.without_column(parts, dropped[0]))
    assert len(OrcFile(kept).footer.types) == len(by_id) - 1


def test_without_all_columns():
    """Columns can be dropped one after the other, down to a struct of nothing."""
    parts = dissect(FILE)
    while found := edits.columns(parts):
        parts = edits.without_column(parts, found[-1])
    file = OrcFile(assemble(parts))
    assert file.read().num_rows == 90
    assert len(file.footer.types) == 1


@pytest.mark.parametrize("column", [0, 17, 99])
def test_columns_that_stay(column):
    """The root, elements of a list and columns that are not there cannot be dropped."""
    kinds = [type_.kind for type_ in OrcFile(FILE).footer.types]
    assert column != 17 or kinds[16] is TypeKind.LIST
    with pytest.raises(UsageError):
        edits.without_column(dissect(FILE), column)


def nothing_left(data):
    """What a file still has of statistics, indexes, filters and metadata."""
    file = OrcFile(data)
    kinds = {place.kind for number in range(3) for place in file.stripe(number).streams}
    index = file.row_index(0, 1)
    return {
        "file": bool(file.footer.statistics),
        "stripes": bool(file.metadata.stripe_stats),
        "row groups": index is not None and any(entry.statistics for entry in index.entry),
        "index": StreamKind.ROW_INDEX in kinds,
        "blooms": StreamKind.BLOOM_FILTER_UTF8 in kinds or StreamKind.BLOOM_FILTER in kinds,
        "metadata": bool(file.footer.metadata),
        "unknown": bool(file.footer.unknown or file.footer.types[0].unknown or file.postscript.unknown),
    }


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("edit", "gone"),
    [
        (edits.without_statistics, {"file", "stripes", "row groups"}),
        (lambda parts: edits.without_statistics(parts, stripes=False), {"file", "row groups"}),
        (edits.without_indexes, {"index", "blooms", "row groups"}),
        (edits.without_blooms, {"blooms"}),
        (edits.without_user_metadata, {"metadata"}),
        (edits.without_unknown, {"unknown"}),
        (edits.without_gaps, set()),
    ],
)
def test_without_what_is_optional(edit, gone):
    """What a reader has no need of can go; what it reads stays the same, and the file legal."""
    data = make(metadata=(("a", b"b"),), unknown_fields=True, columns=(Column(), *WITH_BLOOMS))
    before = nothing_left(data)
    assert all(before.values())
    found = assemble(edit(dissect(data)))
    assert nothing_left(found) == before | dict.fromkeys(gone, False)
    assert same_table(found, data)
    assert not rules(found)
    assert len(found) < len(data)


@pytest.mark.unmeasured
@pytest.mark.sweep(8)
@pytest.mark.parametrize("sizes", [(), (7, 100)])
@pytest.mark.parametrize("new", [K.NONE, K.SNAPPY, K.LZ4, K.ZSTD])
@pytest.mark.parametrize("old", [K.NONE, K.ZLIB])
def test_with_codec(old, new, sizes):
    """In another codec the file holds the same, and every row group is found by positions made anew."""
    data = make(compression=old, columns=(Column(), *WITH_BLOOMS))
    found = assemble(edits.with_codec(dissect(data), new, 100, sizes))
    assert OrcFile(found).tail.codec is new
    assert same_table(found, data)
    assert not rules(found)
    for stripe, count in enumerate((40, 30, 20)):
        assert (OrcFile(found).row_index(stripe, 3) is None) == (OrcFile(data).row_index(stripe, 3) is None)
        for first in range(0, count, 20):
            mine, theirs = (OrcFile(each).read_rows(None, stripe, first, count) for each in (found, data))
            assert repr(list(map(to_python, mine.columns))) == repr(list(map(to_python, theirs.columns)))


@pytest.mark.corpus
@pytest.mark.skipif(not EXAMPLES, reason="ORC_TEST_DATA is not set")
def test_examples_in_another_codec(some_of):
    """Small examples hold the same in another codec, without a stripe, and without their last column."""
    seen = 0
    small = [path for path in EXAMPLES if path.stat().st_size <= 40_000]
    for path in some_of(((path.name, path) for path in small), 6):
        data = path.read_bytes()
        try:
            before = OrcFile(data).read()
        except ReferenceError_:
            continue
        parts = dissect(data)
        seen += 1
        for codec in (K.NONE, K.ZSTD):
            found = OrcFile(assemble(edits.with_codec(parts, codec))).read()
            assert repr([to_python(each) for each in found.columns]) == repr(
                [to_python(each) for each in before.columns]
            ), path
        if len(parts.stripes) > 1:
            found = assemble(edits.without_stripe(parts, 0))
            assert repr(rows(found)) == repr(rows(data, stripes=range(1, len(parts.stripes)))), path
        if OrcFile(data).root.kind is TypeKind.STRUCT and OrcFile(data).root.children:
            last = OrcFile(data).root.children[-1]
            found = OrcFile(assemble(edits.without_column(parts, last.id))).read()
            assert [repr(to_python(each)) for each in found.columns] == [
                repr(to_python(each)) for each in before.columns[:-1]
            ], path
    assert seen >= 5


@pytest.mark.unmeasured
def test_row_index_that_does_not_fit_is_dropped():
    """Positions that lead nowhere are not carried over to another codec."""
    parts = dissect(assemble(dissect(FILE), Seal.POSITIONS, by=1))
    found = OrcFile(assemble(edits.with_codec(parts, K.ZSTD)))
    gone = [column for column in range(found.root.max_id + 1) if found.row_index(0, column) is None]
    assert len(gone) == 1
    assert same_table(assemble(edits.with_codec(parts, K.ZSTD)), FILE)


def test_with_stream():
    """Other bytes in a stream are framed, lengths follow, and the column's row index goes, if not kept."""
    parts = dissect(FILE)
    place = next(
        number
        for number, part in enumerate(parts.stripes[0].streams)
        if (part.column, part.kind) == (4, StreamKind.DATA)
    )
    data = parts.opened(parts.stripes[0].streams[place].stored)
    found = OrcFile(assemble(edits.with_stream(parts, 0, place, data + b"\0" * 300)))
    assert found.row_index(0, 4) is None
    assert found.row_index(0, 3) is not None
    assert len(found.stripe(0).stream(4, StreamKind.DATA).data) == len(data) + 300
    kept = OrcFile(assemble(edits.with_stream(parts, 0, place, data, keep_index=True)))
    assert kept.row_index(0, 4) is not None
    for number, stream in ((9, 0), (0, 999)):
        with pytest.raises(UsageError):
            edits.with_stream(parts, number, stream, b"")


def test_raw_messages():
    """Raw bytes override a message and are framed; the lengths around them are right."""
    parts = dissect(FILE)
    raw = replace(parts.footer, raw=b"\x08\x03")
    assert OrcFile(assemble(dissect(FILE))).footer.stripes
    with pytest.raises(Malformed) as caught:
        OrcFile(assemble(replace(parts, footer=raw)))
    assert caught.value.rule == "ORC-TYPE-001"


# What the reference says of a file of which this seal is broken; None: it reads the same.
BROKEN = {
    Seal.HEADER: "ORC-FILE-004",
    Seal.MAGIC: "ORC-FILE-003",
    Seal.COMPRESSION: "ORC-COMP-004",
    Seal.BLOCK_SIZE: "ORC-COMP-003",
    Seal.HEADER_LENGTH: "ORC-FILE-009",
    Seal.CONTENT_LENGTH: None,
    Seal.ROWS: "ORC-FILE-011",
    Seal.INDEX_LENGTH: "ORC-STRIPE-001",
    Seal.STREAM_LENGTH: "ORC-STRIPE-010",
    Seal.CHUNK_LENGTH: "ORC-COMP-002",
    Seal.ENCODINGS: "ORC-STRIPE-004",
    Seal.STATISTICS: "ORC-FILE-014",
}


@pytest.mark.sweep(5)
@pytest.mark.parametrize("by", [1, -1])
@pytest.mark.parametrize("seal", list(Seal))
def test_one_seal_broken(seal, by):
    """A seal that is left broken makes another file, which most often is refused."""
    parts = dissect(FILE)
    assert seal in seals(parts)
    found = assemble(parts, seal, by=by, at=-1)
    assert found != FILE
    rule = BROKEN.get(seal)
    if rule is not None and by == 1:
        with pytest.raises(ReferenceError_) as caught:
            rows(found, strict=True)  # all streams but those of indexes
        assert caught.value.rule == rule
    try:
        again = dissect(found)
    except ReferenceError_:
        return
    assert assemble(again) == found


def test_each_place_of_a_seal():
    """`at` goes through the stripes, and then begins anew."""
    parts = dissect(FILE)
    found = [assemble(parts, Seal.STRIPE_OFFSET, at=at) for at in range(4)]
    assert len(set(found)) == 3
    assert found[0] == found[3]


def test_seals_that_are_not_there():
    """A file without compression has no chunks to break, and is written as it is."""
    parts = dissect(write(plan(5, ("int",))))
    assert Seal.CHUNK_LENGTH not in seals(parts)
    assert assemble(parts, Seal.CHUNK_LENGTH) == assemble(parts)


def test_mended():
    """Numbers that were wrong stay wrong by as much, until they are mended."""
    broken = assemble(dissect(FILE), Seal.ROWS, by=5)
    parts = dissect(broken)
    assert parts.slips == Slips(rows=5)
    smaller = assemble(edits.without_stripe(parts, 0))
    assert dissect(smaller).tail.number_of_rows == 55
    assert rows(assemble(edits.mended(parts))) == rows(FILE)


def test_struct_below_a_struct():
    """Fields of inner structs are dropped with their parts, and the column keeps the others."""
    types = flat(("s", (TypeKind.STRUCT, "int", "string")), ("x", Type(kind=TypeKind.INT)))
    data = write(replace(plan(0, ("int",)), types=types, rows=tuple(((i, b"a"), i) for i in range(9))))
    found = OrcFile(assemble(edits.without_column(dissect(data), 2))).read()
    assert isinstance(found.columns[0], StructColumn)
    assert to_python(found.columns[0]) == [{"string": b"a"}] * 9
    assert to_python(found.columns[1]) == list(range(9))


CASES = sorted((Path(__file__).parents[2] / "corpora" / "orc").rglob("*.orc"))


def test_identity_of_cases(some_of):
    """Every checked-in case with a footer comes back byte by byte, whatever rule it breaks."""
    seen, cases = 0, some_of(((path.stem, path) for path in CASES), 16)
    for path in cases:
        data = path.read_bytes()
        try:
            parts = dissect(data)
        except ReferenceError_:
            continue
        assert assemble(parts) == data, path
        seen += 1
    assert seen > 0.65 * len(cases)


@pytest.mark.sweep(8)
@pytest.mark.parametrize("start", range(4))
def test_edits_of_cases(start):
    """Legal cases stay legal, and hold what is left, whatever of these is done to them.

    But for those that are encrypted: without their keys, no edit can make anew what is sealed.
    """
    for path in CASES[start::40]:
        data = path.read_bytes()
        if {"fault", "findings", "encryption"} & set(path.parts) or len(data) > 20_000 or rules(data):
            continue
        parts = dissect(data)
        columns = edits.columns(parts)
        made = {
            "codec": edits.with_codec(parts, K.ZSTD, 200, (50, 3)),
            "statistics": edits.without_statistics(parts),
            "indexes": edits.without_indexes(parts),
        }
        for name, each in made.items():
            found = assemble(each)
            assert same_table(found, data), (path, name)
            # Whether a sum leaves 64 bits on the way is seen by row groups, if there are any.
            assert rules(found) <= ({"ORC-STATS-005"} if name == "indexes" else set()), (path, name)
        dropped = edits.without_column(parts, columns[-1]) if columns else parts
        assert not rules(assemble(dropped)), path
        if parts.stripes:
            assert not rules(assemble(edits.without_stripe(parts, 0))), path
