"""Targets of whole Parquet files: read, validated, or taken apart and put together again."""

from __future__ import annotations

from typing import Any

from properties.fuzz import inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, not_malformed, same
from properties.fuzz.targets import Table
from properties.strategies.mutations import parquet
from reference_impl.columns import to_python
from reference_impl.parquet import anatomy, chunk, index
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.levels import LeafData
from reference_impl.parquet.page import PageDecoder
from reference_impl.parquet.schema import PageType
from reference_impl.parquet.tree import Node
from reference_impl.parquet.validate import examine

TABLE = Table()


@TABLE.target(
    "parquet_file",
    "A whole Parquet file.",
    "Any bytes are read as a file, or raise a documented error. Columns read together equal columns "
    "read one by one; the column of all row groups equals its pages, joined; the footer is the same "
    "when the byte ranges of fields are recorded. All indexes and filters are read, or raise a "
    "documented error. A file that is read strictly has no notes, and reads the same otherwise.",
    lambda: inputs.small_files("parquet"),
    parquet.mutate,
)
def check_file(data: bytes) -> None:
    """Read the bytes as a file, in all ways."""
    lenient = attempt(ParquetFile, data, inputs.PARQUET_KEYS, limits=limits(data))
    if lenient is None:
        return
    noted = attempt(lenient.read)
    file = attempt(ParquetFile, data, inputs.PARQUET_KEYS, limits=limits(data), strict=True)
    if file is None:
        return
    spans = ParquetFile(data, inputs.PARQUET_KEYS, limits=file.limits, keep_spans=True)
    same(spans.metadata, file.metadata, "with spans")
    table = attempt(file.read)
    groups = range(len(file.metadata.row_groups))
    for leaf in file.leaves:
        whole = attempt(file.leaf, leaf, groups)
        if whole is not None and groups:
            same(_by_pages(file, leaf), whole, "page by page")
        for group in groups:
            for parse in (index.column_index, index.offset_index, index.bloom_filter_header):
                attempt(parse, file, group, leaf.index)
    if table is None:
        return
    same(lenient.notes, [], "notes of a file that is read strictly")
    same(noted and list(map(to_python, noted.columns)), list(map(to_python, table.columns)), "read on")
    same(len(table.columns), len(file.root.children), "columns")
    parts = [file.read(row_groups=[group]) for group in groups]
    same(sum(part.num_rows for part in parts), table.num_rows, "rows of the row groups")


def _by_pages(file: ParquetFile, leaf: Node) -> LeafData:
    entries = []
    for group in range(len(file.metadata.row_groups)):
        decoder = PageDecoder(leaf, file.column_metadata(group, leaf.index).codec, file.limits)
        for page in file.pages(group, leaf.index):
            if page.header.type == PageType.DICTIONARY_PAGE:
                decoder.load_dictionary(page)
            elif page.header.type in chunk.DATA_PAGES:
                entries.append(decoder.entries(page))
    return chunk.join(leaf, entries)


@TABLE.target(
    "parquet_validate",
    "Validation of a whole Parquet file.",
    inputs.VALID,
    lambda: inputs.small_files("parquet", largest=2048),
    parquet.mutate,
)
def check_report(data: bytes) -> None:
    """Validate the bytes, and read them."""
    report = examine(data, inputs.PARQUET_KEYS, limits=limits(data))
    not_malformed(
        report, lambda: ParquetFile(data, inputs.PARQUET_KEYS, limits=limits(data), strict=True).read()
    )


@TABLE.target(
    "parquet_anatomy",
    "A whole Parquet file, taken apart and put together again (`parquet/anatomy`).",
    "Any bytes are split into parts, or raise a documented error. Parts that are assembled again are "
    "split into the same parts; a readable file reads the same afterwards.",
    lambda: inputs.small_files("parquet"),
    parquet.mutate,
)
def check_anatomy(data: bytes) -> None:
    """Take the bytes apart, and put them together."""
    parts = attempt(anatomy.dissect, data)
    if parts is None:
        return
    whole = anatomy.assemble(parts)
    same(anatomy.assemble(anatomy.dissect(whole)), whole, "taken apart and put together twice")
    before = attempt(_read, data, data)
    if before is not None:
        same(_read(whole, data), before, "read")


def _read(data: bytes, bounding: bytes) -> list[list[Any]]:
    table = ParquetFile(data, limits=limits(bounding)).read()
    return [to_python(column) for column in table.columns]
