"""Which rules are noted, and which are refused, when a file is not read strictly.

A breach is noted if every way to go on returns one and the same table. It is refused if bytes are missing or
damaged, or if a reader would have to choose what the writer meant. Tests hold each rule that the reader
raises to this page, and each fault of a noted rule to the table of its plan.
"""

from __future__ import annotations

from collections.abc import Mapping

NOTED: Mapping[str, str] = {
    "PQ-FILE-005": "the metadata end where their struct does",
    "PQ-FILE-008": "the row groups say how many rows there are",
    "PQ-CHUNK-004": "a chunk that reaches into the footer may have all its pages before the next part",
    "PQ-CHUNK-006": "the pages say how many values they have, and the row group how many rows",
    "PQ-CHUNK-007": "decoding needs no sum of sizes",
    "PQ-CHUNK-008": "each page says its own encoding",
    "PQ-CHUNK-017": "page headers say where each page ends, and the last page has the last value",
    "PQ-PAGE-002": "the stream of the codec ends where the page does",
    "PQ-PAGE-006": "levels that are longer than the declared page are noted if they fit the stored page",
    "PQ-PAGE-007": "a chunk without a codec stores what it holds; with one, is_compressed may be wrong",
    "PQ-PAGE-008": "the levels show which entries have no value",
    "PQ-PAGE-009": "the levels show where rows begin",
    "PQ-PAGE-010": "the levels show where rows begin; the row goes on, as in a v1 page",
    "PQ-PAGE-013": "num_values says how many values there are; nothing needs the bytes behind them",
    "PQ-RLE-001": "a page without values has no levels to read; where one has values, the file is refused",
    "PQ-INDEX-002": "the index ends where its struct does",
    "PQ-INDEX-033": "a page without a row is of none that are read",
    "PQ-CODEC-001": "the stream of the codec shows how long it is; one that is cut short is refused",
    "PQ-CODEC-003": "the stream shows where it ends",
}
NOTED_IN_PART = frozenset({"PQ-CHUNK-004", "PQ-PAGE-006", "PQ-PAGE-007", "PQ-RLE-001"})

REFUSED: Mapping[str, str] = {  # rules, and families of rules
    "PQ-FILE-001": "it is no Parquet file, or the footer cannot be found",
    "PQ-FILE-002": "it is no Parquet file",
    "PQ-FILE-003": "it is no Parquet file, or was cut short",
    "PQ-FILE-004": "the footer cannot be found",
    "PQ-FILE-006": "which chunk is of which column is not known",
    "PQ-FILE-007": "how many rows there are is not known",
    "PQ-SCHEMA": "the schema has several readings",
    "PQ-LOGICAL": "the type of the values, or what they mean, has several readings",
    "PQ-LIST": "the shape of the values has several readings",
    "PQ-MAP": "the shape of the values has several readings",
    "PQ-THRIFT": "the bytes are no struct, so fields are not known",
    "PQ-CHUNK-001": "where the chunk lies is not known",
    "PQ-CHUNK-002": "chunk and schema have different types",
    "PQ-CHUNK-003": "which column it is has two readings, by position and by path",
    "PQ-CHUNK-005": "which dictionary is meant is not known",
    "PQ-CHUNK-009": "columns have different numbers of rows",
    "PQ-PAGE-001": "where the page ends is not known",
    "PQ-PAGE-003": "the bytes are damaged",
    "PQ-PAGE-004": "how the page is encoded is not known",
    "PQ-PAGE-005": "how the dictionary is encoded is not known",
    "PQ-PAGE-011": "how many values there are is not known",
    "PQ-PAGE-012": "how the levels are encoded is not known",
    "PQ-ENCODING": "the encoding is not defined for the type",
    "PQ-LEVELS": "the levels describe no values",
    "PQ-PLAIN": "values are missing",
    "PQ-DICT": "indices mean no value",
    "PQ-RLE-002": "the run's header is damaged",
    "PQ-RLE-003": "the length of the run is not known",
    "PQ-RLE-004": "bytes of a run are missing",
    "PQ-RLE-005": "a value is wider than the runs say",
    "PQ-RLE-006": "values are missing",
    "PQ-BITPACKED": "levels are missing",
    "PQ-DBP": "values are damaged or missing",
    "PQ-DLBA": "values are damaged or missing",
    "PQ-DBA": "values are damaged or missing",
    "PQ-BSS": "where a stream begins follows from the number of values",
    "PQ-ALP": "values are damaged or missing",
    "PQ-CODEC-002": "the stream is damaged or cut short",
    "PQ-INDEX-001": "the index is not there; only who reads by an index needs it",
    "PQ-INDEX-003": "which page an entry is of is not known",
    "PQ-INDEX-020": "where the page lies is not known",
    "PQ-BLOOM": "the filter is not there; only who skips by it needs it",
    "PQ-CRYPT": "what is not authentic must not be returned",
    "PQ-VARIANT": "the value has several readings",
}
