"""Dictionary pages that dictionary_page_offset does not name: where the chunk begins, and who says so."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from reference_impl.columns import to_python
from reference_impl.errors import Malformed
from reference_impl.parquet.anatomy import assemble, dissect
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Index, Page
from reference_impl.parquet.ranges import read_ranges
from reference_impl.parquet.schema import Encoding, SchemaElement
from reference_impl.parquet.summary import summarize
from reference_impl.parquet.tamper import NOTHING, Tamper
from reference_impl.parquet.validate import validate
from reference_impl.parquet.writer import write
from reference_impl.tests.build import column, file, page_dictionary, page_v1, page_v2

INTS = struct.pack("<3i", 1, 2, 3)
DICTIONARY = page_dictionary(INTS, 3)
PLAIN = page_v1(INTS, 3)
INDICES = b"\x02\x03\x24\x00"  # width 2, one group of eight: 0, 1, 2, 0 …
INDEXED = page_v1(INDICES, 3, Encoding.RLE_DICTIONARY)
V2 = page_v2(b"", b"", INDICES, {"encoding": Encoding.RLE_DICTIONARY, "num_values": 3, "num_rows": 3})


def behind(front, *pages, before=b"", after=b"", **meta):
    """Return a file whose data_page_offset is behind `front`, and whose chunk is `front` and the pages."""
    body = front + b"".join(pages)
    sizes = {"total_compressed_size": len(body), "total_uncompressed_size": len(body)}
    offset = {"data_page_offset": 4 + len(before) + len(front)}
    return file([before, body, after], rows=3 * len(pages), meta=sizes | offset | meta)


def read(data, *, strict=True):
    """Return the values of the only column."""
    opened = ParquetFile(data, strict=strict)
    return to_python(opened.read().columns[0])


def rules(data):
    """Return the rules about chunks that a file breaks, but for the list of encodings, which may be empty."""
    broken = {violation.rule for violation in validate(data)}
    return {rule for rule in broken if rule.startswith("PQ-CHUNK")} - {"PQ-CHUNK-014"}


@pytest.mark.parametrize(
    "data",
    [
        behind(DICTIONARY, INDEXED),
        behind(DICTIONARY, INDEXED, encodings=[Encoding.RLE_DICTIONARY, Encoding.PLAIN]),
        behind(DICTIONARY, INDEXED, before=b"seven..", after=bytes(9)),
        behind(DICTIONARY, INDEXED, before=DICTIONARY),
        behind(DICTIONARY, V2),
        behind(DICTIONARY, INDEXED, PLAIN, INDEXED),
    ],
    ids=["alone", "listed", "between", "behind another", "v2", "three pages"],
)
def test_a_dictionary_in_front_of_the_first_data_page(data):
    """The size of the chunk says how far in front of its first data page it begins."""
    values = read(data)
    assert values == [1, 2, 3] * (len(values) // 3) != []
    assert rules(data) == {"PQ-CHUNK-011"}
    assert "dictionary_without_offset" in summarize(ParquetFile(data))["flags"]
    assert assemble(dissect(data)) == data


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (behind(DICTIONARY, INDEXED, total_compressed_size=len(INDEXED)), "PQ-DICT-000"),
        (behind(PLAIN, INDEXED, after=bytes(99)), "PQ-DICT-000"),
        (behind(DICTIONARY + DICTIONARY, INDEXED, after=bytes(99)), "PQ-DICT-000"),
        (behind(b"?" * 20, INDEXED, after=bytes(99)), "PQ-DICT-000"),
        (behind(DICTIONARY, INDEXED, encodings=[Encoding.PLAIN], after=bytes(99)), "PQ-DICT-000"),
        (behind(b"", INDEXED), "PQ-DICT-000"),
        (behind(DICTIONARY, INDEXED, total_compressed_size=-1), "PQ-CHUNK-004"),
    ],
)
def test_anything_else_in_front_is_no_dictionary(data, rule):
    """Without its own dictionary page, and one alone, right in front, the indices mean nothing."""
    with pytest.raises(Malformed) as caught:
        read(data, strict=False)
    assert caught.value.rule == rule


def test_a_size_before_the_file_begins():
    """A chunk that would begin in front of the file has no dictionary, though counted from its end it has."""
    size = 0
    while True:
        data = behind(DICTIONARY, INDEXED, total_compressed_size=size)
        wanted = len(DICTIONARY) + len(INDEXED) + len(data)  # begins at 4 - len(data)
        if wanted == size:
            break
        size = wanted
    with pytest.raises(Malformed) as caught:
        read(data, strict=False)
    assert caught.value.rule == "PQ-DICT-000"


class WithoutOffset(Tamper):
    """Leaves out dictionary_page_offset."""

    def chunk(self, place, chunk):
        """Change the metadata of a chunk."""
        del place
        return replace(chunk, meta_data=replace(chunk.meta_data, dictionary_page_offset=None))


def written(tamper, **dictionary):
    """Return a file of two columns with dictionaries and offset indexes, in two row groups."""
    layout = Column(
        (Page(2, Encoding.RLE_DICTIONARY),), dictionary=Dictionary(**dictionary), index=Index(), gap=3
    )
    schema = (SchemaElement(name="schema", num_children=2), column("x"), column("y"))
    rows = tuple({"x": number % 4, "y": -number % 3} for number in range(12))
    return write(FilePlan(schema, rows, (layout, layout), row_groups=(7, 5)), tamper)


def test_each_chunk_of_a_file():
    """Chunks between others, whole and by their offset index, are read as where the offset is there."""
    named, unnamed = (ParquetFile(written(tamper), strict=True) for tamper in (NOTHING, WithoutOffset()))
    for columns in zip(named.read().columns, unnamed.read().columns, strict=True):
        first, second = map(to_python, columns)
        assert first == second
    for group in range(2):
        tables = (read_ranges(opened, group, [(1, 2), (4, 5)]) for opened in (named, unnamed))
        first, second = ([to_python(column) for column in table.columns] for table in tables)
        assert first == second
    assert rules(written(WithoutOffset())) == {"PQ-CHUNK-011"}


@pytest.mark.parametrize(
    ("data", "flag"),
    [
        (written(NOTHING), False),
        (written(WithoutOffset()), True),
        (written(NOTHING, offset=False), True),
    ],
    ids=["named", "in front", "at data_page_offset"],
)
def test_the_summary_names_dictionaries_without_an_offset(data, flag):
    """The flag is about both forms, and not about a dictionary that is named."""
    assert ("dictionary_without_offset" in summarize(ParquetFile(data))["flags"]) is flag
