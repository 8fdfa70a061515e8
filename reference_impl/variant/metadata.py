"""The dictionary of a Variant's field names (VariantEncoding.md, "Metadata encoding").

      7     6  5   4  3             0
     +-------+---+---+---------------+---------------+--------------------+-------+
     | width | R | S |    version    | dictionary    | dictionary size + 1| bytes |
     |  - 1  |   |   |       = 1     | size: width   | offsets: width each|       |
     +-------+---+---+---------------+---------------+--------------------+-------+

S says that names are sorted and unique; R is reserved and ignored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from reference_impl.cursor import Cursor
from reference_impl.errors import UsageError

RULE = "PQ-VARIANT-006"
VERSION = 1
_SORTED, _RESERVED = 0x10, 0x20
_MAX_WIDTH = 4


@dataclass(frozen=True)
class Metadata:
    """Names by id. `is_sorted` is the flag of the header; `raw` are the bytes of the metadata."""

    names: tuple[str, ...] = ()
    is_sorted: bool = False
    raw: bytes = field(default=b"", compare=False, repr=False)

    @cached_property
    def ids(self) -> dict[str, list[int]]:
        """The ids of each name; a dictionary that is not sorted may have duplicate names."""
        ids: dict[str, list[int]] = {}
        for number, name in enumerate(self.names):
            ids.setdefault(name, []).append(number)
        return ids


def read(data: bytes | memoryview) -> Metadata:
    """Read metadata that fill the bytes; raises Malformed (PQ-VARIANT-006)."""
    cursor = Cursor(data, rule=RULE)
    metadata = read_from(cursor)
    if cursor.remaining:
        raise cursor.fail(f"{cursor.remaining} unused bytes follow the last name")
    return metadata


def read_from(cursor: Cursor) -> Metadata:
    """Read the metadata at the cursor; raises Malformed (PQ-VARIANT-006)."""
    with cursor.obeying(RULE):
        start = cursor.pos
        header = cursor.u8("header of the metadata")
        if header & 0x0F != VERSION:
            raise cursor.fail(f"the version of the metadata is {header & 0x0F}, not 1")
        width = (header >> 6) + 1
        size = int.from_bytes(cursor.take(width, "dictionary size"), "little")
        offsets = numbers(cursor.take(width * (size + 1), f"{size + 1} offsets of {width} bytes"), width)
        if offsets[0] or any(after < before for before, after in pairwise(offsets)):
            raise cursor.fail(f"the offsets do not ascend from 0: {offsets!r:.80}")
        text = bytes(cursor.take(offsets[-1], "names"))
        raw = [text[begin:end] for begin, end in pairwise(offsets)]
        if header & _SORTED and any(after <= before for before, after in pairwise(raw)):
            raise cursor.fail("sorted_strings is set, but the names are not sorted and unique")
        try:
            names = tuple(name.decode("utf-8") for name in raw)
        except UnicodeDecodeError as error:
            raise cursor.fail("a name is not UTF-8") from error
        return Metadata(names, bool(header & _SORTED), bytes(cursor.data[start : cursor.pos]))


def numbers(data: memoryview, width: int) -> list[int]:
    """Return unsigned numbers of `width` bytes each, little-endian."""
    return [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]


def of(
    names: tuple[str, ...], *, is_sorted: bool = False, width: int = 1, reserved: bool = False
) -> Metadata:
    """Build metadata of names in this order, with offsets of at least `width` bytes.

    Raises UsageError if the names need more than 4-byte offsets, are not UTF-8, or not sorted and unique
    though `is_sorted` is set.
    """
    try:
        raw = [name.encode("utf-8") for name in names]
    except UnicodeEncodeError as error:
        raise UsageError("a name is not Unicode") from error
    if is_sorted and any(after <= before for before, after in pairwise(raw)):
        raise UsageError("the names are not sorted and unique")
    text = b"".join(raw)
    width = max(width, width_of(max(len(text), len(raw))))
    if width > _MAX_WIDTH:
        raise UsageError("the names need offsets of more than 4 bytes")
    header = VERSION | is_sorted * _SORTED | reserved * _RESERVED | (width - 1) << 6
    offsets, end = [0], 0
    for name in raw:
        end += len(name)
        offsets.append(end)
    packed = b"".join(number.to_bytes(width, "little") for number in (len(raw), *offsets))
    return Metadata(tuple(names), is_sorted, bytes([header]) + packed + text)


def width_of(number: int) -> int:
    """Return how many bytes a number needs, at least 1."""
    return max(1, (number.bit_length() + 7) // 8)
