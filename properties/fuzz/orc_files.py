"""Targets of whole ORC files and stripes: read, validated, or taken apart and put together again.

An input of `orc_stripe` is a stripe behind the types of its columns:

    | codec | block size >> 8 | rows: 2 | index: 2 | data: 2 | types: 2 | Footer, of types | stripe |
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import partial
from typing import Any

from properties.fuzz import cut_orc, inputs
from properties.fuzz.bounds import limits
from properties.fuzz.claims import attempt, not_malformed, same
from properties.fuzz.targets import Table
from properties.strategies.mutations import orc
from reference_impl.columns import Table as Rows
from reference_impl.columns import to_python
from reference_impl.orc import anatomy
from reference_impl.orc.column_slices import cut
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import CompressionKind, Footer, PostScript, StripeInformation
from reference_impl.orc.stripe import Stripe
from reference_impl.orc.validate import examine
from reference_impl.wire import protobuf

TABLE = Table()
_HEAD = struct.Struct("<BBHHHH")
_MOST = (1 << 16) - 1
_KINDS = tuple(CompressionKind)


@TABLE.target(
    "orc_file",
    "A whole ORC file.",
    "Any bytes are read as a file, or raise a documented error. Stripes read one by one equal the "
    "whole; rows read from a row group on equal those of the stripe; the footer is the same when the "
    "byte ranges of fields are recorded. All statistics, indexes and filters are read, or raise a "
    "documented error. A file that is read strictly has no notes, and reads the same otherwise.",
    lambda: inputs.small_files("orc"),
    orc.mutate,
)
def check_file(data: bytes) -> None:
    """Read the bytes as a file, in all ways."""
    file = attempt(OrcFile, data, limits=limits(data))
    if file is None:
        return
    same(OrcFile(data, limits=file.limits, keep_spans=True).footer, file.footer, "with spans")
    _hold(file)
    _hold_strictly(data)
    if file.footer.encryption is not None:  # what CTR decrypts may be anything
        sealed = attempt(OrcFile, data, limits=limits(data), keys=inputs.ORC_KEYS)
        if sealed is not None:
            _hold(sealed)


def _hold_strictly(data: bytes) -> None:
    """Compare the values of a file that breaks no rule with those that a lenient reader returns."""
    strict = attempt(OrcFile, data, limits=limits(data), strict=True)
    table = None if strict is None else attempt(strict.read)
    if table is None:
        return
    lenient = OrcFile(data, limits=limits(data))
    same(_rows(lenient.read()), _rows(table), "read on")
    same(lenient.notes, [], "notes of a file that is read strictly")


def _hold(file: OrcFile) -> None:
    attempt(lambda: file.metadata)
    numbers = range(len(file.footer.stripes))
    for stripe in numbers:
        _attempt_indexes(file, stripe)
    parts = [attempt(file.read, stripes=[each]) for each in numbers]
    table = attempt(file.read)
    if table is None:
        return
    whole = [part for part in parts if part is not None]
    same(len(whole), len(numbers), "stripes that can be read")
    same(sum(part.num_rows for part in whole), table.num_rows, "rows of the stripes")
    same([row for part in whole for row in _rows(part)], _rows(table), "stripe by stripe")
    for stripe, part in zip(numbers, whole, strict=True):
        _hold_rows(file, stripe, part)


def _attempt_indexes(file: OrcFile, stripe: int) -> None:
    for column in range(file.root.max_id + 1):
        attempt(file.row_index, stripe, column)
        attempt(file.bloom_filters, stripe, column)


def _hold_rows(file: OrcFile, stripe: int, whole: Rows) -> None:
    """Read the rows of a stripe since its second row group, and those before; compare both with the whole."""
    start = min(file.footer.row_index_stride or 1, whole.num_rows)
    part = attempt(file.read_rows, None, stripe, start, whole.num_rows)
    if part is not None:
        same(part.num_rows, whole.num_rows - start, "rows from a row group on")
    if start and (front := attempt(file.read_rows, None, stripe, 0, start)) is not None:
        cuts = [to_python(cut(column, 0, start)) for column in whole.columns]
        same([to_python(column) for column in front.columns], cuts, "first rows")


def _rows(table: Rows) -> list[tuple[Any, ...]]:
    return list(zip(*map(to_python, table.columns), strict=True))


def _stripes() -> Iterable[bytes]:
    """Return the stripes of the checked-in files."""
    return inputs.some(seed for pair in cut_orc.stripes() if len(seed := _seed(*pair)) < _MOST)


def _seed(file: OrcFile, stripe: Stripe) -> bytes:
    types = protobuf.encode(Footer(types=file.footer.types, row_index_stride=file.footer.row_index_stride))
    sizes = (stripe.rows, stripe.data_offset - stripe.offset, stripe.footer_offset - stripe.data_offset)
    head = (_KINDS.index(file.tail.codec), min(255, file.tail.block_size >> 8), *sizes, len(types))
    if max(head) > _MOST:
        return b""
    end = stripe.footer_offset + (stripe.info.footer_length or 0)
    return _HEAD.pack(*head) + types + bytes(file.data[stripe.offset : end])


@TABLE.target(
    "orc_stripe",
    'A whole stripe (ORCv1.md, "Stripes"), behind the types of its columns.',
    "Any bytes are read as a stripe of some type, or raise a documented error. The result does not "
    "depend on rows that were read before. Positions in indexes and filters point into the stripe, or"
    " raise a documented error.",
    _stripes,
)
def check_stripe(data: bytes) -> None:
    """Build a file around the stripe, and read the file."""
    codec, block, rows, index, body, size = _HEAD.unpack_from(data.ljust(_HEAD.size, b"\0"))
    footer = attempt(protobuf.decode, Footer, data[_HEAD.size : _HEAD.size + size])
    stripe = data[_HEAD.size + size :]
    if footer is None or index + body > len(stripe):
        return
    info = StripeInformation(
        offset=3,
        index_length=index,
        data_length=body,
        footer_length=len(stripe) - index - body,
        number_of_rows=rows,
    )
    file = attempt(OrcFile, _around(stripe, info, footer, codec, block), limits=limits(data))
    if file is None or attempt(file.stripe, 0) is None:
        return
    _attempt_indexes(file, 0)
    table = attempt(file.read)
    if table is not None:
        _hold_rows(file, 0, table)


def _around(stripe: bytes, info: StripeInformation, footer: Footer, codec: int, block: int) -> bytes:
    kind = _KINDS[codec % len(_KINDS)]
    listed = Footer(types=footer.types, row_index_stride=footer.row_index_stride, stripes=(info,))
    raw = protobuf.encode(listed)
    if kind != CompressionKind.NONE:
        raw = (len(raw) << 1 | 1).to_bytes(3, "little") + raw
    block_size = max(block << 8, len(raw))
    end = PostScript(
        footer_length=len(raw),
        compression=kind,
        compression_block_size=block_size,
        version=(0, 12),
        magic="ORC",
    )
    postscript = protobuf.encode(end)
    return b"".join((b"ORC", stripe, raw, postscript, bytes([len(postscript)])))


@TABLE.target(
    "orc_validate",
    "Validation of a whole ORC file.",
    inputs.VALID,
    lambda: inputs.small_files("orc", largest=2048),
    orc.mutate,
)
def check_report(data: bytes) -> None:
    """Validate the bytes, and read them, without keys and with them."""
    for keys in (None, inputs.ORC_KEYS):
        report = examine(data, keys, limits=limits(data))
        not_malformed(report, partial(_read, data, keys))


def _read(data: bytes, keys: dict[str, dict[int, bytes]] | None) -> None:
    file = OrcFile(data, limits=limits(data), keys=keys, strict=True)
    if keys is None or file.decryption is not None:
        file.read()


@TABLE.target(
    "orc_anatomy",
    "A whole ORC file, taken apart and put together again (`orc/anatomy`).",
    "Any bytes are split into parts, or raise a documented error. Parts that are assembled again are "
    "the same bytes, whatever is wrong in them.",
    lambda: inputs.small_files("orc"),
    orc.mutate,
)
def check_anatomy(data: bytes) -> None:
    """Take the bytes apart, and put them together."""
    parts = attempt(anatomy.dissect, data, limits=limits(data))
    if parts is not None:
        same(anatomy.assemble(parts), data, "nothing was changed")
