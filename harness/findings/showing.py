"""What stands in every script: the values of an engine as the lines that `expected.py` makes of tagged ones.

These are texts of Python, 3.9 and later, that go into scripts as they are; an engine's values reach them with
nothing but the engine, and pyarrow where it hands out Arrow.
"""

from __future__ import annotations

from typing import NamedTuple


class Showing(NamedTuple):
    """Imports of an engine, and the functions that make lines of its values, `told` the last of them."""

    imports: tuple[str, ...]
    text: str


SAY = '''

def say(*lines):
    """Print lines, whatever they hold: what is not ASCII, or no terminal should obey, as its escape."""
    for line in lines:
        print("".join(one if " " <= one <= "~" else ascii(one)[1:-1] for one in str(line)))
'''
_SHARED = '''
def octets(raw):
    """Text or bytes: as text in quotes if they are UTF-8, else in hexadecimal."""
    if len(raw) > 1 << 20:
        return "sha256:" + hashlib.sha256(raw).hexdigest()
    try:
        return ascii(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return "0x" + raw.hex()


def plain(digits):
    """A number without zeros at its end."""
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if digits == "-0" else digits


def seconds(nanos):
    """A count of nanoseconds as seconds."""
    whole, rest = divmod(abs(nanos), 10**9)
    return ("-" if nanos < 0 else "") + plain(f"{whole}.{rest:09}") + "s"
'''

ARROW = Showing(
    ("import pyarrow as pa",),
    _SHARED
    + '''

UNITS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def shown(value):  # a scalar of pyarrow
    kind = value.type
    if pa.types.is_union(kind):
        return f"[{value.type_code}, {'null' if value.value is None else shown(value.value)}]"
    if not value.is_valid:
        return "null"
    if isinstance(kind, pa.BaseExtensionType):
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
        return seconds(value.value * 86_400 * 10**9)
    if pa.types.is_date64(kind):
        return seconds(value.value * 10**6)
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind) or pa.types.is_duration(kind):
        return seconds(value.value * UNITS[kind.unit])
    if pa.types.is_interval(kind):
        return "[" + ", ".join(map(str, value.as_py())) + "]"
    if hasattr(value, "as_buffer"):  # text and bytes
        return octets(value.as_buffer().to_pybytes())
    return str(value.as_py())


def told(table):
    """Names and types of columns, and a line per row."""
    lines = []
    for batch in table.to_batches():
        columns = [[shown(value) for value in column] for column in batch.columns]
        lines += map(" | ".join, zip(*columns)) if columns else [""] * batch.num_rows
    return [ascii(field.name) for field in table.schema], [kind(field) for field in table.schema], lines


def kind(field):
    """The type of a field, with what its metadata says of extensions that pyarrow does not know."""
    extension = (field.metadata or {}).get(b"ARROW:extension:name", b"")
    about = (field.metadata or {}).get(b"ARROW:extension:metadata", b"")
    return f"{field.type} {extension + about!r}" if extension else str(field.type)
''',
)

PYORC = Showing(
    ("import pyorc",),
    _SHARED
    + '''

class Moment(int):  # timestamps as nanoseconds, whatever year
    from_orc = staticmethod(lambda seconds, nanos, zone: Moment(seconds * 10**9 + nanos))
    to_orc = staticmethod(lambda value, zone: divmod(int(value), 10**9))


class Day(int):  # dates as days
    from_orc = staticmethod(lambda days: Day(days))
    to_orc = staticmethod(lambda value: int(value))


class Digits(str):  # decimals as they are spelt
    from_orc = staticmethod(lambda text: Digits(text))
    to_orc = staticmethod(lambda precision, scale, value: int(value))


KINDS = pyorc.TypeKind
CLASSES = {"boolean": bool, "date": Day, "decimal": Digits, "float": float, "double": float, "binary": bytes}
CLASSES.update(array=list, map=dict, struct=tuple, string=str, char=str, varchar=str)
CONVERTERS = {KINDS.TIMESTAMP: Moment, KINDS.DATE: Day, KINDS.DECIMAL: Digits}


def shown(kind, value):
    if value is None:
        return "null"
    name = kind.name
    if name == "boolean":
        return str(value).lower()
    if name in ("float", "double"):
        return repr(value)
    if name == "decimal":
        return plain(value)
    if name == "date":
        return seconds(value * 86_400 * 10**9)
    if name.startswith("timestamp"):
        return seconds(value)
    if name in ("string", "char", "varchar"):
        return octets(value.encode("utf-8", "surrogateescape"))
    if name == "binary":
        return octets(value)
    if name == "array":
        return "[" + ", ".join(shown(kind.type, one) for one in value) + "]"
    if name == "map":
        pairs = [f"[{shown(kind.key, key)}, {shown(kind.value, one)}]" for key, one in value.items()]
        return "[" + ", ".join(pairs) + "]"
    if name == "struct":
        return "[" + ", ".join(map(shown, kind.fields.values(), value)) + "]"
    if name == "uniontype":  # pyorc answers the bare value: the first variant of its class is taken
        usual = {"timestamp": Moment, "timestamp with local time zone": Moment}
        classes = [CLASSES.get(one.name, usual.get(one.name, int)) for one in kind.cont_types]
        at = next((at for at, one in enumerate(classes) if type(value) is one), 0)
        return f"[{at}, {shown(kind.cont_types[at], value)}]"
    return str(value)


def told(rows, kind, keep=lambda row: True, columns=None):
    """Names and types of columns, and a line per row that is kept; `columns` are places."""
    fields = list(kind.fields.items()) if kind.name == "struct" else [("", kind)]
    found = [row if kind.name == "struct" else (row,) for row in rows]
    places = range(len(fields)) if columns is None else columns
    lines = [" | ".join(shown(fields[at][1], row[at]) for at in places) for row in found if keep(row)]
    return [ascii(fields[at][0]) for at in places], [str(fields[at][1]) for at in places], lines
''',
)

PANDAS = Showing(
    ("import fastparquet", "import numpy as np", "import pandas as pd"),
    _SHARED
    + '''

UNITS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def column(series):  # without a detour through objects of Python, which have fewer times and other nulls
    kind = series.dtype.kind
    if isinstance(series.dtype, pd.CategoricalDtype):
        return column(series.astype(series.dtype.categories.dtype))
    if kind in "mM":
        if getattr(series.dtype, "tz", None):
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        found = series.to_numpy()
        unit = UNITS[np.datetime_data(found.dtype)[0]]
        counts = found.view("i8").tolist()
        return ["null" if one == -(1 << 63) else seconds(one * unit) for one in counts]
    if kind == "f":
        return [repr(float(one)) for one in series.to_numpy()]
    missing = series.isna().to_numpy(dtype=bool).tolist()
    return ["null" if gone else cell(one) for one, gone in zip(series.array, missing)]


def cell(value):
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (str, bytes)):
        return octets(value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value)
    return str(value)


def told(frame):
    """Names and types of columns, and a line per row."""
    columns = [column(frame.iloc[:, at]) for at in range(frame.shape[1])]
    lines = list(map(" | ".join, zip(*columns))) if columns else [""] * len(frame)
    return [ascii(name) for name in frame.columns], [str(kind) for kind in frame.dtypes], lines
''',
)
