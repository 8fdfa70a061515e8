"""The decoder and the types of each encoding (Encodings.md, "Supported Encodings")."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reference_impl.cursor import Cursor
from reference_impl.parquet.encodings import (
    alp,
    byte_stream_split,
    delta_binary_packed,
    delta_byte_array,
    delta_length_byte_array,
    plain,
    rle,
)
from reference_impl.parquet.schema import Encoding, Type
from reference_impl.parquet.types import Physical, Values

DECODERS: dict[int, tuple[Callable[[Cursor, Physical, int], Values], tuple[Type, ...]]] = {
    Encoding.PLAIN: (plain.decode, tuple(Type)),
    Encoding.BIT_PACKED: (plain.decode, ()),  # "only supported for encoding repetition and definition levels"
    Encoding.RLE: (
        lambda cursor, _, count: rle.decode_prefixed(cursor, 1, count).view(np.bool_),
        (Type.BOOLEAN,),
    ),
    Encoding.DELTA_BINARY_PACKED: (delta_binary_packed.decode, tuple(delta_binary_packed.BITS)),
    Encoding.DELTA_LENGTH_BYTE_ARRAY: (delta_length_byte_array.decode, (Type.BYTE_ARRAY,)),
    Encoding.DELTA_BYTE_ARRAY: (delta_byte_array.decode, (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY)),
    Encoding.BYTE_STREAM_SPLIT: (byte_stream_split.decode, byte_stream_split.TYPES),
    Encoding.ALP: (alp.decode, tuple(alp.FORMS)),
}
ENCODINGS: dict[int, tuple[Type, ...]] = {
    encoding: types for encoding, (_, types) in DECODERS.items() if types
}
DELTA_ENCODINGS = (Encoding.DELTA_BINARY_PACKED, Encoding.DELTA_LENGTH_BYTE_ARRAY, Encoding.DELTA_BYTE_ARRAY)
DICTIONARY_ENCODINGS = (Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY)
