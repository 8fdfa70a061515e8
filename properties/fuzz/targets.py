"""The targets by name, and the tables that hold them.

A target knows nothing of a fuzzer. It is an entry of the `TABLE` of a module of this package, or elsewhere a
module, that has

    NAME                        its name
    __doc__                     what it reads, in one line
    seeds() -> Iterable[bytes]  inputs to begin with, cut from the checked-in cases
    check(data: bytes) -> None  every exception that it raises is a finding
    mutate(data, random)        optional: -> bytes, where bytes have a structure that others would break
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Protocol, cast

Check = Callable[[bytes], object]
Seeds = Callable[[], Iterable[bytes]]
Mutate = Callable[[bytes, Random], bytes]
# The names of targets are listed here, so that a process imports, and instruments, no more than the module of
# its own target.
TABLES = {
    "messages": (
        *("parquet_footer", "parquet_page_header", "parquet_column_index", "parquet_offset_index"),
        *("parquet_bloom_header", "orc_postscript", "orc_footer", "orc_stripe_footer", "orc_row_index"),
        "orc_bloom_filter",
    ),
    "orc_files": ("orc_anatomy", "orc_file", "orc_stripe", "orc_validate"),
    "orc_values": (
        *("orc_boolean_rle", "orc_byte_rle", "orc_decimal", "orc_framing", "orc_rle_v1", "orc_rle_v2"),
        *("orc_string", "orc_timestamp"),
    ),
    "pages": ("parquet_page_v1", "parquet_page_v2"),
    "parquet_files": ("parquet_anatomy", "parquet_file", "parquet_validate"),
    "parquet_levels": ("parquet_levels",),
    "parquet_values": (
        *("parquet_alp", "parquet_bit_packed", "parquet_byte_stream_split", "parquet_dictionary"),
        *("parquet_delta_binary_packed", "parquet_delta_byte_array", "parquet_delta_length_byte_array"),
        *("parquet_plain", "parquet_rle"),
    ),
    "tagged": ("tagged",),
    "trees": ("protobuf_tree", "thrift_tree"),
    "variants": ("variant_metadata", "variant_shredded", "variant_value"),
}
_MODULES = {name: module for module, names in TABLES.items() for name in names}


class Target(Protocol):
    """A module or an entry of a table, as above."""

    NAME: str

    def seeds(self) -> Iterable[bytes]: ...  # noqa: D102 - above
    def check(self, data: bytes, /) -> object: ...  # noqa: D102 - above


@dataclass
class TableTarget:
    """A target of a table, with its `invariant`; `summary` becomes its docstring."""

    NAME: str
    summary: str
    invariant: str
    seeds: Seeds
    check: Check
    mutate: Mutate | None = None

    def __post_init__(self) -> None:
        self.__doc__ = self.summary


class Table(dict[str, TableTarget]):
    """The targets of a module, by name."""

    def target(
        self, name: str, summary: str, invariant: str, seeds: Seeds, mutate: Mutate | None = None
    ) -> Callable[[Check], Check]:
        """Return a decorator that makes a check a target."""

        def decorate(check: Check) -> Check:
            self[name] = TableTarget(name, summary, invariant, seeds, check, mutate)
            return check

        return decorate


class UnknownTarget(LookupError):  # noqa: N818 - it says what is wrong
    """There is no target of this name."""


def names() -> list[str]:
    """Return the names of all targets in alphabetical order."""
    return sorted(_MODULES)


def module_of(name: str) -> str:
    """Return the module of a target; a name with dots is that of a module elsewhere. Raises UnknownTarget.

    The name also names folders of a campaign, so that only the name of a module may have dots.
    """
    if "." in name and all(part.isidentifier() for part in name.split(".")):
        return name
    if name not in _MODULES:
        raise UnknownTarget(f"there is no target {name!r}; there are {', '.join(names())}")
    return f"{__package__}.{_MODULES[name]}"


def load(name: str) -> Target:
    """Return a target. Raises UnknownTarget."""
    module = import_module(module_of(name))
    return cast("Target", module.TABLE[name] if name in _MODULES else module)
