"""The documented ways in which pyorc reads a file whole: options of its reader, as source.

https://pyorc.readthedocs.io/en/stable/api.html#pyorc.Reader
"""

from __future__ import annotations

# With `schema`, the type of the file.
WAYS = {
    "default": "",
    "small-batches": ", batch_size=7",
    "column-indices": ", column_indices=list(range(len(schema.fields)))",
    "column-names": ", column_names=list(schema.fields)",
}
