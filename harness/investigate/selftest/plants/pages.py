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
        "the values of a v2 page are not decompressed where is_compressed is absent",
        "if header.is_compressed is not False:",
        "if header.is_compressed:",
        "parquet.thrift, DataPageHeaderV2.is_compressed",
    ),
    _page(
        "v2-levels-misplaced",
        "definition levels are looked for before repetition levels in v2 pages",
        "        repetition = self._levels_v2(levels, sizes[0], node.repetition_level, count)\n"
        "        definition = self._levels_v2(levels, sizes[1], node.definition_level, count)\n",
        "        definition = self._levels_v2(levels, sizes[1], node.definition_level, count)\n"
        "        repetition = self._levels_v2(levels, sizes[0], node.repetition_level, count)\n",
        "README.md, Data Pages",
    ),
    _page(
        "v1-levels-of-two-bits",
        "levels of v1 pages have two bits at most",
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
        "an entry that is null below a value counts as a value",
        "np.count_nonzero(definition == self.node.definition_level)",
        "np.count_nonzero(definition >= max(1, self.node.definition_level - 1))",
        "README.md, Nested Encoding",
    ),
    _page(
        "row-over-pages",
        "every v1 page begins a row, also where it goes on with one",
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
        "a chunk begins at its first data page, whatever stands in front of it",
        "if 0 < dictionary < start or",
        "if dictionary < 0 or",
        "parquet.thrift, ColumnMetaData.dictionary_page_offset",
    ),
    Plant(
        "gzip-first-member",
        "of a page of several GZIP members the first is read",
        "if member.eof and at < len(data):\n",
        "if member.eof:\n            break\n        if member.eof and at < len(data):\n",
        "Compression.md, GZIP",
        "reference_impl.compression.deflate",
    ),
    Plant(
        "hadoop-first-block",
        "of a page of several blocks of LZ4 in Hadoop's framing the first is read",
        "            parts.append(part)\n    return",
        "            parts.append(part)\n        break\n    return",
        "Compression.md, LZ4",
        "reference_impl.compression.blocks",
    ),
    _thrift(
        "thrift-long-field-ids",
        "field ids in the long form are not zigzag",
        "field_id = (field_id >> 1) ^ -(field_id & 1)",
        "field_id = field_id >> 0",
    ),
    _thrift(
        "thrift-unknown-structs",
        "an unknown field that is a struct is skipped up to its first field",
        "            pos = self.skip(header & 15, pos, depth + 1, in_list=False)\n        return pos + 1",
        "            pos = self.skip(header & 15, pos, depth + 1, in_list=False)\n"
        "            return pos\n        return pos + 1",
    ),
    _thrift(
        "thrift-unknown-booleans",
        "an unknown boolean field is thought to have a byte of its own",
        "self.skip_fixed(pos, 1 if in_list else 0)",
        "self.skip_fixed(pos, 1)",
    ),
    Plant(
        "row-groups-reversed",
        "the row groups of a column are read from the last to the first",
        "parts = [self._chunk(leaf, index) for index in groups]",
        "parts = [self._chunk(leaf, index) for index in reversed(groups)]",
        "README.md, File format",
        "reference_impl.parquet.file",
    ),
    _chunk(
        "empty-row-group",
        "a chunk without values is looked for outside of the file, and refused",
        "if not start and not meta.num_values and not meta.total_compressed_size:",
        "if start and not meta.num_values and not meta.total_compressed_size:",
        "parquet.thrift, ColumnMetaData.data_page_offset",
    ),
)
