"""Published pairs of a Variant's metadata and value: their Parquet files and their documented values.

A documented value is JSON. A value of a type that JSON lacks is text, whose type follows from the pair's
name, such as `primitive_date`.
"""

from __future__ import annotations

import base64
import json
import re
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

from corpora.build.formats import PARQUET
from corpora.build.recipe import OPTIONAL, schema
from corpora.build.variants import elements
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.plan import FilePlan
from reference_impl.variant.encoding import read
from reference_impl.variant.forms import write
from reference_impl.variant.json_text import parse_json
from reference_impl.variant.shredding import V1, Level
from reference_impl.variant.values import DECIMALS, Primitive, Value, decimal, double, equal, float_

Pair = tuple[bytes, bytes]

_EPOCH = date(1970, 1, 1).toordinal()
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})[:.]([0-9]{6})")
_TIMESTAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9:]{8})(?:\.([0-9]{1,9}))?([+-][0-9]{2}:[0-9]{2})?"
)


def wrapped(column: str, pair: Pair) -> tuple[bytes, tuple[str, ...]]:
    """Return a file of one column and one row with the pair's bytes, and the file's features."""
    row = dict(zip(("metadata", "value"), pair, strict=True))
    data = PARQUET.write(FilePlan(schema(elements(column, OPTIONAL, Level(V1))), ({column: row},)), None)
    return data, PARQUET.features(data, None)


def meant(name: str, documented: Any, pair: Pair) -> Pair:
    """Return a pair with the documented value; raises ValueError for a value of another form.

    If the given pair has that value, it is returned itself: engines without Variants return its bytes.
    """
    try:
        value = _value(name, documented)
        return pair if _holds(pair, value) or _rounds(pair, value, documented) else write(value)
    except (TypeError, OverflowError, ReferenceError_) as error:
        raise ValueError(str(error)) from error


def _holds(pair: Pair, value: Value) -> bool:
    try:
        return equal(read(*pair), value)
    except ReferenceError_:
        return False


def _rounds(pair: Pair, value: Value, documented: Any) -> bool:
    """Return whether JSON documents a decimal as a number that rounds the decimal to a double."""
    if not isinstance(value, Primitive) or value.kind not in DECIMALS:
        return False
    try:
        held = read(*pair)
    except ReferenceError_:
        return False
    if not isinstance(held, Primitive) or held.kind not in DECIMALS:
        return False
    return bool(float(Decimal(held.value).scaleb(-held.scale)) == documented)


def _value(name: str, documented: Any) -> Value:
    kind = name.removeprefix("primitive_").replace("timestampntz", "timestamp_ntz")
    if kind == "double":
        return double(documented)
    if kind == "float":
        return float_(documented)
    if kind.startswith("decimal"):
        return _decimal(documented)
    of_text = _OF_TEXT.get(kind)
    if of_text is None:
        return parse_json(json.dumps(documented))
    if not isinstance(documented, str):
        raise TypeError(f"{documented!r:.60} for a {kind}")
    return Primitive(kind, of_text(documented))


def _decimal(documented: Any) -> Value:
    if type(documented) not in (int, float) or not isfinite(documented):
        raise TypeError(f"{documented!r:.60} for a decimal")
    sign, digits, exponent = Decimal(repr(documented)).as_tuple()
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
    match = form.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r:.60} does not have the expected form")
    return match.groups()


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
