"""Which rules are noted, and which are refused, when a file is not read strictly.

A breach is noted if every way to go on returns one and the same table. It is refused if bytes are missing or
damaged, or if a reader would have to choose what the writer meant. Tests hold each rule that the reader
raises to this page, and each fault of a noted rule to the table of its plan.
"""

from __future__ import annotations

from collections.abc import Mapping

NOTED: Mapping[str, str] = {
    "PQ-FILE-005": "the metadata end where the FileMetaData struct ends",
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
    "PQ-PAGE-010": "the levels show where rows begin; the row of the page before continues, as in v1",
    "PQ-PAGE-013": "num_values says how many values there are; no reader needs the bytes after them",
    "PQ-RLE-001": "a page without values has no levels to read; where one has values, the file is refused",
    "PQ-INDEX-002": "the index ends where its struct does",
    "PQ-INDEX-033": "a page without rows contains none of the rows that are read",
    "PQ-CODEC-001": "the stream of the codec shows how long it is; one that is cut short is refused",
    "PQ-CODEC-003": "the stream shows where it ends",
}

REFUSED: Mapping[str, str] = {  # rules, and families of rules
    "PQ-FILE-001": "it is no Parquet file, or the footer cannot be found",
    "PQ-FILE-002": "it is no Parquet file",
    "PQ-FILE-003": "it is no Parquet file, or was cut short",
    "PQ-FILE-004": "the footer cannot be found",
    "PQ-FILE-006": "the column of each chunk is not known",
    "PQ-FILE-007": "the number of rows is not known",
    "PQ-SCHEMA": "the schema has several readings",
    "PQ-LOGICAL": "the type of the values, or what they mean, has several readings",
    "PQ-LIST": "the shape of the values has several readings",
    "PQ-MAP": "the shape of the values has several readings",
    "PQ-THRIFT": "the bytes are no Thrift struct, so the fields are not known",
    "PQ-CHUNK-001": "the position of the chunk is not known",
    "PQ-CHUNK-002": "chunk and schema have different types",
    "PQ-CHUNK-003": "the position of the chunk and its path name different columns",
    "PQ-CHUNK-005": "the dictionary of the pages is not known",
    "PQ-CHUNK-009": "columns have different numbers of rows",
    "PQ-PAGE-001": "the end of the page is not known",
    "PQ-PAGE-003": "the bytes are damaged",
    "PQ-PAGE-004": "the encoding of the page is not known",
    "PQ-PAGE-005": "the encoding of the dictionary is not known",
    "PQ-PAGE-011": "the number of values is not known",
    "PQ-PAGE-012": "the encoding of the levels is not known",
    "PQ-ENCODING": "the encoding is not defined for the type",
    "PQ-LEVELS": "the levels describe no values",
    "PQ-PLAIN": "values are missing",
    "PQ-DICT": "indices point to no value of the dictionary",
    "PQ-RLE-002": "the run's header is damaged",
    "PQ-RLE-003": "the length of the run is not known",
    "PQ-RLE-004": "bytes of a run are missing",
    "PQ-RLE-005": "a value is wider than the bit width of the runs",
    "PQ-RLE-006": "values are missing",
    "PQ-BITPACKED": "levels are missing",
    "PQ-DBP": "values are damaged or missing",
    "PQ-DLBA": "values are damaged or missing",
    "PQ-DBA": "values are damaged or missing",
    "PQ-BSS": "the beginning of each stream depends on the number of values",
    "PQ-ALP": "values are damaged or missing",
    "PQ-CODEC-002": "the stream is damaged or cut short",
    "PQ-INDEX-001": "the index cannot be read; only a reader that uses it needs it",
    "PQ-INDEX-003": "the page of each entry is not known",
    "PQ-INDEX-020": "the position of the page is not known",
    "PQ-BLOOM": "the filter cannot be read; only a reader that skips rows by it needs it",
    "PQ-CRYPT": "data that is not authentic must not be returned",
    "PQ-VARIANT": "the value has several readings",
}
