"""Faults that fit many files: for a rule, where in a written plan it can be broken, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from properties.strategies.faults.common import fields
from properties.strategies.faults.fault import chunk_of, data_header, element_at, metadata
from properties.strategies.faults.scene import Kind, Scene
from reference_impl.parquet.encodings.dispatch import DICTIONARY_ENCODINGS
from reference_impl.parquet.schema import ColumnOrder, CompressionCodec, Encoding, Type
from reference_impl.parquet.tamper import DICTIONARY, Place
from reference_impl.parquet.tree import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from properties.strategies.faults.common import Change
    from reference_impl.parquet.schema import ColumnChunk

_DELTAS = (Encoding.DELTA_BINARY_PACKED, Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY)


def _file(_: Scene) -> list[Place]:
    return [Place(0, 0)]


def _pages(fits: Callable[[Scene, Place], bool]) -> Callable[[Scene], list[Place]]:
    return lambda scene: [place for place in scene.headers if fits(scene, place)]


def _chunks(fits: Callable[[ColumnChunk], bool]) -> Callable[[Scene], list[Place]]:
    return lambda scene: [place for place, chunk in scene.chunks.items() if fits(chunk)]


def _any(*_: Any) -> bool:
    return True


def _data(_: Scene, place: Place) -> bool:
    return place.page != DICTIONARY


def _v2(scene: Scene, place: Place) -> bool:
    return scene.headers[place].data_page_header_v2 is not None


def _encoded(*encodings: Encoding) -> Callable[[Scene, Place], bool]:
    """Return whether a page has values, in one of these encodings."""
    return lambda scene, place: bool(scene.values[place]) and scene.data_header(place).encoding in encodings


def _plain(scene: Scene, place: Place) -> bool:
    # A dictionary page says PLAIN_DICTIONARY in old files.
    return bool(scene.values[place]) and (
        place.page == DICTIONARY or scene.data_header(place).encoding == Encoding.PLAIN
    )


def _plain_of(*, texts: bool) -> Callable[[Scene, Place], bool]:
    def fits(scene: Scene, place: Place) -> bool:
        leaves = list(build(list(scene.plan.schema)).leaves())
        physical = leaves[place.leaf].physical
        assert physical is not None
        return _plain(scene, place) and (physical.type == Type.BYTE_ARRAY) == texts

    return fits


def _encoded_alone(scene: Scene, place: Place) -> bool:
    """Return whether nothing but data pages, neither levels nor a dictionary, is encoded as a page is."""
    if place.page == DICTIONARY:
        return False
    encoding = scene.data_header(place).encoding
    if encoding == Encoding.PLAIN:
        return place._replace(page=DICTIONARY) not in scene.headers
    return encoding not in (Encoding.RLE, *DICTIONARY_ENCODINGS)


def _without(encoding: Encoding | int) -> Change:
    return lambda found: [one for one in found if one != encoding] or [Encoding.BIT_PACKED]


def _compressed(codec: Callable[[CompressionCodec], bool]) -> Callable[[Scene, Place], bool]:
    """Return whether a page has values that are compressed by such a codec."""

    def fits(scene: Scene, place: Place) -> bool:
        header = scene.headers[place].data_page_header_v2
        as_is = header is not None and header.is_compressed is False
        layout = scene.plan.column(place.row_group, place.leaf)
        return bool(scene.values[place]) and not as_is and codec(layout.codec)

    return fits


def _has_index(scene: Scene) -> list[Place]:
    return list(scene.column_indexes)


def _has_offsets(scene: Scene) -> list[Place]:
    return [place for place, found in scene.offset_indexes.items() if found.page_locations]


def _has_order(scene: Scene) -> list[Place]:
    assert scene.footer is not None
    return [Place(0, leaf) for leaf in range(len(scene.footer.column_orders or ()))]


def _elements(scene: Scene) -> list[Place]:
    """Return the elements below the root as places: as the number of their leaf stands theirs."""
    return [Place(0, at) for at in range(1, len(scene.plan.schema))]


def _block_of_64(data: bytes) -> bytes:
    """Put a block size of 64 in front of delta-encoded values, in place of theirs."""
    end = next(at for at, byte in enumerate(data, 1) if byte < 0x80)
    return b"\x40" + data[end:]


def _one_more(number: int) -> int:
    return number + 1


def _without_order(leaf: int) -> Change:
    return fields(
        column_orders=lambda found: [ColumnOrder() if at == leaf else one for at, one in enumerate(found)]
    )


_LONGER = 1 << 24
KINDS = (
    Kind(
        "PQ-FILE-002", "another magic number in front", _file, lambda *_: {"whole": lambda d: b"PAR2" + d[4:]}
    ),
    Kind(
        "PQ-FILE-003", "another magic number behind", _file, lambda *_: {"whole": lambda d: d[:-4] + b"PAR2"}
    ),
    Kind(
        "PQ-FILE-004",
        "a footer longer than the file",
        _file,
        lambda *_: {"whole": lambda data: data[:-8] + b"\xff\xff\xff\x7f" + data[-4:]},
    ),
    Kind(
        "PQ-FILE-005", "a byte behind the metadata", _file, lambda *_: {"footer_bytes": lambda d: d + b"\0"}
    ),
    Kind(
        "PQ-FILE-006",
        "a row group without its last chunk",
        _chunks(_any),
        lambda *_: {"row_group": fields(columns=lambda columns: columns[:-1])},
    ),
    Kind("PQ-FILE-008", "one row more", _file, lambda *_: {"footer": fields(num_rows=_one_more)}),
    Kind("PQ-THRIFT-001", "a footer cut short", _file, lambda *_: {"footer_bytes": lambda data: data[:-1]}),
    Kind(
        "PQ-THRIFT-005",
        "a page header without its size",
        _pages(_any),
        lambda *_: {"page_header": fields(compressed_page_size=None)},
    ),
    Kind(
        "PQ-THRIFT-006",
        "an empty column order",
        _has_order,
        lambda _, at: {"footer": _without_order(at.leaf)},
    ),
    Kind(
        "PQ-SCHEMA-002",
        "a root with one child more",
        _file,
        lambda *_: {"footer": element_at(0, num_children=_one_more)},
    ),
    Kind(
        "PQ-SCHEMA-004",
        "a repetition type that does not exist",
        _elements,
        lambda _, at: {"footer": element_at(at.leaf, repetition_type=3)},
    ),
    Kind(
        "PQ-CHUNK-002",
        "a chunk of another type",
        _chunks(_any),
        lambda *_: {"chunk": metadata(type=lambda kind: Type((kind + 1) % len(Type)))},
    ),
    Kind(
        "PQ-CHUNK-003",
        "a chunk of another path",
        _chunks(_any),
        lambda *_: {"chunk": metadata(path_in_schema=lambda path: [*path, "x"])},
    ),
    Kind(
        "PQ-CHUNK-004",
        "a chunk longer than the file",
        _chunks(_any),
        lambda *_: {
            "chunk": metadata(total_compressed_size=_LONGER),
            "row_group": fields(total_compressed_size=None),
        },
    ),
    Kind(
        "PQ-CHUNK-006", "one value more", _chunks(_any), lambda *_: {"chunk": metadata(num_values=_one_more)}
    ),
    Kind(
        "PQ-CHUNK-007",
        "one byte more",
        _chunks(_any),
        lambda *_: {"chunk": metadata(total_uncompressed_size=_one_more)},
    ),
    Kind(
        "PQ-CHUNK-008",
        "a page's encoding not listed",
        _pages(_encoded_alone),
        lambda scene, at: {"chunk": metadata(encodings=_without(scene.data_header(at).encoding))},
    ),
    Kind(
        "PQ-PAGE-001",
        "a page longer than its chunk",
        _pages(_any),
        lambda *_: {"page_header": fields(compressed_page_size=_LONGER)},
    ),
    Kind(
        "PQ-PAGE-003",
        "a bit of a checksum",
        _pages(lambda scene, place: scene.headers[place].crc is not None),
        lambda *_: {"page_header": fields(crc=lambda crc: crc ^ 1)},
    ),
    Kind(
        "PQ-PAGE-004",
        "a data page without its header",
        _pages(_data),
        lambda *_: {
            "page_header": fields(data_page_header=None, data_page_header_v2=None),
            "chunk": metadata(encoding_stats=None),
        },
    ),
    Kind(
        "PQ-PAGE-006",
        "levels longer than their page",
        _pages(_v2),
        lambda *_: {"page_header": data_header(definition_levels_byte_length=_LONGER)},
    ),
    Kind(
        "PQ-PAGE-008",
        "one null more",
        _pages(_v2),
        lambda *_: {"page_header": data_header(num_nulls=_one_more)},
    ),
    Kind(
        "PQ-PAGE-009",
        "one row more",
        _pages(_v2),
        lambda *_: {"page_header": data_header(num_rows=_one_more)},
    ),
    Kind("PQ-PAGE-011", "-1 values", _pages(_any), lambda *_: {"page_header": data_header(num_values=-1)}),
    Kind(
        "PQ-PAGE-013",
        "a byte behind the values",
        _pages(_encoded(Encoding.PLAIN, Encoding.RLE, *_DELTAS, *DICTIONARY_ENCODINGS)),
        lambda *_: {"values": lambda data: data + b"\0"},
    ),
    Kind(
        "PQ-PLAIN-001",
        "a value cut off",
        _pages(_plain_of(texts=False)),
        lambda *_: {"values": lambda data: data[:-1]},
    ),
    Kind(
        "PQ-PLAIN-002",
        "a byte array cut off",
        _pages(_plain_of(texts=True)),
        lambda *_: {"values": lambda data: data[:-1]},
    ),
    Kind(
        "PQ-DICT-002",
        "indices of 33 bits",
        _pages(lambda scene, place: _data(scene, place) and _encoded(*DICTIONARY_ENCODINGS)(scene, place)),
        lambda *_: {"values": lambda data: b"\x21" + data[1:]},
    ),
    Kind("PQ-DBP-002", "blocks of 64", _pages(_encoded(*_DELTAS)), lambda *_: {"values": _block_of_64}),
    Kind(
        "PQ-BSS-001",
        "a byte behind the streams",
        _pages(_encoded(Encoding.BYTE_STREAM_SPLIT)),
        lambda *_: {"values": lambda data: data + b"\0"},
    ),
    Kind(
        "PQ-CODEC-001",
        "one byte more",
        _pages(_compressed(lambda codec: codec != CompressionCodec.UNCOMPRESSED)),
        lambda *_: {"page_header": fields(uncompressed_page_size=_one_more)},
    ),
    Kind(
        "PQ-CODEC-002",
        "a stream cut off",
        _pages(_compressed(lambda codec: codec == CompressionCodec.GZIP)),
        lambda *_: {"stored": lambda data: data[:-1]},
    ),
    Kind(
        "PQ-INDEX-001",
        "an offset index longer than the file",
        _has_offsets,
        lambda _, at: {"row_group": chunk_of(at.leaf, offset_index_length=_LONGER)},
    ),
    Kind(
        "PQ-INDEX-002",
        "a byte behind a column index",
        _has_index,
        lambda _, at: {"row_group": chunk_of(at.leaf, column_index_length=_one_more)},
    ),
    Kind(
        "PQ-INDEX-003",
        "a minimum more than there are pages",
        _has_index,
        lambda *_: {"column_index": fields(min_values=lambda values: [*values, b""])},
    ),
    Kind(
        "PQ-BLOOM-001",
        "a Bloom filter in the magic number",
        _chunks(
            lambda chunk: chunk.meta_data is not None and chunk.meta_data.bloom_filter_offset is not None
        ),
        lambda _, at: {"row_group": chunk_of(at.leaf, meta_data=fields(bloom_filter_offset=3))},
    ),
    Kind(
        "PQ-BLOOM-002",
        "a Bloom filter one byte longer",
        _chunks(
            lambda chunk: chunk.meta_data is not None and chunk.meta_data.bloom_filter_length is not None
        ),
        lambda _, at: {"row_group": chunk_of(at.leaf, meta_data=fields(bloom_filter_length=_one_more))},
    ),
)
