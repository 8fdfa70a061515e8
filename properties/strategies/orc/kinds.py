"""Primitive types, with their parameters (ORCv1.md, "Type Information")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.strategies.chances import choice, one_in
from reference_impl.orc.schema import EdgeInterpolationAlgorithm, StringPair, Type, TypeKind

if TYPE_CHECKING:
    from hypothesis import strategies as st

K = TypeKind
NUMBERS = (K.INT, K.LONG, K.DOUBLE, K.FLOAT, K.SHORT, K.BYTE, K.BOOLEAN, K.LONG)
TEXTS = (K.STRING, K.STRING, K.STRING, K.VARCHAR, K.CHAR, K.BINARY)
MOMENTS = (K.DATE, K.TIMESTAMP, K.TIMESTAMP, K.TIMESTAMP_INSTANT)
LOCATIONS = (K.GEOMETRY, K.GEOGRAPHY)
# ORCv1.md, "Map": the keys have any type. Those that many tables have are more frequent.
KEYS = (*[K.STRING, K.INT, K.LONG, K.DATE] * 3, *TEXTS, *NUMBERS, *MOMENTS, K.DECIMAL)
# Keys of each type alike often.
RARE_KEYS = (
    *((K.DOUBLE, K.FLOAT), (K.SHORT, K.BYTE), (K.BOOLEAN,), (K.VARCHAR, K.CHAR), (K.BINARY,)),
    *((K.TIMESTAMP,), (K.TIMESTAMP_INSTANT,), (K.DATE,), (K.DECIMAL,)),
)
_FAMILIES = (NUMBERS, TEXTS, NUMBERS, MOMENTS, (K.DECIMAL,), TEXTS, NUMBERS, MOMENTS)
_PRECISIONS = (38, 1, 2, 5, 9, 10, 18, 19)
_LENGTHS = (10, 1, 2, 5, 16, 64, 255)
_MOST = 65_535  # characters of a VARCHAR; a CHAR has up to 255
_LOCATED = 200  # one type in so many: few readers know these types, the others refuse the whole file


def kind(draw: st.DrawFn) -> Type:
    """Draw a primitive type; types that writers keep statistics of are more frequent."""
    family = LOCATIONS if one_in(draw, _LOCATED) else choice(draw, _FAMILIES)
    type_ = with_parameters(draw, Type(kind=choice(draw, family)))
    if one_in(draw, 20):
        type_.attributes = (StringPair(key="colconf", value="é"), StringPair(key="", value=""))
    return type_


def key(draw: st.DrawFn, *, rare: bool = False) -> Type:
    """Draw the type of a map's keys; `rare`: each type alike often."""
    return with_parameters(draw, Type(kind=choice(draw, choice(draw, RARE_KEYS) if rare else KEYS)))


def with_parameters(draw: st.DrawFn, type_: Type) -> Type:
    """Draw the parameters of a type: lengths, precision and scale, coordinates."""
    if type_.kind in (K.CHAR, K.VARCHAR):
        lengths = (*_LENGTHS, 256, _MOST) if type_.kind is K.VARCHAR else _LENGTHS
        type_.maximum_length = choice(draw, lengths)
    elif type_.kind == K.DECIMAL:
        type_.precision = choice(draw, _PRECISIONS)
        type_.scale = choice(draw, sorted({0, min(2, type_.precision), type_.precision}))
    elif type_.kind in LOCATIONS:
        type_.crs = choice(draw, [None, "OGC:CRS84", "EPSG:4326"])
        if type_.kind == K.GEOGRAPHY:
            type_.algorithm = choice(draw, [None, *EdgeInterpolationAlgorithm])
    return type_
