"""Mutation of ORC files: parts are changed, then the file is sealed again, or one seal is broken.

    >>> data = mutate(data, random.Random(7))
    >>> mutant(data, random.Random(7), [other]).operations
    ('runs: rle v2: patched base gap width', 'broken: stream length')

Pure functions of the bytes and the state of the `Random`; no bytes make them raise an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, wraps
from random import Random

from properties.strategies.mutations import protobuf, scalars
from properties.strategies.mutations.orc import chunks, futures, runs, splices, values
from properties.strategies.mutations.scalars import Mutant
from reference_impl.errors import ReferenceError_
from reference_impl.limits import Limits
from reference_impl.orc.anatomy import Anatomy, StreamPart, assemble, dissect, edits, seals
from reference_impl.orc.encodings.scan import Encoding
from reference_impl.orc.schema import (
    BloomFilterIndex,
    CompressionKind,
    EncodingKind,
    Footer,
    Metadata,
    PostScript,
    RowIndex,
    StreamKind,
    StripeFooter,
)
from reference_impl.wire.table import Struct

_LIMITS = Limits(page_bytes=1 << 22, footer_bytes=1 << 22)  # larger parts are mutated as bytes
_INDEXES: dict[StreamKind | None, type[Struct]] = {
    StreamKind.ROW_INDEX: RowIndex,
    StreamKind.BLOOM_FILTER: BloomFilterIndex,
    StreamKind.BLOOM_FILTER_UTF8: BloomFilterIndex,
}
_MESSAGES: dict[str, type[Struct]] = {
    "postscript": PostScript,
    "footer": Footer,
    "metadata": Metadata,
    "stripe footer": StripeFooter,
}
_TRIES = 8
_LARGEST = 1 << 20  # bytes of a file that is dissected


def mutate(data: bytes, random: Random, others: Sequence[bytes] = ()) -> bytes:
    """Return the file mutated; `others` are files whose parts may be put into it."""
    return mutant(data, random, others).data


def mutant(data: bytes, random: Random, others: Sequence[bytes] = ()) -> Mutant:
    """Return the file mutated, and the names of the operations."""
    parts = _parts(data) if len(data) <= _LARGEST and random.randrange(25) else None
    if parts is None:
        return scalars.mutant(random, data)
    donors = tuple(donor for each in others[:2] if (donor := _parts(each)) is not None)
    done: list[str] = []
    for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
        parts = _changed(parts, donors, random, done)
    return _sealed(parts, random, done)


@lru_cache(maxsize=64)
def _parts(data: bytes) -> Anatomy | None:
    """Return the parts of a file; cached, because seeds are mutated repeatedly."""
    return _dissected(data)


def _dissected(data: bytes) -> Anatomy | None:
    try:
        return dissect(data, limits=_LIMITS)
    except ReferenceError_:
        return None


def _changed(parts: Anatomy, donors: tuple[Anatomy, ...], random: Random, done: list[str]) -> Anatomy:
    """Return the parts after one operation, whose name is added to `done`."""
    for _ in range(_TRIES):
        (operation,) = random.choices(list(OPERATIONS), list(OPERATIONS.values()))
        if done and operation in _OF_MESSAGES:  # they are changed in their final form
            parts = _dissected(assemble(parts)) or parts
        result = operation(parts, donors, random)
        if result is not None:
            changed, name = result
            done.append(name)
            return changed
    return parts


def _sealed(parts: Anatomy, random: Random, done: list[str]) -> Mutant:
    """Return the assembled parts: with a broken seal one time in six, or if nothing else was changed."""
    if done and random.randrange(6):
        return Mutant(assemble(parts), tuple(done))
    seal = random.choice(seals(parts))
    by = random.choice((1, 1, -1, -1, 2, 3, -10, 100, 1 << 31, 1 << 62))
    by = by if abs(by) < 1 << 20 or "length" in seal or "offset" in seal or "rows" in seal else 1
    broken = assemble(parts, seal, by=by, at=random.randrange(1 << 16))
    return Mutant(broken, (*done, f"broken: {seal}"))


Changed = tuple[Anatomy, str] | None


def _stream(
    parts: Anatomy, random: Random, wanted: Callable[[StreamPart], bool]
) -> tuple[int, int, StreamPart] | None:
    """Choose a stream that is wanted and not empty: first its kind, then the stream."""
    candidates = [each for each in parts.all_streams() if wanted(each[2]) and each[2].stored]
    kinds = sorted({each[2].kind or 0 for each in candidates})
    if not kinds:
        return None
    kind = random.choice(kinds)
    return random.choice([each for each in candidates if (each[2].kind or 0) == kind])


def _meaning(parts: Anatomy, number: int, part: StreamPart) -> tuple[values.Role, Encoding, int]:
    """Return the role and encoding of a stream, and the number of words in its column's dictionary."""
    footer, types = parts.stripes[number].footer.value, parts.tail.types
    kind = types[part.column].kind if part.column < len(types) else None
    columns = footer.columns if footer else ()
    if kind is None or part.kind is None or part.column >= len(columns):
        return values.Role.TEXT, Encoding.RAW, 0
    column = columns[part.column]
    role, encoding = values.meaning(kind, column.kind or EncodingKind.DIRECT, part.kind)
    return role, encoding, column.dictionary_size or 0


def _on_data(
    change: Callable[[bytes, tuple[values.Role, Encoding, int], Random], tuple[bytes, str] | None],
) -> Callable[[Anatomy, tuple[Anatomy, ...], Random], Changed]:
    """Return the operation that changes the bytes of a data stream, None if `change` does not."""

    @wraps(change)
    def operation(parts: Anatomy, _donors: tuple[Anatomy, ...], random: Random) -> Changed:
        target = _stream(parts, random, lambda part: not part.index)
        data = None if target is None else parts.opened(target[2].stored)
        if target is None or data is None:
            return None
        number, place, part = target
        changed = change(data, _meaning(parts, number, part), random)
        if changed is None:
            return None
        keep = bool(random.randrange(2))
        return edits.with_stream(parts, number, place, changed[0], keep_index=keep), changed[1]

    return operation


@_on_data
def change_runs(data: bytes, meaning: tuple[values.Role, Encoding, int], random: Random) -> tuple[bytes, str]:
    """Change the runs of a data stream."""
    changed, name = runs.mutate(data, meaning[1], random)
    return changed, f"runs: {name}"


@_on_data
def change_values(
    data: bytes, meaning: tuple[values.Role, Encoding, int], random: Random
) -> tuple[bytes, str] | None:
    """Change a value of a data stream to one around the limits of its role."""
    return values.mutate(data, *meaning, random)


def change_chunks(parts: Anatomy, _donors: tuple[Anatomy, ...], random: Random) -> Changed:
    """Change the framing of a stream or message."""
    if parts.codec is CompressionKind.NONE:
        compressed = splices.change_codec(parts, (), random)
        if compressed is None or compressed.codec is CompressionKind.NONE:
            return None
        parts = _dissected(assemble(compressed)) or compressed
    target = _stream(parts, random, lambda _: True)
    if target is None or not random.randrange(6):
        name = random.choice(("footer", "metadata"))
        message = getattr(parts, name)
        stored, operation = chunks.mutate(parts, message.stored, random)
        return replace(parts, **{name: replace(message, stored=stored, fixed=True)}), operation
    number, place, part = target
    stored, operation = chunks.mutate(parts, part.stored, random)
    return edits.with_stored(parts, number, place, stored, keep_index=bool(random.randrange(2))), operation


def change_index(parts: Anatomy, donors: tuple[Anatomy, ...], random: Random) -> Changed:
    """Change the fields of a row index or of Bloom filters."""
    target = _stream(parts, random, lambda part: part.kind in _INDEXES)
    data = None if target is None else parts.opened(target[2].stored)
    if target is None or data is None:
        return None
    number, place, part = target
    cls = _INDEXES[part.kind]
    theirs = tuple(
        raw
        for donor in donors
        for _, _, other in donor.all_streams()
        if other.kind is part.kind and (raw := donor.opened(other.stored))
    )
    changed, names = protobuf.mutate_named(data, cls, random, others=theirs[:3])
    return edits.with_stream(parts, number, place, changed), f"{cls.__name__}: {', '.join(names)}"


def change_message(parts: Anatomy, donors: tuple[Anatomy, ...], random: Random) -> Changed:
    """Change the fields of the postscript, the footer, the metadata or a stripe footer, after sealing."""
    name = random.choice(("postscript", "footer", "footer", "metadata", "stripe footer", "stripe footer"))
    number = random.randrange(len(parts.stripes)) if name == "stripe footer" and parts.stripes else 0
    data, cls = _message(parts, name, number), _MESSAGES[name]
    if data is None:
        return None
    others = tuple(raw for donor in donors if (raw := _message(donor, name)) is not None)
    raw, names = protobuf.mutate_named(data, cls, random, others=others)
    operation = f"{cls.__name__}: {', '.join(names)}"
    if name == "stripe footer":
        stripe = parts.stripes[number]
        changed = replace(stripe, footer=replace(stripe.footer, raw=raw))
        return edits.with_stripe(parts, number, changed), operation
    return replace(parts, **{name: replace(getattr(parts, name), raw=raw)}), operation


def _message(parts: Anatomy, name: str, number: int = 0) -> bytes | None:
    """Return the bytes of a message, None if there is no such stripe or the message cannot be opened."""
    if name == "stripe footer":
        stripes = parts.stripes[number : number + 1]
        return parts.opened(stripes[0].footer.stored) if stripes else None
    stored: bytes = getattr(parts, name).stored
    return stored if name == "postscript" else parts.opened(stored)


def splice(parts: Anatomy, donors: tuple[Anatomy, ...], random: Random) -> Changed:
    """Move a part, or copy it from a donor."""
    name = random.choice(list(splices.OPERATIONS))
    spliced = splices.OPERATIONS[name](parts, donors, random)
    return None if spliced is None else (spliced, name)


def from_the_future(parts: Anatomy, _donors: tuple[Anatomy, ...], random: Random) -> Changed:
    """Give the file a feature that no current reader knows."""
    name = random.choice(list(futures.FUTURES))
    changed = futures.FUTURES[name].change(parts, random)
    return None if changed is None else (changed, f"future: {name}")


OPERATIONS: dict[Callable[[Anatomy, tuple[Anatomy, ...], Random], Changed], int] = {
    change_runs: 8,
    change_values: 6,
    change_message: 8,
    change_chunks: 2,
    change_index: 2,
    splice: 5,
    from_the_future: 1,
}
_OF_MESSAGES = (change_message, change_chunks)
