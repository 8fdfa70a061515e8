"""Faults of values: text, decimals, timestamps, floating point and nested types."""

from __future__ import annotations

from dataclasses import replace

from corpora.build.orc.samples import TYPES
from corpora.build.orc.schemas import INT, STRING, leaf, list_of, map_of, union_of
from properties.strategies.faults.edit import Changes
from properties.strategies.faults.fault import Fault, File, Places, at, fields, put
from properties.strategies.faults.orc.edits import BARE, LENGTHS, SCALES, OrcScene, X, edit, file_of, table
from properties.strategies.faults.orc.places import data_of, is_ids, streams
from reference_impl.orc.plan import Column, Dictionary, DictionaryOrder, Present
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.tamper import Place
from reference_impl.orc.types import BINARIES, STRINGS

_WORDS = table(STRING, (b"ab", b"b", b"ab"), Column(dictionary=Dictionary()))
_UNUSED = Column(dictionary=Dictionary(unused=(b"",)))
_BYTES = X._replace(kind=StreamKind.DICTIONARY_DATA)
_CHAR, _VARCHAR = (leaf(kind, maximum_length=3) for kind in (TypeKind.CHAR, TypeKind.VARCHAR))
_MAP = map_of(INT, INT)
_KEYS = X._replace(column=3)
_DATE, _DOUBLE, _TIME = (TYPES[kind] for kind in (TypeKind.DATE, TypeKind.DOUBLE, TypeKind.TIMESTAMP))
_LONG_DECIMAL, _TWO_DIGITS = (
    leaf(TypeKind.DECIMAL, precision=precision, scale=scale) for precision, scale in ((38, 0), (3, 2))
)
_ALWAYS = replace(BARE, present=Present.ALWAYS)


def _id_too_large(scene: OrcScene, place: Place) -> Changes:
    """Return the change of the last id of a dictionary entry to one behind the last entry."""
    size = scene.stripe_footers[place.stripe or 0].columns[place.column].dictionary_size or 0
    return {"numbers": at(-1, put(size))}


FAULTS = (
    Fault(
        "ORC-FLOAT-001/seven-bytes",
        "the last DOUBLE has 7 bytes",
        file_of(_DOUBLE, (1.0, 2.0), stream=lambda data: data[:-1]),
        "it has 8",
        file_of(_DOUBLE, (1.0, 2.0)),
        places=streams(data_of(TypeKind.FLOAT, TypeKind.DOUBLE)),
    ),
    Fault(
        "ORC-STR-001/last-letter-missing",
        "lengths make up one byte more than there is",
        file_of(STRING, (b"ab", b"c"), stream=lambda data: data[:-1]),
        "the last string is empty",
        file_of(STRING, (b"ab", b"c", b"")),
        places=streams(data_of(*STRINGS, *BINARIES)),
    ),
    Fault(
        "ORC-STR-002/an-entry-without-length",
        "a dictionary has two lengths, and dictionarySize is 3",
        File(_WORDS, edit(encoding=fields(dictionary_size=3))),
        "there are three, and nothing refers to one of them",
        File(table(STRING, (b"b", b"a"), _UNUSED)),
    ),
    Fault(
        "ORC-STR-003/a-byte-of-no-entry",
        "a byte stands behind the last entry of a dictionary",
        File(_WORDS, edit(_BYTES, stream=lambda data: data + b"c")),
        "it belongs to an entry that nothing refers to",
        File(replace(_WORDS, columns=(*_WORDS.columns[:2], Column(dictionary=Dictionary(unused=(b"c",)))))),
    ),
    Fault(
        "ORC-STR-004/entry-2-of-2",
        "a value refers to entry 2, and there are 0 and 1",
        File(_WORDS, edit(numbers=put([0, 2, 0]))),
        "it refers to 1",
        places=Places(streams(is_ids).of, "a value refers to an entry behind the last", _id_too_large),
    ),
    Fault(
        "ORC-STR-005/as-they-were-seen",
        "the entries of a dictionary stand as the values do",
        file_of(STRING, (b"b", b"a", b"b"), Column(dictionary=Dictionary(DictionaryOrder.SEEN))),
        "they stand by their bytes",
        file_of(STRING, (b"b", b"a", b"b"), Column(dictionary=Dictionary())),
    ),
    Fault(
        "ORC-STR-006/latin-1",
        "a string is the byte e9",
        file_of(STRING, (b"\xe9",), BARE),
        "it is that character in UTF-8",
        file_of(STRING, ("é".encode(),), BARE),
    ),
    Fault(
        "ORC-STR-007/char-of-4",
        "a CHAR(3) has 4 characters",
        file_of(_CHAR, (b"abcd",)),
        "it has 3, and 9 bytes",
        file_of(_CHAR, ("日本語".encode(),)),
    ),
    Fault(
        "ORC-STR-008/varchar-of-4",
        "a VARCHAR(3) has 4 characters",
        file_of(_VARCHAR, (b"abcd",)),
        "it has 3, and 9 bytes",
        file_of(_VARCHAR, ("日本語".encode(),)),
    ),
    Fault(
        "ORC-STR-009/a-letter-left",
        "a byte stands behind the last string",
        file_of(STRING, (b"ab", b"c"), stream=lambda data: data + b"d"),
        "it is a string of its own",
        file_of(STRING, (b"ab", b"c", b"d")),
    ),
    Fault(
        "ORC-DEC-001/decimal-of-133-bits",
        "the integer of a decimal has 133 bits",
        file_of(_LONG_DECIMAL, (1,), stream=put(b"\xff" * 18 + b"\x7f")),
        "it has 127, as 38 digits need",
        file_of(_LONG_DECIMAL, (10**38 - 1,)),
    ),
    Fault(
        "ORC-DEC-002/four-digits",
        "a DECIMAL(3, 2) is 10.00",
        file_of(_TWO_DIGITS, (1,), numbers=put([1000])),
        "it is 9.99",
        file_of(_TWO_DIGITS, (999,)),
    ),
    Fault(
        "ORC-DEC-003/third-digit-behind-the-point",
        "a DECIMAL(3, 2) is 0.105",
        File(table(_TWO_DIGITS, (105,)), edit(SCALES, numbers=put([3]))),
        "it is 0.100",
        file_of(_TWO_DIGITS, ((100, 3),)),
    ),
    Fault(
        "ORC-DEC-004/varint-that-goes-on",
        "the last byte of a decimal says that another follows",
        file_of(_TWO_DIGITS, (1,), stream=put(b"\x82")),
        "one follows",
        file_of(_TWO_DIGITS, (1,), stream=put(b"\x82\0")),
    ),
    Fault(
        "ORC-TIME-001/a-billion-nanoseconds",
        "a timestamp has 1,000,000,000 nanoseconds",
        File(table(_TIME, ((5, 0),)), edit(SCALES, numbers=put([10**9 << 3]))),
        "it has 999,999,999",
        file_of(_TIME, ((5, 999_999_999),)),
    ),
    Fault(
        "ORC-TIME-002/day-of-33-bits",
        "a date is 2^31 days",
        file_of(_DATE, (0,), numbers=put([1 << 31])),
        "it is one day less",
        file_of(_DATE, ((1 << 31) - 1,)),
    ),
    Fault(
        "ORC-NEST-001/two-values-for-three",
        "lists have three entries together, and the child two values",
        File(table(list_of(INT), ([1], [2]), BARE), edit(LENGTHS, numbers=put([1, 2]))),
        "the last list is empty",
        File(table(list_of(INT), ([1], [2], []), BARE)),
    ),
    Fault(
        "ORC-NEST-002/null-key",
        "the second key of a map is null",
        File(
            table(_MAP, ([(1, 7), (2, 8)],), _ALWAYS),
            edit(
                _KEYS._replace(kind=StreamKind.PRESENT),
                stream=put(b"\xff\x80"),
                then=edit(_KEYS, numbers=put([1])),
            ),
        ),
        "its value is",
        File(table(_MAP, ([(1, 7), (2, None)],), _ALWAYS)),
    ),
    Fault(
        "ORC-NEST-003/key-twice",
        "a map has a key twice",
        file_of(_MAP, ([(1, 7), (1, 8)],)),
        "two maps have it",
        file_of(_MAP, ([(1, 7)], [(1, 8)])),
    ),
    Fault(
        "ORC-NEST-004/tag-2-of-2",
        "a tag of a union is 2, and its types are 0 and 1",
        File(table(union_of(INT, STRING), ((0, 1), (1, b"a"))), edit(numbers=put([0, 2]))),
        "it is 1",
    ),
)
