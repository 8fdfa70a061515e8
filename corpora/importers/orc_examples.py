"""The examples of apache/orc, with expectations from `orc_examples.toml` and the JSON next to the files.

An entry applies only while the file has the digest of the entry. Next to most files is the output of ORC's
own C++ tool: the expected values, where the output is exact (`orc_json.py`). The engines vote on files with
floats and on files without an entry. Encrypted files have the key of the keystore next to them; the notes
state their values without the key.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from corpora.cases import Case, CaseError, Expectation
from corpora.importers.checkouts import FileEntry, Finder
from corpora.importers.orc_json import json_table
from corpora.keys import PUBLISHED
from corpora.tagged import STRING, Table

TABLE = Path(__file__).with_suffix(".toml")
NAMESPACE = "orc-examples"
EXPECTATIONS = ("accept", "refuse", "either", "vote")
WRITER = "writer:orc-contents@1"  # of ORC C++
_DECRYPTED_BY = "writer:spark@3.2.0"  # which printed the values of encrypted files (apache/orc#833)
_FIELDS = {"path", "sha256", "expectation", "schema", "clause", "level", "rule", "reason", "notes"}
_FIELDS |= {"keys", "values"}
_REQUIRED = {"path", "sha256", "expectation"}
_MARK = Path("TestOrcFile.testUnionAndTimestamp.orc")
_DEPTH = 1  # folders between the root and a file, at most


@dataclass(frozen=True, kw_only=True)
class Entry(FileEntry):
    """The table's entry of one file; `schema` is its type if its values exist as JSON.

    `values`: rows of strings, each a JSON object.
    """

    schema: str = ""
    values: str = ""

    def json(self, root: Path) -> Path:
        """Return the path of the file's values as JSON."""
        return root / "expected" / f"{Path(self.path).stem}.jsn.gz"

    def accepted(self, root: Path) -> Expectation:
        """Return the expectation of the values; raises CaseError and JsonProblem."""
        if self.values:
            return Expectation.accept(_strings(self.values), _DECRYPTED_BY)
        return Expectation.accept(json_table(self.json(root), self.schema), WRITER)


def _strings(values: str) -> Table:
    rows = [json.loads(line) for line in values.splitlines()]
    return Table.of(
        [(name, STRING) for name in rows[0]],
        [list(column) for column in zip(*map(dict.values, rows), strict=True)],
    )


@dataclass(frozen=True)
class Entries:
    """The whole table: entries by path, and reasons for skipping files by globs."""

    entries: Mapping[str, Entry]
    others: tuple[tuple[str, str], ...]


@cache
def table(path: Path = TABLE) -> Entries:
    """Return the table; raises CaseError, which names the entry, for an entry without the form of `Entry`."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CaseError(f"{path.name}: {error}") from error
    entries = {entry.path: entry for entry in map(_entry, data["file"])}
    if len(entries) != len(data["file"]):
        raise CaseError(f"{path.name}: a path appears twice")
    return Entries(entries, tuple((raw["glob"], raw["reason"]) for raw in data["other"]))


def _entry(raw: Mapping[str, Any]) -> Entry:
    name = raw.get("path", "an entry without path")
    if wrong := (_REQUIRED - set(raw)) | (set(raw) - _FIELDS):
        raise CaseError(f"{name}: missing or unknown fields {', '.join(sorted(wrong))}")
    if not all(isinstance(value, str) for value in raw.values()) or raw["expectation"] not in EXPECTATIONS:
        raise CaseError(f"{name}: a field is not text, or expectation is {raw['expectation']!r:.40}")
    if raw["expectation"] == "accept" and not {"schema", "values"} & set(raw):
        raise CaseError(f"{name}: to accept needs a schema")
    if raw.get("keys", "") not in ("", *PUBLISHED):
        raise CaseError(f"{name}: keys {raw['keys']!r:.40} are none of corpora/keys.py")
    return Entry(**raw)


class Checkout:
    """A checkout of the repository's folder `examples`; `root` is its absolute path."""

    namespace = NAMESPACE

    def __init__(self, root: Path) -> None:
        self.root = root

    def described(self, case: Case) -> Case:
        """Return the case with its table entry, if the file has the entry's digest."""
        entry = table().entries.get(case.file.relative_to(self.root).as_posix())
        return case if entry is None else entry.described(case, self.root, TABLE)

    def expected(self, case: Case) -> Table | None:
        """Return the values of the JSON next to a file, floats as their texts; None without JSON."""
        entry = table().entries.get(case.file.relative_to(self.root).as_posix())
        if entry is None or not entry.schema:
            return None
        return json_table(entry.json(self.root), entry.schema, lambda _, text: text)

    def skip_reason(self, file: Path, reason: str) -> str:
        """Return why the file is skipped: the table's reason, else `reason`."""
        path = file.absolute().relative_to(self.root).as_posix()
        return next((text for glob, text in table().others if fnmatchcase(path, glob)), reason)


def finder() -> Finder[Checkout]:
    """Return a finder of checkouts."""
    return Finder(_MARK, _DEPTH, Checkout)
