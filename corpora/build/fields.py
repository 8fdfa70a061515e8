"""`FORMAT_COVERAGE.md`: every struct and field that the formats declare, and what this project does with it.

What there is stands in `interfaces/`, as data. What is *read* is asked of the schema tables of
`reference_impl`, what is *written* and what has a *case* of the files that are checked in: each is opened,
and what its structs hold is counted, whatever its case says. A file that was changed on its way out shows
that something has a case, not that the writer writes it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.build.formats import FORMATS
from corpora.build.gaps import waivers
from corpora.cases import load
from reference_impl.errors import ReferenceError_
from reference_impl.orc import schema as orc_schema
from reference_impl.parquet import schema as parquet_schema
from reference_impl.wire.table import Struct, table_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from types import ModuleType

    from corpora.build.formats import Format
    from corpora.cases import Case

INTERFACES = Path(__file__).with_name("interfaces")
_SCHEMAS: dict[str, ModuleType] = {"parquet": parquet_schema, "orc": orc_schema}
# Enums that orc_proto declares inside of a message, by what our tables call them.
_NAMES = {
    "ColumnEncodingKind": "EncodingKind",
    "TypeEdgeInterpolationAlgorithm": "EdgeInterpolationAlgorithm",
}


@dataclass(frozen=True)
class Interface:
    """What a format declares: revisions, each with what it is, and structs and enums with their fields.

    `notes` are, by `Struct` or `Struct.field`, why no file need hold it, or no writer writes it.
    """

    form: str
    revisions: Mapping[str, str]
    declared: Mapping[str, Mapping[str, Mapping[str, Any]]]
    notes: Mapping[str, str]


@dataclass(frozen=True)
class Line:
    """A field, a member of an enum, or, with no name, a struct without fields.

    `written` is a case whose file the writer made, as its plan says; `case` is one of any file that has it;
    "" if there is none. `reason` is why there need not be one, or, where there is one, why none is written.
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
        """Return whether it is read and written."""
        return self.read and bool(self.written)


def interface(form: str) -> Interface:
    """Read what a format declares."""
    data = tomllib.loads((INTERFACES / f"{form}.toml").read_text("utf-8"))
    return Interface(form, data["revisions"], data["declared"], data.get("notes", {}))


def held(form: Format, tampered: Collection[str]) -> dict[str, tuple[str, str]]:
    """Answer, for each item that files of a corpus hold, the first case written as planned, and of any file.

    `tampered` are the ids of cases whose files were changed on their way out.
    """
    found: dict[str, tuple[str, str]] = {}
    for path in sorted(form.folder.rglob("*.json")):
        case = load(path)
        for item in _items(case, form):
            written, any_ = found.get(item, ("", ""))
            plain = case.id if case.id not in tampered else ""
            found[item] = (written or plain, any_ or case.id)
    return found


def _items(case: Case, form: Format) -> Iterator[str]:
    try:
        yield from form.reached(case.file, case.keys)
    except ReferenceError_:
        return  # what was found until then, the file holds


def lines(told: Interface, found: Mapping[str, tuple[str, str]]) -> dict[str, list[Line]]:
    """Return the lines of each struct and enum of a format; `found` is what files hold."""
    waived = waivers(FORMATS[told.form].waivers)
    return {name: list(_struct(told, name, found, waived)) for name in told.declared}


def _struct(
    told: Interface, name: str, found: Mapping[str, tuple[str, str]], waived: Mapping[str, str]
) -> Iterator[Line]:
    fields = told.declared[name]
    is_enum = any("type" not in raw for raw in fields.values())
    users = list(_users(told, name))
    for field, raw in (fields or {"": {"id": 0}}).items():
        if is_enum:
            items = [f"field/{user}/{field}" for user in users]
        elif field:
            items = [f"field/{name}.{field}/present"]
        else:
            items = [f"field/{user}/present" for user in users]
        holders = [found[item] for item in items if item in found]
        written = min((written for written, _ in holders if written), default="")
        case = min((case for _, case in holders), default="")
        note = told.notes.get(f"{name}.{field}") or told.notes.get(name, "")
        yield Line(
            raw["id"],
            field,
            raw.get("type", ""),
            tuple(raw.get("in", told.revisions)),
            _is_read(told.form, name, field, raw["id"]) if field else bool(users),
            written,
            case,
            note or ("" if case else _reason(items, waived)),
        )


def _reason(items: Iterable[str], waived: Mapping[str, str]) -> str:
    return next((why for glob, why in waived.items() if any(fnmatchcase(one, glob) for one in items)), "")


def _users(told: Interface, name: str) -> Iterator[str]:
    """Yield the fields, of structs that our tables have, whose type is a struct without fields or an enum."""
    for struct, fields in told.declared.items():
        cls = _cls(told.form, struct)
        known = {row.name for row in table_of(cls).rows} if cls is not None else set()
        for field, raw in fields.items():
            if raw.get("type", "").removeprefix("list<").removesuffix(">") == name and field in known:
                yield f"{struct}.{field}"


def _cls(form: str, name: str) -> type[Struct] | None:
    found = getattr(_SCHEMAS[form], _NAMES.get(name, name), None)
    return found if isinstance(found, type) and issubclass(found, Struct) else None


def _is_read(form: str, name: str, field: str, number: int) -> bool:
    """Return whether our table of a struct, or our enum, has this name under this number."""
    enum = getattr(_SCHEMAS[form], _NAMES.get(name, name), None)
    if isinstance(enum, type) and issubclass(enum, IntEnum):
        return field in enum.__members__ and enum[field] == number
    cls = _cls(form, name)
    row = table_of(cls).by_id.get(number) if cls is not None else None
    return row is not None and row.name == field
