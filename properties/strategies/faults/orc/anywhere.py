"""Faults that fit many ORC files: for a rule, where in a written plan it can be broken, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from properties.strategies.faults.common import at, fields, put
from properties.strategies.faults.orc.scene import FILE, Kind, Scene
from reference_impl.orc.schema import (
    CompressionKind,
    EncodingKind,
    Stream,
    StreamKind,
    TypeKind,
)
from reference_impl.orc.stripe import DICTIONARY_KINDS, encodings_of
from reference_impl.orc.tamper import Place
from reference_impl.orc.types import BINARIES, STRINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from properties.strategies.faults.common import Change
    from reference_impl.orc.types import TypeNode

    Changes = dict[str, Change]
    Places = Callable[[Scene], list[Place]]

_NUMBERS = (TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.DATE)
_FLOATS = (TypeKind.FLOAT, TypeKind.DOUBLE)
_REPEATED = (TypeKind.LIST, TypeKind.MAP, TypeKind.UNION)


def _file(_: Scene) -> list[Place]:
    return [FILE]


def _always(**changes: Change) -> Callable[[Scene, Place], Changes]:
    return lambda scene, place: changes  # noqa: ARG005 - what is done hangs on neither


def _footer(**changes: Any) -> Callable[[Scene, Place], Changes]:
    return _always(footer=fields(**changes))


def _behind_footer(record: str) -> Callable[[Scene, Place], Changes]:
    return _always(footer_message=lambda data: data + bytes.fromhex(record))


def _stripes(scene: Scene) -> list[Place]:
    return [Place(number, 0) for number in scene.footers]


def _types(scene: Scene) -> list[Place]:
    return [Place(0, node.id) for node in scene.nodes]


def _below_nothing(node: TypeNode) -> bool:
    """Return whether a column has no more values than the stripe has rows."""
    above = node.parent
    while above is not None and above.kind not in _REPEATED:
        above = above.parent
    return above is None


def _streams(fits: Callable[[Scene, TypeNode, Place], bool]) -> Places:
    """Return the streams with bytes of columns that stand below no list, map or union."""

    def places(scene: Scene) -> list[Place]:
        return [
            place
            for place, data in scene.streams.items()
            if data
            and _below_nothing(scene.nodes[place.column])
            and fits(scene, scene.nodes[place.column], place)
        ]

    return places


def _encoding(scene: Scene, place: Place) -> EncodingKind:
    return scene.footers[place.stripe or 0].columns[place.column].kind or EncodingKind.DIRECT


def _numbers_in(encoding: EncodingKind) -> Places:
    return _streams(
        lambda scene, node, place: (
            node.kind in _NUMBERS and place.kind is StreamKind.DATA and _encoding(scene, place) is encoding
        )
    )


def _data_of(*kinds: TypeKind) -> Places:
    def fits(scene: Scene, node: TypeNode, place: Place) -> bool:
        direct = _encoding(scene, place) not in DICTIONARY_KINDS
        return node.kind in kinds and place.kind is StreamKind.DATA and direct

    return _streams(fits)


def _present(_: Scene, __: TypeNode, place: Place) -> bool:
    return place.kind is StreamKind.PRESENT


def _ids(scene: Scene, _: TypeNode, place: Place) -> bool:
    return place.kind is StreamKind.DATA and _encoding(scene, place) in DICTIONARY_KINDS


def _compressed(scene: Scene) -> list[Place]:
    """Return the streams that are in chunks."""
    if scene.plan.compression is CompressionKind.NONE:
        return []
    return _streams(lambda _, __, place: place.kind in (StreamKind.DATA, StreamKind.PRESENT))(scene)


def _cut(_: Scene, __: Place) -> Changes:
    return {"stream": lambda data: data[:-1]}


def _too_large(scene: Scene, place: Place) -> Changes:
    size = scene.footers[place.stripe or 0].columns[place.column].dictionary_size or 0
    return {"numbers": lambda found: [*found[:-1], size]}


def _one_more(**stream: Any) -> Callable[[Scene, Place], Changes]:
    listed = Stream(**{"kind": StreamKind.DATA, "column": 0, "length": 0, **stream})
    return _always(stripe_footer=fields(streams=lambda found: (*found, listed)))


def _foreign(scene: Scene, place: Place) -> Changes:
    """Let a column have an encoding that is none of its type."""
    kind = scene.nodes[place.column].kind
    other = next(one for one in EncodingKind if one not in encodings_of(kind))
    return {"stripe_footer": fields(columns=at(place.column, fields(kind=other)))}


def _encoded(scene: Scene) -> list[Place]:
    return [
        Place(number, node.id) for number in scene.footers for node in scene.nodes if node.kind not in STRINGS
    ]


def _two_types(scene: Scene) -> list[Place]:
    assert scene.footer is not None
    return [FILE] if len(scene.footer.statistics) > 1 else []


def _without_name(scene: Scene) -> list[Place]:
    return [Place(0, node.id) for node in scene.nodes if node.kind is TypeKind.STRUCT and node.children]


def _type(**changes: Any) -> Callable[[Scene, Place], Changes]:
    return lambda _, place: {"footer": fields(types=at(place.column, fields(**changes)))}


def _indexes(scene: Scene) -> list[Place]:
    return [place for place, index in scene.indexes.items() if index.entry]


KINDS = (
    Kind("ORC-FILE-004", "the file begins with ORD", _file, _always(whole=lambda data: b"ORD" + data[3:])),
    Kind("ORC-FILE-005", "there is no footer", _file, _always(postscript=fields(footer_length=0))),
    Kind("ORC-FILE-008", "a version of one number", _file, _always(postscript=fields(version=(0,)))),
    Kind("ORC-FILE-009", "headerLength is 4", _file, _footer(header_length=4)),
    Kind(
        "ORC-FILE-011", "the footer counts a row more", _file, _footer(number_of_rows=lambda rows: rows + 1)
    ),
    Kind(
        "ORC-FILE-014",
        "statistics of a column missing",
        _two_types,
        _footer(statistics=lambda all_: all_[1:]),
    ),
    Kind("ORC-PROTO-001", "the footer ends behind a tag", _file, _behind_footer("a006")),
    Kind("ORC-PROTO-002", "a varint of 11 bytes", _file, _behind_footer(f"a006 {'80' * 10} 01")),
    Kind("ORC-PROTO-003", "a wire type of 6", _file, _behind_footer("a606 00000000")),
    Kind("ORC-PROTO-004", "a field of number 0", _file, _behind_footer("0001")),
    Kind("ORC-PROTO-006", "a field longer than the footer", _file, _behind_footer("a206 05 01")),
    Kind(
        "ORC-TYPE-004", "a struct lacks a field name", _without_name, _type(field_names=lambda all_: all_[1:])
    ),
    Kind("ORC-TYPE-005", "a type without a kind", _types, _type(kind=None)),
    Kind(
        "ORC-STRIPE-004",
        "the encoding of a column is missing",
        _stripes,
        _always(stripe_footer=fields(columns=lambda found: found[:-1])),
    ),
    Kind("ORC-STRIPE-009", "a stream of a column that there is not", _stripes, _one_more(column=1 << 20)),
    Kind("ORC-STRIPE-010", "a stream beyond the stripe", _stripes, _one_more(length=1 << 40)),
    Kind("ORC-STRIPE-011", "an encoding that is none of its type", _encoded, _foreign),
    Kind("ORC-RLE1-001", "runs of version 1 end early", _numbers_in(EncodingKind.DIRECT), _cut),
    Kind("ORC-RLE2-001", "runs of version 2 end early", _numbers_in(EncodingKind.DIRECT_V2), _cut),
    Kind("ORC-BYTE-001", "runs of bytes end early", _data_of(TypeKind.BYTE), _cut),
    Kind("ORC-BOOL-001", "PRESENT is empty", _streams(_present), _always(stream=put(b""))),
    Kind("ORC-FLOAT-001", "the last byte of floating point is missing", _data_of(*_FLOATS), _cut),
    Kind("ORC-STR-001", "the last byte of text is missing", _data_of(*STRINGS, *BINARIES), _cut),
    Kind("ORC-STR-004", "an id beyond the dictionary", _streams(_ids), _too_large),
    Kind(
        "ORC-COMP-001",
        "a stream ends inside of a chunk's header",
        _compressed,
        _always(stored=lambda data: data + b"\1\0"),
    ),
    Kind(
        "ORC-COMP-002",
        "a chunk goes on beyond its stream",
        _compressed,
        _always(stored=lambda data: data + b"\5\0\0\0"),
    ),
    Kind(
        "ORC-INDEX-001",
        "an entry of a row index is there twice",
        _indexes,
        _always(row_index=fields(entry=lambda entries: (*entries, entries[-1]))),
    ),
)
