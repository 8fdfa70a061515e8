"""The values of pyorc as lines of scripts, and the options of a reader under which it returns them."""

from __future__ import annotations

from harness.engines.errors import Unsupported
from harness.engines.scripts.rendering import SHARED, Rendering
from harness.engines.scripts.request import ScriptRequest
from harness.engines.zones import UTC, zone_of

_ZONES = (0, 5)  # the first release whose readers have a zone, which is UTC before

PYORC = Rendering(
    ("import datetime", "import decimal", "import pyorc"),
    SHARED
    + '''

class Moment(int):  # timestamps as nanoseconds, whatever year
    from_orc = staticmethod(lambda seconds, nanos, zone=None: Moment(seconds * 10**9 + nanos))
    to_orc = staticmethod(lambda value, zone=None: divmod(int(value), 10**9))


class Day(int):  # dates as days
    from_orc = staticmethod(lambda days: Day(days))
    to_orc = staticmethod(lambda value: int(value))


class Digits(str):  # decimals as they are spelt
    from_orc = staticmethod(lambda text: Digits(text))
    to_orc = staticmethod(lambda precision, scale, value: int(value))


KINDS = pyorc.TypeKind
CLASSES = {"boolean": bool, "date": Day, "decimal": Digits, "float": float, "double": float, "binary": bytes}
CLASSES.update(array=list, map=dict, struct=tuple, string=str, char=str, varchar=str)


def reconverted(value):
    """The values of pyorc's own converters, as the classes above."""
    if isinstance(value, datetime.datetime):
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        return Moment((value - epoch) // datetime.timedelta(microseconds=1) * 1000)
    if isinstance(value, datetime.date):
        return Day(value.toordinal() - datetime.date(1970, 1, 1).toordinal())
    if isinstance(value, decimal.Decimal):
        return Digits(f"{value:f}")
    if isinstance(value, (list, tuple)):
        return type(value)(map(reconverted, value))
    if isinstance(value, dict):
        return {reconverted(key): reconverted(item) for key, item in value.items()}
    return value


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


def options_of(request: ScriptRequest, converters: str = "CONVERTERS") -> str:
    """Return the options of a reader; raises Unsupported for a zone that the version has not."""
    zone = zone_of(dict(request.switches))
    if not request.is_before(*_ZONES):
        return f"converters={converters}, timezone=ZoneInfo({zone!a})"
    if zone != UTC:
        raise Unsupported(f"pyorc {request.version} reads timestamps in UTC, not in {zone}")
    return f"converters={converters}"
