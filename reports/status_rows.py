"""The rows of the status matrix: which features there are, and which cases prove them (`status.toml`)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMATS = ("parquet", "orc")
FILE = Path(__file__).with_name("status.toml")


@dataclass(frozen=True)
class Feature:
    """A row. Globs of cases (`*` is any text): of those that a reader of the feature reads, with `queries`
    also what it answers to queries of them; `refuses`: broken ones that only a reader that looks refuses;
    `misled`: ones with indexes that lie, whose queries a reader that skips by them answers as they say.
    `features`: a run without cases of `read` shows it by cases with all of these. `write`: a file that an
    engine wrote, with all of these features, shows that it writes.
    """  # noqa: D205 - each field is one clause

    id: str
    name: str
    category: str
    read: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    misled: tuple[str, ...] = ()
    queries: bool = False
    note: str = ""


@dataclass(frozen=True)
class Rows:
    """Features by format; `implementations`: our engines, by the name of the implementation in claims."""

    features: Mapping[str, tuple[Feature, ...]]
    implementations: Mapping[str, tuple[str, ...]]


@cache
def load(path: Path = FILE) -> Rows:
    """Read the rows."""
    data = tomllib.loads(path.read_text("utf-8"))
    found = {form: tuple(_feature(raw) for raw in data[form]) for form in FORMATS}
    return Rows(found, {name: tuple(engines) for name, engines in data["implementations"].items()})


def _feature(raw: Mapping[str, object]) -> Feature:
    return Feature(**{key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()})  # type: ignore[arg-type]
