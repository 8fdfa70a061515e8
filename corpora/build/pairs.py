"""Published pairs of a Variant's metadata and value: put into a Parquet file, and what was told of them.

What was told is JSON. What JSON has no type for is a text then, of the type that the pair's name tells, such
as `primitive_date`.
"""

from __future__ import annotations

import base64
import json
import re
import uuid
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any

from corpora.build.formats import PARQUET
from corpora.build.recipe import OPTIONAL, schema
from corpora.build.variants import elements
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.plan import FilePlan
from reference_impl.variant.encoding import read
from reference_impl.variant.forms import write
from reference_impl.variant.json_text import parse_json
from reference_impl.variant.shredding import V1, Level
from reference_impl.variant.values import DECIMALS, Primitive, decimal, double, equal, float_

if TYPE_CHECKING:
    from collections.abc import Callable

    from reference_impl.variant.values import Value

Pair = tuple[bytes, bytes]

_EPOCH = date(1970, 1, 1).toordinal()
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})[:.]([0-9]{6})")
_TIMESTAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9:]{8})(?:\.([0-9]{1,9}))?([+-][0-9]{2}:[0-9]{2})?"
)


def wrapped(column: str, pair: Pair) -> tuple[bytes, tuple[str, ...]]:
    """Return a file of one column and one row, the pair's bytes as they are, and what features it shows."""
    row = dict(zip(("metadata", "value"), pair, strict=True))
    data = PARQUET.write(FilePlan(schema(elements(column, OPTIONAL, Level(V1))), ({column: row},)), None)
    return data, PARQUET.features(data, None)


def meant(name: str, told: Any, pair: Pair) -> Pair:
    """Return a pair that holds what was told; raises ValueError if that is of another form.

    It is the pair itself if that holds it: engines without Variants answer its bytes.
    """
    try:
        value = _value(name, told)
        return pair if _holds(pair, value) or _rounds(pair, value, told) else write(value)
    except (TypeError, OverflowError, ReferenceError_) as error:
        raise ValueError(str(error)) from error


def _holds(pair: Pair, value: Value) -> bool:
    try:
        return equal(read(*pair), value)
    except ReferenceError_:
        return False


def _rounds(pair: Pair, value: Value, told: Any) -> bool:
    """Return whether a decimal is told as a number of JSON, a double there, of which it has more digits."""
    if not isinstance(value, Primitive) or value.kind not in DECIMALS:
        return False
    try:
        held = read(*pair)
    except ReferenceError_:
        return False
    if not isinstance(held, Primitive) or held.kind not in DECIMALS:
        return False
    return bool(float(Decimal(held.value).scaleb(-held.scale)) == told)


def _value(name: str, told: Any) -> Value:
    kind = name.removeprefix("primitive_").replace("timestampntz", "timestamp_ntz")
    if kind == "double":
        return double(told)
    if kind == "float":
        return float_(told)
    if kind.startswith("decimal"):
        return _decimal(told)
    of_text = _OF_TEXT.get(kind)
    if of_text is None:
        return parse_json(json.dumps(told))
    if not isinstance(told, str):
        raise TypeError(f"{told!r:.60} for a {kind}")
    return Primitive(kind, of_text(told))


def _decimal(told: Any) -> Value:
    if type(told) not in (int, float) or not isfinite(told):
        raise TypeError(f"{told!r:.60} for a decimal")
    sign, digits, exponent = Decimal(repr(told)).as_tuple()
    assert isinstance(exponent, int)
    return decimal((-1) ** sign * int("".join(map(str, digits))), -exponent)


def _date(text: str) -> int:
    return date.fromisoformat(text).toordinal() - _EPOCH


def _time(text: str) -> int:
    hours, minutes, seconds, micros = map(int, _matched(_TIME, text))
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros


def _micros(*, utc: bool) -> Callable[[str], int]:
    def micros(text: str) -> int:
        nanos = _nanos(utc=utc)(text)
        if nanos % 1_000:
            raise ValueError(f"{text!r:.60} for microseconds")
        return nanos // 1_000

    return micros


def _nanos(*, utc: bool) -> Callable[[str], int]:
    def nanos(text: str) -> int:
        day, clock, fraction, offset = _matched(_TIMESTAMP, text)
        if (offset is not None) != utc:
            raise ValueError(f"{text!r:.60}, {'without' if utc else 'with'} an offset")
        moment = datetime.fromisoformat(f"{day}T{clock}{offset or '+00:00'}").astimezone(UTC)
        return int(moment.timestamp()) * 1_000_000_000 + int((fraction or "").ljust(9, "0"))

    return nanos


def _matched(form: re.Pattern[str], text: str) -> tuple[Any, ...]:
    found = form.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r:.60} is not of the form that was expected")
    return found.groups()


_OF_TEXT: dict[str, Callable[[str], Any]] = {
    "binary": lambda text: base64.b64decode(text, validate=True),
    "uuid": lambda text: uuid.UUID(text).bytes,
    "date": _date,
    "time": _time,
    "timestamp": _micros(utc=True),
    "timestamp_ntz": _micros(utc=False),
    "timestamp_nanos": _nanos(utc=True),
    "timestamp_ntz_nanos": _nanos(utc=False),
}
