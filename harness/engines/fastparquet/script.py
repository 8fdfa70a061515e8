"""Scripts that query with fastparquet: the source that its adapter executes."""

from __future__ import annotations

from harness.engines.fastparquet.query import statements
from harness.engines.fastparquet.ways import QUERIES, WAYS
from harness.engines.scripts.rendering import SHARED, Rendering
from harness.engines.scripts.request import Code, ScriptRequest


def code(request: ScriptRequest) -> Code:
    """Return the source of a query with fastparquet."""
    query = request.query
    ways = QUERIES if query else WAYS
    way = ways.get(request.switches.get("way", "default"), ways["default"])
    body = [f"file = {way.opened}", "names = list(file.schema.root['children'])"]
    body += statements(query, request.pushdown, way) if query else [f"frame = {way.whole}"]
    return Code(PANDAS, [*body, "return told(frame)"])


PANDAS = Rendering(
    ("import fastparquet", "import numpy as np", "import pandas as pd"),
    SHARED
    + '''

UNITS = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def column(series):  # without a detour through objects of Python, which have fewer times and other nulls
    kind = series.dtype.kind
    if isinstance(series.dtype, pd.CategoricalDtype):
        if series.dtype.categories.dtype.kind not in "biu":
            return column(series.astype(series.dtype.categories.dtype))
        labels = column(pd.Series(series.dtype.categories))
        return ["null" if code < 0 else labels[code] for code in series.cat.codes.tolist()]
    if kind in "mM":
        if getattr(series.dtype, "tz", None):
            series = series.dt.tz_convert("UTC").dt.tz_localize(None)
        moments = series.to_numpy()
        unit = UNITS[np.datetime_data(moments.dtype)[0]]
        counts = moments.view("i8").tolist()
        return ["null" if count == -(1 << 63) else seconds(count * unit) for count in counts]
    if kind == "f":
        return [repr(float(value)) for value in series.to_numpy()]
    missing = series.isna().to_numpy(dtype=bool).tolist()
    return ["null" if gone else cell(value) for value, gone in zip(series.array, missing)]


def cell(value):
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (str, bytes)):
        return octets(value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value)
    return str(value)


def kind_of(kind):
    """A type, and that of the values of categories."""
    return f"{kind} of {kind.categories.dtype}" if isinstance(kind, pd.CategoricalDtype) else str(kind)


def told(frame):
    """Names and types of columns, and a line per row."""
    columns = [column(frame.iloc[:, at]) for at in range(frame.shape[1])]
    lines = list(map(" | ".join, zip(*columns))) if columns else [""] * len(frame)
    return [ascii(name) for name in frame.columns], [kind_of(kind) for kind in frame.dtypes], lines
''',
)
