# Any bytes are a file or a documented error. Columns read together are those read one by one; a column of
# all row groups is its pages one behind the other; with the ranges of fields kept, the footer says the
# same. All indexes and filters are read or a documented error.
"""A whole Parquet file."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from properties.fuzz import inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, same
from properties.strategies.mutations import parquet
from reference_impl.parquet import chunk, index
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.levels import LeafData
from reference_impl.parquet.page import PageDecoder
from reference_impl.parquet.schema import PageType
from reference_impl.parquet.tree import Node

NAME = "parquet_file"


def seeds() -> Iterable[bytes]:
    """Return small files of all areas."""
    return inputs.some(inputs.files("parquet", largest=4096), most=160)


def mutate(data: bytes, random: Random) -> bytes:
    """Change parts of the file, and seal it again or leave a seal broken."""
    return parquet.mutate(data, random)


def check(data: bytes) -> None:
    """Read the bytes as a file, in all ways."""
    file = attempt(ParquetFile, data, inputs.PARQUET_KEYS, limits=limits(data))
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
