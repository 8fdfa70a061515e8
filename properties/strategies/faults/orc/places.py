"""Where faults can be put into any ORC file: the places of a scene that fit."""

from __future__ import annotations

from collections.abc import Callable

from properties.strategies.faults.edit import Change
from properties.strategies.faults.fault import Places, places
from properties.strategies.faults.orc.edits import OrcScene
from reference_impl.orc.column_encodings import DICTIONARY_KINDS
from reference_impl.orc.schema import CompressionKind, EncodingKind, StreamKind, TypeKind
from reference_impl.orc.tamper import Place
from reference_impl.orc.types import STRINGS, TypeNode

Fits = Callable[[OrcScene, TypeNode, Place], bool]

_INTEGERS = (TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.DATE)
_REPEATED = (TypeKind.LIST, TypeKind.MAP, TypeKind.UNION)


def in_file(what: str = "", **changes: Change) -> Places:
    """Return the only place of a fault of the whole file."""
    return places(lambda _: [Place(0, 0)], what, **changes)


def file_statistics() -> Places:
    """Return the file, if its footer has statistics of several columns."""
    return places(lambda scene: [Place(0, 0)] if len(scene.seen["footer"][None].statistics) > 1 else [])


def stripes(what: str = "", **changes: Change) -> Places:
    """Return the stripes."""
    return places(lambda scene: [Place(number, 0) for number in scene.stripe_footers], what, **changes)


def types(fits: Callable[[TypeNode], bool] = lambda _: True) -> Places:
    """Return the types that fit."""
    return places(lambda scene: [Place(0, node.id) for node in scene.nodes if fits(node)])


def columns_without_dictionaries() -> Places:
    """Return the columns, in each stripe, of types that no dictionary can hold."""
    return places(
        lambda scene: [
            Place(number, node.id)
            for number in scene.stripe_footers
            for node in scene.nodes
            if node.kind not in STRINGS
        ]
    )


def row_indexes(what: str = "", **changes: Change) -> Places:
    """Return the columns whose row index has entries."""

    def fitting(scene: OrcScene) -> list[Place]:
        indexes = scene.seen["row_index"].items()
        return [place._replace(kind=None) for place, index in indexes if index.entry]

    return places(fitting, what, **changes)


def streams(fits: Fits, what: str = "", **changes: Change) -> Places:
    """Return the streams with bytes of columns that are below no list, map or union."""
    return places(lambda scene: _streams(scene, fits), what, **changes)


def compressed_streams(what: str = "", **changes: Change) -> Places:
    """Return the streams of DATA and PRESENT that are in chunks."""

    def fitting(scene: OrcScene) -> list[Place]:
        if scene.plan.compression is CompressionKind.NONE:
            return []
        return _streams(scene, lambda _, __, place: place.kind in (StreamKind.DATA, StreamKind.PRESENT))

    return places(fitting, what, **changes)


def _streams(scene: OrcScene, fits: Fits) -> list[Place]:
    nodes = scene.nodes
    return [
        place
        for place, data in scene.streams.items()
        if data and _is_once_per_row(nodes[place.column]) and fits(scene, nodes[place.column], place)
    ]


def _is_once_per_row(node: TypeNode) -> bool:
    """Return whether a column has no more values than the stripe has rows."""
    above = node.parent
    while above is not None and above.kind not in _REPEATED:
        above = above.parent
    return above is None


def encoding_of(scene: OrcScene, place: Place) -> EncodingKind:
    """Return the encoding of a column."""
    return scene.stripe_footers[place.stripe or 0].columns[place.column].kind or EncodingKind.DIRECT


def integers_in(encoding: EncodingKind) -> Fits:
    """Return whether a stream is the DATA of integers in an encoding."""
    return lambda scene, node, place: (
        node.kind in _INTEGERS and place.kind is StreamKind.DATA and encoding_of(scene, place) is encoding
    )


def data_of(*kinds: TypeKind) -> Fits:
    """Return whether a stream is the DATA of such a type, without a dictionary."""
    return lambda scene, node, place: (
        node.kind in kinds
        and place.kind is StreamKind.DATA
        and encoding_of(scene, place) not in DICTIONARY_KINDS
    )


def is_present(_: OrcScene, __: TypeNode, place: Place) -> bool:
    """Return whether a stream is PRESENT."""
    return place.kind is StreamKind.PRESENT


def is_ids(scene: OrcScene, _: TypeNode, place: Place) -> bool:
    """Return whether a stream is that of ids of dictionary entries."""
    return place.kind is StreamKind.DATA and encoding_of(scene, place) in DICTIONARY_KINDS
