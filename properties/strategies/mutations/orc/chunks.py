"""Mutation of compression chunks: their headers, and the division of streams into chunks ("Compression")."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from properties.strategies.mutations import scalars
from reference_impl.orc.anatomy import Anatomy
from reference_impl.orc.framing import HEADER

_MOST = 1 << 20  # added bytes before compression
_LONGEST = (1 << 23) - 1


def mutate(parts: Anatomy, stored: bytes, random: Random) -> tuple[bytes, str]:
    """Return a stored stream with its framing changed, and the name of the operation."""
    name = random.choice(list(OPERATIONS))
    return OPERATIONS[name](parts, stored, random), f"chunks: {name}"


def headers(stored: bytes) -> list[int]:
    """Return the positions of the headers of chunks."""
    out, at = [], 0
    while at + HEADER <= len(stored):
        out.append(at)
        at += HEADER + (int.from_bytes(stored[at : at + HEADER], "little") >> 1)
    return out


def _with_header(stored: bytes, at: int, length: int, original: int) -> bytes:
    header = (min(max(0, length), _LONGEST) << 1 | original & 1).to_bytes(HEADER, "little")
    return stored[:at] + header + stored[at + HEADER :]


def _chunk(stored: bytes, random: Random) -> tuple[int, int, int]:
    """Choose a chunk: its position, the length of its body, and whether it is original."""
    at = random.choice(headers(stored) or [0])
    header = int.from_bytes(stored[at : at + HEADER], "little")
    return at, header >> 1, header & 1


def length(_parts: Anatomy, stored: bytes, random: Random) -> bytes:
    """Change the length in the header of a chunk."""
    at, size, original = _chunk(stored, random)
    return _with_header(stored, at, scalars.number(random, size) & _LONGEST, original)


def original(_parts: Anatomy, stored: bytes, random: Random) -> bytes:
    """Change whether a chunk is marked as not compressed."""
    at, size, flag = _chunk(stored, random)
    return _with_header(stored, at, size, flag ^ 1)


def empty(_parts: Anatomy, stored: bytes, random: Random) -> bytes:
    """Insert empty chunks, which readers have to skip."""
    at, _, _ = _chunk(stored, random)
    chunk = random.choice((b"\0\0\0", b"\1\0\0"))
    return stored[:at] + chunk * random.choice((1, 1, 2, 1000)) + stored[at:]


def trailing(_parts: Anatomy, stored: bytes, random: Random) -> bytes:
    """Append bytes to the body of a chunk, or remove some; the header is adapted."""
    at, size, flag = _chunk(stored, random)
    end = at + HEADER + size
    if random.randrange(2):
        more = random.randbytes(random.choice((1, 3, 20)))
        return _with_header(stored[:end] + more + stored[end:], at, size + len(more), flag)
    less = min(size, random.choice((1, 2, 10)))
    return _with_header(stored[: end - less] + stored[end:], at, size - less, flag)


def body(_parts: Anatomy, stored: bytes, random: Random) -> bytes:
    """Change the compressed bytes of a chunk, but not their number."""
    at, size, _ = _chunk(stored, random)
    begin, end = at + HEADER, at + HEADER + size
    changed = scalars.mutated(random, stored[begin:end])[:size].ljust(min(size, len(stored) - begin), b"\0")
    return stored[:begin] + changed + stored[end:]


def cut(parts: Anatomy, stored: bytes, random: Random) -> bytes:
    """Divide the stream into chunks of other sizes, some of them too large."""
    data = parts.opened(stored)
    if data is None:
        return stored[: random.randrange(len(stored) + 1)]
    return parts.framed(data, random.choice(((1,), (2, 3), (7,), (100, 1), (1 << 18,))))


def large(parts: Anatomy, stored: bytes, random: Random) -> bytes:
    """Add chunks that expand a few bytes to the block size, or beyond."""
    block = max(1, min(parts.block_size, _MOST))
    size = block + random.choice((0, 1, 1, block))
    zeros = bytes([random.choice((0, 0x7F))]) * size
    wide = replace(parts, block_size=max(size, parts.block_size))
    return random.choice((stored, b"")) + wide.framed(zeros)


def order(_parts: Anatomy, stored: bytes, random: Random) -> bytes:
    """Shuffle the chunks, or insert a copy of a chunk."""
    starts = headers(stored) or [0]
    pieces = [stored[a:b] for a, b in zip(starts, [*starts[1:], len(stored)], strict=True)]
    if random.randrange(2):
        random.shuffle(pieces)
    elif pieces:
        pieces.insert(random.randrange(len(pieces)), random.choice(pieces))
    return b"".join(pieces)


OPERATIONS: dict[str, Callable[[Anatomy, bytes, Random], bytes]] = {
    operation.__name__: operation
    for operation in (length, original, empty, trailing, body, cut, large, order)
}
