"""The documented ways in which pyarrow reads an ORC file whole: source that adapter and script share.

https://arrow.apache.org/docs/python/generated/pyarrow.orc.ORCFile.html
"""

from __future__ import annotations

WAYS = {
    "default": "file.read()",
    "stripes": (
        "pa.Table.from_batches([file.read_stripe(number) for number in range(file.nstripes)], file.schema)"
    ),
    "columns": "file.read(columns=file.schema.names)",
}
