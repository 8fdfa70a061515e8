"""The documented ways in which pyarrow reads an ORC file whole: source that adapter and script share.

https://arrow.apache.org/docs/python/generated/pyarrow.orc.ORCFile.html,
https://arrow.apache.org/docs/python/generated/pyarrow.orc.read_table.html
"""

from __future__ import annotations

_STRIPES = "pa.Table.from_batches([{stripe} for number in range(file.nstripes)], file.schema)"
# Of the opened `file`, `pa`, `orc` and the path FILE.
WAYS = {
    "default": "file.read()",
    "stripes": _STRIPES.format(stripe="file.read_stripe(number)"),
    "stripes-from-the-end": _STRIPES.format(stripe="file.read_stripe(file.nstripes - 1 - number)").replace(
        "for number in range(file.nstripes)]", "for number in range(file.nstripes)][::-1]"
    ),
    "stripe-columns": _STRIPES.format(stripe="file.read_stripe(number, columns=file.schema.names)"),
    "columns": "file.read(columns=file.schema.names)",
    "memory": "orc.ORCFile(pa.BufferReader(pa.OSFile(FILE).read())).read()",
    "memory-map": "orc.ORCFile(pa.memory_map(FILE)).read()",
}
