"""Bugs in pages, chunks, codecs and Thrift: README.md and parquet.thrift."""

from __future__ import annotations

from harness.investigate.selftest.plant import Plant

_PAGE = "reference_impl.parquet.page"
_THRIFT = "reference_impl.wire.thrift"

PLANTS = (
    Plant(
        "v2-is-compressed-ignored",
        "the values of a v2 page are decompressed though is_compressed is false",
        "parquet.thrift, DataPageHeaderV2.is_compressed",
        _PAGE,
        "if header.is_compressed is not False:",
        "if header.encoding is not None:",
    ),
    Plant(
        "v2-is-compressed-absent",
        "the values of a v2 page are not decompressed where is_compressed is absent",
        "parquet.thrift, DataPageHeaderV2.is_compressed",
        _PAGE,
        "if header.is_compressed is not False:",
        "if header.is_compressed:",
    ),
    Plant(
        "v2-levels-misplaced",
        "definition levels are looked for before repetition levels in v2 pages",
        "README.md, Data Pages",
        _PAGE,
        "        repetition = self._levels_v2(levels, sizes[0], self.node.repetition_level, count)\n"
        "        definition = self._levels_v2(levels, sizes[1], self.node.definition_level, count)\n",
        "        definition = self._levels_v2(levels, sizes[1], self.node.definition_level, count)\n"
        "        repetition = self._levels_v2(levels, sizes[0], self.node.repetition_level, count)\n",
    ),
    Plant(
        "v1-levels-of-two-bits",
        "levels of v1 pages have two bits at most",
        "Encodings.md#RLE",
        _PAGE,
        "rle.decode_prefixed(cursor, most.bit_length(), count)",
        "rle.decode_prefixed(cursor, min(2, most.bit_length()), count)",
    ),
    Plant(
        "fallback-page-as-indices",
        "PLAIN pages of a chunk with a dictionary are read as indices",
        "Encodings.md#DICTIONARY",
        _PAGE,
        "        if encoding in DICTIONARY_ENCODINGS:\n",
        "        if encoding in DICTIONARY_ENCODINGS or (self.dictionary is not None and not encoding):\n",
    ),
    Plant(
        "inner-nulls-counted",
        "an entry that is null below a value counts as a value",
        "README.md, Nested Encoding",
        _PAGE,
        "np.count_nonzero(definition == self.node.definition_level)",
        "np.count_nonzero(definition >= max(1, self.node.definition_level - 1))",
    ),
    Plant(
        "row-over-pages",
        "every v1 page begins a row, also where it goes on with one",
        "parquet.thrift, DataPageHeader",
        _PAGE,
        "        values = self._values(cursor, header.encoding, count, definition)\n        return Entries(",
        "        values = self._values(cursor, header.encoding, count, definition)\n"
        "        if repetition is not None and count:\n"
        "            repetition = np.array([0, *repetition[1:]], repetition.dtype)\n"
        "        return Entries(",
    ),
    Plant(
        "checksum-signed",
        "a checksum with its highest bit set never matches",
        "parquet.thrift, PageHeader.crc",
        _PAGE,
        "!= crc & 0xFFFFFFFF",
        "!= crc",
    ),
    Plant(
        "dictionary-page-offset-ignored",
        "a chunk begins at its first data page, whatever stands in front of it",
        "parquet.thrift, ColumnMetaData.dictionary_page_offset",
        "reference_impl.parquet.chunk",
        "if 0 < dictionary < start or",
        "if dictionary < 0 or",
    ),
    Plant(
        "gzip-first-member",
        "of a page of several GZIP members the first is read",
        "Compression.md, GZIP",
        "reference_impl.compression.deflate",
        "if member.eof and at < len(data):\n",
        "if member.eof:\n            break\n        if member.eof and at < len(data):\n",
    ),
    Plant(
        "hadoop-first-block",
        "of a page of several blocks of LZ4 in Hadoop's framing the first is read",
        "Compression.md, LZ4",
        "reference_impl.compression.blocks",
        "            parts.append(part)\n    return",
        "            parts.append(part)\n        break\n    return",
    ),
    Plant(
        "thrift-long-field-ids",
        "field ids in the long form are not zigzag",
        "Thrift compact protocol",
        _THRIFT,
        "field_id = (field_id >> 1) ^ -(field_id & 1)",
        "field_id = field_id >> 0",
    ),
    Plant(
        "thrift-unknown-structs",
        "an unknown field that is a struct is skipped up to its first field",
        "Thrift compact protocol",
        _THRIFT,
        "            pos = self.skip(header & 15, pos, depth + 1, in_list=False)\n        return pos + 1",
        "            pos = self.skip(header & 15, pos, depth + 1, in_list=False)\n"
        "            return pos\n        return pos + 1",
    ),
    Plant(
        "thrift-unknown-booleans",
        "an unknown boolean field is thought to have a byte of its own",
        "Thrift compact protocol",
        _THRIFT,
        "self.skip_fixed(pos, 1 if in_list else 0)",
        "self.skip_fixed(pos, 1)",
    ),
    Plant(
        "row-groups-reversed",
        "the row groups of a column are read from the last to the first",
        "README.md, File format",
        "reference_impl.parquet.file",
        "parts = [self._chunk(leaf, index) for index in groups]",
        "parts = [self._chunk(leaf, index) for index in reversed(groups)]",
    ),
    Plant(
        "empty-row-group",
        "a chunk without values is looked for outside of the file, and refused",
        "parquet.thrift, ColumnMetaData.data_page_offset",
        "reference_impl.parquet.chunk",
        "if not start and not meta.num_values and not meta.total_compressed_size:",
        "if start and not meta.num_values and not meta.total_compressed_size:",
    ),
)
