"""Mutation of streams of runs: headers, and the bytes behind them.

A number in a header is changed either without its run, so that all later runs are read differently, or
together with the bytes of the run, so that later runs stay the same.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from properties.strategies.mutations import scalars
from reference_impl import bits
from reference_impl.orc.encodings.scan import FIELDS, Encoding, RunBytes, scan, size_v2, varint_end

_U64 = (1 << 64) - 1
_KINDS_V2 = ("short repeat", "direct", "patched base", "delta")


def mutate(data: bytes, encoding: Encoding, random: Random) -> tuple[bytes, str]:
    """Return a stream with one change, and the name of the operation."""
    pieces = scan(data, encoding)
    if not pieces or encoding is Encoding.RAW or not random.randrange(12):
        return scalars.mutated(random, data), "bytes"
    place = random.randrange(len(pieces))
    (name,) = random.choices(_NAMES, _WEIGHTS)
    changed, operation = OPERATIONS[name][1](pieces, place, encoding, random)
    rest = data[sum(len(piece.data) for piece in pieces) :]
    return changed + rest, f"{encoding}: {operation}"


Changed = tuple[bytes, str]


def _joined(pieces: list[RunBytes], place: int, new: bytes) -> bytes:
    return b"".join(new if number == place else piece.data for number, piece in enumerate(pieces))


def header(pieces: list[RunBytes], place: int, encoding: Encoding, random: Random) -> Changed:
    """Change a field of a run's header, with or without the bytes that depend on the field."""
    piece = pieces[place]
    if piece.kind not in FIELDS:
        return value(pieces, place, encoding, random)
    part = random.choice(FIELDS[piece.kind])
    old, top = piece.field(part), (1 << part.bits) - 1
    new = random.choice((0, 1, top, top - 1, old + 1, old - 1, random.randrange(top + 1))) & top
    changed = piece.with_field(part, new if new != old else old ^ 1)
    if random.randrange(2):
        changed = _fitted(changed, encoding, random)
    return _joined(pieces, place, changed), f"{piece.kind} {part.name}"


def _fitted(run: bytes, encoding: Encoding, random: Random) -> bytes:
    """Return a run of the length that its header requires: cut, or filled up with random bytes."""
    if encoding is Encoding.RLE_V2:
        kind = _KINDS_V2[run[0] >> 6]
        size = size_v2(kind, run + b"\0\0\0\1\1")
    elif encoding is Encoding.RLE_V1:
        padded = run + b"\1" * 130
        pieces = scan(padded, encoding)
        size = len(pieces[0].data) if pieces else None
        run = padded
    else:
        size = 2 if run[0] < 0x80 else 0x101 - run[0]
    if size is None:
        return run
    return run[:size] + random.randbytes(max(0, size - len(run)))


def value(pieces: list[RunBytes], place: int, encoding: Encoding, random: Random) -> Changed:
    """Change bytes behind a header: a base or delta base, a varint, a literal, a patch."""
    piece = pieces[place]
    if piece.kind == "delta" or encoding in (Encoding.RLE_V1, Encoding.VARINTS):
        return _varint(pieces, place, random)
    body = bytearray(piece.data[piece.header :])
    if not body:
        return _joined(pieces, place, piece.data), f"{piece.kind} without values"
    what, at = "value", random.randrange(len(body))
    if piece.kind == "patched base":
        base = (piece.data[2] >> 5) + 1
        what = "base" if at < base else "value or patch"
        if random.randrange(2):
            what, at = "last patch", len(body) - 1
        elif not random.randrange(3):
            what, at = "base", 0  # the highest byte has the sign
    body[at] = random.choice((0, 0xFF, 0x80, 0x7F, body[at] ^ 1 << random.randrange(8)))
    return _joined(pieces, place, piece.data[: piece.header] + bytes(body)), f"{piece.kind} {what}"


def _varint(pieces: list[RunBytes], place: int, random: Random) -> Changed:
    """Change a varint of a run: the base or delta base, a first value, a literal, a decimal's digits."""
    piece = pieces[place]
    starts = [piece.header + (piece.kind == "run")]  # a run of version 1 has its delta before the varint
    most = {"delta": 2, "run": 1, "varint": 1}.get(piece.kind, piece.length)
    while len(starts) < most and (end := varint_end(piece.data, starts[-1])) is not None:
        starts.append(end)
    number = random.randrange(len(starts))
    if piece.kind == "run" and not random.randrange(2):
        delta = bytes([random.choice((0, 1, 0x7F, 0x80, 0xFF))])
        return _joined(pieces, place, piece.data[:1] + delta + piece.data[2:]), "run delta"
    start = starts[number]
    end = varint_end(piece.data, start) or len(piece.data)
    new = piece.data[:start] + _some_varint(random, piece.data[start:end]) + piece.data[end:]
    what = ("base", "delta base")[number] if piece.kind == "delta" else "first value"
    what = {"varint": "number", "literals": "literal"}.get(piece.kind, what)
    return _joined(pieces, place, new), f"{piece.kind} {what}"


def _some_varint(random: Random, old: bytes) -> bytes:
    """Return a varint: of another number, too long, padded, or without an end."""
    kind = random.randrange(6)
    if kind == 0:
        return b"\xff" * random.choice((9, 10, 18, 40)) + b"\x01"
    if kind == 1:
        return old[:-1] + bytes([old[-1] | 0x80, 0]) if old else b"\x80\0"
    if kind == 2:
        return old[:-1] + bytes([old[-1] | 0x80]) if old else b"\x80"
    raw = sum((byte & 0x7F) << 7 * at for at, byte in enumerate(old))
    return bits.uleb128(scalars.number(random, raw) & _U64)


def drop(pieces: list[RunBytes], place: int, _encoding: Encoding, _random: Random) -> Changed:
    """Remove a run."""
    return _joined(pieces, place, b""), "run dropped"


def double(pieces: list[RunBytes], place: int, _encoding: Encoding, random: Random) -> Changed:
    """Repeat a run."""
    times = random.choice((2, 2, 3, 50))
    return _joined(pieces, place, pieces[place].data * times), "run doubled"


def swap(pieces: list[RunBytes], place: int, _encoding: Encoding, random: Random) -> Changed:
    """Swap two runs."""
    other = random.randrange(len(pieces))
    order = list(pieces)
    order[place], order[other] = order[other], order[place]
    return b"".join(piece.data for piece in order), "runs swapped"


def cut(pieces: list[RunBytes], place: int, _encoding: Encoding, random: Random) -> Changed:
    """Cut the stream within a run."""
    size = random.randrange(len(pieces[place].data))
    return b"".join(piece.data for piece in pieces[:place]) + pieces[place].data[:size], "run cut short"


def insert(pieces: list[RunBytes], place: int, encoding: Encoding, random: Random) -> Changed:
    """Insert a run of any kind."""
    if encoding is Encoding.RLE_V2:
        new = _run_of_version_2(random)
    elif encoding is Encoding.VARINTS:
        new = _some_varint(random, b"\x01")
    else:
        new = random.choice((b"\x7f\0", b"\x7f\xff", b"\0\0", b"\x80" + b"\1" * 128, b"\xff\xff"))
        new += b"\x02" if encoding is Encoding.RLE_V1 and new[0] < 0x80 else b""
    return _joined(pieces, place, new + pieces[place].data), "run inserted"


def _run_of_version_2(random: Random) -> bytes:
    """Return a run of version 2 with a random header, and the bytes that the header requires."""
    head = bytearray(random.randbytes(4))
    kind = random.randrange(4)
    head[0] = head[0] & 0x3F | kind << 6
    size = size_v2(_KINDS_V2[kind], bytes(head) + b"\1" * 20)
    head += random.randbytes(max(0, (size or 0) - 4))
    return bytes(head[: size or 4])


OPERATIONS: dict[str, tuple[int, Callable[[list[RunBytes], int, Encoding, Random], Changed]]] = {
    "header": (8, header),
    "value": (6, value),
    "drop": (1, drop),
    "double": (1, double),
    "swap": (1, swap),
    "cut": (1, cut),
    "insert": (2, insert),
}
_NAMES = list(OPERATIONS)
_WEIGHTS = [weight for weight, _ in OPERATIONS.values()]
