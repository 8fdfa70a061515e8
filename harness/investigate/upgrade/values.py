"""Values of a difference as people read them: floats as numbers, decimals with their scale, dates as dates.

A difference has tagged values as JSON (`corpora/tagged.py`): the bits of floats, unscaled decimals, counts of
units since 1970-01-01. The tagged text follows in parentheses, with what it counts, so that nothing is lost.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

from corpora.python_values import converter
from corpora.tagged import PER_SECOND, Table, Type
from harness.investigate.upgrade.classes import Unlike
from harness.judging.rewrites import NAN

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DAY = 86_400


def texts_of(difference: Unlike, table: Table | None) -> tuple[str, str]:
    """Return both sides of a difference of a table as people read them."""
    path, texts = difference.path, (difference.old, difference.new)
    if path.column is None or table is None or difference.kind != "value":
        return texts
    type_ = table.columns[path.column].type
    return readable(type_, path.inside, texts[0]), readable(type_, path.inside, texts[1])


def readable(type_: Type, inside: str, text: str) -> str:
    """Return the text of a cell or of a part of it, its value in front; unchanged where that says no more.

    `inside` are the steps below the column (`TablePath.inside`). Long texts are cut, and stay as they are.
    """
    leaf = _leaf(type_, inside)
    if leaf is None:
        return text
    try:
        value = json.loads(text)
    except ValueError:  # a number of elements, or a text that was cut
        return text
    if isinstance(value, list):
        return _nested(leaf, value) if _has_struct(leaf) else text
    if not isinstance(value, str):
        return text
    rendered = _rendered(leaf, value)
    return f"{rendered} ({_counted(leaf, value)})" if rendered else text


def _counted(type_: Type, value: str) -> str:
    """Return a tagged value with its unit, such as days since 1970."""
    if type_.kind in ("float", "decimal"):
        return f"{'bits' if type_.kind == 'float' else 'unscaled'} {value}"
    unit = {"date": "days", "int96": "ns"}.get(type_.kind, type_.unit or "us")
    return f"{value} {unit} since 1970"


def _has_struct(type_: Type) -> bool:
    return type_.kind == "struct" or (
        type_.kind == "list" and any(_has_struct(child.type) for child in type_.children)
    )


def _nested(type_: Type, value: Any) -> str:
    """Return a value whose structs have the names of their fields: `{never: null}`."""
    if isinstance(value, list) and type_.kind == "struct" and len(value) == len(type_.children):
        fields = zip(type_.children, value, strict=True)
        return "{" + ", ".join(f"{child.name}: {_nested(child.type, each)}" for child, each in fields) + "}"
    if isinstance(value, list) and type_.kind == "list":
        return "[" + ", ".join(_nested(type_.children[0].type, each) for each in value) + "]"
    rendered = _rendered(type_, value) if isinstance(value, str) else ""
    return rendered or json.dumps(value)


def _rendered(type_: Type, value: str) -> str:
    if type_.kind == "float":  # all NaN that an equivalence makes one are no bits
        return "" if value == NAN else repr(converter(type_)(value))
    if type_.kind == "decimal":
        return f"{converter(type_)(value):f}"
    if type_.kind == "date":
        return _instant(int(value) * _DAY, 1)[:10]
    if type_.kind == "timestamp":
        zone = " UTC" if type_.utc else ""
        text = _instant(int(value), PER_SECOND[type_.unit or "us"])
        return f"{text}{zone}" if text else ""
    if type_.kind == "int96":
        return _instant(int(value), PER_SECOND["ns"])
    return ""


def _instant(count: int, per_second: int) -> str:
    """Return the time of a count of units since 1970-01-01, "" where Python has no such year."""
    seconds, rest = divmod(count, per_second)
    try:
        text = (_EPOCH + dt.timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S")
    except OverflowError:
        return ""
    digits = len(str(per_second)) - 1
    return f"{text.rjust(19, '0')}.{rest:0{digits}}" if rest else text.rjust(19, "0")


def _leaf(type_: Type, inside: str) -> Type | None:
    """Return the type below the steps; None where names of fields make them ambiguous."""
    leaves = list(_leaves(type_, inside))
    return leaves[0] if len(leaves) == 1 else None


def _leaves(type_: Type, inside: str) -> Iterator[Type]:
    """Yield each type that the steps may lead to: `.list[2]`, `.map[0].value`, `.field`, `.union[1]`."""
    if not inside:
        yield type_
    if type_.kind in ("list", "map", "union"):
        step, bracket, rest = inside.partition("]")
        number = step.removeprefix(f".{type_.kind}[")
        if not bracket or not number.isdecimal() or not inside.startswith(f".{type_.kind}["):
            return
        if type_.kind == "map":
            yield from _below(type_, rest)
        else:
            child = type_.children[int(number) if type_.kind == "union" else 0]
            yield from _leaves(child.type, rest)
    elif type_.kind == "struct":
        yield from _below(type_, inside)


def _below(type_: Type, inside: str) -> Iterator[Type]:
    for child in type_.children:
        if inside.startswith(f".{child.name}"):
            yield from _leaves(child.type, inside.removeprefix(f".{child.name}"))
