"""Bugs that broken files show: what a hurried parser trusts, half of them in each format.

Each is the reference without a check, or with what is often written in place of it. To add one, see
`harness/investigate/selftest/plants`; here `what` says what the parser does with bytes that it should refuse.
"""

from __future__ import annotations

from functools import partial

from corpora.build.formats import ORC
from harness.investigate.selftest.plant import FUZZ, Plant

_PARQUET = "reference_impl.parquet"
_ORC = "reference_impl.orc"
_PROTOBUF = "reference_impl.wire.protobuf"
_Plant = partial(Plant, shows=FUZZ)
_OrcPlant = partial(Plant, shows=FUZZ, format=ORC.name)

_OF_PARQUET = (
    _Plant(
        "page-crc-ignored",
        "checksums of pages are not compared",
        "parquet.thrift, PageHeader.crc",
        f"{_PARQUET}.page",
        "if crc is not None and",
        "if crc is not None and page is None and",
    ),
    _Plant(
        "located-page-unchecked",
        "a page that an offset index places may lie beyond its chunk",
        "PageIndex.md",
        f"{_PARQUET}.index",
        "if not start <= at <= at + size <= stop:",
        "if at < 0:",
    ),
    _Plant(
        "page-values-reserved",
        "num_values of a page is trusted: so much memory is taken before a value is read",
        "parquet.thrift, DataPageHeader.num_values",
        f"{_PARQUET}.page",
        "        if count > self.limits.values:\n",
        '        reserved = b"\\0" * (8 * count)\n        if count > self.limits.values and reserved:\n',
    ),
    _Plant(
        "page-bytes-reserved",
        "uncompressed_page_size is trusted: so much memory is taken before anything is decompressed",
        "parquet.thrift, PageHeader.uncompressed_page_size",
        f"{_PARQUET}.page",
        "        if size > self.limits.page_bytes:\n",
        '        reserved = b"\\0" * size\n        if size > self.limits.page_bytes and reserved:\n',
    ),
    _Plant(
        "level-beyond-maximum",
        "repetition levels beyond the maximum are accepted",
        "README.md, Nested Encoding",
        f"{_PARQUET}.levels",
        "if int(data.repetition.max()) > top.repetition_level:",
        "if int(data.repetition.max()) > 0xFFFF:",
    ),
    _Plant(
        "run-of-nothing",
        "a run of no values is read again and again",
        "Encodings.md#RLE",
        f"{_PARQUET}.encodings.rle",
        '            raise _fail(cursor, start, f"a run of {length} values", LENGTH)\n',
        "            at = start\n            continue\n",
    ),
    _Plant(
        "index-wraps",
        "an index beyond the dictionary begins with its first entry again",
        "Encodings.md#DICTIONARY",
        f"{_PARQUET}.encodings.dictionary",
        "    if len(indices) and int(indices.max()) >= len(dictionary):\n",
        "    indices = indices.astype(np.int64) % max(1, len(dictionary))\n"
        "    if len(indices) and int(indices.max()) >= len(dictionary):\n",
    ),
    _Plant(
        "miniblock-beyond-page",
        "the bodies of miniblocks are not compared with the bytes that are left",
        "Encodings.md#DELTAENC",
        f"{_PARQUET}.encodings.delta_binary_packed",
        "if at > cursor.end:",
        "if at > 1 << 40:",
    ),
    _Plant(
        "delta-count-trusted",
        "the total value count of a header is trusted: so much memory is taken before a value is read",
        "Encodings.md#DELTAENC",
        f"{_PARQUET}.encodings.delta_binary_packed",
        "    if total != count:\n",
        '    reserved = b"\\0" * (8 * total)\n    if total != count and reserved is not None:\n',
    ),
    _Plant(
        "prefix-negative",
        "prefixes of strings may be negative, and are counted from the end of the string before",
        "Encodings.md#DELTASTRING",
        f"{_PARQUET}.encodings.delta_byte_array",
        "wrong = np.flatnonzero((prefixes < 0) | (prefixes > before))",
        "wrong = np.flatnonzero(prefixes > before)",
    ),
    _Plant(
        "string-beyond-page",
        "the length of a string is not compared with the page, which is read as far as it goes",
        "Encodings.md#PLAIN",
        f"{_PARQUET}.encodings.plain",
        "    if at > len(data):\n",
        "    ends = [min(end, len(data)) for end in ends] + [len(data)] * (count - len(ends))\n"
        "    if at > 1 << 40:\n",
    ),
    _Plant(
        "thrift-nested-unlimited",
        "unknown fields may be nested to any depth",
        "Thrift compact protocol",
        "reference_impl.wire.thrift",
        "        if depth > MAX_DEPTH:\n"
        '            raise LimitExceeded(f"values nested deeper than {MAX_DEPTH}", offset=self.base + pos)\n',
        "        depth += 0\n",
    ),
    _Plant(
        "schema-depth-unlimited",
        "groups of the schema may be nested to any depth",
        "README.md, Nested Encoding",
        f"{_PARQUET}.tree",
        "if len(path) > MAX_DEPTH:",
        "if len(path) > 1 << 40:",
    ),
    _Plant(
        "rows-of-32-bits",
        "the rows of a file are counted in 32 bits",
        "parquet.thrift, FileMetaData.num_rows",
        f"{_PARQUET}.file",
        "if rows != meta.num_rows and not negative:",
        "if (rows - meta.num_rows) & 0xFFFFFFFF and not negative:",
    ),
    _Plant(
        "index-length-trusted",
        "the length of an offset index is trusted, also where there is none",
        "PageIndex.md",
        f"{_PARQUET}.index",
        "if length is None or length < 0 or at < 4 or at + length > file.footer_start:",
        "if at < 4 or at + length > len(file.data):",
    ),
    _Plant(
        "bloom-beyond-file",
        "numBytes of a Bloom filter is not compared with the file",
        "BloomFilter.md",
        f"{_PARQUET}.index",
        "if header.numBytes < 0 or at + total > file.footer_start or declared not in (None, total):",
        "if header.numBytes < 0:",
    ),
)

_OF_ORC = (
    _OrcPlant(
        "stripe-beyond-body",
        "a stripe may lie beyond the body of the file",
        "ORCv1.md, Stripe Information",
        f"{_ORC}.tail",
        "if start < len(MAGIC) or end > body_end:",
        "if start < len(MAGIC):",
    ),
    _OrcPlant(
        "stripe-rows-of-32-bits",
        "the rows of a file are counted in 32 bits",
        "ORCv1.md, Footer",
        f"{_ORC}.tail",
        "if footer.number_of_rows not in (None, rows):",
        "if footer.number_of_rows is not None and (footer.number_of_rows - rows) & 0xFFFFFFFF:",
    ),
    _OrcPlant(
        "areas-unchecked",
        "streams need not fill the areas of their stripe",
        "ORCv1.md, Stripe Footer",
        f"{_ORC}.stripe",
        "if total != length:",
        "if total < 0:",
    ),
    _OrcPlant(
        "rows-reserved",
        "numberOfRows is trusted: so much memory is taken before a value is read",
        "ORCv1.md, Stripe Information",
        f"{_ORC}.readers.source",
        "        if count > self.limits.values:\n",
        '        reserved = b"\\0" * (8 * count)\n        if count > self.limits.values and reserved:\n',
    ),
    _OrcPlant(
        "chunk-beyond-stream",
        "a chunk may be longer than its stream",
        "ORCv1.md, Compression",
        f"{_ORC}.framing",
        "if length > size - pos - HEADER:",
        "if length < 0:",
    ),
    _OrcPlant(
        "chunk-of-nothing",
        "an empty chunk is read again and again",
        "ORCv1.md, Compression",
        f"{_ORC}.framing",
        "pos += HEADER + length",
        "pos += HEADER + length if length else 0",
    ),
    _OrcPlant(
        "patch-beyond-base",
        "places of patches are not compared with the run",
        "ORCv1.md, Patched Base",
        f"{_ORC}.encodings.rle_v2.patched_base",
        'check(places >= each("length"), "a patch beyond the run", BEYOND)',
        'check(places < 0, "a patch beyond the run", BEYOND)',
    ),
    _OrcPlant(
        "repeat-beyond-stream",
        "a short repeat may be longer than its stream",
        "ORCv1.md, Short Repeat",
        f"{_ORC}.encodings.rle_v2.short_repeat",
        "if stop > cursor.end:",
        "if stop > 1 << 40:",
    ),
    _OrcPlant(
        "deltas-beyond-stream",
        "a run of deltas may be longer than its stream",
        "ORCv1.md, Delta",
        f"{_ORC}.encodings.rle_v2.delta",
        'cursor.take(bits.size(left, width), "deltas")',
        'cursor.take(min(cursor.remaining, bits.size(left, width)), "deltas")',
    ),
    _OrcPlant(
        "bytes-beyond-stream",
        "runs of bytes may end early",
        "ORCv1.md, Byte Run Length Encoding",
        f"{_ORC}.encodings.byte_rle",
        "        if at > end:\n",
        "        if at > 1 << 40:\n",
    ),
    _OrcPlant(
        "dictionary-reserved",
        "dictionarySize is trusted: so much memory is taken before a word is read",
        "ORCv1.md, Column Encodings",
        f"{_ORC}.readers.leaves",
        "    lengths = source.dictionary_lengths(size)\n",
        '    reserved = b"\\0" * (8 * size)\n    lengths = source.dictionary_lengths(size)\n'
        "    del reserved\n",
    ),
    _OrcPlant(
        "id-wraps",
        "an id beyond the dictionary begins with its first entry again",
        "ORCv1.md, String, Char, and VarChar Columns",
        f"{_ORC}.encodings.string",
        "    check_ids(ids, len(words), offset)\n",
        "    ids = ids % max(1, len(words))\n",
    ),
    _OrcPlant(
        "string-lengths-of-32-bits",
        "the lengths of strings are summed up in 32 bits",
        "ORCv1.md, String, Char, and VarChar Columns",
        f"{_ORC}.encodings.string",
        "    if total > cursor.remaining:\n",
        "    total &= 0xFFFFFFFF\n    if total > cursor.remaining:\n",
    ),
    _OrcPlant(
        "tag-unchecked",
        "tags of unions are not compared with the variants",
        "ORCv1.md, Union Columns",
        f"{_ORC}.readers.nested",
        "if most >= types:",
        "if most >= 256:",
    ),
    _OrcPlant(
        "groups-unlimited",
        "groups of Protocol Buffers are skipped by a call each, to any depth",
        "Protocol Buffers, Encoding",
        f"{_PROTOBUF}_records",
        "            groups.append(number)\n            if len(groups) > MAX_DEPTH:\n",
        "            inner, pos = varint(data, pos, 32)\n"
        "            while inner != (number << 3 | EGROUP):\n"
        "                pos = skip(inner, data, pos)\n"
        "                inner, pos = varint(data, pos, 32)\n"
        "            if len(groups) > MAX_DEPTH:\n",
    ),
    _OrcPlant(
        "varint-unending",
        "a varint may go on for ever",
        "Protocol Buffers, Base 128 Varints",
        f"{_PROTOBUF}_records",
        "        if shift >= bits:\n"
        '            raise Failure(f"a varint is longer than {bits} bits need", start, LONG)\n'
        "    value |= byte << shift\n",
        "    value = (value | byte << shift) & (1 << bits) - 1\n",
    ),
)

PLANTS = {plant.name: plant for plant in (*_OF_PARQUET, *_OF_ORC)}
