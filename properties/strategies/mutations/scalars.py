"""Numbers and bytes that parsers often get wrong, and bytes mutated without regard to their structure."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

_EDGES = (0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 64)  # bits
_SMALL = (0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 1000)
_TEXTS = (b"", b"\0", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a.b", b"../x", b"%s%n")
MOST_BYTES = 1 << 16  # added to an input at a time


def number(random: Random, old: int | None = None) -> int:
    """Return a number; `old` is the number that it replaces, if any."""
    kind = random.randrange(6)
    if old is not None and kind < 3:
        return _near(random, old)
    if kind == 3:
        return random.choice(_SMALL)
    edge = 1 << random.choice(_EDGES)
    return random.choice((edge, edge - 1, edge + 1, -edge, -edge - 1, -edge + 1, -1))


def _near(random: Random, old: int) -> int:
    """Return a number derived from another number."""
    near = [old + 1, old - 1, -old, ~old, old * 2, old // 2]
    near += [old + random.choice(_SMALL), old - random.choice(_SMALL), old ^ 1 << random.randrange(32)]
    near += [old + (1 << 32), old + (1 << random.randrange(64))]
    return random.choice(near)


def double(random: Random) -> float:
    """Return a floating point number."""
    return random.choice((0.0, -0.0, 1.0, float("nan"), float("inf"), float("-inf"), 5e-324, 1.7e308))


def some_bytes(random: Random, old: bytes = b"") -> bytes:
    """Return a byte string; `old` is the byte string that it replaces."""
    if old and random.randrange(4):
        return mutated(random, old)
    kind = random.randrange(4)
    if kind == 0:
        return random.choice(_TEXTS)
    if kind == 1:
        return old + random.choice(_TEXTS)
    if kind == 2:
        return (old or b"x") * min(random.choice((2, 3, 100, 10_000)), MOST_BYTES // max(1, len(old)) + 1)
    return random.randbytes(random.choice((1, 2, 4, 8, 12, 16, 40)))


@dataclass(frozen=True)
class Mutant:
    """A mutated file, and the names of the operations."""

    data: bytes
    operations: tuple[str, ...]


def mutant(random: Random, data: bytes) -> Mutant:
    """Return a file whose bytes are mutated without regard to their structure."""
    return Mutant(mutated(random, data), ("bytes",))


def mutated(random: Random, data: bytes) -> bytes:
    """Return bytes with one to four changes: of bits and integers, or ranges removed or doubled."""
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        if not out:
            return random.randbytes(random.randrange(1, 9))
        at = random.randrange(len(out))
        _CHANGES[random.randrange(len(_CHANGES))](random, out, at)
    return bytes(out)


def _bit(random: Random, out: bytearray, at: int) -> None:
    out[at] ^= 1 << random.randrange(8)


def _byte(random: Random, out: bytearray, at: int) -> None:
    out[at] = random.choice((0, 1, 0x7F, 0x80, 0xFE, 0xFF, random.randrange(256)))


def _integer(random: Random, out: bytearray, at: int) -> None:
    width = random.choice((2, 4, 8))
    raw = number(random, int.from_bytes(out[at : at + width], "little"))
    out[at : at + width] = (raw & (1 << 8 * width) - 1).to_bytes(width, "little")[: len(out) - at]


def _leave_out(random: Random, out: bytearray, at: int) -> None:
    del out[at : at + _length(random, out)]


def _double(random: Random, out: bytearray, at: int) -> None:
    out[at:at] = out[at : at + _length(random, out)]


def _move(random: Random, out: bytearray, at: int) -> None:
    part = out[at : at + _length(random, out)]
    where = random.randrange(len(out))
    out[where : where + len(part)] = part


def _insert(random: Random, out: bytearray, at: int) -> None:
    out[at:at] = random.randbytes(random.choice((1, 2, 4, 8)))


def _cut(_random: Random, out: bytearray, at: int) -> None:
    del out[at:]


def _length(random: Random, out: bytearray) -> int:
    return random.choice((1, 2, 4, 8, 16, 1 + random.randrange(min(len(out), MOST_BYTES))))


_CHANGES = (_bit, _bit, _byte, _byte, _integer, _integer, _leave_out, _double, _move, _insert, _cut)
