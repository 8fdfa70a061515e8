"""Checks of values: UTF-8, numbers of characters, dictionaries, keys of maps."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.byte_arrays import ByteArrays
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.types import STRINGS
from reference_impl.orc.validate.scan import Scanned
from reference_impl.validation import Report

UTF8, CHAR, VARCHAR, UNSORTED, NULL_KEY, SAME_KEY = (
    *("ORC-STR-006", "ORC-STR-007", "ORC-STR-008", "ORC-STR-005"),
    *("ORC-NEST-002", "ORC-NEST-003"),
)
_MOST_KEYS = 1 << 20
_BLOCK = 1 << 24  # bytes of text that are decoded at a time


def check(column: Scanned, report: Report) -> None:
    """Check text, and dictionaries."""
    if column.node.kind not in STRINGS:
        return
    texts = column.values if column.words is None else column.words
    name = StreamKind.DATA.name if column.words is None else StreamKind.DICTIONARY_DATA.name
    at = _at(column, StreamKind[name])
    wrong = not_text(texts)
    if wrong is not None:
        message = f"value {wrong} is no UTF-8: {texts[wrong][:40]!r}"
        report.add(UTF8, (*column.path, name), at, message)
    elif column.node.kind != TypeKind.STRING:
        most = column.node.type.maximum_length or 0
        rule = CHAR if column.node.kind == TypeKind.CHAR else VARCHAR
        counts = characters(texts)
        if len(counts) and int(counts.max()) > most:
            message = f"{int(counts.max())} characters, where the type has {most}"
            report.add(rule, (*column.path, name), at, message)
    if column.words is not None:
        _check_sorted(column, column.words, report)


def _at(column: Scanned, kind: StreamKind) -> int:
    place = column.stripe.places.get((column.node.id, kind))
    return column.at if place is None else place.offset


def not_text(texts: ByteArrays) -> int | None:
    """Return the number of the first string that is not UTF-8, None if all are."""
    inner = texts.offsets[:-1][texts.lengths > 0]
    split = len(inner) and bool(((texts.data[inner] & 0xC0) == 0x80).any())
    cuts = np.searchsorted(texts.offsets, np.arange(texts.offsets[0], texts.offsets[-1], _BLOCK))
    for first, last in pairwise([*cuts.tolist(), len(texts)]):
        offsets = texts.offsets[first : last + 1]
        part = ByteArrays(offsets, texts.data)
        try:
            texts.data[offsets[0] : offsets[-1]].tobytes().decode()
        except UnicodeDecodeError:
            split = True
        if split and (wrong := _first_wrong(part)) is not None:
            return int(first) + wrong
    return None


def _first_wrong(texts: ByteArrays) -> int | None:
    for number in range(len(texts)):
        try:
            texts[number].decode()
        except UnicodeDecodeError:
            return number
    return None


def characters(texts: ByteArrays) -> NDArray[np.int64]:
    """Return how many characters each string of UTF-8 has."""
    counts = np.zeros(len(texts), np.int64)
    filled = texts.lengths > 0
    begins = (texts.data[: texts.offsets[-1]] & 0xC0) != 0x80
    if filled.any():
        counts[filled] = np.add.reduceat(begins, texts.offsets[:-1][filled], dtype=np.int64)
    return counts


def _check_sorted(column: Scanned, words: ByteArrays, report: Report) -> None:
    before: bytes | None = None
    for number, word in enumerate(words):
        if before is not None and word <= before:
            order = "the same as" if word == before else "before"
            message = f"entry {number}, {word[:40]!r}, is {order} the one in front of it, {before[:40]!r}"
            where = (*column.path, StreamKind.DICTIONARY_DATA.name)
            report.add(UNSORTED, where, _at(column, StreamKind.DICTIONARY_DATA), message)
            return
        before = word


def check_keys(column: Scanned, keys: Scanned, report: Report) -> None:
    """Check the keys of a map: no key is null, and no map has a key twice."""
    if len(keys.present) and keys.present[-1] < keys.existing[-1]:
        nulls = int(keys.existing[-1] - keys.present[-1])
        report.add(NULL_KEY, column.path, column.at, f"{nulls} keys are null")
        return
    if keys.slots > _MOST_KEYS:
        report.unchecked.append(f"{'.'.join(column.path)}: {keys.slots} keys, whether one is there twice")
        return
    values = _comparable(keys)
    if values is None:
        return
    offsets = column.offsets
    for slot in np.flatnonzero(np.diff(offsets) > 1).tolist():
        begin, end = int(offsets[slot]), int(offsets[slot + 1])
        if len(set(values[begin:end])) < end - begin:
            report.add(SAME_KEY, column.path, column.at, f"the map in slot {slot} has a key twice")
            return


def _comparable(keys: Scanned) -> list[Any] | None:
    """Return keys that can be compared, None for types with children."""
    if keys.node.children:
        return None
    if keys.ids is not None and keys.words is not None:
        words = list(keys.words)
        return [words[number] for number in keys.ids.tolist()]
    if isinstance(keys.values, ByteArrays):
        return list(keys.values)
    if keys.values.dtype.kind == "f":
        return [keys.values[at : at + 1].tobytes() for at in range(len(keys.values))]
    return list(keys.values.tolist())
