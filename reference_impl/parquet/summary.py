"""The features of the format that a file uses, by its footer and its pages, without decoding values."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from reference_impl.compression.deflate import has_members
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.arrow_schema import duration_units
from reference_impl.parquet.encodings.dispatch import DICTIONARY_ENCODINGS
from reference_impl.parquet.encryption.opening import is_encrypted
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.page_structs import PageHeader
from reference_impl.parquet.page_walk import Page
from reference_impl.parquet.schema import (
    ColumnChunk,
    ColumnMetaData,
    CompressionCodec,
    Encoding,
    FieldRepetitionType,
    FileMetaData,
    PageType,
    RowGroup,
)
from reference_impl.parquet.statistics_structs import Statistics
from reference_impl.parquet.tree import Node
from reference_impl.wire import thrift
from reference_impl.wire.enums import name_of

_MAX_PAGES = 10_000  # of a chunk; later pages use the same features
_DIGITS_OF_128_BITS = 38
_SPARK = "org.apache.spark"
_INFLATED = 16  # pages of a chunk
_MOST_INFLATED = 1 << 20  # bytes of a page; a longer first member is taken for the only one


def schema_key(file: ParquetFile) -> str:
    """Return a digest of the inputs of a reader's schema: elements and key-value metadata."""
    digest = hashlib.sha256()
    for element in file.metadata.schema:
        digest.update(thrift.encode(element))
    for pair in file.metadata.key_value_metadata or ():
        digest.update(thrift.encode(pair))
    return digest.hexdigest()


def summarize(file: ParquetFile) -> dict[str, list[str]]:
    """Return sorted names by group.

    Groups: encodings, codecs, page_types, physical_types, logical_types, nesting, variants, flags, encryption
    (with an encrypted footer, of files that were opened with their keys). Chunks that are encrypted or
    malformed add the features of their metadata only; numbers without a name appear as such.
    """
    features = _of_columns(file)
    if file.root.differ_in_case():
        features["flags"].add("names_differ_in_case")
    if file.root.has_names_twice():
        features["flags"].add("names_twice")
    if file.root.has_no_name():
        features["flags"].add("empty_name")
    _add_file(features["flags"], file.metadata)
    for group in file.metadata.row_groups:
        if group.sorting_columns:
            features["flags"].add("sorting_columns")
        if _is_first_column_later(group):
            features["flags"].add("first_column_later")
    pairs = {pair.key: pair.value or "" for pair in file.metadata.key_value_metadata or ()}
    features["flags"] |= {flag for key, flag in _SCHEMAS.items() if key in pairs}
    features["flags"] |= {f"arrow_duration_{unit}" for unit in duration_units(pairs.get(_ARROW, ""))}
    if is_hybrid(pairs):
        features["flags"].add("spark_hybrid_calendar")
    if file.metadata.column_orders is not None:
        features["flags"].add("column_orders")
    features["encryption"].update(_of_encryption(file))
    return {name: sorted(values) for name, values in features.items()}


def summarize_columns(file: ParquetFile, names: Collection[str]) -> dict[str, list[str]]:
    """Return sorted names by group, as `summarize`, of some columns of the root: their schema and chunks."""
    return {name: sorted(values) for name, values in _of_columns(file, names).items()}


def _of_columns(file: ParquetFile, names: Collection[str] | None = None) -> dict[str, set[str]]:
    """Return the features of the schema and the chunks of the named columns of the root, None for all."""
    features: dict[str, set[str]] = {name: set() for name in _GROUPS}
    for node in file.root.children:
        if names is None or node.name in names:
            _add_schema(features, node)
    for index, group in enumerate(file.metadata.row_groups):
        for column, chunk in enumerate(group.columns):
            if names is None or file.leaves[column].path[0] in names:
                _add_chunk(features, file, chunk, index, column)
    return features


_GROUPS = (
    *("encodings", "codecs", "page_types", "physical_types", "logical_types", "nesting", "variants"),
    *("flags", "encryption"),
)
_OF_DATA = (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)
_ARROW = "ARROW:schema"
_SCHEMAS = {  # keys of the file's metadata that say more of its columns
    _ARROW: "arrow_schema",
    f"{_SPARK}.sql.parquet.row.metadata": "spark_schema",
    "geo": "geoparquet",
}
_SHREDDED = ("typed_value", "object", "array")  # columns of VariantShredding.md and of its draft


def is_hybrid(metadata: Mapping[str, str]) -> bool:
    """Return whether Spark took days for those of the hybrid calendar, as all its versions before 3.0."""
    major = metadata.get(f"{_SPARK}.version", "").partition(".")[0]
    return (
        f"{_SPARK}.legacyDateTime" in metadata or f"{_SPARK}.legacyINT96" in metadata or major in {"1", "2"}
    )


def _of_encryption(file: ParquetFile) -> Iterator[str]:
    crypto = file.footer.crypto
    algorithm = crypto.encryption_algorithm if crypto else file.metadata.encryption_algorithm
    if algorithm is None:
        return
    yield from ("encrypted", "footer" if crypto else "plaintext_footer")
    if algorithm.AES_GCM_V1 is not None:
        yield "gcm"
    elif algorithm.AES_GCM_CTR_V1 is not None:
        yield "gcm_ctr"
    chosen = algorithm.AES_GCM_V1 or algorithm.AES_GCM_CTR_V1
    if chosen is not None and (chosen.aad_prefix is not None or chosen.supply_aad_prefix):
        yield "aad_prefix"
    chunks = [chunk for group in file.metadata.row_groups for chunk in group.columns]
    encrypted = [chunk.crypto_metadata for chunk in chunks if chunk.crypto_metadata is not None]
    if any(column.ENCRYPTION_WITH_COLUMN_KEY for column in encrypted):
        yield "column_keys"
    elif encrypted and len(encrypted) == len(chunks):
        yield "uniform"


def _add_schema(features: dict[str, set[str]], node: Node) -> None:
    if node.physical is not None:
        features["physical_types"].add(node.physical.type.name)
    if node.logical is not None:
        features["logical_types"].add(node.logical.name)
        if (node.element.precision or 0) > _DIGITS_OF_128_BITS:
            features["logical_types"].add("DECIMAL_BEYOND_38")
        if node.element.logicalType is not None and node.element.logicalType.UNKNOWN is not None:
            features["logical_types"].add("UNKNOWN")  # also where the ConvertedType counts
        if node.logical.name == "VARIANT":
            is_shredded = any(child.name in _SHREDDED for child in node.children)
            features["variants"].add("shredded" if is_shredded else "unshredded")
    if node.repetition == FieldRepetitionType.REPEATED:
        features["nesting"].add("repeated")
    elif node.repetition == FieldRepetitionType.OPTIONAL:
        features["nesting"].add("optional")
    if node.children:
        features["nesting"].add(node.logical.name.lower() if node.logical else "struct")
    for child in node.children:
        _add_schema(features, child)


def _add_file(flags: set[str], metadata: FileMetaData) -> None:
    """Add how few or many rows, row groups and columns there are, and whether fields are unknown."""
    named = {
        "zero_rows": not metadata.num_rows,
        "zero_row_groups": not metadata.row_groups,
        "row_groups": len(metadata.row_groups) > 1,
        "zero_columns": len(metadata.schema) == 1,
        "unknown_fields": bool(metadata.unknown),
    }
    flags |= {name for name, there in named.items() if there}


def _is_first_column_later(group: RowGroup) -> bool:
    """Return whether the chunk of another column lies before the chunk of the first column."""
    starts = [
        min(filter(None, (meta.dictionary_page_offset, meta.data_page_offset)), default=0)
        for meta in (chunk.meta_data for chunk in group.columns)
        if meta is not None
    ]
    return len(starts) == len(group.columns) > 1 and min(starts) < starts[0]


def _add_chunk(
    features: dict[str, set[str]], file: ParquetFile, chunk: ColumnChunk, row_group: int, column: int
) -> None:
    flags = features["flags"]
    present = {
        "column_index": chunk.column_index_offset,
        "offset_index": chunk.offset_index_offset,
    }
    flags.update(name for name, field in present.items() if field is not None)
    if chunk.crypto_metadata is not None:
        features["encryption"].add("encrypted")
    meta = chunk.meta_data
    if is_encrypted(chunk):
        with suppress(ReferenceError_):  # without its key, or damaged
            meta = file.column_metadata(row_group, column)
    if meta is None:
        return
    _add_metadata(features, meta)
    leaf, data_pages, was_empty, was_plain = file.leaves[column], 0, False, False
    try:
        for number, page in enumerate(file.pages(row_group, column)):
            if number == _MAX_PAGES:
                break
            _add_page(features, page.header, leaf)
            if page.header.type in _OF_DATA:
                data_pages += 1
                data = page.header.data_page_header or page.header.data_page_header_v2
                is_empty = data is not None and not data.num_values
                if is_empty and was_empty:
                    flags.add("empty_pages_in_succession")
                was_empty = is_empty
                is_plain = data is not None and data.encoding not in DICTIONARY_ENCODINGS
                if was_plain and not is_plain:
                    flags.add("dictionary_behind_plain")
                was_plain = is_plain
            if page.header.type == PageType.DICTIONARY_PAGE and not meta.dictionary_page_offset:
                flags.add("dictionary_without_offset")
            if meta.codec == CompressionCodec.GZIP and number < _INFLATED and _has_members(page):
                flags.add("gzip_members")
    except ReferenceError_:
        flags.add("unreadable_pages")
    if data_pages > 1:
        flags.add("several_pages")


def _has_members(page: Page) -> bool:
    """Return whether the body of a GZIP page has several members; False for one that is not sound."""
    v2 = page.header.data_page_header_v2
    if v2 is not None and v2.is_compressed is False:
        return False
    levels = 0 if v2 is None else v2.definition_levels_byte_length + v2.repetition_levels_byte_length
    return has_members(page.body[levels:], _MOST_INFLATED)


def _add_metadata(features: dict[str, set[str]], meta: ColumnMetaData) -> None:
    features["codecs"].add(name_of(meta.codec))
    flags = features["flags"]
    present = {
        "statistics": meta.statistics,
        "bloom_filter": meta.bloom_filter_offset,
        "size_statistics": meta.size_statistics,
        "geospatial_statistics": meta.geospatial_statistics,
    }
    flags.update(name for name, field in present.items() if field is not None)
    if meta.statistics is not None:
        if _has_deprecated_bounds(meta.statistics):
            flags.add("deprecated_statistics")
        if False in {meta.statistics.is_min_value_exact, meta.statistics.is_max_value_exact}:
            flags.add("truncated")
        if meta.statistics.nan_count is not None:
            flags.add("nan_count")
        if meta.statistics.null_count is None:
            flags.add("no_null_count")
            bounds = meta.statistics.min_value, meta.statistics.min
            if any(bound is not None for bound in bounds) and bounds == (
                meta.statistics.max_value,
                meta.statistics.max,
            ):
                flags.add("equal_bounds_without_null_count")


def _has_deprecated_bounds(statistics: Statistics) -> bool:
    """Return whether the minimum is in the deprecated field only."""
    return statistics.min_value is None and statistics.min is not None


def _add_page(features: dict[str, set[str]], header: PageHeader, leaf: Node) -> None:
    features["page_types"].add(name_of(header.type))
    if header.crc is not None:
        features["flags"].add("crc")
    data = header.data_page_header or header.data_page_header_v2
    if data is not None:
        if not data.num_values:
            features["flags"].add("empty_page")
        if data.statistics is not None and _has_deprecated_bounds(data.statistics):
            features["flags"].add("deprecated_statistics")
        features["encodings"].add(name_of(data.encoding))
    levels = header.data_page_header
    if levels is not None and (
        (leaf.definition_level and levels.definition_level_encoding == Encoding.BIT_PACKED)
        or (leaf.repetition_level and levels.repetition_level_encoding == Encoding.BIT_PACKED)
    ):
        features["encodings"].add(Encoding.BIT_PACKED.name)
