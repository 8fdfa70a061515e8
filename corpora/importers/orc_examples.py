"""The examples of apache/orc: what its files mean, from `orc_examples.toml` and the JSON beside them.

An entry is used only while the file has the digest that the entry was written for. Beside most files lies
what ORC's own C++ tool printed of them: what they must mean, where it is exact (`orc_json.py`); a file
with floats is judged by vote. A file without an entry is judged by vote too. Encrypted files come with the
key of the keystore beside them; what their values are without it is in the notes.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.cases import CaseError, Expectation
from corpora.importers.checkouts import Finder
from corpora.importers.orc_json import JsonProblem, json_table
from corpora.keys import PUBLISHED
from corpora.tagged import STRING, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpora.cases import Case

TABLE = Path(__file__).with_suffix(".toml")
NAMESPACE = "orc-examples"
EXPECTATIONS = ("accept", "refuse", "either", "vote")
WRITER = "writer:orc-contents@1"  # of ORC C++
_SHOWN = "writer:spark@3.2.0"  # which showed the values of encrypted files (apache/orc#833)
_FIELDS = {"path", "sha256", "expectation", "schema", "clause", "level", "rule", "reason", "notes"}
_FIELDS |= {"keys", "values"}
_REQUIRED = {"path", "sha256", "expectation"}
_MARK = Path("TestOrcFile.testUnionAndTimestamp.orc")
_DEPTH = 1  # folders between the root and a file, at most


@dataclass(frozen=True)
class Entry:
    """What the table says about one file; `schema` is its type where its values are there as JSON.

    `values`: rows of strings, a JSON object each. `keys`: a name of `corpora.keys.PUBLISHED`.
    """

    path: str
    sha256: str
    expectation: str
    schema: str = ""
    clause: str = ""
    level: str = "MUST"
    rule: str | None = None
    reason: str | None = None
    notes: str = ""
    keys: str = ""
    values: str = ""

    def json(self, root: Path) -> Path:
        """Return where the file's values are as JSON."""
        return root / "expected" / f"{Path(self.path).stem}.jsn.gz"

    def expected(self, root: Path) -> Expectation:
        """Return the expectation, the values read from the checkout; raises CaseError and JsonProblem."""
        if self.expectation == "refuse":
            return Expectation.refuse(clause=self.clause, rule=self.rule, reason=self.reason)
        if self.expectation == "either":
            return Expectation.either(self.reason or "", clause=self.clause or None)
        if self.expectation == "vote":
            return Expectation.by_vote()
        if self.values:
            return Expectation.accept(_strings(self.values), _SHOWN)
        return Expectation.accept(json_table(self.json(root), self.schema), WRITER)


def _strings(values: str) -> Table:
    rows = [json.loads(line) for line in values.splitlines()]
    return Table.of(
        [(name, STRING) for name in rows[0]],
        [list(column) for column in zip(*map(dict.values, rows), strict=True)],
    )


@dataclass(frozen=True)
class Entries:
    """The whole table: entries by path, and why files that match a glob are not judged."""

    entries: Mapping[str, Entry]
    others: tuple[tuple[str, str], ...]


@cache
def table(path: Path = TABLE) -> Entries:
    """Read the table; raises CaseError, naming the entry, if it is not of the form `Entry` has."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CaseError(f"{path.name}: {error}") from error
    entries = {entry.path: entry for entry in map(_entry, data["file"])}
    if len(entries) != len(data["file"]):
        raise CaseError(f"{path.name}: a path stands there twice")
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
    """A checkout of the repository's folder `examples`, `root` being its absolute path."""

    namespace = NAMESPACE

    def __init__(self, root: Path) -> None:
        self.root = root

    def described(self, case: Case) -> Case:
        """Return the case with what is known of its file, if these are the bytes that were described."""
        entry = table().entries.get(case.file.relative_to(self.root).as_posix())
        if entry is None:
            return case
        if entry.sha256 != case.sha256:
            return replace(case, notes="not the bytes that corpora/importers/orc_examples.toml describes")
        notes = entry.notes
        try:
            expectation = entry.expected(self.root)
        except JsonProblem as problem:
            expectation = Expectation.by_vote()
            notes = f"{notes} The expected values cannot be used: {problem}".strip()
        return replace(
            case,
            expectation=expectation,
            spec=entry.clause,
            level=entry.level,
            source=expectation.source,
            notes=notes,
            keys=PUBLISHED.get(entry.keys),
        )

    def expected(self, case: Case) -> Table | None:
        """Return the values of the JSON beside a file, floats as the texts that stand there; None if none."""
        entry = table().entries.get(case.file.relative_to(self.root).as_posix())
        if entry is None or not entry.schema:
            return None
        return json_table(entry.json(self.root), entry.schema, lambda _, text: text)

    def skip_reason(self, file: Path, reason: str) -> str:
        """Return why the file is not judged: what the table says, else `reason`."""
        path = file.absolute().relative_to(self.root).as_posix()
        return next((text for glob, text in table().others if fnmatchcase(path, glob)), reason)


def finder() -> Finder[Checkout]:
    """Return what finds checkouts."""
    return Finder(_MARK, _DEPTH, Checkout)
