"""`FORMAT_COVERAGE.md`: every struct and field of the formats, and whether this project reads and writes it.

`interfaces/` declares the structs and fields as data. A field is *read* if the schema tables of
`reference_impl` have it. A field is *written*, or has a *case*, if the structs of a checked-in file contain
it, whatever the file's case expects. A file that a tamper changed proves only that the field has a case, not
that the writer writes it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from corpora.build.formats import FORMATS, Format
from corpora.build.gaps import waivers
from corpora.cases import Case, load
from reference_impl.errors import ReferenceError_
from reference_impl.orc import schema as orc_schema
from reference_impl.orc import statistics_schema
from reference_impl.parquet import page_structs
from reference_impl.parquet import schema as parquet_schema
from reference_impl.wire.table import Struct, table_of

INTERFACES = Path(__file__).with_name("interfaces")
_SCHEMAS: dict[str, Mapping[str, Any]] = {
    "parquet": {**vars(parquet_schema), **vars(page_structs)},
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


def held(form: Format, tampered: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return for each item of a corpus's files the first case without a tamper, and the first case of all.

    `tampered` are the ids of the cases whose files a tamper changed.
    """
    cases: dict[str, tuple[str, str]] = {}
    for path in sorted(form.folder.rglob("*.json")):
        case = load(path)
        for item in _items(case, form):
            written, any_ = cases.get(item, ("", ""))
            plain = case.id if case.id not in tampered else ""
            cases[item] = (written or plain, any_ or case.id)
    return cases


def _items(case: Case, form: Format) -> Iterator[str]:
    try:
        yield from form.reached(case.file, case.keys)
    except ReferenceError_:
        return  # the file contains the items up to here


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
