"""Bugs that broken files show: what a hurried parser trusts, half of them in each format.

Each is the reference without a check, or with what is often written in place of it. To add one, see
`harness/investigate/selftest/plants`; here `what` says what the parser does with bytes that it should refuse.
"""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import FUZZ, ORC, Plant

_PARQUET = "reference_impl.parquet"
_ORC = "reference_impl.orc"
_PROTOBUF = "reference_impl.wire.protobuf"
_Plant = partial(Plant, shows=FUZZ)
_OrcPlant = partial(Plant, shows=FUZZ, format=ORC)
_page = partial(_Plant, module=f"{_PARQUET}.page")
_index = partial(_Plant, module=f"{_PARQUET}.index")
_delta_binary_packed = partial(_Plant, module=f"{_PARQUET}.encodings.delta_binary_packed")
_orc_tail = partial(_OrcPlant, module=f"{_ORC}.tail")
_orc_framing = partial(_OrcPlant, module=f"{_ORC}.framing")
_orc_string = partial(_OrcPlant, module=f"{_ORC}.encodings.string")
_orc_protobuf_records = partial(_OrcPlant, module=f"{_PROTOBUF}_records")

_OF_PARQUET = (
    _page(
        "page-crc-ignored",
        "checksums of pages are not compared",
        "if crc is not None and",
        "if crc is not None and page is None and",
        "parquet.thrift, PageHeader.crc",
        module="reference_impl.parquet.page_walk",
    ),
    _index(
        "located-page-unchecked",
        "an offset index that places a page outside its chunk is accepted",
        "if not start <= at <= at + size <= stop:",
        "if at < 0:",
        "PageIndex.md",
    ),
    _page(
        "page-values-reserved",
        "memory is allocated by a page's num_values before a value is read",
        "        if count > self.limits.values:\n            claims.check_levels(",
        '        reserved = b"\\0" * (8 * count)\n'
        "        if count > self.limits.values and reserved:\n            claims.check_levels(",
        "parquet.thrift, DataPageHeader.num_values",
    ),
    _page(
        "page-bytes-reserved",
        "memory is allocated by uncompressed_page_size before anything is decompressed",
        "    if size > limit:\n",
        '    reserved = b"\\0" * size\n    if size > limit and reserved:\n',
        "parquet.thrift, PageHeader.uncompressed_page_size",
        module=f"{_PARQUET}.inflating",
    ),
    _Plant(
        "level-beyond-maximum",
        "repetition levels beyond the maximum are accepted",
        "if int(data.repetition.max()) > top.repetition_level:",
        "if int(data.repetition.max()) > 0xFFFF:",
        "README.md, Nested Encoding",
        f"{_PARQUET}.levels",
    ),
    _Plant(
        "run-of-nothing",
        "a run without values is read in an endless loop",
        '            raise _fail(cursor, start, f"a run of {length} values", LENGTH)\n',
        "            at = start\n            continue\n",
        "Encodings.md#RLE",
        f"{_PARQUET}.encodings.rle",
    ),
    _Plant(
        "index-wraps",
        "a dictionary index out of range wraps around to the first entries",
        "    if len(indices) and int(indices.max()) >= len(dictionary):\n",
        "    indices = indices.astype(np.int64) % max(1, len(dictionary))\n"
        "    if len(indices) and int(indices.max()) >= len(dictionary):\n",
        "Encodings.md#DICTIONARY",
        f"{_PARQUET}.encodings.dictionary",
    ),
    _delta_binary_packed(
        "miniblock-beyond-page",
        "the bodies of miniblocks may extend beyond the end of the page",
        "if at > cursor.end:",
        "if at > 1 << 40:",
        "Encodings.md#DELTAENC",
    ),
    _delta_binary_packed(
        "delta-count-trusted",
        "memory is allocated by the total value count of a header before a value is read",
        "    if total != count:\n",
        '    reserved = b"\\0" * (8 * total)\n    if total != count and reserved is not None:\n',
        "Encodings.md#DELTAENC",
    ),
    _Plant(
        "prefix-negative",
        "negative prefix lengths are accepted, and counted from the end of the previous string",
        "wrong = np.flatnonzero((prefixes < 0) | (prefixes > before))",
        "wrong = np.flatnonzero(prefixes > before)",
        "Encodings.md#DELTASTRING",
        f"{_PARQUET}.encodings.delta_byte_array",
    ),
    _Plant(
        "string-beyond-page",
        "a string that extends beyond its page is cut at the end of the page",
        "    if at > len(data):\n",
        "    ends = [min(end, len(data)) for end in ends] + [len(data)] * (count - len(ends))\n"
        "    if at > 1 << 40:\n",
        "Encodings.md#PLAIN",
        f"{_PARQUET}.encodings.plain",
    ),
    _Plant(
        "thrift-nested-unlimited",
        "unknown fields are skipped recursively, to any depth",
        "        if depth > MAX_DEPTH:\n"
        '            raise LimitExceeded(f"values nested deeper than {MAX_DEPTH}", offset=self.base + pos)\n',
        "        depth += 0\n",
        "Thrift compact protocol",
        "reference_impl.wire.thrift",
    ),
    _Plant(
        "schema-depth-unlimited",
        "groups of the schema are read recursively, to any depth",
        "if len(path) > MAX_DEPTH:",
        "if len(path) > 1 << 40:",
        "README.md, Nested Encoding",
        f"{_PARQUET}.tree",
    ),
    _Plant(
        "rows-of-32-bits",
        "the row count of a file is compared modulo 2**32",
        "if sum(counts) != meta.num_rows and",
        "if (sum(counts) - meta.num_rows) & 0xFFFFFFFF and",
        "parquet.thrift, FileMetaData.num_rows",
        f"{_PARQUET}.row_groups",
    ),
    _index(
        "index-length-trusted",
        "the length of an offset index is not checked, even if it is absent",
        "if length is None or length < 0 or at < 4 or at + length > file.footer_start:",
        "if at < 4 or at + length > len(file.data):",
        "PageIndex.md",
    ),
    _index(
        "bloom-beyond-file",
        "numBytes of a Bloom filter is not compared with the size of the file",
        "if header.numBytes < 0 or at + total > file.footer_start or declared not in (None, total):",
        "if header.numBytes < 0:",
        "BloomFilter.md",
    ),
)

_OF_ORC = (
    _orc_tail(
        "stripe-beyond-body",
        "a stripe that extends beyond the body of the file is accepted",
        "if start < len(MAGIC) or end > body_end:",
        "if start < len(MAGIC):",
        "ORCv1.md, Stripe Information",
    ),
    _orc_tail(
        "stripe-rows-of-32-bits",
        "the row count of a file is compared modulo 2**32",
        "if footer.number_of_rows not in (None, rows):",
        "if footer.number_of_rows is not None and (footer.number_of_rows - rows) & 0xFFFFFFFF:",
        "ORCv1.md, Footer",
    ),
    _OrcPlant(
        "areas-unchecked",
        "streams that do not fill the index and data areas of their stripe are accepted",
        "if total != length:",
        "if total < 0:",
        "ORCv1.md, Stripe Footer",
        f"{_ORC}.stripe",
    ),
    _OrcPlant(
        "rows-reserved",
        "memory is allocated by numberOfRows before a value is read",
        "        if count > self.limits.values:\n",
        '        reserved = b"\\0" * (8 * count)\n        if count > self.limits.values and reserved:\n',
        "ORCv1.md, Stripe Information",
        f"{_ORC}.readers.source",
    ),
    _orc_framing(
        "chunk-beyond-stream",
        "a chunk longer than its stream is accepted",
        "if length > size - pos - HEADER:",
        "if length < 0:",
        "ORCv1.md, Compression",
    ),
    _orc_framing(
        "chunk-of-nothing",
        "an empty chunk is read in an endless loop",
        "pos += HEADER + length",
        "pos += HEADER + length if length else 0",
        "ORCv1.md, Compression",
    ),
    _OrcPlant(
        "patch-beyond-base",
        "positions of patches are not compared with the length of the run",
        'check(places >= each("length"), "a patch beyond the run", BEYOND)',
        'check(places < 0, "a patch beyond the run", BEYOND)',
        "ORCv1.md, Patched Base",
        f"{_ORC}.encodings.rle_v2.patched_base",
    ),
    _OrcPlant(
        "repeat-beyond-stream",
        "a short repeat that ends after its stream is accepted",
        "if stop > cursor.end:",
        "if stop > 1 << 40:",
        "ORCv1.md, Short Repeat",
        f"{_ORC}.encodings.rle_v2.short_repeat",
    ),
    _OrcPlant(
        "deltas-beyond-stream",
        "a run of deltas that ends after its stream is accepted",
        'cursor.take(bits.size(left, width), "deltas")',
        'cursor.take(min(cursor.remaining, bits.size(left, width)), "deltas")',
        "ORCv1.md, Delta",
        f"{_ORC}.encodings.rle_v2.delta",
    ),
    _OrcPlant(
        "bytes-beyond-stream",
        "a run of bytes that ends after its stream is accepted",
        "        if at > end:\n",
        "        if at > 1 << 40:\n",
        "ORCv1.md, Byte Run Length Encoding",
        f"{_ORC}.encodings.byte_rle",
    ),
    _OrcPlant(
        "dictionary-reserved",
        "memory is allocated by dictionarySize before an entry is read",
        "        lengths = self.dictionary_lengths(size)\n",
        '        reserved = b"\\0" * (8 * size)\n        lengths = self.dictionary_lengths(size)\n'
        "        del reserved\n",
        "ORCv1.md, Column Encodings",
        f"{_ORC}.readers.source",
    ),
    _orc_string(
        "id-wraps",
        "a dictionary id out of range wraps around to the first entries",
        "    check_ids(ids, len(words), offset)\n",
        "    ids = ids % max(1, len(words))\n",
        "ORCv1.md, String, Char, and VarChar Columns",
    ),
    _orc_string(
        "string-lengths-of-32-bits",
        "the lengths of strings are added modulo 2**32",
        "    if total > cursor.remaining:\n",
        "    total &= 0xFFFFFFFF\n    if total > cursor.remaining:\n",
        "ORCv1.md, String, Char, and VarChar Columns",
    ),
    _OrcPlant(
        "tag-unchecked",
        "tags of unions are not compared with the variants",
        "if most >= types:",
        "if most >= 256:",
        "ORCv1.md, Union Columns",
        f"{_ORC}.readers.nested",
    ),
    _orc_protobuf_records(
        "groups-unlimited",
        "groups of Protocol Buffers are skipped recursively, to any depth",
        "            groups.append(number)\n            if len(groups) > MAX_DEPTH:\n",
        "            inner, pos = varint(data, pos, 32)\n"
        "            while inner != (number << 3 | EGROUP):\n"
        "                pos = skip(inner, data, pos)\n"
        "                inner, pos = varint(data, pos, 32)\n"
        "            if len(groups) > MAX_DEPTH:\n",
        "Protocol Buffers, Encoding",
    ),
    _orc_protobuf_records(
        "varint-unending",
        "a varint of any length is accepted",
        "        if shift >= bits:\n"
        '            raise Failure(f"a varint is longer than {bits} bits need", start, LONG)\n'
        "    value |= byte << shift\n",
        "    value = (value | byte << shift) & (1 << bits) - 1\n",
        "Protocol Buffers, Base 128 Varints",
    ),
)

PLANTS = {plant.name: plant for plant in (*_OF_PARQUET, *_OF_ORC)}
