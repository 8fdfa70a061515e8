"""Seeds, and the header of inputs that are bytes of an encoding.

A decoder takes the type and the number of values from its caller. In an input four bytes in front of the data
hold them:

    | type: 3 bits, byte length - 1: 5 bits | count: 2 bytes, little-endian | choice | data ... |

`choice` is another argument of the decoder (a bit width, the number of values to read first), by target.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import corpora
from corpora.keys import Keys, suite_key
from reference_impl.parquet.schema import Type
from reference_impl.parquet.types import Physical

PARQUET_KEYS = Keys(footer=suite_key("footer"))  # of most encrypted files of the corpora
ORC_KEYS = {"pii": {0: suite_key("master")}}
HEADER = 4
MOST_COUNT = (1 << 16) - 1
LONGEST = 32  # of FIXED_LEN_BYTE_ARRAY
_LARGEST = 16 << 10
_MOST = 96
_COUNTED = 0.2
VALID = (  # the invariant of targets that validate a file
    "The validator never raises, whatever the bytes. If the reader raises Malformed, the validator "
    "reports a broken rule; a file without broken rules is read, or is unsupported or too large."
)


class Given(NamedTuple):
    """The header of an input, and the bytes to decode."""

    physical: Physical
    wanted: int
    choice: int
    body: bytes


def given(data: bytes) -> Given:
    """Return the parts of an input; missing bytes of the header are zeros."""
    head = data[:HEADER].ljust(HEADER, b"\0")
    type_ = Type(head[0] & 7)
    length = (head[0] >> 3) + 1 if type_ == Type.FIXED_LEN_BYTE_ARRAY else 0
    return Given(Physical(type_, length), int.from_bytes(head[1:3], "little"), head[3], data[HEADER:])


def put(physical: Physical, count: int, choice: int, body: bytes) -> bytes:
    """Return an input; a count or length that is too large becomes the largest possible."""
    length = min(max(physical.length, 1), LONGEST) - 1
    first = physical.type | length << 3
    return bytes([first]) + min(count, MOST_COUNT).to_bytes(2, "little") + bytes([choice]) + body


def mutated(data: bytes, random: Random, change: Callable[[bytes], bytes]) -> bytes:
    """Return an input with the bytes of the encoding changed, and sometimes the count in its header."""
    head = bytearray(data[:HEADER].ljust(HEADER, b"\0"))
    if random.random() < _COUNTED:
        head[1:3] = random.randrange(1 << random.randrange(17)).to_bytes(2, "little")
    return bytes(head) + change(data[HEADER:])


def files(format_: str, most: int = 400, largest: int = _LARGEST) -> Iterator[bytes]:
    """Yield checked-in files of a format from all areas, none larger than `largest` bytes."""
    folder = Path(corpora.__path__[0], format_)
    paths = [path for path in sorted(folder.rglob(f"*.{format_}")) if path.stat().st_size <= largest]
    step = max(1, len(paths) // most)
    for path in paths[::step]:
        yield path.read_bytes()


def small_files(format_: str, largest: int = 4096) -> list[bytes]:
    """Return small files of a format from all areas; the smallest of them are mostly faults."""
    return some(files(format_, largest=largest), most=160)


def some(candidates: Iterable[bytes], most: int = _MOST) -> list[bytes]:
    """Return different inputs of all sizes, as many as a fuzzer reads within a second."""
    unique = sorted(set(candidates), key=lambda data: (len(data), hashlib.sha256(data).digest()))
    return unique if len(unique) <= most else [unique[at * len(unique) // most] for at in range(most)]
