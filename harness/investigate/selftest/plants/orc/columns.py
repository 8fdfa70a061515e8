"""Bugs in what columns are made of: ORCv1.md, Column Encodings; Compression; Stripes."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import ORC, Plant

_NESTED = "reference_impl.orc.readers.nested"
_PRESENT = "ORCv1.md, Column Encodings"
_STRINGS = "ORCv1.md, String, Char, and VarChar Columns"
_DECIMALS = "ORCv1.md, Decimal Columns"
_Plant = partial(Plant, format=ORC)
_nested_encodings = partial(_Plant, module=_NESTED, clause=_PRESENT)
_nested = partial(_Plant, module=_NESTED)
_leaves = partial(_Plant, module="reference_impl.orc.readers.leaves")
_framing = partial(_Plant, module="reference_impl.orc.framing", clause="ORCv1.md, Compression")
_protobuf = partial(_Plant, module="reference_impl.wire.protobuf")

PLANTS = (
    _nested_encodings(
        "parent-nulls-forgotten",
        "a column without a PRESENT stream has a value even if its parent is null",
        "if not source.has(StreamKind.PRESENT):\n        return mask",
        "if not source.has(StreamKind.PRESENT):\n        return None",
    ),
    _nested_encodings(
        "parent-nulls-overruled",
        "a column whose PRESENT stream has no nulls has a value even if its parent is null",
        "if bits.all():\n        return mask",
        "if bits.all():\n        return None",
    ),
    _nested_encodings(
        "present-for-every-row",
        "PRESENT is read as if it had a bit for every null parent, too",
        "count = slots if mask is None else int(np.count_nonzero(mask))\n    bits",
        "count = slots\n    bits",
    ),
    _nested_encodings(
        "present-ignored-in-lists",
        "PRESENT is ignored for columns within lists and maps",
        "if not source.has(StreamKind.PRESENT):",
        "if not source.has(StreamKind.PRESENT) or (source.node.parent and source.node.parent.kind in "
        "(TypeKind.LIST, TypeKind.MAP)):",
    ),
    _Plant(
        "list-offsets-of-stripes",
        "list offsets restart at 0 in every stripe",
        "out.append(part[1:] + end)",
        "out.append(part[1:])",
        "ORCv1.md, List Columns",
        "reference_impl.orc.column_slices",
    ),
    _nested(
        "union-tag-signed",
        "union tags are signed, so that a union has at most 128 variants",
        "tags = source.octets(StreamKind.DATA, count)",
        "tags = source.octets(StreamKind.DATA, count).view(np.int8)",
        "ORCv1.md, Union Columns",
    ),
    _nested(
        "union-variants-full",
        "every variant of a union is read with a value in every row",
        "variants = [self.column(child, n) for",
        "variants = [self.column(child, slots) for",
        "ORCv1.md, Union Columns",
    ),
    _leaves(
        "tinyint-unsigned",
        "TINYINT values are read as unsigned",
        "source.octets(StreamKind.DATA, count).view(np.int8)",
        "source.octets(StreamKind.DATA, count)",
        "ORCv1.md, TinyInt Columns",
    ),
    _Plant(
        "dictionary-from-1",
        "dictionary entries are numbered from 1 instead of 0",
        "return words.take(ids)",
        "return words.take(np.maximum(ids - 1, 0))",
        _STRINGS,
        "reference_impl.orc.encodings.string",
    ),
    _leaves(
        "dictionary-sorted",
        "the entries of a dictionary are assumed to be sorted",
        "words = source.words(dictionary_size(source, count))",
        "words = ByteArrays.of(sorted(source.words(dictionary_size(source, count))))",
        _STRINGS,
    ),
    _leaves(
        "dictionary-of-first-stripe",
        "the dictionary of the first stripe is used for all stripes",
        "words = source.words(dictionary_size(source, count))",
        "words = source.stripe.tail.footer_stream.__dict__.setdefault(\n"
        "        source.node.id, source.words(dictionary_size(source, count)))",
        _STRINGS,
    ),
    _Plant(
        "spaces-lost",
        "trailing spaces of a string are removed",
        "strings(values)",
        '[tagged.text(raw.rstrip(b" ")) for raw in values]',
        _STRINGS,
        "corpora.build.tagged_orc",
    ),
    _leaves(
        "decimal-scale-ignored",
        "decimals have the scale of the type, whatever scale is stored with each value",
        "return _within(source, _rescaled(source, unscaled, scales))",
        "return _within(source, unscaled)",
        _DECIMALS,
    ),
    _leaves(
        "decimal-scale-unsigned",
        "the stored scales of decimals are decoded as unsigned integers",
        "source.integers(StreamKind.SECONDARY, count, signed=True)",
        "source.integers(StreamKind.SECONDARY, count, signed=False)",
        _DECIMALS,
    ),
    _Plant(
        "runs-by-file-version",
        "integer runs are read as RLE version 2 unless the file has version 0.11",
        "is_short or self.encoding in V2_KINDS",
        "self.stripe.tail.version > (0, 11)",
        _PRESENT,
        "reference_impl.orc.readers.source",
    ),
    _framing(
        "chunk-original-ignored",
        "chunks that are stored uncompressed are decompressed",
        "if chunk.original or not chunk.length:",
        "if not chunk.length:",
    ),
    _framing(
        "chunks-after-first-lost",
        "a stream ends with its first chunk",
        "for chunk in self.chunks:",
        "for chunk in self.chunks[:1]:",
    ),
    _framing(
        "chunk-length-of-16-bits",
        "the length of a chunk is read with 15 bits instead of 23",
        "raw[pos] | raw[pos + 1] << 8 | raw[pos + 2] << 16",
        "raw[pos] | raw[pos + 1] << 8",
    ),
    _Plant(
        "stripes-end-to-end",
        "stripes are assumed to follow each other without gaps",
        "self.offset = self.info.offset or 0",
        "self.offset = 3 + sum(\n"
        "            (one.index_length or 0) + (one.data_length or 0) + (one.footer_length or 0)\n"
        "            for one in tail.footer.stripes[:number])",
        "ORCv1.md, Stripe Information",
        "reference_impl.orc.stripe",
    ),
    _protobuf(
        "unpacked-numbers-lost",
        "only the last value of a repeated field is kept if the field is not packed",
        "            self.lists.setdefault(field.name, []).append(value)",
        "            self.lists[field.name] = [value] if isinstance(value, int) else [\n"
        "                *self.lists.get(field.name, ()), value]",
        "Protocol Buffers, packed repeated fields",
    ),
    _protobuf(
        "unknown-fields-refused",
        "a message with an unknown field is refused",
        "pos = self.keep(tag, data, pos)",
        'raise Failure("a field that is not known", pos, WIRE)',
        "Protocol Buffers, unknown fields",
    ),
)
