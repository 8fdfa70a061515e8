"""The targets by name: each module of this package with a `NAME`, and the targets of tables.

A target knows nothing of a fuzzer. It has

    NAME                        its name; that of its module, unless it is in a table
    __doc__                     what it reads, in one line
    seeds() -> Iterable[bytes]  inputs to begin with, cut from the checked-in cases
    check(data: bytes) -> None  every exception that it raises is a finding
    mutate(data, random)        optional: -> bytes, where bytes have a structure that others would break
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from corpora.problem import UserError

# The modules that hold several targets, each in its `TABLE`. The names are listed here too, so that a process
# imports, and instruments, no more than the module of its own target.
TABLES = {
    "messages": (
        *("parquet_footer", "parquet_page_header", "parquet_column_index", "parquet_offset_index"),
        *("parquet_bloom_header", "orc_postscript", "orc_footer", "orc_stripe_footer", "orc_row_index"),
        "orc_bloom_filter",
    ),
    "pages": ("parquet_page_v1", "parquet_page_v2"),
    "parquet_values": (
        *("parquet_alp", "parquet_bit_packed", "parquet_byte_stream_split", "parquet_dictionary"),
        *("parquet_delta_binary_packed", "parquet_delta_byte_array", "parquet_delta_length_byte_array"),
        *("parquet_plain", "parquet_rle"),
    ),
    "orc_values": (
        *("orc_boolean_rle", "orc_byte_rle", "orc_decimal", "orc_rle_v1", "orc_rle_v2", "orc_string"),
        "orc_timestamp",
    ),
    "trees": ("protobuf_tree", "thrift_tree"),
    "whole_files": ("orc_anatomy", "orc_validate", "parquet_anatomy", "parquet_validate"),
}
_TOOLS = {
    "bounds",
    "child",
    "claims",
    "crashes",
    "cut_orc",
    "cut_parquet",
    "inputs",
    "slots",
    "table",
    "targets",
}
_MODULES = {name: module for module, names in TABLES.items() for name in names}


class Target(Protocol):
    """A module or an entry of a table, as above."""

    NAME: str

    def seeds(self) -> Iterable[bytes]: ...  # noqa: D102 - above
    def check(self, data: bytes, /) -> None: ...  # noqa: D102 - above


class UnknownTarget(UserError, LookupError):  # noqa: N818 - it says what is wrong
    """There is no target of this name."""


def names() -> list[str]:
    """Return the names of all targets in alphabetical order."""
    modules = {module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])}
    return sorted(modules - _TOOLS - TABLES.keys() | _MODULES.keys())


def module_of(name: str) -> str:
    """Return the module of a target; a name with dots is that of a module elsewhere. Raises UnknownTarget."""
    if "." in name:
        return name
    if name not in names():
        raise UnknownTarget(f"there is no target {name!r}; there are {', '.join(names())}")
    return f"{__package__}.{_MODULES.get(name, name)}"


def load(name: str) -> Target:
    """Return a target. Raises UnknownTarget."""
    module = import_module(module_of(name))
    return cast("Target", module.TABLE[name] if name in _MODULES else module)
