"""The file and its columns while a table is anonymized, for both formats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from harness.investigate.anonymize import maps


class Column(Protocol):
    """A column of a file of either format; what a value is, is a matter of the format."""

    @property
    def path(self) -> tuple[str, ...]:
        """Return the names of the fields down to the column."""

    @property
    def id(self) -> int | None:
        """Return the field id."""

    @property
    def domain(self) -> tuple[Any, ...]:
        """Return what values must share to be mapped together."""

    def note(self, value: Any, /) -> None:
        """Add a value to the map."""

    def close_with(self, others: Sequence[Any], random: Random) -> None:
        """Create one map for this column and others of one domain."""

    def other(self, value: Any, /) -> Any:
        """Return the new value for an old one."""

    def of_folder(self, text: str) -> Any:
        """Return the value that the name of a folder says; raises ValueError."""

    def to_folder(self, value: Any, /) -> str:
        """Return the text in the name of a folder that says a value."""


class Draft(Protocol):
    """A file whose values are collected, to be written once its columns are closed."""

    names: list[str]

    @property
    def columns(self) -> Sequence[Column]:
        """Return the columns."""

    def finished(self, names: dict[str, str], random: Random, /) -> bytes:
        """Return the file with other names and values."""


@dataclass
class Names:
    """The new names by old name, and the map of each column by path."""

    names: dict[str, str]
    columns: dict[tuple[str, ...], Any]


def finished(draft: Draft, reserved: Iterable[str], random: Random) -> tuple[bytes, Names]:
    """Return a file of its own with other names and values, and the maps; `reserved` names stay."""
    for column in draft.columns:
        column.close_with((), random)
    names = maps.names(draft.names, reserved, random)
    return draft.finished(names, random), Names(names, {column.path: column for column in draft.columns})
