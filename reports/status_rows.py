"""The rows of the status matrix: the features, and the cases that prove each feature (`status.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corpora.cases import FORMATS

FILE = Path(__file__).with_name("status.toml")


@dataclass(frozen=True)
class Feature:
    """A row of the matrix: a feature, and the cases and written files that prove it.

    `read`, `refuses` and `misled` are globs of case ids (`*` is any text). `read`: cases that a reader of the
    feature reads, with `queries` including their queries. `refuses`: broken files that only a reader that
    checks the feature refuses. `misled`: files with false indexes, which give a reader that skips by them
    wrong results. `features`: where a run has no case of `read`, cases with all these features prove
    reading. `write`: a file with all these features proves that its engine writes the feature.
    """

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
    """Features by format; `implementations`: engines of colconf by their implementation's name in claims."""

    features: Mapping[str, tuple[Feature, ...]]
    implementations: Mapping[str, tuple[str, ...]]


@cache
def load(path: Path = FILE) -> Rows:
    """Return the rows of a file."""
    data = tomllib.loads(path.read_text("utf-8"))
    features = {form: tuple(_feature(raw) for raw in data[form]) for form in FORMATS}
    return Rows(features, {name: tuple(engines) for name, engines in data["implementations"].items()})


def _feature(raw: Mapping[str, object]) -> Feature:
    return Feature(**{key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()})  # type: ignore[arg-type]
