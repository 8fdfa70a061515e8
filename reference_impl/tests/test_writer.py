"""Plans become files that read back as what was planned, whatever their layout."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from reference_impl.columns import to_python
from reference_impl.errors import Unsupported, UsageError
from reference_impl.parquet import index
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.page_structs import BoundaryOrder
from reference_impl.parquet.plan import (
    Bloom,
    Column,
    Delta,
    Dictionary,
    Encryption,
    FilePlan,
    Index,
    IndexPage,
    Page,
    Runs,
    Statistics,
    Truth,
)
from reference_impl.parquet.schema import (
    ColumnOrder,
    CompressionCodec,
    ConvertedType,
    Encoding,
    FieldRepetitionType,
    PageType,
    SchemaElement,
    Type,
)
from reference_impl.parquet.tamper import Tamper
from reference_impl.parquet.validate import validate
from reference_impl.parquet.writer import write
from reference_impl.plans import show

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType
ALL = Statistics(modern=True, deprecated=True, null_count=True, distinct_count=True, exact=Truth.STATED)


def schema(*fields):
    """A flattened schema: leaves and groups below a root."""
    flat = list(itertools.chain.from_iterable(fields))
    return (SchemaElement(name="schema", num_children=len(fields)), *flat)


def leaf(name, kind, repetition=REQUIRED, **more):
    """A leaf."""
    return [SchemaElement(type=kind, repetition_type=repetition, name=name, **more)]


def group(name, repetition, *children, **more):
    """A group."""
    flat = list(itertools.chain.from_iterable(children))
    return [SchemaElement(repetition_type=repetition, name=name, num_children=len(children), **more), *flat]


VALUES = {
    Type.BOOLEAN: [True, False, False, True, True, True, True, True, True, True, False],
    Type.INT32: [0, -1, 2**31 - 1, -(2**31), 7, 7, 7, 7, 7, 7, 7, 7, 7, 8],
    Type.INT64: [0, -1, 2**63 - 1, -(2**63), 5, 5, 6],
    Type.INT96: [bytes(range(12)), bytes(12), b"\xff" * 12],
    Type.FLOAT: [0.0, -0.0, 1.5, b"\x01\x00\xc0\x7f", float("inf")],
    Type.DOUBLE: [0.0, -0.0, 1.5, b"\x01\x00\x00\x00\x00\x00\xf8\xff", float("-inf")],
    Type.BYTE_ARRAY: [b"", b"a", b"ab", b"abc", b"\xff\x80", b"abd" * 30, b"abd" * 31],
    Type.FIXED_LEN_BYTE_ARRAY: [b"abc", b"abd", b"\xff\xff\xff", b"abd"],
}
ENCODINGS = {
    Encoding.PLAIN: tuple(Type),
    Encoding.RLE: (Type.BOOLEAN,),
    Encoding.RLE_DICTIONARY: tuple(Type),
    Encoding.DELTA_BINARY_PACKED: (Type.INT32, Type.INT64),
    Encoding.DELTA_LENGTH_BYTE_ARRAY: (Type.BYTE_ARRAY,),
    Encoding.DELTA_BYTE_ARRAY: (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY),
    Encoding.ALP: (Type.FLOAT, Type.DOUBLE),
    Encoding.BYTE_STREAM_SPLIT: (
        Type.INT32,
        Type.INT64,
        Type.FLOAT,
        Type.DOUBLE,
        Type.FIXED_LEN_BYTE_ARRAY,
    ),
}
PAIRS = [(encoding, kind) for encoding, kinds in ENCODINGS.items() for kind in kinds]


def flat(kind, repetition=OPTIONAL):
    """A plan of one column `x` with every value of its type and some nulls."""
    length = 3 if kind == Type.FIXED_LEN_BYTE_ARRAY else None
    values = [*VALUES[kind], None, None, *VALUES[kind][:2]] if repetition == OPTIONAL else VALUES[kind]
    return FilePlan(schema(leaf("x", kind, repetition, type_length=length)), tuple({"x": v} for v in values))


def as_bytes(values, kind):
    """Floats as their bytes, so that NaN equals itself."""
    import struct

    form = {Type.FLOAT: "<f", Type.DOUBLE: "<d"}.get(kind)
    return [struct.pack(form, v) if form and isinstance(v, float) else v for v in values]


def read(data):
    """The columns of a file as Python values."""
    return {column.name: to_python(column) for column in ParquetFile(data).read().columns}


def survives(plan, kind=None):
    """Assert that a plan of one column `x` reads back; answer the file."""
    data = write(plan)
    got = as_bytes(read(data)["x"], kind)
    assert got == as_bytes([row["x"] for row in plan.rows], kind)
    return ParquetFile(data)


@pytest.mark.unmeasured
@pytest.mark.parametrize(("encoding", "kind"), PAIRS, ids=lambda one: one.name)
@pytest.mark.parametrize("version", [1, 2])
def test_every_encoding_of_every_type(encoding, kind, version):
    """Every legal pair of encoding and type reads back, in pages of 3 entries, optional and required."""
    page = Page(3, encoding, version=version, crc=True, statistics=ALL)
    column = Column((page,), dictionary=Dictionary(), statistics=ALL, index=Index(), encoding_stats=True)
    for repetition in (REQUIRED, OPTIONAL):
        file = survives(replace(flat(kind, repetition), columns=(column,)), kind)
        headers = [page.header for page in file.pages(0, 0)]
        assert len(headers) == 1 + -(-file.metadata.num_rows // 3)
        used = headers[1].data_page_header or headers[1].data_page_header_v2
        assert used.encoding == encoding


@pytest.mark.parametrize("codec", [codec for codec in CompressionCodec if codec != CompressionCodec.LZO])
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("compressed", [None, True, False])
def test_every_codec(codec, version, compressed):
    """Every codec reads back in both page versions, in v2 also pages that say they are not compressed."""
    page = Page(5, version=version, compressed=compressed)
    survives(replace(flat(Type.BYTE_ARRAY), columns=(Column((page,), codec),)))


@pytest.mark.parametrize("runs", Runs)
@pytest.mark.parametrize("version", [1, 2])
def test_every_cut_into_runs(runs, version):
    """Levels, indices and booleans read back however they are cut into runs."""
    for kind, encoding in ((Type.INT32, Encoding.RLE_DICTIONARY), (Type.BOOLEAN, Encoding.RLE)):
        page = Page(None, encoding, version, levels=runs, indices=runs)
        survives(replace(flat(kind), columns=(Column((page,), dictionary=Dictionary()),)))


def test_legacy_levels():
    """Levels in the deprecated BIT_PACKED encoding read back, and are refused in v2."""
    page = Page(5, legacy_levels=True)
    file = survives(replace(flat(Type.INT32), columns=(Column((page,)),)))
    assert next(file.pages(0, 0)).header.data_page_header.definition_level_encoding == Encoding.BIT_PACKED
    with pytest.raises(UsageError, match="v1"):
        write(replace(flat(Type.INT32), columns=(Column((replace(page, version=2),)),)))


@pytest.mark.parametrize(("repetition", "definition"), [(REQUIRED, "BIT_PACKED"), (OPTIONAL, "RLE")])
def test_the_encoding_of_levels_that_are_not_there(repetition, definition):
    """BIT_PACKED is named for levels that a column does not have, never for those that it has."""
    page = Page(5, bit_packed_absent=True)
    file = survives(replace(flat(Type.INT32, repetition), columns=(Column((page,)),)))
    header = next(file.pages(0, 0)).header.data_page_header
    assert header.definition_level_encoding == Encoding[definition]
    assert header.repetition_level_encoding == Encoding.BIT_PACKED


@pytest.mark.parametrize("old_page", [None, False, True])
@pytest.mark.parametrize("old", [False, True])
def test_names_of_dictionary_encodings(old, old_page):
    """The dictionary page has the old name where the data pages have it, unless the plan says otherwise."""
    dictionary = Dictionary(plain_dictionary=old, plain_dictionary_page=old_page)
    column = Column((Page(None, Encoding.RLE_DICTIONARY),), dictionary=dictionary)
    file = survives(replace(flat(Type.INT32), columns=(column,)))
    first, second = (page.header for page in file.pages(0, 0))
    names = Encoding.PLAIN, Encoding.RLE_DICTIONARY
    olds = (Encoding.PLAIN_DICTIONARY,) * 2
    is_old = old if old_page is None else old_page
    assert first.dictionary_page_header.encoding == (olds if is_old else names)[0]
    assert second.data_page_header.encoding == (olds if old else names)[1]


@pytest.mark.parametrize("bare", [False, True])
def test_a_section_without_bytes(bare):
    """A v2 page without values stores the codec's output for no bytes, or no bytes; both read back."""
    column = Column((Page(version=2, bare_empty=bare),), CompressionCodec.SNAPPY)
    plan = FilePlan(schema(leaf("x", Type.INT32, OPTIONAL)), ({"x": None},) * 3, (column,))
    header = next(survives(plan).pages(0, 0)).header
    levels = header.data_page_header_v2.definition_levels_byte_length
    assert (header.compressed_page_size == levels) is bare


@pytest.mark.parametrize(
    "dictionary",
    [
        Dictionary(unused=(1, 2, 3)),
        Dictionary(duplicates=True),
        Dictionary(sorted_flag=True),
        Dictionary(sorted_flag=False, plain_dictionary=True),
        Dictionary(offset=False),
        Dictionary(index_width_extra=5, crc=True),
    ],
    ids=show,
)
def test_dictionaries(dictionary):
    """Dictionaries read back with values nobody uses, twice, sorted, under their old name, without offset."""
    pages = (Page(4, Encoding.RLE_DICTIONARY), Page(3, Encoding.PLAIN))
    plan = replace(flat(Type.INT32), columns=(Column(pages, dictionary=dictionary),))
    file = survives(plan)
    meta = file.column_metadata(0, 0)
    assert (meta.dictionary_page_offset is not None) == dictionary.offset
    first = next(file.pages(0, 0)).header
    assert first.type == PageType.DICTIONARY_PAGE
    assert first.dictionary_page_header.is_sorted == dictionary.sorted_flag


@pytest.mark.parametrize("delta", [Delta(128, 1), Delta(256, 8, padding=1), Delta(extra_bits=3)], ids=show)
def test_delta_layouts(delta):
    """Delta encodings read back in other blocks and miniblocks."""
    for kind, encoding in (
        (Type.INT64, Encoding.DELTA_BINARY_PACKED),
        (Type.BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY),
        (Type.BYTE_ARRAY, Encoding.DELTA_LENGTH_BYTE_ARRAY),
    ):
        survives(replace(flat(kind), columns=(Column((Page(None, encoding, delta=delta),)),)))


NESTED = schema(
    leaf("row", Type.INT32),
    group(
        "a",
        OPTIONAL,
        group(
            "list",
            REPEATED,
            group("element", OPTIONAL, leaf("b", Type.INT64, REPEATED), leaf("c", Type.INT32)),
        ),
        converted_type=ConvertedType.LIST,
    ),
)
NESTED_ROWS = (
    {"row": 0, "a": None},
    {"row": 1, "a": {"list": []}},
    {"row": 2, "a": {"list": [{"element": None}, {"element": {"b": [], "c": 1}}]}},
    {"row": 3, "a": {"list": [{"element": {"b": [1, 2, 3], "c": 2}}, {"element": {"b": [4], "c": 3}}]}},
)
NESTED_VALUES = [
    None,
    [],
    [None, {"b": [], "c": 1}],
    [{"b": [1, 2, 3], "c": 2}, {"b": [4], "c": 3}],
]


@pytest.mark.parametrize("entries", [1, 2, 3, None])
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("groups", [None, (4,), (1, 0, 3), (2, 2)])
def test_nested_rows(entries, version, groups):
    """Lists, structs and nulls in them read back, pages of v1 ending inside of rows, and over row groups."""
    column = Column((Page(entries, version=version),), size_statistics=True)
    plan = FilePlan(NESTED, NESTED_ROWS, (column,) * 3, row_groups=groups)
    assert read(write(plan)) == {"row": [0, 1, 2, 3], "a": NESTED_VALUES}


def test_pages_end_with_rows_where_an_index_counts_them():
    """With an offset index pages begin with rows, and `first_row_index` counts them."""
    column = Column((Page(1),), index=Index(histograms=True, sizes=True))
    file = ParquetFile(write(FilePlan(NESTED, NESTED_ROWS, (column,) * 3)))
    found = index.offset_index(file, 0, 1)
    assert [location.first_row_index for location in found.page_locations] == [0, 1, 2, 3]
    starts = [page.offset for page in file.pages(0, 1)]
    assert [location.offset for location in found.page_locations] == starts
    assert index.column_index(file, 0, 1).null_pages == [True, True, True, False]
    assert index.column_index(file, 0, 1).repetition_level_histograms == [1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 2]


def test_column_index_bounds():
    """The column index has each page's bounds, its nulls, and the order that they are in."""
    rows = tuple({"x": value} for value in (1, 2, None, None, 3, 9))
    column = Column((Page(2),), index=Index())
    file = ParquetFile(write(FilePlan(schema(leaf("x", Type.INT32, OPTIONAL)), rows, (column,))))
    found = index.column_index(file, 0, 0)
    assert found.null_pages == [False, True, False]
    assert found.min_values == [b"\1\0\0\0", b"", b"\3\0\0\0"]
    assert found.max_values == [b"\2\0\0\0", b"", b"\x09\0\0\0"]
    assert found.null_counts == [0, 2, 0]
    assert found.boundary_order == BoundaryOrder.ASCENDING


@pytest.mark.parametrize("orders", [(), None])
def test_no_column_index_without_an_order(orders):
    """Where values have no order there is no column index, even of nulls only; pages are still located."""
    kind = Type.INT96 if orders == () else Type.INT32
    rows = ({"x": None}, {"x": None})
    fields = schema(leaf("x", kind, OPTIONAL))
    plan = FilePlan(fields, rows, (Column(index=Index()),), column_orders=orders)
    file = ParquetFile(write(plan))
    assert index.column_index(file, 0, 0) is None
    assert len(index.offset_index(file, 0, 0).page_locations) == 1


def test_what_is_around_the_pages():
    """Gaps, chunks out of order, other metadata, long headers, unknown fields: all read back."""
    plan = FilePlan(
        NESTED,
        NESTED_ROWS,
        tuple(Column(gap=gap, bloom=Bloom(2, length=gap > 0), statistics=ALL) for gap in (0, 3, 8)),
        row_groups=(2, 2),
        chunk_order=(2, 0, 1),
        column_orders=None,
        created_by=None,
        key_value_metadata=(("k", "v"), ("none", None)),
        version=2,
        long_headers=True,
        unknown_fields=True,
        row_group_details=True,
        sorting_columns=((0, False, False),),
    )
    data = write(plan)
    assert read(data) == {"row": [0, 1, 2, 3], "a": NESTED_VALUES}
    file = ParquetFile(data)
    assert file.metadata.column_orders is None
    assert file.metadata.unknown
    assert file.metadata.row_groups[1].ordinal == 1
    assert index.bloom_filter_header(file, 1, 2).numBytes == 64
    places = [file.column_metadata(0, leaf).data_page_offset for leaf in range(3)]
    assert sorted(range(3), key=places.__getitem__) == [2, 0, 1]


def test_overrides_and_empty_chunks():
    """A single chunk can have a layout of its own; chunks without entries have one empty page, or none."""
    column = Column((Page(2, Encoding.RLE_DICTIONARY),), dictionary=Dictionary())
    other = ((1, 0, Column(no_empty_page=True)),)
    rows = tuple({"x": value} for value in (1, 2, 1))
    plan = FilePlan(schema(leaf("x", Type.INT32)), rows, (column,), other, row_groups=(3, 0, 0))
    file = survives(plan)
    assert [len(list(file.pages(group, 0))) for group in range(3)] == [3, 0, 2]
    survives(FilePlan(schema(leaf("x", Type.INT32))))


@pytest.mark.parametrize("after", [0, 1, 2, 99])
@pytest.mark.parametrize("codec", [CompressionCodec.UNCOMPRESSED, CompressionCodec.SNAPPY])
def test_index_pages(after, codec):
    """An index page stands where it is planned, the metadata says where, and no reader minds."""
    pages = (Page(2, Encoding.RLE_DICTIONARY),)
    column = Column(pages, codec, dictionary=Dictionary(), encoding_stats=True, index=Index(), gap=3)
    bare, column = (replace(column, index_page=one) for one in (None, IndexPage(after, b"anything")))
    plan = replace(flat(Type.INT32), columns=(column,))
    file = survives(plan)
    found, meta = list(file.pages(0, 0)), file.column_metadata(0, 0)
    (place,) = (at for at, page in enumerate(found) if page.header.type == PageType.INDEX_PAGE)
    assert place == 1 + min(after, len(found) - 2)
    assert meta.index_page_offset == found[place].offset
    data = [page for page in found if page.header.data_page_header]
    assert meta.data_page_offset == data[0].offset
    assert [one.offset for one in index.offset_index(file, 0, 0).page_locations] == [p.offset for p in data]
    assert not list(validate(write(plan)))
    other = ParquetFile(write(replace(plan, columns=(bare,)))).column_metadata(0, 0)
    assert (meta.encodings, meta.encoding_stats) == (other.encodings, other.encoding_stats)


def test_data_in_another_file():
    """Where the footer says that a chunk is in another file, none is opened: that is Unsupported."""
    plan = replace(flat(Type.INT32), columns=(Column(file_path="../elsewhere.parquet"),))
    file = ParquetFile(write(plan))
    assert file.metadata.row_groups[0].columns[0].file_path == "../elsewhere.parquet"
    with pytest.raises(Unsupported, match=r"in another file, '\.\./elsewhere\.parquet'"):
        file.read()


@pytest.mark.parametrize(
    "plan",
    [
        FilePlan(schema(leaf("x", Type.INT32)), ({"y": 1},)),
        FilePlan(schema(leaf("x", Type.INT32)), ({"x": 2**31},)),
        FilePlan(schema(leaf("x", Type.INT32)), ({"x": "1"},)),
        FilePlan(schema(leaf("x", Type.INT32)), ({"x": None},)),
        FilePlan(schema(leaf("x", Type.INT32, REPEATED)), ({"x": 1},)),
        FilePlan(schema(leaf("x", Type.INT32)), ({"x": 1},), row_groups=(2,)),
        FilePlan(schema(leaf("x", Type.INT32)), ({"x": 1},), (Column((Page(0),)),)),
        FilePlan(schema(leaf("x", Type.INT32)), ({"x": 1},), (Column(()),)),
        FilePlan(schema(leaf("x", Type.INT32)), ({"x": 1},), (Column((Page(None, Encoding.RLE),)),)),
        FilePlan(
            schema(leaf("x", Type.INT32)), ({"x": 1},), (Column((Page(None, Encoding.RLE_DICTIONARY),)),)
        ),
        FilePlan(schema(leaf("x", Type.INT32)), ({"x": 1},), chunk_order=(1,)),
        FilePlan(schema(leaf("x", Type.INT32)), ({"x": 1},), column_orders=(ColumnOrder(), ColumnOrder())),
        FilePlan(schema(group("g", OPTIONAL, leaf("x", Type.INT32))), ({"g": 1},)),
        FilePlan(schema(leaf("x", Type.FLOAT)), ({"x": 1e300},)),
        FilePlan(schema(leaf("x", Type.INT32)), ({"x": 1},), (Column(index_page=IndexPage(after=0)),)),
        FilePlan(
            schema(leaf("x", Type.INT32)),
            ({"x": 1},),
            (Column(index_page=IndexPage()),),
            encryption=Encryption(bytes(16)),
        ),
    ],
    ids=show,
)
def test_plans_that_cannot_be(plan):
    """A plan that is not legal is refused with a UsageError."""
    with pytest.raises(UsageError):
        write(plan)


def test_tampering_reaches_every_part():
    """Each part of a file passes the tamper once, and nothing changes if the tamper changes nothing."""
    seen = set()

    def watched(name, original):
        def method(self, *args):
            seen.add(name)
            return original(self, *args)

        return method

    names = [name for name in vars(Tamper) if not name.startswith("_")]
    spy = type("Spy", (Tamper,), {name: watched(name, getattr(Tamper, name)) for name in names})()
    column = Column(
        (Page(2, Encoding.RLE_DICTIONARY),), dictionary=Dictionary(), index=Index(), bloom=Bloom()
    )
    plan = replace(flat(Type.INT32), columns=(column,))
    for one in (plan, replace(plan, encryption=Encryption(bytes(16)))):
        assert write(one, spy) == write(one)
    assert seen == set(names)


def test_show_leaves_out_defaults():
    """A plan prints as the Python that makes it, without what is at its default."""
    assert show(Column((Page(3),), gap=2)) == "Column(pages=(Page(entries=3),), gap=2)"
    assert show(Page(encoding=Encoding.RLE)) == "Page(encoding=Encoding.RLE)"
    plan = FilePlan(NESTED, NESTED_ROWS, (Column(),))
    assert eval(show(plan)) == plan


def test_bloom_filters_between_row_groups():
    """A plan puts the Bloom filters of each row group behind its chunks, the next row group behind."""
    plan = replace(flat(Type.INT32), columns=(Column(bloom=Bloom()),), row_groups=(9, 9))
    for between in (False, True):
        file = survives(replace(plan, blooms_between=between))
        first, second = (file.column_metadata(group, 0) for group in range(2))
        assert (first.bloom_filter_offset < second.data_page_offset) == between
        assert second.data_page_offset < second.bloom_filter_offset
        assert not list(validate(write(replace(plan, blooms_between=between))))
