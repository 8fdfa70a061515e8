"""The plan of an ORC file, from which reductions of rows and values write a smaller file.

The plan keeps types, stripes, the stride of row groups, codec, encodings, the presence of streams, statistics
and indexes, the writer and its zone; it does not keep the boundaries of runs and chunks.

With all master keys of an encrypted file the plan is encrypted alike, with the keys of its first stripe; if
keys are missing, the file is read as far as possible, and its plan is not encrypted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.investigate.minimize.reduction import Impossible
from reference_impl.byte_arrays import ByteArrays
from reference_impl.columns import Column, LeafColumn, ListColumn, MapColumn, StructColumn, UnionColumn
from reference_impl.errors import LimitExceeded
from reference_impl.orc import encryption_plan
from reference_impl.orc import plan as plans
from reference_impl.orc.column_encodings import DICTIONARY_KINDS, V2_KINDS
from reference_impl.orc.decryption import MasterKeys
from reference_impl.orc.file import OrcFile
from reference_impl.orc.readers.nested import Reader
from reference_impl.orc.schema import EncodingKind, StreamKind, TypeKind
from reference_impl.orc.statistics_schema import ColumnStatistics
from reference_impl.orc.stripe import Stripe

_MOST = 1 << 17  # rows of a file that is read into a plan


def plan_of(data: bytes, keys: MasterKeys | None = None) -> plans.FilePlan:
    """Return the plan of a file; encrypted columns without a key have their masked values.

    Raises the reference's errors for an unreadable file, LimitExceeded for too many rows, and Impossible for
    a file that no plan describes.
    """
    file = OrcFile(data, keys=keys)
    if (file.footer.number_of_rows or 0) > _MOST:
        raise LimitExceeded("too many rows for a plan")
    tail, end = file.footer, file.postscript
    stripes = [file.stripe(number) for number in range(len(tail.stripes))]
    zones = tuple(stripe.footer.writer_timezone for stripe in stripes)
    version = tuple(end.version[:2]) if len(end.version) >= 2 else (0, 12)
    return plans.FilePlan(
        types=tail.types,
        rows=_rows(file, stripes),
        stripes=tuple(stripe.rows for stripe in stripes),
        row_index_stride=tail.row_index_stride or 0,
        overrides=tuple(_layouts(file, stripes)),
        compression=file.tail.codec,
        block_size=file.tail.block_size,
        block_size_absent=end.compression_block_size is None,
        writer_timezone=zones[0] if zones else None,
        stripe_timezones=zones if len(set(zones)) > 1 else (),
        calendar=tail.calendar,
        version=(version[0], version[1]),
        writer=tail.writer,
        writer_version=end.writer_version,
        software_version=tail.software_version,
        file_statistics=bool(tail.statistics),
        stripe_statistics=bool(end.metadata_length),
        metadata=tuple((item.name or "", item.value or b"") for item in tail.metadata),
        encryption=None if keys is None else _encryption(file, data, keys),
    )


def _rows(file: OrcFile, stripes: list[Stripe]) -> tuple[Any, ...]:
    wanted = file.select(None)
    values: list[Any] = []
    for stripe in stripes:
        values += values_of(Reader(stripe, file.limits, wanted, file.zone).column(file.root, stripe.rows))
    return tuple(values)


def _encryption(file: OrcFile, data: bytes, keys: MasterKeys) -> encryption_plan.Encryption | None:
    """Return the encryption of the plan, None without all master keys."""
    opened = file.decryption
    if opened is None or not opened.variants:
        return None
    names = [(entry.key_name or "", entry.key_version or 0) for entry in opened.encryption.key]
    masters = [
        encryption_plan.MasterKey(name, key, version)
        for name, version in names
        if (key := keys.get(name, {}).get(version)) is not None
    ]
    if len(masters) < len(names):
        return None
    unkeyed = OrcFile(data)  # reads the masked values
    variants = opened.encryption.variants
    tails = [variant.encrypted_key or b"" for variant in variants]
    first = file.footer.stripes[0] if file.footer.stripes else None
    local = tails if first is None else first.encrypted_local_keys
    return encryption_plan.Encryption(
        keys=tuple(masters),
        variants=tuple(
            encryption_plan.Variant(variant.root or 0, of_stripes, variant.key or 0, tail)
            for variant, of_stripes, tail in zip(variants, local, tails, strict=True)
        ),
        masks=tuple(
            encryption_plan.Mask(mask.name or "", mask.columns, mask.mask_parameters)
            for mask in opened.encryption.mask
        ),
        masked=_rows(unkeyed, [unkeyed.stripe(number) for number in range(len(unkeyed.footer.stripes))]),
        first_id=1 if first is None else first.encrypt_stripe_id or 1,
        provider=opened.encryption.key_provider,
    )


def _layouts(file: OrcFile, stripes: list[Stripe]) -> Iterator[tuple[int, int, plans.Column]]:
    stripe_stats = file.metadata.stripe_stats if file.postscript.metadata_length else ()
    for number, stripe in enumerate(stripes):
        stats = stripe_stats[number].col_stats if number < len(stripe_stats) else ()
        for node in file.root.walk():
            kind, _ = stripe.encodings[node.id]
            there = {place.kind for place in stripe.streams if place.column == node.id}
            blooms = {StreamKind.BLOOM_FILTER, StreamKind.BLOOM_FILTER_UTF8} & there
            layout = plans.Column(
                rle=2 if kind in V2_KINDS else 1,
                dictionary=plans.Dictionary() if kind in DICTIONARY_KINDS else None,
                present=plans.Present.ALWAYS if StreamKind.PRESENT in there else plans.Present.NEEDED,
                index=plans.Index() if StreamKind.ROW_INDEX in there else None,
                statistics=_statistics(stats[node.id]) if node.id < len(stats) else plans.Statistics(),
                bloom=plans.Bloom(
                    words=1,
                    utf8=StreamKind.BLOOM_FILTER_UTF8 in blooms,
                    original=StreamKind.BLOOM_FILTER in blooms,
                )
                if blooms
                else None,
            )
            if kind is EncodingKind.DIRECT and node.kind in _PLAIN:
                layout = replace(layout, rle=2)  # there are no integers to say which
            yield number, node.id, layout


_PLAIN = (TypeKind.BOOLEAN, TypeKind.BYTE, TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.STRUCT, TypeKind.UNION)


def _statistics(stored: ColumnStatistics) -> plans.Statistics | None:
    return plans.Statistics(
        count=stored.number_of_values is not None,
        has_null=stored.has_null is not None,
        bytes_on_disk=stored.bytes_on_disk is not None,
    )


def values_of(column: Column) -> list[Any]:
    """Return the values of a column as a plan has them, one per slot."""
    valid = [True] * column.length if column.valid is None else column.valid.tolist()
    if isinstance(column, LeafColumn):
        left = iter(_scalars(column))
        return [next(left) if ok else None for ok in valid]
    if isinstance(column, StructColumn):
        fields = [values_of(field) for field in column.fields]
        every = zip(*fields, strict=True) if fields else [()] * column.length
        return [row if ok else None for ok, row in zip(valid, every, strict=True)]
    if isinstance(column, UnionColumn):
        variants = [iter(values_of(variant)) for variant in column.variants]
        tagged = iter([(tag, next(variants[tag])) for tag in column.tags.tolist()])
        return [next(tagged) if ok else None for ok in valid]
    cuts = column.offsets.tolist()
    items = _items(column)
    return [items[cuts[at] : cuts[at + 1]] if ok else None for at, ok in enumerate(valid)]


def _items(column: ListColumn | MapColumn) -> list[Any]:
    if isinstance(column, ListColumn):
        return values_of(column.element)
    if column.value is None:
        raise Impossible("a map without values")
    return list(zip(values_of(column.key), values_of(column.value), strict=True))


def _scalars(column: LeafColumn) -> list[Any]:
    values = column.values
    if isinstance(values, ByteArrays):
        return list(values)
    if values.dtype.kind == "f":  # as bytes, which keep the payload of a NaN
        return [value.tobytes() for value in values]
    return list(values.tolist())
