"""Checks that are not made: files that break a rule are read."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import REFUSAL, Plant

_PAGE = "reference_impl.parquet.page"
_CHUNK = "reference_impl.parquet.chunk"
_LEVELS = "reference_impl.parquet.levels"
_THRIFT = "reference_impl.wire.thrift"
_HOME = "reference_impl.parquet.encodings"
_Plant = partial(Plant, shows=REFUSAL)

PLANTS = (
    _Plant(
        "checksum-ignored",
        "checksums of pages are not looked at",
        "parquet.thrift, PageHeader.crc",
        _PAGE,
        "if crc is not None and",
        "if crc is not None and page is None and",
    ),
    _Plant(
        "page-padding-accepted",
        "bytes behind the values of a page are ignored",
        "README.md, Data Pages",
        _PAGE,
        "if cursor.remaining:  #",
        "if cursor.remaining < 0:  #",
    ),
    _Plant(
        "index-clamped",
        "an index beyond the dictionary means its last entry",
        "Encodings.md#DICTIONARY",
        f"{_HOME}.dictionary",
        "    if len(indices) and int(indices.max()) >= len(dictionary):\n",
        "    indices = np.minimum(indices, max(0, len(dictionary) - 1))\n"
        "    if len(indices) and int(indices.max()) >= len(dictionary):\n",
    ),
    _Plant(
        "absent-list-continued",
        "an entry may go on with a list that is absent",
        "README.md, Nested Encoding",
        _LEVELS,
        "if bool((data.definition < wanted).any()) or bool((data.definition[:-1] < wanted[1:]).any()):",
        "if bool((data.definition < 0).any()):",
    ),
    _Plant(
        "chunk-values-not-counted",
        "the num_values of a chunk is not compared with its pages",
        "parquet.thrift, ColumnMetaData.num_values",
        _CHUNK,
        "if count != meta.num_values:",
        "if count < 0:",
    ),
    _Plant(
        "chunk-type-not-compared",
        "the type of a chunk is not compared with the schema",
        "parquet.thrift, ColumnMetaData.type",
        _CHUNK,
        "if meta.type != node.physical.type:",
        "if meta.type is None:",
    ),
    _Plant(
        "thrift-field-twice",
        "a field that stands twice in its struct is accepted",
        "Thrift compact protocol",
        _THRIFT,
        "if name in values:",
        "if name is None:",
    ),
    _Plant(
        "thrift-required-absent",
        "a required field may be absent if a union is whole",
        "parquet.thrift",
        _THRIFT,
        "if table.is_union and len(values) + len(unknown) != 1:",
        "if table.is_union and len(values) + len(unknown) > 2:",
    ),
    _Plant(
        "delta-count-ignored",
        "the total value count of a DELTA_BINARY_PACKED header is ignored",
        "Encodings.md#DELTAENC",
        f"{_HOME}.delta_binary_packed",
        "if total != count:",
        "if total < 0:",
    ),
    _Plant(
        "delta-block-size-ignored",
        "a block of DELTA_BINARY_PACKED may have any size",
        "Encodings.md#DELTAENC",
        f"{_HOME}.delta_binary_packed",
        "if block_size == 0 or block_size % 128:",
        "if block_size == 0:",
    ),
    _Plant(
        "v2-nulls-not-counted",
        "the num_nulls of a v2 page is not compared with its levels",
        "parquet.thrift, DataPageHeaderV2.num_nulls",
        _PAGE,
        "if header.num_nulls != nulls:",
        "if header.num_nulls < 0:",
    ),
    _Plant(
        "prefix-too-long-accepted",
        "a prefix longer than the string before it is cut",
        "Encodings.md#DELTASTRING",
        f"{_HOME}.delta_byte_array",
        "wrong = np.flatnonzero((prefixes < 0) | (prefixes > before))",
        "prefixes = np.minimum(prefixes, before)\n    lengths = prefixes + suffixes.lengths\n"
        "    wrong = np.flatnonzero(prefixes < 0)",
    ),
    _Plant(
        "decimal-precision-unchecked",
        "a decimal may have more digits than its type holds",
        "LogicalTypes.md, DECIMAL",
        "reference_impl.parquet.logical",
        "if logical.precision > most:",
        "if logical.precision > 1_000_000:",
    ),
    _Plant(
        "file-rows-not-counted",
        "the num_rows of a file is not compared with its row groups",
        "parquet.thrift, FileMetaData.num_rows",
        "reference_impl.parquet.file",
        "if rows != meta.num_rows and not negative:",
        "if rows < 0:",
    ),
)
