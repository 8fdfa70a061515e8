"""The documented ways in which pyarrow reads a Parquet file whole or answers a query: source of both.

https://arrow.apache.org/docs/python/generated/pyarrow.parquet.ParquetFile.html has the options of opening a
file, and `iter_batches`, `read_row_group` and `read_row_groups`;
https://arrow.apache.org/docs/python/generated/pyarrow.parquet.read_table.html `coerce_int96_timestamp_unit`;
https://arrow.apache.org/docs/python/generated/pyarrow.dataset.Dataset.html `filter`, `head`, `take`
and the options of a scanner, and
https://arrow.apache.org/docs/python/generated/pyarrow.dataset.ParquetFragmentScanOptions.html
those of Parquet;
https://arrow.apache.org/docs/python/generated/pyarrow.dataset.ParquetFileFragment.html parts of a file.
https://pandas.pydata.org/docs/user_guide/pyarrow.html has columns of pandas that hold arrays of Arrow, by
`types_mapper` and by `dtype_backend`, and
https://arrow.apache.org/docs/python/generated/pyarrow.Table.html `to_pandas` and `ignore_metadata`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from harness.engines.errors import Unsupported

_LACKING = re.compile(r"got an unexpected keyword argument '(\w+)'|module 'pyarrow' has no attribute '(\w+)'")


class Way(NamedTuple):
    """Options of opening `FILE`, and an expression that reads `file`; with `{keyed}` and `{threads}` in them.

    `keyed` is the further argument that hands over keys, or "". `pandas`: the expression is of `pd`, too.
    """

    options: str
    expression: str
    pandas: bool = False


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
# The columns of a frame hold arrays of Arrow, and know nothing of the metadata of fields. Without a file's
# metadata (https://pandas.pydata.org/docs/development/developer.html) no column becomes an index.
_FIELDS_OF_FRAME = "schema.field(at).with_type(column.type) for at, column in enumerate(columns)"
_OF_FRAME = (
    f"(lambda columns, schema: pa.Table.from_arrays(columns, schema=pa.schema([{_FIELDS_OF_FRAME}])))("
    "[column.array.__arrow_array__() for _, column in {frame}.items()], file.schema_arrow)"
)
_TO_PANDAS = f"{_READ}.to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True)"
_READ_BY_PANDAS = 'pd.read_parquet(FILE, engine="pyarrow", dtype_backend="pyarrow", partitioning=None{keyed})'
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
    "int96-as-nanoseconds": Way('coerce_int96_timestamp_unit="ns"', _READ),
    "pandas-metadata": Way("", "file.read(use_threads={threads}, use_pandas_metadata=True)"),
    "pandas": Way("", _OF_FRAME.replace("{frame}", _TO_PANDAS), pandas=True),
    "read-by-pandas": Way("", _OF_FRAME.replace("{frame}", _READ_BY_PANDAS), pandas=True),
}

# What `read_table` sets, and a format's default is not: Arrow's extension types, since pyarrow 21.
EXTENSIONS = (
    '{"arrow_extensions_enabled": True} '
    'if "arrow_extensions_enabled" in ds.ParquetFragmentScanOptions.__doc__ else {}'
)
_REQUEST = "columns=columns, filter=wanted, use_threads={threads}"
_TABLE = f"data.to_table({_REQUEST})"
_FIELDS = "data.schema if columns is None else pa.schema([data.schema.field(name) for name in columns])"


def _with(options: str) -> str:
    options = f"ds.ParquetFragmentScanOptions({options}, **EXTENSIONS)"
    return f"data.to_table({_REQUEST}, fragment_scan_options={options})"


def _parts(parts: str) -> str:
    of_part = f"part.to_table({_REQUEST}) for fragment in data.get_fragments() for part in {parts}"
    return f"pa.concat_tables([{of_part}] or [{_TABLE}])"


# Expressions that ask the data set `data`: of `pa`, `ds`, `EXTENSIONS`, of the filter `wanted` and the names
# of `columns`, each None for all; with `{threads}` in them. The default way asks no data set. No fragments of
# readahead are not among them: no such scan of any file ends (apache/arrow#48111).
QUERIES = {
    "default": "",
    "scan": _TABLE,
    "scan-small-batches": f"data.to_table({_REQUEST}, batch_size=7)",
    "scan-no-readahead": f"data.to_table({_REQUEST}, batch_readahead=0)",
    "scan-small-no-readahead": f"data.to_table({_REQUEST}, batch_size=3, batch_readahead=0)",
    "scan-batches": f"pa.Table.from_batches(data.to_batches({_REQUEST}), {_FIELDS})",
    "scan-no-pre-buffer": _with("pre_buffer=False"),
    "scan-buffered": _with("use_buffered_stream=True, buffer_size=512, pre_buffer=False"),
    "scan-cached-lazily": _with("pre_buffer=True, cache_options=pa.CacheOptions(lazy=True)"),
    "scan-checksums": _with("page_checksum_verification=True"),
    "filtered": (
        "(data if wanted is None else data.filter(wanted)).to_table(columns=columns, use_threads={threads})"
    ),
    "first-rows": f"data.head(1 + data.count_rows(), {_REQUEST})",
    "row-groups": _parts("fragment.split_by_row_group()"),
    "row-groups-skipped": _parts("fragment.split_by_row_group(wanted)"),
    "subset": _parts("[fragment if wanted is None else fragment.subset(wanted)]"),
}
_HEAD = f"data.head(offset + rows, {_REQUEST}{{more}}).slice(offset)"
# Expressions of a slice, as those of QUERIES, of `offset` and `rows`; the first is the default way.
SLICES = {
    "scan": _HEAD.replace("{more}", ""),
    "scan-small-batches": _HEAD.replace("{more}", ", batch_size=7"),
    "scan-small-no-readahead": _HEAD.replace("{more}", ", batch_size=3, batch_readahead=0"),
    "scan-no-readahead": _HEAD.replace("{more}", ", batch_readahead=0"),
    "taken": (
        f"data.take(pa.array(range(offset, max(offset, min(offset + rows, data.count_rows(filter=wanted)))), "
        f"pa.int64()), {_REQUEST})"
    ),
}


@contextmanager
def options_of(way: str) -> Iterator[None]:
    """Raise Unsupported, for a while, for an option of a way that this pyarrow does not have."""
    try:
        yield
    except (TypeError, AttributeError) as error:
        lacking = _LACKING.search(str(error))
        name = (lacking[1] or lacking[2]) if lacking else ""
        if not name or name not in way:
            raise
        raise Unsupported(f"this pyarrow scans data sets without {name}") from error
