r"""Ids of cases, features and rules, and checks of the fields of cases.

A case id is a path of segments joined by `/`:


    id        = namespace 1*( "/" segment )
    namespace = lowercase slug; `files` for files of a user, else the corpus or the format it belongs to
    segment   = 1*( printable character other than / \ * ? [ ] % or "%" 2HEXDIG ), neither "." nor ".."

`case_id` percent-encodes the characters of a file name that are not allowed in a segment, so that an id is
one line of text, is never a glob by accident, and belongs to one file only.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from corpora.problem import UserError

_SLUG = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*", re.ASCII)
_FEATURE = re.compile(rf"{_SLUG.pattern}(?:/{_SLUG.pattern})+", re.ASCII)
_RULE = re.compile(r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+", re.ASCII)
_FORBIDDEN = frozenset("/\\*?[]%")


class CaseError(UserError, ValueError):
    """A case does not have the form that this module documents; the message has one line."""


def case_id(namespace: str, *segments: str) -> str:
    """Return the id of a file; `segments` are names of the file system, which this function encodes."""
    return "/".join([namespace, *map(_encoded, segments)])


def _encoded(name: str) -> str:
    if name in {".", ".."}:
        return name.replace(".", "%2E")
    return "".join(map(_encoded_character, name))


def _encoded_character(character: str) -> str:
    if character not in _FORBIDDEN and (character.isprintable() or character == " "):
        return character
    is_raw_byte = "\udc80" <= character <= "\udcff"  # how Python shows a name that is not UTF-8
    raw = character.encode("utf-8", "surrogateescape" if is_raw_byte else "surrogatepass")
    return "".join(f"%{byte:02X}" for byte in raw)


def check_id(text: Any) -> str:
    """Return `text` if it is an id; raises CaseError."""
    if not isinstance(text, str):
        raise CaseError(f"id is {text!r:.80}, not text")
    namespace, *segments = text.split("/")
    if not segments or not _SLUG.fullmatch(namespace) or not all(map(_is_segment, segments)):
        raise CaseError(f"{text!r:.200} is not a case id")
    return text


def _is_segment(segment: str) -> bool:
    plain = re.sub("%[0-9A-F]{2}", "", segment)
    return segment not in {"", ".", ".."} and plain.isprintable() and not _FORBIDDEN & set(plain)


def is_feature_id(text: str) -> bool:
    """Return whether `text` has the form of a feature id: two or more slugs joined by `/`."""
    return bool(_FEATURE.fullmatch(text))


def is_rule_id(text: str) -> bool:
    """Return whether `text` has the form of a rule id, such as `PQ-PAGE-003`."""
    return bool(_RULE.fullmatch(text))


_SOURCE = re.compile(r"spec|generator|vote|writer:[^\s@]+@[^\s@]+")


def object_of(what: str, data: Any, required: Iterable[str], optional: Iterable[str]) -> dict[str, Any]:
    """Return `data` if it is an object with these fields; raises CaseError."""
    if not isinstance(data, dict):
        raise CaseError(f"{what} is {data!r:.80}, not an object")
    if missing := sorted(set(required) - set(data)):
        raise CaseError(f"{what} lacks {', '.join(missing)}")
    if unknown := sorted(set(data) - {*required, *optional}):
        raise CaseError(f"{what} has unknown fields {', '.join(unknown)!r:.200}")
    return data


def text_of(what: str, value: Any) -> str:
    """Return `value` if it is text and not empty; raises CaseError."""
    if not isinstance(value, str) or not value:
        raise CaseError(f"{what} is {value!r:.80}, not text")
    return value


def tuple_of(what: str, value: Any) -> tuple[Any, ...]:
    """Return a list as a tuple; raises CaseError."""
    if not isinstance(value, list):
        raise CaseError(f"{what} is {value!r:.80}, not a list")
    return tuple(value)


def ordinals_of(what: str, value: Any) -> tuple[Any, ...] | range:
    """Return a list of ordinals, or consecutive ones: `{"first", "count"}`; raises CaseError."""
    if not isinstance(value, dict):
        return tuple_of(what, value)
    data = object_of(what, value, ("first", "count"), ())
    first, count = data["first"], data["count"]
    if type(first) is not int or type(count) is not int or first < 0 or count < 0:
        raise CaseError(f"{what} is {value!r:.80}, not a first row and a count")
    return range(first, first + count)


def is_rising(rows: Any) -> bool:
    """Return whether `rows` are ordinals in rising order."""
    if isinstance(rows, range):
        return rows.step == 1 and rows.start >= 0
    if not isinstance(rows, tuple) or not all(type(row) is int and row >= 0 for row in rows):
        return False
    return all(row < following for row, following in pairwise(rows))


def check_choice(what: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise CaseError unless `value` is one of the allowed values."""
    if value not in allowed:
        raise CaseError(f"{what} is {value!r:.80}, not one of {', '.join(allowed)}")


def check_source(value: Any) -> None:
    """Raise CaseError unless `value` is the source of an expectation."""
    if not isinstance(value, str) or not _SOURCE.fullmatch(value):
        raise CaseError(f"source is {value!r:.80}, not spec, generator, vote or writer:NAME@VERSION")


def rows_of(path: Path, name: str) -> list[Any]:
    """Return the entries of a TOML file with one array of tables; raises CaseError, which names the file."""
    return tables_of(path, name)[0]


def tables_of(path: Path, *names: str) -> list[list[Any]]:
    """Return the entries of a TOML file with arrays of tables of these names; raises CaseError."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CaseError(f"{path.name}: {error}") from error
    tables = [data.get(name) for name in names]
    if set(data) != set(names) or not all(isinstance(entries, list) for entries in tables):
        raise CaseError(f"{path.name}: tables {sorted(data)}, not {', '.join(names)}")
    return [entries for entries in tables if isinstance(entries, list)]
