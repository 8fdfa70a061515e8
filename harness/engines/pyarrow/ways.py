"""The documented ways in which pyarrow reads a Parquet file whole: source that adapter and script share.

https://arrow.apache.org/docs/python/generated/pyarrow.parquet.ParquetFile.html has the options of opening a
file, and `iter_batches`, `read_row_group` and `read_row_groups`.
"""

from __future__ import annotations

from typing import NamedTuple


class Way(NamedTuple):
    """Options of opening `FILE`, and an expression that reads `file`; with `{keyed}` and `{threads}` in them.

    `keyed` is the further argument that hands over keys, or "".
    """

    options: str
    expression: str


_READ = "file.read(use_threads={threads})"
_BATCHES = (
    "pa.Table.from_batches(file.iter_batches(batch_size={rows}, use_threads={{threads}}), file.schema_arrow)"
)
# At most some sixty batches, so that reading a large file takes no longer; those of small files are small.
_SMALL = "max(7, file.metadata.num_rows // 64)"
_GROUPS = (
    "pa.concat_tables([file.schema_arrow.empty_table()] "
    "+ [file.read_row_group(number, use_threads={threads}) for number in range(file.num_row_groups)])"
)
WAYS = {
    "default": Way("", _READ),
    "small-batches": Way("", _BATCHES.format(rows=_SMALL)),
    "batches-1024": Way("", _BATCHES.format(rows=1024)),
    "row-groups": Way("", _GROUPS),
    "row-groups-together": Way(
        "", "file.read_row_groups(list(range(file.num_row_groups)), use_threads={threads})"
    ),
    "no-pre-buffer": Way("pre_buffer=False", _READ),
    "buffered": Way("pre_buffer=False, buffer_size=512", _READ),
    "dictionaries": Way(
        "read_dictionary=[column.path for column in pq.read_metadata(FILE{keyed}).schema]", _READ
    ),
    "checksums": Way("page_checksum_verification=True", _READ),
}
