"""Checks that are not made: files that break a rule are read."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import REFUSAL, Plant

_LEVELS = "reference_impl.parquet.levels"
_HOME = "reference_impl.parquet.encodings"
_Plant = partial(Plant, shows=REFUSAL)
_page_walk = partial(_Plant, module="reference_impl.parquet.page_walk")
_page = partial(_Plant, module="reference_impl.parquet.page")
_chunk = partial(_Plant, module="reference_impl.parquet.chunk")
_thrift = partial(_Plant, module="reference_impl.wire.thrift")
_delta_binary_packed = partial(_Plant, module=f"{_HOME}.delta_binary_packed")

PLANTS = (
    _page_walk(
        "checksum-ignored",
        "checksums of pages are not checked",
        "if crc is not None and",
        "if crc is not None and page is None and",
        "parquet.thrift, PageHeader.crc",
    ),
    _page(
        "page-padding-accepted",
        "extra bytes after the values of a page are ignored",
        "if cursor.remaining:  #",
        "if cursor.remaining < 0:  #",
        "README.md, Data Pages",
    ),
    _Plant(
        "index-clamped",
        "a dictionary index out of range is read as the last entry",
        "    if len(indices) and int(indices.max()) >= len(dictionary):\n",
        "    indices = np.minimum(indices, max(0, len(dictionary) - 1))\n"
        "    if len(indices) and int(indices.max()) >= len(dictionary):\n",
        "Encodings.md#DICTIONARY",
        f"{_HOME}.dictionary",
    ),
    _Plant(
        "absent-list-continued",
        "an entry that continues an absent list is accepted",
        "if bool((data.definition < wanted).any()) or bool((data.definition[:-1] < wanted[1:]).any()):",
        "if bool((data.definition < 0).any()):",
        "README.md, Nested Encoding",
        _LEVELS,
    ),
    _chunk(
        "chunk-values-not-counted",
        "the num_values of a chunk is not compared with its pages",
        "if count != meta.num_values:",
        "if count < 0:",
        "parquet.thrift, ColumnMetaData.num_values",
    ),
    _chunk(
        "chunk-type-not-compared",
        "the type of a chunk is not compared with the schema",
        "if meta.type != node.physical.type:",
        "if meta.type is None:",
        "parquet.thrift, ColumnMetaData.type",
    ),
    _thrift(
        "thrift-field-twice",
        "a Thrift struct with the same field twice is accepted",
        "if name in values:",
        "if name is None:",
        "Thrift compact protocol",
    ),
    _thrift(
        "thrift-required-absent",
        "an absent required field is accepted if the unions are complete",
        "if decoder.is_union and len(values) + len(unknown) != 1:",
        "if decoder.is_union and len(values) + len(unknown) > 2:",
        "parquet.thrift",
    ),
    _delta_binary_packed(
        "delta-count-ignored",
        "the total value count of a DELTA_BINARY_PACKED header is ignored",
        "if total != count:",
        "if total < 0:",
        "Encodings.md#DELTAENC",
    ),
    _delta_binary_packed(
        "delta-block-size-ignored",
        "any block size of DELTA_BINARY_PACKED is accepted",
        "if block_size == 0 or block_size % 128:",
        "if block_size == 0:",
        "Encodings.md#DELTAENC",
    ),
    _page(
        "v2-nulls-not-counted",
        "the num_nulls of a v2 page is not compared with its levels",
        "if header.num_nulls != nulls:",
        "if header.num_nulls < 0:",
        "parquet.thrift, DataPageHeaderV2.num_nulls",
    ),
    _Plant(
        "prefix-too-long-accepted",
        "a prefix longer than the previous string is cut to that string",
        "wrong = np.flatnonzero((prefixes < 0) | (prefixes > before))",
        "prefixes = np.minimum(prefixes, before)\n    lengths = prefixes + suffixes.lengths\n"
        "    wrong = np.flatnonzero(prefixes < 0)",
        "Encodings.md#DELTASTRING",
        f"{_HOME}.delta_byte_array",
    ),
    _Plant(
        "decimal-precision-unchecked",
        "a decimal may have more digits than its type holds",
        "if logical.precision > most:",
        "if logical.precision > 1_000_000:",
        "LogicalTypes.md, DECIMAL",
        "reference_impl.parquet.logical",
    ),
    _Plant(
        "file-rows-not-counted",
        "the num_rows of a file is not compared with its row groups",
        "if sum(counts) != meta.num_rows and",
        "if sum(counts) < 0 and",
        "parquet.thrift, FileMetaData.num_rows",
        "reference_impl.parquet.row_groups",
    ),
)
