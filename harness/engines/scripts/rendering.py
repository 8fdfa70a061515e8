"""Source text of every script: an engine's values as the lines that `expected.py` makes of tagged ones.

These are texts of Python, 3.9 and later, that go into scripts as they are; an engine's values reach them with
nothing but the engine, and pyarrow where it hands out Arrow.
"""

from __future__ import annotations

import hashlib
import inspect
from typing import NamedTuple


class Rendering(NamedTuple):
    """Imports of an engine, and the functions that render its values as lines; the last is `told`."""

    imports: tuple[str, ...]
    text: str


SAY = '''

def say(*lines):
    """Print lines, whatever they hold: what is not ASCII, or no terminal should obey, as its escape."""
    for line in lines:
        print("".join(one if " " <= one <= "~" else ascii(one)[1:-1] for one in str(line)))
'''


def octets(raw: bytes) -> str:
    """Return text or bytes: as text in quotes if they are UTF-8, else in hexadecimal."""
    if len(raw) > 1 << 20:
        return "sha256:" + hashlib.sha256(raw).hexdigest()
    try:
        return ascii(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return "0x" + raw.hex()


def plain(digits: str) -> str:
    """Return a number without zeros at its end."""
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if digits == "-0" else digits


def seconds(nanos: int) -> str:
    """Return a count of nanoseconds as seconds."""
    whole, rest = divmod(abs(nanos), 10**9)
    return ("-" if nanos < 0 else "") + plain(f"{whole}.{rest:09}") + "s"


SHARED = "\n" + "\n\n".join(inspect.getsource(each) for each in (octets, plain, seconds))
ARROW = Rendering(
    ("import pyarrow as pa",),
    SHARED
    + '''

UNITS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def shown(value):  # a scalar of pyarrow
    kind = value.type
    if pa.types.is_union(kind):
        return f"[{value.type_code}, {'null' if value.value is None else shown(value.value)}]"
    if not value.is_valid:
        return "null"
    if isinstance(kind, pa.BaseExtensionType):
        if getattr(kind, "type_name", "") == "time_tz":
            return time_tz(value.value.as_py())
        is_bool = kind.extension_name == "arrow.bool8"
        return str(bool(value.value.as_py())).lower() if is_bool else shown(value.value)
    if pa.types.is_dictionary(kind):
        return shown(value.value)
    if pa.types.is_struct(kind):
        return "[" + ", ".join(shown(value[at]) for at in range(kind.num_fields)) + "]"
    if hasattr(value, "values"):  # lists and maps
        return "[" + ", ".join(map(shown, value.values)) + "]"
    if pa.types.is_boolean(kind):
        return str(value.as_py()).lower()
    if pa.types.is_floating(kind):
        return repr(float(value.as_py()))
    if pa.types.is_decimal(kind):
        return plain(format(value.as_py(), "f"))
    if pa.types.is_date32(kind):
        return seconds(ticks(value) * 86_400 * 10**9)
    if pa.types.is_date64(kind):
        return seconds(ticks(value) * 10**6)
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind) or pa.types.is_duration(kind):
        return seconds(ticks(value) * UNITS[unit_of(kind)])
    if hasattr(pa.types, "is_interval") and pa.types.is_interval(kind):
        return "[" + ", ".join(map(str, value.as_py())) + "]"
    if hasattr(value, "as_buffer"):  # text and bytes
        return octets(value.as_buffer().to_pybytes())
    return str(value.as_py())


def unit_of(kind):
    """The unit of a type, which times have not before pyarrow 8."""
    return str(kind).split("[")[1].split(",")[0].rstrip("]")


def ticks(value):
    """A time as its count, which not every scalar has before pyarrow 12."""
    whole = pa.int32() if value.type.bit_width == 32 else pa.int64()
    return value.value if hasattr(value, "value") else value.cast(whole).as_py()


def time_tz(raw):
    """DuckDB's TIME WITH TIME ZONE: microseconds, and below them 57599 less the seconds east of UTC."""
    packed = int.from_bytes(raw, "little")
    offset = 57_599 - (packed & 0xFFFFFF)
    return seconds((packed >> 24) * 1000) + (f" {offset:+}" if offset else "")


def told(table):
    """Names and types of columns, and a line per row."""
    lines = []
    for batch in table.to_batches():
        columns = [list(map(shown_by(field), column)) for field, column in zip(batch.schema, batch.columns)]
        lines += map(" | ".join, zip(*columns)) if columns else [""] * batch.num_rows
    return [ascii(field.name) for field in table.schema], [kind(field) for field in table.schema], lines


def shown_by(field):
    """The function that shows values of a field, whose metadata names DuckDB's own type before 1.2."""
    extension = (field.metadata or {}).get(b"ARROW:extension:name")
    if extension != b"duckdb.time_tz":
        return shown
    return lambda value: time_tz(value.as_py()) if value.is_valid else "null"


def kind(field):
    """The type of a field, with what its metadata says of extensions that pyarrow does not know."""
    extension = (field.metadata or {}).get(b"ARROW:extension:name", b"")
    about = (field.metadata or {}).get(b"ARROW:extension:metadata", b"")
    return f"{field.type} {extension + about!r}" if extension else str(field.type)
''',
)
