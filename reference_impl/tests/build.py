"""Small Parquet files put together by hand, so that each part can be made wrong on its own."""

from __future__ import annotations

import zlib
from dataclasses import replace

from reference_impl.parquet.page_structs import (
    DataPageHeader,
    DataPageHeaderV2,
    DictionaryPageHeader,
    PageHeader,
)
from reference_impl.parquet.schema import (
    ColumnChunk,
    ColumnMetaData,
    CompressionCodec,
    Encoding,
    FieldRepetitionType,
    FileMetaData,
    PageType,
    RowGroup,
    SchemaElement,
    Type,
)
from reference_impl.wire.thrift import encode

REQUIRED, OPTIONAL, REPEATED = FieldRepetitionType


def page_v1(body, count, encoding=Encoding.PLAIN, *, stored=None, levels=Encoding.RLE, **more):
    """A v1 data page: header and body."""
    stored = body if stored is None else stored
    data = DataPageHeader(
        num_values=count,
        encoding=encoding,
        definition_level_encoding=levels,
        repetition_level_encoding=levels,
    )
    return page(PageType.DATA_PAGE, body, stored, data_page_header=data, **more)


def page_v2(repetition, definition, values, header=None, *, stored=None, **more):
    """A v2 data page whose header fields default to what is true for a required column of 4-byte values."""
    fields = {
        "num_values": len(values) // 4,
        "num_nulls": 0,
        "num_rows": len(values) // 4,
        "encoding": Encoding.PLAIN,
        "definition_levels_byte_length": len(definition),
        "repetition_levels_byte_length": len(repetition),
    } | (header or {})
    body = repetition + definition + values
    stored = body if stored is None else repetition + definition + stored
    return page(PageType.DATA_PAGE_V2, body, stored, data_page_header_v2=DataPageHeaderV2(**fields), **more)


def page_dictionary(body, count, encoding=Encoding.PLAIN, **more):
    """A dictionary page."""
    header = DictionaryPageHeader(num_values=count, encoding=encoding)
    return page(PageType.DICTIONARY_PAGE, body, body, dictionary_page_header=header, **more)


def page(kind, body, stored, *, crc=None, **more):
    """A page of any type; crc True computes the right one."""
    header = PageHeader(
        **{
            "type": kind,
            "uncompressed_page_size": len(body),
            "compressed_page_size": len(stored),
            "crc": _signed(zlib.crc32(stored)) if crc is True else crc,
        }
        | more
    )
    return encode(header) + stored


def _signed(number):
    return number - (1 << 32) if number >> 31 else number


def column(name="x", kind=Type.INT32, repetition=REQUIRED, **more):
    """A leaf of the schema."""
    return SchemaElement(type=kind, repetition_type=repetition, name=name, **more)


def file(pages, element=None, *, rows, values=None, meta=None, chunk=None, group=None, footer=None):
    """A file of one column and one row group; the last arguments change fields of the structs they name."""
    element = element or column()
    body = b"".join(pages)
    metadata = ColumnMetaData(
        type=element.type,
        encodings=[],
        path_in_schema=[element.name],
        codec=CompressionCodec.UNCOMPRESSED,
        num_values=rows if values is None else values,
        total_uncompressed_size=len(body),
        total_compressed_size=len(body),
        data_page_offset=4,
    )
    metadata = replace(metadata, **(meta or {}))
    part = replace(ColumnChunk(file_offset=0, meta_data=metadata), **(chunk or {}))
    groups = [replace(RowGroup(columns=[part], total_byte_size=len(body), num_rows=rows), **(group or {}))]
    schema = [SchemaElement(name="schema", num_children=1), element]
    whole = FileMetaData(version=1, schema=schema, num_rows=rows, row_groups=groups)
    return seal(body, replace(whole, **(footer or {})))


def seal(body, metadata):
    """Put the magic numbers and the footer around; one that says it is signed has a signature of zeros."""
    raw = encode(metadata) + bytes(28 * (metadata.encryption_algorithm is not None))
    return b"PAR1" + body + raw + len(raw).to_bytes(4, "little") + b"PAR1"
