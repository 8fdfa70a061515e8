"""Which rules are noted, and which are refused, when a file is not read strictly.

A breach is noted if every way to go on returns one and the same table. It is refused if bytes are missing or
damaged, or if a reader would have to choose what the writer meant. Tests hold each rule that the reader
raises to this page, and each fault of a noted rule to the table of its plan.
"""

from __future__ import annotations

from collections.abc import Mapping

NOTED: Mapping[str, str] = {
    "ORC-FILE-003": "the magic at the front says what the file is, as for the readers of Java and C++",
    "ORC-FILE-004": "the magic of the postscript says what the file is",
    "ORC-FILE-007": "the codec says how large a chunk is; the block size bounds it only",
    "ORC-FILE-008": "the first two numbers are a version, or a lone 0 is Hive's; others are refused",
    "ORC-FILE-009": "stripes have their own offsets",
    "ORC-FILE-011": "each stripe says how many rows it has; where one does not, the file is refused",
    "ORC-FILE-012": "rows are read without a row index",
    "ORC-FILE-013": "rows are read without statistics",
    "ORC-FILE-014": "rows are read without statistics",
    "ORC-FILE-016": "no column has dates; where one has, the file is refused",
    "ORC-FILE-018": "rows are read without statistics",
    "ORC-TYPE-006": "no value is decoded by the length of its type",
    "ORC-STRIPE-005": "the streams fill index and data together; otherwise where they stand is not known",
    "ORC-STRIPE-006": "nothing needs the bytes behind the streams",
    "ORC-STRIPE-007": "the order of the list says where each stream stands",
    "ORC-STRIPE-009": "the list says how many bytes to pass over",
    "ORC-STRIPE-011": "a STRUCT has no data; DIRECT_V2 is DIRECT without integers; others are refused",
    "ORC-STR-002": "dictionarySize says which lengths count; fewer lengths, or ids beyond, are refused",
    "ORC-STR-003": "the lengths say where the last entry ends; fewer bytes are refused",
    "ORC-COMP-006": "the codec says where its stream ends; in messages, and of LZO, it is refused",
    "ORC-INDEX-001": "rows are read without a row index",
}
NOTED_IN_PART = frozenset({
    *("ORC-FILE-003", "ORC-FILE-004", "ORC-FILE-008", "ORC-FILE-011", "ORC-FILE-016"),
    *("ORC-STRIPE-005", "ORC-STRIPE-011", "ORC-STR-002", "ORC-STR-003", "ORC-COMP-006"),
})  # fmt: skip

REFUSED: Mapping[str, str] = {  # rules, and families of rules
    "ORC-FILE-001": "it is no ORC file, or was cut short",
    "ORC-FILE-002": "the postscript cannot be found",
    "ORC-FILE-005": "the footer cannot be found",
    "ORC-FILE-006": "how anything is compressed is not known",
    "ORC-PROTO": "the bytes are no message, so fields are not known",
    "ORC-TYPE-001": "there are no columns",
    "ORC-TYPE-002": "which column is below which is not known",
    "ORC-TYPE-003": "what the children of a type mean is not known",
    "ORC-TYPE-004": "which name is of which column is not known",
    "ORC-TYPE-005": "how a column is decoded is not known",
    "ORC-TYPE-007": "the table cannot have a column of such a type",
    "ORC-TYPE-008": "the table cannot have a column of such a type",
    "ORC-TYPE-009": "a tag does not tell all variants apart",
    "ORC-STRIPE-001": "the bytes of a stripe are not there",
    "ORC-STRIPE-002": "the same bytes are of two stripes",
    "ORC-STRIPE-004": "which encoding is of which column is not known",
    "ORC-STRIPE-008": "which of two streams counts is not known",
    "ORC-STRIPE-010": "the bytes of a stream are not there",
    "ORC-STRIPE-012": "values are missing",
    "ORC-STRIPE-015": "which moments are meant is not known",
    "ORC-STRIPE-016": "how many entries a dictionary has is not known",
    "ORC-COMP-001": "where the chunks end is not known",
    "ORC-COMP-002": "the bytes of a chunk are not there",
    "ORC-COMP-003": "a chunk that expands to more than it may is not taken into memory",
    "ORC-COMP-004": "the bytes are damaged",
    "ORC-BYTE": "values are missing",
    "ORC-BOOL": "values are missing",
    "ORC-RLE1": "runs are damaged or values missing",
    "ORC-RLE2": "runs are damaged or values missing",
    "ORC-INT": "the type cannot hold the value",
    "ORC-FLOAT": "values are missing",
    "ORC-STR-001": "values are missing",
    "ORC-STR-004": "an id means no value",
    "ORC-DEC": "the type cannot hold the value, or values are missing",
    "ORC-TIME": "the type cannot hold the value",
    "ORC-NEST": "a tag means no value",
    "ORC-CRYPT": "what does not decrypt may be of another key",
    "ORC-INDEX-002": "only who reads by positions needs them; where they lead is not known",
    "ORC-INDEX-003": "only who reads by positions needs them; where they lead is not known",
}
