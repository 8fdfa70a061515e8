"""Which rules are noted, and which are refused, when a file is not read strictly.

A breach is noted if every way to go on returns one and the same table. It is refused if bytes are missing or
damaged, or if a reader would have to choose what the writer meant. Tests hold each rule that the reader
raises to this page, and each fault of a noted rule to the table of its plan.
"""

from __future__ import annotations

from collections.abc import Mapping

NOTED: Mapping[str, str] = {
    "ORC-FILE-003": "the magic at the front identifies the file, as in the Java and C++ readers",
    "ORC-FILE-004": "the magic of the postscript identifies the file",
    "ORC-FILE-007": "the codec determines the size of a chunk; the block size only limits it",
    "ORC-FILE-008": "the first two numbers are the version, or a single 0 is Hive's; others are refused",
    "ORC-FILE-009": "stripes have their own offsets",
    "ORC-FILE-011": "each stripe says how many rows it has; where one does not, the file is refused",
    "ORC-FILE-012": "rows are read without a row index",
    "ORC-FILE-013": "rows are read without statistics",
    "ORC-FILE-014": "rows are read without statistics",
    "ORC-FILE-016": "no column has dates; where one has, the file is refused",
    "ORC-FILE-018": "rows are read without statistics",
    "ORC-TYPE-006": "decoding a value does not need the maximum length of its type",
    "ORC-STRIPE-005": "the streams fill index and data together; if not, their positions are not known",
    "ORC-STRIPE-006": "no reader needs the bytes after the streams",
    "ORC-STRIPE-007": "the order of the list determines the position of each stream",
    "ORC-STRIPE-009": "the list has the number of bytes to skip",
    "ORC-STRIPE-011": "a STRUCT has no data; DIRECT_V2 is DIRECT without integers; others are refused",
    "ORC-STR-002": "dictionarySize says how many lengths to use; fewer lengths, or larger ids, are refused",
    "ORC-STR-003": "the lengths say where the last entry ends; fewer bytes are refused",
    "ORC-COMP-006": "the codec says where its stream ends; in messages, and of LZO, it is refused",
    "ORC-INDEX-001": "rows are read without a row index",
}

REFUSED: Mapping[str, str] = {  # rules, and families of rules
    "ORC-FILE-001": "it is no ORC file, or was cut short",
    "ORC-FILE-002": "the postscript cannot be found",
    "ORC-FILE-005": "the footer cannot be found",
    "ORC-FILE-006": "the compression codec is not known",
    "ORC-PROTO": "the bytes are no protobuf message, so the fields are not known",
    "ORC-TYPE-001": "there are no columns",
    "ORC-TYPE-002": "the tree of columns is not known",
    "ORC-TYPE-003": "the meaning of a type's children is not known",
    "ORC-TYPE-004": "the name of each column is not known",
    "ORC-TYPE-005": "the decoding of a column is not known",
    "ORC-TYPE-007": "the table cannot have a column of such a type",
    "ORC-TYPE-008": "the table cannot have a column of such a type",
    "ORC-TYPE-009": "a tag of one byte cannot number all variants",
    "ORC-STRIPE-001": "the bytes of a stripe are missing",
    "ORC-STRIPE-002": "two stripes share bytes",
    "ORC-STRIPE-004": "the encoding of each column is not known",
    "ORC-STRIPE-008": "it is not known which of the two streams to read",
    "ORC-STRIPE-010": "the bytes of a stream are missing",
    "ORC-STRIPE-012": "values are missing",
    "ORC-STRIPE-015": "the instants of the timestamps are not known",
    "ORC-STRIPE-016": "the number of a dictionary's entries is not known",
    "ORC-COMP-001": "the ends of the chunks are not known",
    "ORC-COMP-002": "the bytes of a chunk are missing",
    "ORC-COMP-003": "a chunk larger than the block size is not decompressed into memory",
    "ORC-COMP-004": "the bytes are damaged",
    "ORC-BYTE": "values are missing",
    "ORC-BOOL": "values are missing",
    "ORC-RLE1": "runs are damaged or values missing",
    "ORC-RLE2": "runs are damaged or values missing",
    "ORC-INT": "the type cannot hold the value",
    "ORC-FLOAT": "values are missing",
    "ORC-STR-001": "values are missing",
    "ORC-STR-004": "an id points to no value of the dictionary",
    "ORC-DEC": "the type cannot hold the value, or values are missing",
    "ORC-TIME": "the type cannot hold the value",
    "ORC-NEST": "a tag names no child of the union",
    "ORC-CRYPT": "data that does not decrypt may have another key",
    "ORC-INDEX-002": "only who reads by positions needs them; where they lead is not known",
    "ORC-INDEX-003": "only who reads by positions needs them; where they lead is not known",
}
