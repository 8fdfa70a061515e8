"""Bugs in pages, chunks, codecs and Thrift: README.md and parquet.thrift."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import Plant

_page = partial(Plant, module="reference_impl.parquet.page")
_chunk = partial(Plant, module="reference_impl.parquet.chunk")
_thrift = partial(Plant, module="reference_impl.wire.thrift", clause="Thrift compact protocol")

PLANTS = (
    _page(
        "v2-is-compressed-ignored",
        "the values of a v2 page are decompressed though is_compressed is false",
        "if header.is_compressed is not False:",
        "if header.encoding is not None:",
        "parquet.thrift, DataPageHeaderV2.is_compressed",
    ),
    _page(
        "v2-is-compressed-absent",
        "the values of a v2 page are not decompressed if is_compressed is absent",
        "if header.is_compressed is not False:",
        "if header.is_compressed:",
        "parquet.thrift, DataPageHeaderV2.is_compressed",
    ),
    _page(
        "v2-levels-misplaced",
        "v2 pages are read with definition levels before repetition levels",
        "        repetition = self._levels_v2(levels, sizes[0], node.repetition_level, count)\n"
        "        definition = self._levels_v2(levels, sizes[1], node.definition_level, count)\n",
        "        definition = self._levels_v2(levels, sizes[1], node.definition_level, count)\n"
        "        repetition = self._levels_v2(levels, sizes[0], node.repetition_level, count)\n",
        "README.md, Data Pages",
    ),
    _page(
        "v1-levels-of-two-bits",
        "levels of v1 pages are read with at most two bits",
        "rle.decode_prefixed(cursor, most.bit_length(), count)",
        "rle.decode_prefixed(cursor, min(2, most.bit_length()), count)",
        "Encodings.md#RLE",
    ),
    _page(
        "fallback-page-as-indices",
        "PLAIN pages of a chunk with a dictionary are read as indices",
        "        if encoding in DICTIONARY_ENCODINGS:\n",
        "        if encoding in DICTIONARY_ENCODINGS or (self.dictionary is not None and not encoding):\n",
        "Encodings.md#DICTIONARY",
    ),
    _page(
        "inner-nulls-counted",
        "an entry one definition level below the maximum counts as a stored value",
        "np.count_nonzero(definition == self.node.definition_level)",
        "np.count_nonzero(definition >= max(1, self.node.definition_level - 1))",
        "README.md, Nested Encoding",
    ),
    _page(
        "row-over-pages",
        "every v1 page begins a new row, even if its first entry continues a row",
        "        values = self._values(cursor, header.encoding, count, definition)\n        return Entries(",
        "        values = self._values(cursor, header.encoding, count, definition)\n"
        "        if repetition is not None and count:\n"
        "            repetition = np.array([0, *repetition[1:]], repetition.dtype)\n"
        "        return Entries(",
        "parquet.thrift, DataPageHeader",
    ),
    _page(
        "checksum-signed",
        "a checksum with its highest bit set never matches",
        "!= crc & 0xFFFFFFFF",
        "!= crc",
        "parquet.thrift, PageHeader.crc",
        module="reference_impl.parquet.page_walk",
    ),
    _chunk(
        "dictionary-page-offset-ignored",
        "a chunk is read from its first data page, and a dictionary page before it is ignored",
        "if 0 < dictionary < start or",
        "if dictionary < 0 or",
        "parquet.thrift, ColumnMetaData.dictionary_page_offset",
    ),
    Plant(
        "gzip-first-member",
        "only the first GZIP member of a page is decompressed",
        "if member.eof and at < len(data):\n",
        "if member.eof:\n            break\n        if member.eof and at < len(data):\n",
        "Compression.md, GZIP",
        "reference_impl.compression.deflate",
    ),
    Plant(
        "hadoop-first-block",
        "only the first block of a page in Hadoop's LZ4 framing is decompressed",
        "            parts.append(part)\n    return",
        "            parts.append(part)\n        break\n    return",
        "Compression.md, LZ4",
        "reference_impl.compression.blocks",
    ),
    _thrift(
        "thrift-long-field-ids",
        "Thrift field ids in the long form are not zigzag-decoded",
        "field_id = (field_id >> 1) ^ -(field_id & 1)",
        "field_id = field_id >> 0",
    ),
    _thrift(
        "thrift-unknown-structs",
        "an unknown struct is skipped only up to the end of its first field",
        "            pos = self.skip(header & 15, pos, depth + 1, in_list=False)\n        return pos + 1",
        "            pos = self.skip(header & 15, pos, depth + 1, in_list=False)\n"
        "            return pos\n        return pos + 1",
    ),
    _thrift(
        "thrift-unknown-booleans",
        "an unknown boolean field is skipped with an extra byte",
        "self.skip_fixed(pos, 1 if in_list else 0)",
        "self.skip_fixed(pos, 1)",
    ),
    Plant(
        "row-groups-reversed",
        "the row groups of a column are read in reverse order",
        "        for index in groups:\n            parts.append(self._chunk(leaf, index))",
        "        for index in reversed(groups):\n            parts.append(self._chunk(leaf, index))",
        "README.md, File format",
        "reference_impl.parquet.file",
    ),
    _chunk(
        "empty-row-group",
        "a chunk without values is refused, since its offset lies outside the file",
        "if not start and not meta.num_values and not meta.total_compressed_size:",
        "if start and not meta.num_values and not meta.total_compressed_size:",
        "parquet.thrift, ColumnMetaData.data_page_offset",
    ),
)
