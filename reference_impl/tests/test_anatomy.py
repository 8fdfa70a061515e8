"""Parquet files taken apart and put together again."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.generate import generate
from reference_impl.columns import to_python
from reference_impl.errors import LimitExceeded, Malformed, ReferenceError_, Unsupported, UsageError
from reference_impl.limits import Limits
from reference_impl.parquet import anatomy, index
from reference_impl.parquet.anatomy import Seal
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.page_structs import PageHeader
from reference_impl.parquet.plan import Bloom, Column, Dictionary, FilePlan, Index, Page, Statistics
from reference_impl.parquet.schema import (
    CompressionCodec,
    Encoding,
    FieldRepetitionType,
    FileMetaData,
    SchemaElement,
    Type,
)
from reference_impl.parquet.validate import validate
from reference_impl.parquet.writer import write
from reference_impl.wire import thrift
from reference_impl.wire.table import Struct, table_of

DATA = os.environ.get("PARQUET_TEST_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="PARQUET_TEST_DATA is not set")
REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType


def rich_plan(**more):
    """Two columns with all that can stand beside them, two row groups of two pages each."""
    schema = (
        SchemaElement(name="schema", num_children=2),
        SchemaElement(name="n", type=Type.INT32, repetition_type=OPTIONAL),
        SchemaElement(name="s", type=Type.BYTE_ARRAY, repetition_type=REPEATED),
    )
    rows = tuple({"n": None if n % 3 == 0 else n, "s": [b"%d" % n] * (n % 4)} for n in range(40))
    beside = {"bloom": Bloom(), "index": Index(histograms=True, sizes=True), "statistics": Statistics()}
    pages = {"entries": 12, "crc": True, "statistics": Statistics()}
    columns = (
        Column(
            (Page(encoding=Encoding.RLE_DICTIONARY, **pages),),
            CompressionCodec.SNAPPY,
            dictionary=Dictionary(crc=True),
            encoding_stats=True,
            **beside,
        ),
        Column((Page(version=2, **pages),), CompressionCodec.ZSTD, gap=5, size_statistics=True, **beside),
    )
    return FilePlan(schema, rows, columns, row_groups=(25, 15), row_group_details=True, **more)


RICH = write(rich_plan())
MATERIAL = "_KEY_MATERIAL_FOR_external_key_material_java.parquet.encrypted.json"


@pytest.fixture(scope="module")
def files(some_of):
    """Files of generated plans, or some of them."""
    made = [file.data for sheet in generate(11, 0, 3) for file in sheet.files if len(file.data) < 50_000]
    return some_of(((str(number), data) for number, data in enumerate(made)), 9)


def opened(data):
    """Open a file; what would take gigabytes (there is one such file) is refused."""
    return ParquetFile(data, limits=Limits(page_bytes=1 << 22), strict=True)


def identical(one, two):
    """Whether two values are equal; of large ones pytest would work out where they differ for minutes."""
    return one == two


def columns(data, **more):
    """Return the values of each column as text, which says of a NaN that it is one."""
    return {column.name: repr(to_python(column)) for column in opened(data).read(**more).columns}


def rows(data, **more):
    """Return the number of rows beside the values."""
    return opened(data).read(**more).num_rows, columns(data, **more)


def read(data):
    """Return what the reference says: the values, or the rule that it sees broken."""
    try:
        return repr(columns(data))
    except ReferenceError_ as error:
        return error.rule or type(error).__name__


def test_round_trip_generated(files):
    """Files of generated plans, with gaps, unknown fields and long headers, come back byte by byte."""
    for data in files:
        assert identical(anatomy.assemble(anatomy.dissect(data)), data)


@pytest.mark.parametrize("more", [{}, {"long_headers": True}, {"unknown_fields": True}])
def test_round_trip_rich(more):
    """A file with dictionary, indexes, Bloom filters and gaps has all of them in its anatomy."""
    data = write(rich_plan(**more))
    parts = anatomy.dissect(data)
    assert anatomy.assemble(parts) == data
    assert [len(chunk.pages) for chunk in parts.chunks()] == [4, 4, 3, 2]
    assert all(len(chunk.beside()) == 3 for chunk in parts.chunks())
    assert [len(stretch.data) for stretch in parts.stretches] == [5, 5]
    assert not any((*parts.lies, *(lie for chunk in parts.chunks() for lie in chunk.lies)))


@needs_data
@pytest.mark.corpus
def test_round_trip_corpus(some_of):
    """Each published file with a footer comes back byte by byte: lies, encrypted and unreadable parts too."""
    told, broken = {}, {"ARROW-GH-41317.parquet", MATERIAL}
    paths = sorted(Path(DATA).rglob("*.parquet*"))
    sample = some_of(((path.name, path) for path in paths if path.name not in broken), 12)
    for path in [*sample, *(path for path in paths if path.name in broken)]:
        data = path.read_bytes()
        try:
            assert identical(anatomy.assemble(anatomy.dissect(data)), data), path.name
        except ReferenceError_ as error:
            told[path.name] = error.rule
    assert told.pop(MATERIAL) == "PQ-FILE-002"
    assert told.pop("ARROW-GH-41317.parquet") == "PQ-THRIFT-003"
    assert set(told.values()) == {"PQ-CRYPT-000"}


@needs_data
@pytest.mark.corpus
def test_encrypted_columns_stay_bytes():
    """Encrypted pages are no pages but the rest of their chunk; the footer's signature is its trailer."""
    path = Path(DATA) / "data" / "encrypt_columns_plaintext_footer.parquet.encrypted"
    parts = anatomy.dissect(path.read_bytes())
    hidden = [chunk for chunk in parts.chunks() if chunk.chunk.crypto_metadata is not None]
    assert hidden
    assert all(chunk.rest and not chunk.pages for chunk in hidden if chunk.at is not None)
    assert len(parts.trailer) == 28


@pytest.mark.unmeasured
@needs_data
@pytest.mark.corpus
def test_moved_corpus():
    """A published file reads to the same table when all its parts have moved."""
    for path in sorted(Path(DATA, "data").glob("*.parquet")):
        data = path.read_bytes()
        if len(data) > 50_000:
            continue
        parts = anatomy.dissect(data)
        parts.stretches.insert(0, anatomy.Stretch(0, b"moved" * 7))
        moved = anatomy.assemble(parts)
        assert len(moved) > len(data)
        assert identical(read(moved), read(data)), path.name


def test_moved_indexes():
    """When parts move, indexes say where they are now."""
    parts = anatomy.dissect(RICH)
    parts.stretches.insert(0, anatomy.Stretch(0, bytes(1000)))
    old, new = ParquetFile(RICH), ParquetFile(anatomy.assemble(parts))
    assert columns(RICH) == columns(anatomy.assemble(parts))
    for group, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
        offsets = [page.offset for page in new.pages(group, column)]
        listed = index.offset_index(new, group, column).page_locations
        assert [one.offset for one in listed] == offsets[-len(listed) :]
        assert index.column_index(new, group, column) == index.column_index(old, group, column)
        assert index.bloom_filter_header(new, group, column) is not None


def test_lies_survive():
    """A number that is wrong stays wrong by as much when the file is edited elsewhere."""
    broken = anatomy.assemble(anatomy.dissect(RICH), Seal.CHUNK_UNCOMPRESSED, turn=2, by=-7)
    parts = anatomy.drop_group(anatomy.dissect(broken), 0)
    assert [chunk.lies for chunk in parts.chunks()] == [{"total_uncompressed_size": -7}, {}]
    crc = anatomy.assemble(anatomy.dissect(RICH), Seal.CRC, turn=5)
    parts = anatomy.recount(anatomy.drop_group(anatomy.dissect(crc), 1))
    assert read(anatomy.assemble(parts)) == "PQ-PAGE-003"
    parts.groups[0].chunks[1].pages[1] = parts.groups[0].chunks[1].pages[1].edited()
    assert read(anatomy.assemble(parts)) == "PQ-PAGE-003"


RULES = {
    Seal.HEAD_MAGIC: "PQ-FILE-002",
    Seal.TAIL_MAGIC: "PQ-FILE-003",
    Seal.FOOTER_LENGTH: "PQ-THRIFT",
    Seal.FILE_ROWS: "PQ-FILE-008",
    Seal.GROUP_ROWS: "PQ-FILE-008",
    Seal.CHUNK_VALUES: "PQ-CHUNK-006",
    Seal.CHUNK_UNCOMPRESSED: "PQ-CHUNK-007",
    Seal.PAGE_UNCOMPRESSED: "PQ-CODEC-001",
    Seal.CRC: "PQ-PAGE-003",
    Seal.COMPRESSION: "PQ-CODEC",
}
OF_FOOTER = {
    Seal.FILE_ROWS: "num_rows",
    Seal.GROUP_ROWS: "num_rows",
    Seal.GROUP_SIZE: "total_byte_size",
    Seal.CHUNK_VALUES: "num_values",
    Seal.CHUNK_SIZE: "total_compressed_size",
    Seal.CHUNK_UNCOMPRESSED: "total_uncompressed_size",
    Seal.DATA_OFFSET: "data_page_offset",
    Seal.DICTIONARY_OFFSET: "dictionary_page_offset",
    Seal.BLOOM_OFFSET: "bloom_filter_offset",
    Seal.BLOOM_LENGTH: "bloom_filter_length",
    Seal.COLUMN_INDEX_OFFSET: "column_index_offset",
    Seal.COLUMN_INDEX_LENGTH: "column_index_length",
    Seal.OFFSET_INDEX_OFFSET: "offset_index_offset",
    Seal.OFFSET_INDEX_LENGTH: "offset_index_length",
}
OF_PAGE = {
    Seal.PAGE_SIZE: "compressed_page_size",
    Seal.PAGE_UNCOMPRESSED: "uncompressed_page_size",
    Seal.PAGE_VALUES: "num_values",
    Seal.LEVEL_SIZE: "definition_levels_byte_length",
    Seal.CRC: "crc",
}


def numbers(value, path=""):
    """Yield each scalar of a struct with the path to it."""
    if isinstance(value, list):
        for at, each in enumerate(value):
            yield from numbers(each, f"{path}[{at}]")
    elif isinstance(value, Struct):
        for row in table_of(type(value)).rows:
            yield from numbers(getattr(value, row.name), f"{path}.{row.name}")
    else:
        yield path, value


def changes(one, two):
    """Return what the paths end with that differ between two structs."""
    old, new = dict(numbers(one)), dict(numbers(two))
    assert old.keys() == new.keys()
    return [path.rpartition(".")[2] for path in old if old[path] != new[path]]


def with_columns(columns_):
    """Return RICH with one row group, of these columns."""
    meta = footer(RICH)
    raw = thrift.encode(replace(meta, row_groups=[replace(meta.row_groups[0], columns=columns_)]))
    start = len(RICH) - 8 - int.from_bytes(RICH[-8:-4], "little")
    return RICH[:start] + raw + len(raw).to_bytes(4, "little") + b"PAR1"


def footer(data):
    """Return the footer, unchecked."""
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return thrift.decode(FileMetaData, data[start:-8])[0]


@pytest.mark.sweep(5)
@pytest.mark.parametrize("by", [1, -1, 1 << 20])
@pytest.mark.parametrize("seal", Seal)
def test_seals(seal, by):
    """A broken seal changes the one number that it is about, and the reference sees the rule it breaks."""
    parts = anatomy.dissect(RICH)
    broken = anatomy.assemble(parts, seal, turn=0, by=by)
    assert anatomy.assemble(parts) == RICH  # the parts themselves are left alone
    assert read(broken).startswith(RULES[seal]) if seal in RULES and by == 1 else broken != RICH
    if seal in OF_FOOTER:
        assert changes(footer(RICH), footer(broken)) == [OF_FOOTER[seal]]
    elif seal in OF_PAGE:
        at = parts.chunks()[1].at if seal is Seal.LEVEL_SIZE else 4
        old, new = (thrift.decode(PageHeader, data, start=at)[0] for data in (RICH, broken))
        assert changes(old, new) == [OF_PAGE[seal]]
    elif seal in {Seal.LOCATION_OFFSET, Seal.LOCATION_SIZE}:
        file = ParquetFile(broken)
        name = "offset" if seal is Seal.LOCATION_OFFSET else "compressed_page_size"
        old = index.offset_index(ParquetFile(RICH), 0, 0)
        assert changes(old, index.offset_index(file, 0, 0)) == [name]
    elif seal is not Seal.COMPRESSION:
        assert len(broken) == len(RICH)


def test_every_turn_of_a_seal():
    """Each place that bears a seal can be broken, and no two are the same file."""
    parts = anatomy.dissect(RICH)
    assert anatomy.bearing(parts) == list(Seal)
    for seal, places in ((Seal.CRC, 13), (Seal.GROUP_SIZE, 2), (Seal.CHUNK_VALUES, 4), (Seal.LEVEL_SIZE, 6)):
        found = {anatomy.assemble(parts, seal, turn=turn) for turn in range(3 * places)}
        assert len(found) == places


def test_seals_that_are_not_there():
    """To break what nothing bears, or by nothing, is the caller's mistake."""
    plain = anatomy.dissect(write(FilePlan(rich_plan().schema, rich_plan().rows)))
    assert Seal.CRC not in anatomy.bearing(plain)
    for seal, by in ((Seal.CRC, 1), (Seal.BLOOM_OFFSET, 1), (Seal.FILE_ROWS, 0)):
        with pytest.raises(UsageError):
            anatomy.assemble(plain, seal, by=by)


@pytest.mark.heavy
@pytest.mark.unmeasured
def test_drop_group(files):
    """Without a row group, the rows of the others are left."""
    for data in [RICH, *files]:
        whole = ParquetFile(data)
        count = len(whole.metadata.row_groups)
        for group in range(min(count, 2)):
            smaller = anatomy.assemble(anatomy.recount(anatomy.drop_group(anatomy.dissect(data), group)))
            assert len(smaller) <= len(data)
            others = [at for at in range(count) if at != group]
            assert identical(rows(smaller), rows(data, row_groups=others))


@pytest.mark.heavy
@pytest.mark.unmeasured
def test_drop_column(files):
    """Without a leaf column, the reference reads the others as before."""
    for data in [RICH, *files]:
        whole = ParquetFile(data)
        for leaf in whole.leaves[:3] if len(whole.leaves) > 1 else ():
            if sum(one.path[0] == leaf.path[0] for one in whole.leaves) > 1:
                continue
            smaller = anatomy.assemble(anatomy.drop_column(anatomy.dissect(data), leaf.index))
            expected = {name: found for name, found in columns(data).items() if name != leaf.path[0]}
            assert identical(columns(smaller), expected)


def test_drop_nested_column():
    """Without one leaf of a group the rest of the group stays; without its last, the group goes as well."""
    schema = (
        SchemaElement(name="schema", num_children=2),
        SchemaElement(name="g", repetition_type=OPTIONAL, num_children=2),
        SchemaElement(name="a", type=Type.INT32, repetition_type=REQUIRED),
        SchemaElement(name="b", type=Type.INT32, repetition_type=REQUIRED),
        SchemaElement(name="x", type=Type.INT32, repetition_type=REQUIRED),
    )
    data = write(FilePlan(schema, ({"g": {"a": 1, "b": 2}, "x": 3}, {"g": None, "x": 4})))
    parts = anatomy.drop_column(anatomy.dissect(data), 0)
    assert columns(anatomy.assemble(parts)) == {"g": "[{'b': 2}, None]", "x": "[3, 4]"}
    parts = anatomy.drop_column(parts, 0)
    assert columns(anatomy.assemble(parts)) == {"x": "[3, 4]"}
    with pytest.raises(UsageError):
        anatomy.drop_column(parts, 0)


def test_drop_page():
    """Without the same rows' page of every column, the other rows are left, and indexes agree."""
    plan = rich_plan()
    flat = replace(plan, schema=(replace(plan.schema[0], num_children=1), plan.schema[1]))
    flat = replace(flat, rows=tuple({"n": row["n"]} for row in plan.rows))
    data = write(flat)
    parts = anatomy.drop_statistics(anatomy.drop_page(anatomy.dissect(data), 0, 0, 2))
    smaller = anatomy.assemble(anatomy.recount(parts))
    values = [row["n"] for row in flat.rows]
    assert columns(smaller) == {"n": repr(values[:12] + values[24:])}
    file = ParquetFile(smaller)
    assert [one.first_row_index for one in index.offset_index(file, 0, 0).page_locations] == [0, 12]
    assert len(index.column_index(file, 0, 0).null_pages) == 2
    assert validate(smaller) == []


def test_drop_beside(files):
    """Without statistics, indexes, Bloom filters and gaps, the same table is read from a smaller file."""
    for data in [RICH, *files]:
        parts = anatomy.drop_statistics(anatomy.dissect(data))
        for group, found in enumerate(parts.groups):
            for column in range(len(found.chunks)):
                parts = anatomy.drop_index(parts, group, column, "column_index")
                parts = anatomy.drop_index(parts, group, column, "offset_index")
                parts = anatomy.drop_bloom(parts, group, column)
        while parts.stretches:
            parts = anatomy.drop_stretch(parts, 0)
        smaller = anatomy.assemble(anatomy.drop_optional(parts, "created_by"))
        assert identical(columns(smaller), columns(data))
        assert len(smaller) <= len(data)
        assert not any(chunk.beside() for chunk in anatomy.dissect(smaller).chunks())


@pytest.mark.parametrize("codec", [codec for codec in CompressionCodec if codec != CompressionCodec.LZO])
def test_other_codec(codec):
    """A chunk stored in another codec holds the same values."""
    parts = anatomy.dissect(RICH)
    for group in range(2):
        for column in range(2):
            parts = anatomy.with_codec(parts, group, column, codec)
    assert columns(anatomy.assemble(parts)) == columns(RICH)


def test_sections():
    """Sections of a page put back are the page's own, and other values are read as such."""
    parts = anatomy.dissect(RICH)
    for group in parts.groups:
        for chunk, node in zip(group.chunks, anatomy.nodes(parts), strict=True):
            codec = chunk.chunk.meta_data.codec
            for number, page in enumerate(chunk.pages):
                found = anatomy.sections(page, node, codec)
                assert bool(found.definition) == page.is_data
                chunk.pages[number] = anatomy.with_sections(page, found, codec)
    assert columns(anatomy.assemble(parts)) == columns(RICH)
    chunk = parts.groups[1].chunks[0]
    found = anatomy.sections(chunk.pages[0], None, chunk.chunk.meta_data.codec)
    other = replace(found, values=bytes(len(found.values)))
    chunk.pages[0] = anatomy.with_sections(chunk.pages[0], other, chunk.chunk.meta_data.codec)
    assert (
        columns(anatomy.assemble(parts))["n"].endswith("0, 0, None]")
        or "None, 0, 0" in (columns(anatomy.assemble(parts))["n"])
    )


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_bytes(data):
    """Whatever is done to a file, it is taken apart to no more than it holds, or refused as documented."""
    raw = bytearray(RICH)
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw = bytes(raw[data.draw(st.integers(0, 8)) :][: data.draw(st.integers(0, len(raw)))])
    try:
        parts = anatomy.dissect(raw)
    except (Malformed, Unsupported, LimitExceeded):
        return
    bodies = sum(len(page.stored) for chunk in parts.chunks() for page in chunk.pages)
    assert bodies + sum(len(one.data) for one in parts.stretches) <= len(raw)
    anatomy.assemble(anatomy.recount(parts))


def test_chunks_on_top_of_each_other():
    """Chunks that claim the same bytes do not multiply them: the second has none of its own."""
    parts = anatomy.dissect(with_columns([footer(RICH).row_groups[0].columns[0]] * 500))
    assert [chunk.at is not None for chunk in parts.chunks()] == [True] + [False] * 499


def test_an_empty_chunk_at_the_place_of_another_part():
    """A chunk of no bytes whose offset is that of a Bloom filter stays where it is."""
    first, second = footer(RICH).row_groups[0].columns
    empty = {"data_page_offset": first.meta_data.bloom_filter_offset, "total_compressed_size": 0}
    meta = replace(second.meta_data, dictionary_page_offset=None, bloom_filter_offset=None, **empty)
    data = with_columns([first, replace(second, meta_data=meta, file_offset=0)])
    assert anatomy.dissect(data).groups[0].chunks[1].at == first.meta_data.bloom_filter_offset
    assert anatomy.assemble(anatomy.dissect(data)) == data


def test_numbers_of_groups_and_chunks():
    """Without the first row group, the next one is number 0 and begins at its first page."""
    smaller = footer(anatomy.assemble(anatomy.drop_group(anatomy.dissect(RICH), 0)))
    (group,) = smaller.row_groups
    assert group.ordinal == 0
    assert group.file_offset == group.columns[0].meta_data.dictionary_page_offset
    assert group.total_compressed_size == sum(one.meta_data.total_compressed_size for one in group.columns)


def test_file_offset_behind_the_chunk():
    """Where file_offset points behind a chunk, as old writers have it, it still does when the chunk moves."""
    parts = anatomy.dissect(RICH)
    chunk = parts.chunks()[0]
    size = chunk.chunk.meta_data.total_compressed_size
    chunk.lies["file_offset"] = 0
    chunk.chunk = replace(chunk.chunk, file_offset=chunk.at + size)
    chunk.behind = True
    parts = anatomy.dissect(anatomy.assemble(parts))
    assert parts.chunks()[0].behind
    parts.stretches.insert(0, anatomy.Stretch(0, bytes(99)))
    found = footer(anatomy.assemble(parts)).row_groups[0].columns[0]
    assert found.file_offset == 4 + 99 + found.meta_data.total_compressed_size
