"""The examples of apache/orc, with expectations from `orc_examples.toml` and the JSON next to the files.

An entry applies only while the file has the digest of the entry. Next to most files is the output of ORC's
own C++ tool: the expected values, where the output is exact (`orc_json.py`). The engines vote on files with
floats and on files without an entry. Encrypted files have the key of the keystore next to them; the notes
state their values without the key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from corpora.cases import Case, CaseError, Expectation
from corpora.importers import checkouts
from corpora.importers.checkouts import Entries, FileEntry, Finder
from corpora.importers.orc_json import json_table
from corpora.keys import PUBLISHED
from corpora.tagged import STRING, Table

TABLE = Path(__file__).with_suffix(".toml")
NAMESPACE = "orc-examples"
EXPECTATIONS = ("accept", "refuse", "either", "vote")
WRITER = "writer:orc-contents@1"  # of ORC C++
_DECRYPTED_BY = "writer:spark@3.2.0"  # which printed the values of encrypted files (apache/orc#833)
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


_FIELDS = {each.name for each in fields(Entry)} - {"features"}


@cache
def table(path: Path = TABLE) -> Entries[Entry]:
    """Return the table; raises CaseError, which names the entry, for an entry without the form of `Entry`."""
    return Entries.read(path, _entry)


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


class Checkout(checkouts.Checkout):
    """A checkout of the repository's folder `examples`; `root` is its absolute path."""

    namespace = NAMESPACE
    table = TABLE

    def entries(self) -> Entries[Entry]:
        """Return the table about the repository's files."""
        return table()

    def expected(self, case: Case) -> Table | None:
        """Return the values of the JSON next to a file, floats as their texts; None without JSON."""
        entry = table().entries.get(case.file.relative_to(self.root).as_posix())
        if entry is None or not entry.schema:
            return None
        return json_table(entry.json(self.root), entry.schema, lambda _, text: text)


def finder() -> Finder[Checkout]:
    """Return a finder of checkouts."""
    return Finder(_MARK, _DEPTH, Checkout)
