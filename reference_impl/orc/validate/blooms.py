"""Bloom filters: their form, and that they admit every value."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from reference_impl.byte_arrays import ByteArrays
from reference_impl.errors import ReferenceError_
from reference_impl.orc import bloom
from reference_impl.orc import index as indexes
from reference_impl.orc.schema import BloomFilter, BloomFilterIndex, StreamKind, TypeKind
from reference_impl.orc.tail import UNSTABLE_PRE_2
from reference_impl.orc.types import TypeNode
from reference_impl.orc.validate.opened import Opened
from reference_impl.orc.validate.scan import Scanned
from reference_impl.orc.validate.statistics import show
from reference_impl.orc.validate.stripes import LenientStripe

NOT_ADMITTED, SIZE, FUNCTIONS, NUMBER, ENCODING, FIELD = (f"ORC-BLOOM-{number:03}" for number in range(1, 7))
_MOST_HASHED = 200_000  # distinct values of a column in a stripe
_UTC = 1  # bloom_encoding of timestamps since ORC-135


def check(file: Opened, stripe: LenientStripe, node: TypeNode, column: Scanned | None, groups: int) -> None:
    """Check the Bloom filters of a column, and that they admit its values if these could be read."""
    where = (*stripe.path, f"column {node.id} ({'.'.join(node.path)})")
    try:
        indexes_by_kind = indexes.bloom_filters(stripe, node.id)
    except ReferenceError_ as error:
        file.report.note(error)
        return
    for kind, index in indexes_by_kind.items():
        path = (*where, kind.name)
        at = stripe.places[node.id, kind].offset
        encoding = stripe.encodings[node.id][1].bloom_encoding
        if encoding not in (None, 0, _UTC):
            file.report.add(ENCODING, path, at, f"bloom_encoding of {node.kind.name} is {encoding}")
        if groups and len(index.bloom_filter) != groups:
            message = f"{len(index.bloom_filter)} Bloom filters for {groups} row groups"
            file.report.add(NUMBER, path, at, message)
            continue
        filters = enumerate(index.bloom_filter)
        sound = [_form(file, message, kind, (*path, f"[{number}]"), at) for number, message in filters]
        if column is not None and groups and all(sound) and node.kind in bloom.KINDS:
            if _is_current(file, node, kind, encoding):
                _check_values(column, index, path, at)
            else:
                what = f"{'.'.join(path)}: whether {node.kind.name}, hashed in an older way, is admitted"
                file.report.unchecked.append(what)


def _is_current(file: Opened, node: TypeNode, kind: StreamKind, encoding: int | None) -> bool:
    """Return whether values are hashed as today: text in UTF-8, times in UTC, decimals as text."""
    if node.kind in bloom.TIMES:
        return kind is StreamKind.BLOOM_FILTER_UTF8 and encoding == _UTC
    if node.kind is TypeKind.DECIMAL and file.tail.version == UNSTABLE_PRE_2:
        return False
    return (kind is StreamKind.BLOOM_FILTER_UTF8 or node.kind not in bloom.TEXTS) and encoding in (
        None,
        0,
        _UTC,
    )


def _form(file: Opened, message: BloomFilter, kind: StreamKind, path: tuple[str, ...], at: int) -> bool:
    """Check a filter without values; return whether it can be tested with values."""
    wrong = message.bitset if kind is StreamKind.BLOOM_FILTER_UTF8 else message.utf8bitset
    if wrong:
        file.report.add(FIELD, path, at, f"the bit set of {kind.name} is in the other field")
    size = len(message.utf8bitset) if message.utf8bitset is not None else 8 * len(message.bitset)
    if not size or size % 8:
        file.report.add(SIZE, path, at, f"a bit set of {size} bytes")
    if not message.num_hash_functions:
        file.report.add(FUNCTIONS, path, at, f"{message.num_hash_functions} hash functions")
    return bool(size and not size % 8 and message.num_hash_functions)


def _check_values(column: Scanned, index: BloomFilterIndex, path: tuple[str, ...], at: int) -> None:
    node, hashed = column.node, 0
    for group, (begin, end) in enumerate(pairwise(column.present.tolist())):
        message = index.bloom_filter[group]
        words, functions = bloom.words_of(message), message.num_hash_functions or 0
        for value in _distinct(column, begin, end):
            hashed += 1
            if hashed > _MOST_HASHED:
                what = f"{'.'.join(path)}: values behind the first {_MOST_HASHED}"
                column.file.report.unchecked.append(what)
                return
            hashes = bloom.hashes_of(node.kind, value, node.scale)
            if not any(bloom.might_contain(words, functions, hashed_value) for hashed_value in hashes):
                problem = f"the Bloom filter of row group {group} does not admit {show(value)}"
                column.file.report.add(NOT_ADMITTED, path, at, problem)
                break


def _distinct(column: Scanned, begin: int, end: int) -> Iterable[Any]:
    """Return the distinct values `begin:end`, as in plans."""
    if column.ids is not None and column.words is not None:
        return column.words.take(np.unique(column.ids[begin:end]))
    if isinstance(column.values, ByteArrays):
        first, last = int(column.values.offsets[begin]), int(column.values.offsets[end])
        offsets = column.values.offsets[begin : end + 1] - first
        return dict.fromkeys(ByteArrays(offsets, column.values.data[first:last]))
    values = column.values[begin:end]
    if column.node.kind in (TypeKind.FLOAT, TypeKind.DOUBLE):
        return [bits.tobytes() for bits in np.unique(values.view(f"<u{values.dtype.itemsize}"))]
    return dict.fromkeys(values.tolist())
