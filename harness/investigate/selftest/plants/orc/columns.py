"""Bugs in what columns are made of: ORCv1.md, Column Encodings; Compression; Stripes."""

from __future__ import annotations

from functools import partial

from corpora.build.formats import ORC
from harness.investigate.selftest.plant import Plant

_NESTED = "reference_impl.orc.readers.nested"
_LEAVES = "reference_impl.orc.readers.leaves"
_FRAMING = "reference_impl.orc.framing"
_PRESENT = "ORCv1.md, Column Encodings"
_STRINGS = "ORCv1.md, String, Char, and VarChar Columns"
_DECIMALS = "ORCv1.md, Decimal Columns"
_COMPRESSION = "ORCv1.md, Compression"
_Plant = partial(Plant, format=ORC.name)

PLANTS = (
    _Plant(
        "parent-nulls-forgotten",
        "a column without PRESENT has a value where its parent is null",
        _PRESENT,
        _NESTED,
        "if not source.has(StreamKind.PRESENT):\n        return mask",
        "if not source.has(StreamKind.PRESENT):\n        return None",
    ),
    _Plant(
        "parent-nulls-overruled",
        "a PRESENT without nulls means that the column has a value where its parent is null",
        _PRESENT,
        _NESTED,
        "if bits.all():\n        return mask",
        "if bits.all():\n        return None",
    ),
    _Plant(
        "present-for-every-row",
        "PRESENT is thought to have a bit also where the parent is null",
        _PRESENT,
        _NESTED,
        "count = slots if mask is None else int(np.count_nonzero(mask))\n    bits",
        "count = slots\n    bits",
    ),
    _Plant(
        "present-ignored-in-lists",
        "nulls within lists and maps are not looked for",
        _PRESENT,
        _NESTED,
        "if not source.has(StreamKind.PRESENT):",
        "if not source.has(StreamKind.PRESENT) or (source.node.parent and source.node.parent.kind in "
        "(TypeKind.LIST, TypeKind.MAP)):",
    ),
    _Plant(
        "list-offsets-of-stripes",
        "the elements of lists are counted anew in every stripe",
        "ORCv1.md, List Columns",
        "reference_impl.orc.column_slices",
        "out.append(part[1:] + end)",
        "out.append(part[1:])",
    ),
    _Plant(
        "union-tag-signed",
        "tags of unions are signed, so that there are no more than 128",
        "ORCv1.md, Union Columns",
        _NESTED,
        "tags = source.octets(StreamKind.DATA, count)",
        "tags = source.octets(StreamKind.DATA, count).view(np.int8)",
    ),
    _Plant(
        "union-variants-full",
        "each variant of a union has a value in every row",
        "ORCv1.md, Union Columns",
        _NESTED,
        "variants = [self.column(child, n) for",
        "variants = [self.column(child, slots) for",
    ),
    _Plant(
        "tinyint-unsigned",
        "bytes are unsigned",
        "ORCv1.md, TinyInt Columns",
        _LEAVES,
        "source.octets(StreamKind.DATA, count).view(np.int8)",
        "source.octets(StreamKind.DATA, count)",
    ),
    _Plant(
        "dictionary-from-1",
        "entries of a dictionary are counted from 1",
        _STRINGS,
        "reference_impl.orc.encodings.string",
        "return words.take(ids)",
        "return words.take(np.maximum(ids - 1, 0))",
    ),
    _Plant(
        "dictionary-sorted",
        "a dictionary is taken to be sorted",
        _STRINGS,
        _LEAVES,
        "words = string.dictionary(lengths, cursor)",
        "words = ByteArrays.of(sorted(string.dictionary(lengths, cursor)))",
    ),
    _Plant(
        "dictionary-of-first-stripe",
        "the dictionary of the first stripe is that of all",
        _STRINGS,
        _LEAVES,
        "words = string.dictionary(lengths, cursor)",
        "words = source.stripe.tail.footer_stream.__dict__.setdefault(\n"
        "            source.node.id, string.dictionary(lengths, cursor))",
    ),
    _Plant(
        "spaces-lost",
        "spaces at the end of a string are lost",
        _STRINGS,
        "corpora.build.tagged_orc",
        "[tagged.text(raw) for raw in values]",
        '[tagged.text(raw.rstrip(b" ")) for raw in values]',
    ),
    _Plant(
        "decimal-scale-ignored",
        "values have the scale of the type, whatever theirs is",
        _DECIMALS,
        _LEAVES,
        "return _within(source, _rescaled(source, unscaled, scales))",
        "return _within(source, unscaled)",
    ),
    _Plant(
        "decimal-scale-unsigned",
        "scales are read as unsigned integers",
        _DECIMALS,
        _LEAVES,
        "source.integers(StreamKind.SECONDARY, count, signed=True)",
        "source.integers(StreamKind.SECONDARY, count, signed=False)",
    ),
    _Plant(
        "runs-by-file-version",
        "all runs of integers are of version 2 where the file is not of version 0.11",
        _PRESENT,
        "reference_impl.orc.readers.source",
        "is_decimal64 or self.encoding in V2_KINDS",
        "self.stripe.tail.version > (0, 11)",
    ),
    _Plant(
        "chunk-original-ignored",
        "chunks that are stored as they are get decompressed",
        _COMPRESSION,
        _FRAMING,
        "if chunk.original or not chunk.length:",
        "if not chunk.length:",
    ),
    _Plant(
        "chunks-after-first-lost",
        "a stream ends with its first chunk",
        _COMPRESSION,
        _FRAMING,
        "for chunk in self.chunks:",
        "for chunk in self.chunks[:1]:",
    ),
    _Plant(
        "chunk-length-of-16-bits",
        "the length of a chunk has 15 bits",
        _COMPRESSION,
        _FRAMING,
        "raw[pos] | raw[pos + 1] << 8 | raw[pos + 2] << 16",
        "raw[pos] | raw[pos + 1] << 8",
    ),
    _Plant(
        "stripes-end-to-end",
        "stripes are thought to follow each other without gaps",
        "ORCv1.md, Stripe Information",
        "reference_impl.orc.stripe",
        "self.offset = self.info.offset or 0",
        "self.offset = 3 + sum(\n"
        "            (one.index_length or 0) + (one.data_length or 0) + (one.footer_length or 0)\n"
        "            for one in tail.footer.stripes[:number])",
    ),
    _Plant(
        "unpacked-numbers-lost",
        "of a repeated number only the last one counts where it is not packed",
        "Protocol Buffers, packed repeated fields",
        "reference_impl.wire.protobuf",
        "            self.lists.setdefault(field.name, []).append(value)",
        "            self.lists[field.name] = [value] if isinstance(value, int) else [\n"
        "                *self.lists.get(field.name, ()), value]",
    ),
    _Plant(
        "unknown-fields-refused",
        "a field that is not known breaks the message",
        "Protocol Buffers, unknown fields",
        "reference_impl.wire.protobuf",
        "pos = self.keep(tag, data, pos)",
        'raise _Failure("a field that is not known", pos, WIRE)',
    ),
)
