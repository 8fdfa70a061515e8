"""Cases as data: a file and the expectation about it.

A case is one JSON object in a file next to its data file. The fields are those of `Case`. Empty fields are
left out, and an unknown field is an error, so that a misspelt name cannot silently change a case.
`corpora/case_fields.py` defines the ids.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from corpora import short_json
from corpora.case_fields import (
    CaseError,
    case_id,
    check_choice,
    check_id,
    check_source,
    is_feature_id,
    is_rising,
    is_rule_id,
    object_of,
    ordinals_of,
    text_of,
    tuple_of,
)
from corpora.files import write_whole
from corpora.keys import Keys, KeysError
from corpora.queries import Query, QueryError
from corpora.queries import from_json as query_from_json
from corpora.table_reads import TableRead
from corpora.tagged import Table, TaggedError

__all__ = [
    "FORMATS",
    "KINDS",
    "LEVELS",
    "MUST",
    "SHOULD",
    "USER_FILES",
    "USER_TABLES",
    "Case",
    "Expectation",
    "Probe",
    "dump",
    "load",
]
__all__ += ["CaseError", "case_id", "check_id", "is_feature_id", "is_rule_id"]

LEVELS = (MUST, SHOULD, MAY) = ("MUST", "SHOULD", "MAY")
FORMATS = ("parquet", "orc")
# What begins the ids of files and of reads of folders that no case of a corpus describes.
USER_FILES, USER_TABLES = "files/", "tables/"
KINDS = ("accept", "refuse", "either")
CERTAIN, LIKELY, CONTESTED = CERTAINTIES = ("certain", "likely", "contested")

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
# Of an expectation, None without.
_TEXTS = ("rule", "clause", "reason", "votes", "why", "breach", "writer", "earliest")


@dataclass(frozen=True)
class Expectation:
    """The behavior that a case requires of a reader, and its source; has four constructors.

    kind: `accept` (`table` has the values; without a table the engines vote), `refuse` (the file breaks
    `rule` or `clause`) or `either` (the implementation may choose, for `reason`; if it accepts and there is a
    `table`, it must return the table). `source` is `spec`, `generator`, `vote` or `writer:NAME@VERSION`;
    `votes` describes the result of a vote for people.

    certainty: `certain` (it was recorded, or a clause and the validator say so), `likely` (lineages of
    engines agree) or `contested` (nobody is to be blamed by it); `why` names the clause or the lineages of a
    vote. `breach` are the rules, separated by blanks, that a file breaks though it can be read, or that its
    writer is known to have broken; `writer` is the software that the file names as its writer. `earliest` is
    the first step in which a reader can notice the breach, if several rules are broken; for one rule, the
    rule has it. `misleading` are the names of the top-level columns with false statistics, indexes or
    filters, None where they are not known, `misannotated` those whose two annotations do not agree; the JSON
    form has neither.
    """

    kind: str
    source: str
    table: Table | None = None
    rule: str | None = None
    clause: str | None = None
    reason: str | None = None
    votes: str | None = None
    certainty: str = CERTAIN
    why: str | None = None
    breach: str | None = None
    writer: str | None = None
    earliest: str | None = None
    misleading: frozenset[str] | None = None
    misannotated: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        check_choice("expectation", self.kind, KINDS)
        check_choice("certainty", self.certainty, CERTAINTIES)
        for name in _TEXTS:
            if getattr(self, name) is not None:
                text_of(f"expectation {name}", getattr(self, name))
        check_source(self.source)
        if self.rule is not None and not is_rule_id(self.rule):
            raise CaseError(f"rule {self.rule!r:.80} is not of the form PQ-PAGE-003")
        if self.kind == "refuse" and (self.table is not None or not (self.rule or self.clause)):
            raise CaseError("refuse needs a rule or a clause, and has no table")
        if self.kind == "either" and not self.reason:
            raise CaseError("either needs a reason")
        if self.kind == "accept" and self.table is None and self.source != "vote":
            raise CaseError(f"accept by {self.source!r:.80} needs a table")

    @property
    def has_table(self) -> bool | None:
        """Return whether there is a table, of a file that may be read or refused; None of others."""
        return self.table is not None if self.kind == "either" else None

    @staticmethod
    def accept(table: Table, source: str) -> Expectation:
        """Return the expectation that every reader returns these values."""
        return Expectation("accept", source, table=table)

    @staticmethod
    def refuse(
        *, clause: str | None = None, rule: str | None = None, reason: str | None = None, source: str = "spec"
    ) -> Expectation:
        """Return the expectation that every reader raises an error, because of a broken rule or clause."""
        return Expectation("refuse", source, rule=rule, clause=clause, reason=reason)

    @staticmethod
    def either(
        reason: str, *, clause: str | None = None, table: Table | None = None, source: str = "spec"
    ) -> Expectation:
        """Return the expectation that a reader either raises an error or returns `table`, for `reason`."""
        return Expectation("either", source, table=table, clause=clause, reason=reason)

    @staticmethod
    def by_vote() -> Expectation:
        """Return the expectation of a file without known values: the engines vote."""
        return Expectation("accept", "vote")

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        table = {} if self.table is None else {"table": self.table.to_json()}
        given = {name: getattr(self, name) for name in _TEXTS if getattr(self, name) is not None}
        certainty = {} if self.certainty == CERTAIN else {"certainty": self.certainty}
        return {"kind": self.kind, "source": self.source, **given, **certainty, **table}

    @staticmethod
    def from_json(data: Any) -> Expectation:
        """Read the JSON form; raises CaseError for anything else."""
        optional = ("table", "certainty", *_TEXTS)
        data = object_of("expectation", data, ("kind", "source"), optional)
        try:
            table = None if "table" not in data else Table.from_json(data["table"])
        except (TaggedError, TypeError) as error:
            raise CaseError(f"expectation: {error}") from error
        return Expectation(**{**data, "table": table})


_ROWS = ("rows", "misled")


@dataclass(frozen=True)
class Probe:
    """A query, and the ordinals (from 0, rising) of the rows it must return; pushdown may not lose any row.

    `rows` is None where the rows follow from the case's table (`corpora.answers.answer`), or depend on the
    engine's float order. A range stands for many rows, those of a large row group: `{"first", "count"}` in
    JSON. `misled`: where the file has false statistics, or a false index or filter, the rows that a reader
    that skips by them returns; such a reader may return them, or refuse.
    """

    query: Query
    rows: tuple[int, ...] | range | None = None
    misled: tuple[int, ...] | range | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.query, get_args(Query)):
            raise CaseError(f"probe query is {self.query!r:.80}, not a query")
        if self.rows is not None and not is_rising(self.rows):
            raise CaseError(f"probe rows is {self.rows!r:.80}, not rising ordinals")
        if self.misled is not None and not is_rising(self.misled):
            raise CaseError(f"probe misled is {self.misled!r:.80}, not rising ordinals")

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        given: dict[str, Any] = {}
        for name in _ROWS:
            rows = getattr(self, name)
            if isinstance(rows, range):
                given[name] = {"first": rows.start, "count": len(rows)}
            elif rows is not None:
                given[name] = list(rows)
        return {"query": self.query.to_json(), **given}

    @staticmethod
    def from_json(data: Any) -> Probe:
        """Read the JSON form; raises CaseError for anything else."""
        data = object_of("probe", data, ("query",), _ROWS)
        try:
            query = query_from_json(data["query"])
        except QueryError as error:
            raise CaseError(f"probe: {error}") from error
        rows = {name: ordinals_of(f"probe {name}", data[name]) for name in _ROWS if name in data}
        return Probe(query, **rows)


@dataclass(frozen=True)
class Case:
    """A file and the expectation about it.

    `sha256` is of the whole file; `features` are ids from features.toml; `spec` is the clause that the case
    tests ("" for no single clause); `level` is the clause's level. `keys` open an encrypted file, and are
    written only if they are public (`corpora.keys`).

    A *table case* has a `read`: `file` is a folder, whose files are read as one table in that way, `sha256`
    is that of the folder (`corpora.folders.digest`), and the rows of the expectation's table are in the order
    of their values (`corpora.table_reads.in_order`).

    `options` are those that the engine was given which wrote the file, None unless they were drawn.
    """

    id: str
    format: str
    file: Path
    sha256: str
    expectation: Expectation
    features: tuple[str, ...] = ()
    spec: str = ""
    level: str = "MUST"
    source: str = "vote"
    probes: tuple[Probe, ...] = field(default=())
    notes: str = ""
    keys: Keys | None = None
    read: TableRead | None = None
    options: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        check_id(self.id)
        check_choice("format", self.format, FORMATS)
        check_choice("level", self.level, LEVELS)
        check_source(self.source)
        for name in ("spec", "notes"):
            if not isinstance(getattr(self, name), str):
                raise CaseError(f"{name} is {getattr(self, name)!r:.80}, not text")
        if not isinstance(self.sha256, str) or not _SHA256.fullmatch(self.sha256):
            raise CaseError(f"sha256 is {self.sha256!r:.80}, not 64 hex digits")
        for feature in self.features:
            if not isinstance(feature, str) or not is_feature_id(feature):
                raise CaseError(f"{feature!r:.80} is not a feature id")

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, with `file` unchanged."""
        names = ("spec", "notes")
        return {
            "id": self.id,
            "format": self.format,
            "file": str(self.file),
            "sha256": self.sha256,
            "features": list(self.features),
            "level": self.level,
            "source": self.source,
            "expectation": self.expectation.to_json(),
            **{name: getattr(self, name) for name in names if getattr(self, name)},
            **({"probes": [probe.to_json() for probe in self.probes]} if self.probes else {}),
            **({} if self.keys is None else {"keys": self.keys.to_json()}),
            **({} if self.read is None else {"read": self.read.to_json()}),
            **({} if self.options is None else {"options": self.options}),
        }

    @staticmethod
    def from_json(data: Any, folder: Path | None = None) -> Case:
        """Read the JSON form, a relative `file` taken from `folder`; raises CaseError for anything else."""
        required = ("id", "format", "file", "sha256", "features", "level", "source", "expectation")
        data = object_of("case", data, required, ("spec", "notes", "probes", "keys", "read", "options"))
        path = Path(text_of("file", data["file"]))
        return Case(
            **{
                **data,
                "file": path if folder is None else folder / path,
                "features": tuple_of("features", data["features"]),
                "expectation": Expectation.from_json(data["expectation"]),
                "probes": tuple(map(Probe.from_json, tuple_of("probes", data.get("probes", [])))),
                "keys": _keys(data.get("keys"), folder),
                "read": _read(data.get("read")),
            }
        )


def _keys(data: Any, folder: Path | None) -> Keys | None:
    try:
        return None if data is None else Keys.from_json(data, folder)
    except KeysError as error:
        raise CaseError(str(error)) from error


def _read(data: Any) -> TableRead | None:
    try:
        return None if data is None else TableRead.from_json(data)
    except TaggedError as error:
        raise CaseError(str(error)) from error


def load(path: Path) -> Case:
    """Return the case of a JSON file; raises CaseError, which names the file."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise CaseError(f"{path}: {error}") from error
    try:
        return Case.from_json(data, path.parent)
    except CaseError as error:
        raise CaseError(f"{path}: {error}") from error


def dump(case: Case, path: Path, *, durable: bool = True) -> None:
    """Write the case as JSON, its file named relative to the JSON file if it lies below its folder.

    The expected rows are in the JSON, also those of a table that is spilled: the file it lies in goes with
    its run. `durable` as in `write_whole`.
    """
    table = case.expectation.table
    if table is not None and table.spill:
        held = Table(table.columns, table.num_rows, list(table.blocks()))
        case = replace(case, expectation=replace(case.expectation, table=held))
    data = case.to_json()
    if case.file.is_relative_to(path.parent):
        data["file"] = case.file.relative_to(path.parent).as_posix()
    write_whole(path, short_json.render(data) + "\n", durable=durable)
