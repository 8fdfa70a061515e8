"""`FORMAT_COVERAGE.md`: every struct and field of the formats, and whether this project reads and writes it.

`interfaces/` declares the structs and fields as data. A field is *read* if the schema tables of
`reference_impl` have it. A field is *written*, or has a *case*, if the structs of a checked-in file contain
it, whatever the file's case expects. A file that a tamper changed proves only that the field has a case, not
that the writer writes it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from corpora.build.formats import FORMATS
from corpora.build.store import Stored
from corpora.build.structs import waivers
from reference_impl.orc import schema as orc_schema
from reference_impl.orc import statistics_schema
from reference_impl.parquet import page_structs, statistics_structs
from reference_impl.parquet import schema as parquet_schema
from reference_impl.wire.table import Struct, table_of

INTERFACES = Path(__file__).with_name("interfaces")
_SCHEMAS: dict[str, Mapping[str, Any]] = {
    "parquet": {**vars(parquet_schema), **vars(page_structs), **vars(statistics_structs)},
    "orc": {**vars(statistics_schema), **vars(orc_schema)},
}
# Enums that orc_proto declares inside a message, with their names in the schema tables.
_NAMES = {
    "ColumnEncodingKind": "EncodingKind",
    "TypeEdgeInterpolationAlgorithm": "EdgeInterpolationAlgorithm",
}


@dataclass(frozen=True)
class Interface:
    """The declarations of a format: its revisions with descriptions, and structs and enums with their fields.

    `notes` has, by `Struct` or `Struct.field`, the reason why no file contains it, or no writer writes it.
    """

    form: str
    revisions: Mapping[str, str]
    declared: Mapping[str, Mapping[str, Mapping[str, Any]]]
    notes: Mapping[str, str]


@dataclass(frozen=True)
class Line:
    """A field, a member of an enum, or, without a name, a struct without fields.

    `written` is a case whose file the writer wrote from its plan, `case` is any case with the field, and ""
    is no case. `reason` explains why a case is not needed or, if there is a case, why the field is not
    written.
    """

    id: int
    name: str
    type: str
    revisions: tuple[str, ...]
    read: bool
    written: str
    case: str
    reason: str

    @property
    def done(self) -> bool:
        """Return whether the field is read and written."""
        return self.read and bool(self.written)


def interface(form: str) -> Interface:
    """Return the declarations of a format."""
    data = tomllib.loads((INTERFACES / f"{form}.toml").read_text("utf-8"))
    return Interface(form, data["revisions"], data["declared"], data.get("notes", {}))


def held(corpus: Iterable[Stored], tampered: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return for each item of a corpus's files the first case without a tamper, and the first case of all.

    `tampered` are the ids of the cases whose files a tamper changed.
    """
    cases: dict[str, tuple[str, str]] = {}
    for case, items in corpus:
        plain = case.id if case.id not in tampered else ""
        for item in items:
            written, any_ = cases.get(item, ("", ""))
            cases[item] = (written or plain, any_ or case.id)
    return cases


def lines(declared: Interface, held_items: Mapping[str, tuple[str, str]]) -> dict[str, list[Line]]:
    """Return the lines of each struct and enum of a format; `held_items` is the result of `held`."""
    waived = waivers(FORMATS[declared.form].waivers)
    return {name: list(_struct(declared, name, held_items, waived)) for name in declared.declared}


def _struct(
    declared: Interface, name: str, held_items: Mapping[str, tuple[str, str]], waived: Mapping[str, str]
) -> Iterator[Line]:
    fields = declared.declared[name]
    is_enum = any("type" not in raw for raw in fields.values())
    users = list(_users(declared, name))
    for field, raw in (fields or {"": {"id": 0}}).items():
        if is_enum:
            items = [f"field/{user}/{field}" for user in users]
        elif field:
            items = [f"field/{name}.{field}/present"]
        else:
            items = [f"field/{user}/present" for user in users]
        holders = [held_items[item] for item in items if item in held_items]
        written = min((written for written, _ in holders if written), default="")
        case = min((case for _, case in holders), default="")
        note = declared.notes.get(f"{name}.{field}") or declared.notes.get(name, "")
        yield Line(
            raw["id"],
            field,
            raw.get("type", ""),
            tuple(raw.get("in", declared.revisions)),
            _is_read(declared.form, name, field, raw["id"]) if field else bool(users),
            written,
            case,
            note or ("" if case else _reason(items, waived)),
        )


def _reason(items: Iterable[str], waived: Mapping[str, str]) -> str:
    return next((why for glob, why in waived.items() if any(fnmatchcase(item, glob) for item in items)), "")


def _users(declared: Interface, name: str) -> Iterator[str]:
    """Yield the fields of known structs with a type: an enum, or a struct without fields."""
    for struct, fields in declared.declared.items():
        cls = _cls(declared.form, struct)
        known = {row.name for row in table_of(cls).rows} if cls is not None else set()
        for field, raw in fields.items():
            if raw.get("type", "").removeprefix("list<").removesuffix(">") == name and field in known:
                yield f"{struct}.{field}"


def _cls(form: str, name: str) -> type[Struct] | None:
    cls = _SCHEMAS[form].get(_NAMES.get(name, name))
    return cls if isinstance(cls, type) and issubclass(cls, Struct) else None


def _is_read(form: str, name: str, field: str, number: int) -> bool:
    """Return whether the schema table of a struct, or the enum, has this name under this number."""
    enum = _SCHEMAS[form].get(_NAMES.get(name, name))
    if isinstance(enum, type) and issubclass(enum, IntEnum):
        return field in enum.__members__ and enum[field] == number
    cls = _cls(form, name)
    row = table_of(cls).by_id.get(number) if cls is not None else None
    return row is not None and row.name == field


_HEAD = """# Format coverage

Every struct, field and enum member of three revisions of parquet.thrift and two of orc_proto.proto, and
whether this project reads and writes it. `colconf corpus fields --write FORMAT_COVERAGE.md` renders this page
from `corpora/build/interfaces`, the schema tables of `reference_impl` and the files of `corpora/parquet` and
`corpora/orc`, {files}; do not edit it.

* **read**: the reference's schema tables have the field under this name and number.
* **written**: a case whose file has the field; the reference's writer wrote the file from a plan.
* **case**: where no such file exists, a case whose file has the field because a tamper changed the file, and
  the reason why the field is not needed or not written.
"""
_YES, _NO = "yes", "**no**"


def render(formats: Sequence[tuple[Interface, Mapping[str, Sequence[Line]]]], files: str) -> str:
    """Return the page, from the declarations of each format and their lines by struct.

    `files` tells which files it was made from.
    """
    parts = [
        _HEAD.format(files=files),
        *_heads("format", "revision", "", "declared", "read", "written", "has a case"),
    ]
    for declared, structs in formats:
        parts += _totals(declared, structs)
    missing = list(_missing(formats))
    parts += ["", "## Not covered", "", *(missing or ["Nothing."])]
    for declared, structs in formats:
        for name, lines in structs.items():
            parts += ["", f"## {_NAMED[declared.form]}: {name}", "", *_lines_of(declared, lines)]
    return "\n".join(parts) + "\n"


def _totals(declared: Interface, structs: Mapping[str, Sequence[Line]]) -> Iterator[str]:
    for revision, what in declared.revisions.items():
        lines = [line for group in structs.values() for line in group if revision in line.revisions]
        counts = (
            len(lines),
            sum(line.read for line in lines),
            sum(bool(line.written) for line in lines),
            sum(bool(line.case) for line in lines),
        )
        yield f"| {_NAMED[declared.form]} | {revision} | {what} | {' | '.join(map(str, counts))} |"


def _missing(formats: Sequence[tuple[Interface, Mapping[str, Sequence[Line]]]]) -> Iterator[str]:
    for declared, structs in formats:
        for name, lines in structs.items():
            for line in lines:
                lacks = [word for word, there in _states(line) if not there]
                if lacks:
                    why = f": {line.reason}" if line.reason else ""
                    yield f"* {_NAMED[declared.form]} `{_full(name, line)}`: {', '.join(lacks)}{why}"


def _states(line: Line) -> tuple[tuple[str, bool], ...]:
    return ("not read", line.read), ("not written", bool(line.written)), ("no case", bool(line.case))


def _full(name: str, line: Line) -> str:
    return f"{name}.{line.name}" if line.name else name


def _lines_of(declared: Interface, lines: Sequence[Line]) -> Iterator[str]:
    yield from _heads("", "name", "type", "revisions", "read", "written", "case")
    for line in lines:
        number = str(line.id) if line.name else ""
        name = f"`{line.name}`" if line.name else "(no fields)"
        kind = f"`{line.type}`" if line.type else ""
        revisions = "all" if set(line.revisions) == set(declared.revisions) else ", ".join(line.revisions)
        written = f"`{line.written}`" if line.written else _NO
        read = _YES if line.read else _NO
        case = "" if line.written else _case(line)
        yield f"| {number} | {name} | {kind} | {revisions} | {read} | {written} | {case} |"


def _case(line: Line) -> str:
    parts = [f"`{line.case}`"] if line.case else []
    return "; ".join([*parts, line.reason] if line.reason else parts) or _NO


def _heads(*names: str) -> tuple[str, str]:
    return f"| {' | '.join(names)} |", "|---" * len(names) + "|"


_NAMED = {"parquet": "parquet.thrift", "orc": "orc_proto.proto"}
