"""Apache ORC's example files: all of them read, and hold what the JSON beside them says."""

from __future__ import annotations

import gzip
import json
import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from reference_impl.columns import LeafColumn, ListColumn, MapColumn, StructColumn, UnionColumn
from reference_impl.errors import Malformed, Unsupported
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import TypeKind

DATA = os.environ.get("ORC_TEST_DATA")
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not DATA, reason="ORC_TEST_DATA is not set"),
]
ROOT = Path(DATA or ".")
WRITERS_ZONE = "America/Los_Angeles"  # of the stripes that name none
HIVE11_DIGITS = 6  # digits behind the point that the JSON has of decimals without a precision

REFUSED = {
    "zero.orc": (Malformed, "ORC-FILE-001"),  # no bytes, hence no tail
    "version1999.orc": (Unsupported, "ORC-FILE-008"),
    "corrupt/stripe_footer_bad_column_encodings.orc": (Malformed, "ORC-COMP-006"),  # made shorter by hand
    "corrupt/negative_dict_entry_lengths.orc": (Malformed, "ORC-INT-002"),
    "corrupt/missing_blob_stream_in_string_dict.orc": (Malformed, "ORC-STRIPE-012"),
    "corrupt/missing_length_stream_in_string_dict.orc": (Malformed, "ORC-STRIPE-012"),
}
NAMES = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.orc")) if DATA else []
EXPECTED = [name for name in NAMES if (ROOT / "expected" / name).with_suffix(".jsn.gz").is_file()]


def test_there_are_examples():
    """The folder holds the examples that this module is about."""
    assert len(NAMES) >= 40
    assert len(EXPECTED) >= 25
    assert set(REFUSED) <= set(NAMES)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", NAMES)
def test_reads(name):
    """Every example reads as a whole, but for those that break a rule."""
    if name in REFUSED:
        kind, rule = REFUSED[name]
        with pytest.raises(kind) as caught:
            OrcFile.open(ROOT / name).read()
        assert caught.value.rule == rule
        return
    file = OrcFile.open(ROOT / name)
    table = file.read()
    assert table.num_rows == sum(stripe.number_of_rows for stripe in file.footer.stripes)
    assert all(column.length == table.num_rows for column in table.columns)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", EXPECTED)
def test_agrees_with_json(name):
    """Each row is what ORC's own tool prints of it, float for float and digit for digit."""
    file = OrcFile.open(ROOT / name, zone=WRITERS_ZONE)
    table = file.read()
    named = file.root.kind == TypeKind.STRUCT
    columns = [printed(column) for column in table.columns]
    names = [column.name for column in table.columns]
    with gzip.open((ROOT / "expected" / name).with_suffix(".jsn.gz"), "rt", encoding="utf-8") as lines:
        expected = [json.loads(line, parse_float=str) for line in lines]
    assert len(expected) == table.num_rows
    for number, row in enumerate(expected):
        found = [column[number] for column in columns]
        assert (dict(zip(names, found, strict=True)) if named else found[0]) == row, number


def printed(column):
    """Slots of a column as the JSON has them."""
    ok = [True] * column.length if column.valid is None else column.valid.tolist()
    if isinstance(column, LeafColumn):
        values = iter(leaf(column))
        return [next(values) if is_ok else None for is_ok in ok]
    if isinstance(column, StructColumn):
        fields = {field.name: printed(field) for field in column.fields}
        return [{name: fields[name][at] for name in fields} if is_ok else None for at, is_ok in enumerate(ok)]
    if isinstance(column, UnionColumn):
        variants = [iter(printed(variant)) for variant in column.variants]
        tags = iter(column.tags.tolist())
        values = ({"tag": tag, "value": next(variants[tag])} for tag in tags)
        return [next(values) if is_ok else None for is_ok in ok]
    if isinstance(column, ListColumn):
        items = printed(column.element)
    else:
        assert isinstance(column, MapColumn)
        pairs = zip(printed(column.key), printed(column.value), strict=True)
        items = [{"key": key, "value": value} for key, value in pairs]
    cuts = column.offsets.tolist()
    return [items[cuts[at] : cuts[at + 1]] if is_ok else None for at, is_ok in enumerate(ok)]


def leaf(column):
    """Values of a leaf as the JSON has them."""
    kind, node = column.node.kind, column.node
    if kind == TypeKind.BINARY:
        return [list(raw) for raw in column.values]
    if kind in (TypeKind.STRING, TypeKind.CHAR, TypeKind.VARCHAR):
        return [raw.decode() for raw in column.values]
    if kind == TypeKind.DATE:
        return [str(date(1970, 1, 1) + timedelta(days=days)) for days in column.values.tolist()]
    if kind == TypeKind.TIMESTAMP:
        return [moment(seconds, nanos) for seconds, nanos in column.values.tolist()]
    if kind == TypeKind.DECIMAL:
        return [decimal(value, node) for value in column.values.tolist()]
    if kind in (TypeKind.FLOAT, TypeKind.DOUBLE):
        digits = ".7g" if kind == TypeKind.FLOAT else ".14g"
        texts = [format(value, digits) for value in column.values.tolist()]
        return [int(text) if text.lstrip("-").isdigit() else text for text in texts]
    return column.values.tolist()


def moment(seconds, nanos):
    """A wall clock's time, with at least one digit of a second's fraction."""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    return f"{at:%Y-%m-%d %H:%M:%S}." + (f"{nanos:09}".rstrip("0") or "0")


def decimal(value, node):
    """A decimal with all digits of its scale, of those of Hive 0.11 six."""
    scale = node.scale
    if not node.type.precision:
        digits = f"{abs(value) // 10 ** (scale - HIVE11_DIGITS):0{HIVE11_DIGITS + 1}}"
        scale = HIVE11_DIGITS
    else:
        digits = f"{abs(value):0{scale + 1}}"
    text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return ("-" if value < 0 else "") + text


def test_decimal64():
    """Files of version 1.9999 store decimals of up to 18 digits as integers, longer ones as ever."""
    table = OrcFile.open(ROOT / "decimal64_v2.orc").read()
    assert {column.values.dtype for column in table.columns if column.node.kind == TypeKind.DECIMAL} == {
        np.dtype(np.int64)
    }
