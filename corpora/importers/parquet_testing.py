"""A checkout of apache/parquet-testing, with expectations from `parquet_testing.toml`.

The repository documents its files in prose; the table next to this module has the same content as data. An
entry applies only while the file has the digest of the entry: upstream has replaced files under the same
name, and an expectation about other bytes would be false. The engines vote on a file without an entry.

Encrypted files have the keys that the repository documents (`keys`, a name of `corpora.keys.PUBLISHED`).
`cases.json` describes the files of `shredded_variant`, and `data_dictionary.json` the pairs of `variant`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from corpora.cases import Case, CaseError, Expectation
from corpora.importers import checkouts, variant_cases, variant_pairs
from corpora.importers.checkouts import Entries, FileEntry, Finder
from corpora.importers.csv_tables import csv_table
from corpora.importers.files import Skipped
from corpora.keys import PUBLISHED

TABLE = Path(__file__).with_suffix(".toml")
EXPECTATIONS = ("accept", "refuse", "either", "vote")
_REQUIRED = {"path", "sha256", "features", "expectation"}
_TYPES = {"features": list, "csv": dict}  # all other fields are text
_CSV_FIELDS = {"path", "source", "columns"}
_MARK = Path("bad_data", "PARQUET-1481.parquet")  # in the repository since 2018, and in no other project
_DEPTH = 3  # folders between the root and a file, at most

_PAIRS = "variant"
_VARIANT_FEATURES = ("parquet/logical/variant", "parquet/variant/shredded")


@dataclass(frozen=True, kw_only=True)
class Entry(FileEntry):
    """The table's entry of one file."""

    csv: Mapping[str, Any] | None = None

    def accepted(self, root: Path) -> Expectation:
        """Return the expectation of the values in the CSV file; raises CaseError and CsvProblem."""
        assert self.csv is not None
        values = csv_table(root / self.csv["path"], self.csv["columns"])
        return Expectation.accept(values, self.csv["source"])


_FIELDS = {each.name for each in fields(Entry)}


@cache
def table(path: Path = TABLE) -> Entries[Entry]:
    """Return the table; raises CaseError, which names the entry, for an entry without the form of `Entry`."""
    return Entries.read(path, _entry)


def _entry(raw: Mapping[str, Any]) -> Entry:
    name = raw.get("path", "an entry without path")
    if wrong := (_REQUIRED - set(raw)) | (set(raw) - _FIELDS):
        raise CaseError(f"{name}: missing or unknown fields {', '.join(sorted(wrong))}")
    if not all(isinstance(value, _TYPES.get(key, str)) for key, value in raw.items()):
        raise CaseError(f"{name}: a field has a wrong type")
    if raw["expectation"] not in EXPECTATIONS:
        raise CaseError(f"{name}: expectation {raw['expectation']!r:.40}")
    if (raw["expectation"] == "accept") != ("csv" in raw) or set(raw.get("csv", _CSV_FIELDS)) != _CSV_FIELDS:
        raise CaseError(f"{name}: to accept needs a csv with {', '.join(sorted(_CSV_FIELDS))}")
    if raw.get("keys") not in (None, *PUBLISHED):
        raise CaseError(f"{name}: keys {raw['keys']!r:.40} are none of corpora/keys.py")
    return Entry(**{**raw, "features": tuple(raw["features"])})


class Checkout(checkouts.Checkout):
    """A checkout of the repository; `root` is its absolute path."""

    namespace = "parquet-testing"
    table = TABLE

    def entries(self) -> Entries[Entry]:
        """Return the table about the repository's files."""
        return table()

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._variants: Mapping[str, Mapping[str, Any]] | None = None
        self._pairs: Mapping[str, Any] | None = None

    def is_part(self, file: Path) -> bool:
        """Return whether a file belongs to the case of another file."""
        return self._is_in_pairs(file) and variant_pairs.is_metadata(file)

    def wrapped(self, file: Path) -> Case | Skipped | None:
        """Return the case of a value that is wrapped into a Parquet file, None for another file."""
        if not self._is_in_pairs(file) or not variant_pairs.is_value(file):
            return None
        if self._pairs is None:
            self._pairs = variant_pairs.dictionary(file.with_name(variant_pairs.DICTIONARY))
        return variant_pairs.case(self.namespace, file, self._pairs)

    def _is_in_pairs(self, file: Path) -> bool:
        return file.absolute().parent == self.root / _PAIRS

    def described(self, case: Case) -> Case:
        """Return the case with its table entry, if the file has the entry's digest."""
        if case.file.relative_to(self.root).parts[0] == "shredded_variant":
            return self._variant(case)
        return super().described(case)

    def _variant(self, case: Case) -> Case:
        if self._variants is None:
            self._variants = variant_cases.read(case.file.with_name("cases.json"))
        about = self._variants.get(case.file.name, {})
        expectation = variant_cases.expected(case.file, about)
        return replace(
            case,
            expectation=expectation,
            features=_VARIANT_FEATURES,
            spec=variant_cases.CLAUSE,
            source=expectation.source,
            notes=str(about.get("test", "")),
        )


def finder() -> Finder[Checkout]:
    """Return a finder of checkouts."""
    return Finder(_MARK, _DEPTH, Checkout)
