"""Files of other writers: whole, by row groups, and damaged."""

from __future__ import annotations

import io
import os
import random
import tracemalloc
from decimal import Decimal
from pathlib import Path

import pytest

from reference_impl.columns import to_python
from reference_impl.errors import LimitExceeded, Malformed, ReferenceError_, Unsupported
from reference_impl.limits import Limits
from reference_impl.orc.column_slices import cut
from reference_impl.orc.file import OrcFile

pa = pytest.importorskip("pyarrow")
orc = pytest.importorskip("pyarrow.orc")

ROWS = 2_500
STRIDE = 100
DATA = os.environ.get("ORC_TEST_DATA")
BILLION = 1_000_000_000


def values(rng):
    """Columns by name: Arrow type and values, every seventh or so null."""

    def some(make):
        return [None if rng.random() < 0.15 else make() for _ in range(ROWS)]

    def text():
        return "".join(rng.choice("abäöü€𝄞") for _ in range(rng.randrange(6)))

    return {
        "bool": (pa.bool_(), some(lambda: rng.random() < 0.5)),
        "byte": (pa.int8(), some(lambda: rng.randrange(-128, 128))),
        "short": (pa.int16(), some(lambda: rng.randrange(-5, 5))),
        "int": (pa.int32(), [row // 7 for row in range(ROWS)]),
        "long": (pa.int64(), some(lambda: rng.randrange(-(1 << 63), 1 << 63))),
        "patched": (pa.int64(), some(lambda: rng.choice((rng.randrange(100), rng.randrange(1 << 40))))),
        "float": (pa.float32(), some(lambda: rng.randrange(-9, 9) / 4)),
        "double": (pa.float64(), some(rng.random)),
        "text": (pa.string(), some(text)),
        "word": (pa.string(), some(lambda: rng.choice(("red", "green", "")))),
        "bytes": (pa.binary(), some(lambda: rng.randbytes(rng.randrange(4)))),
        "date": (pa.date32(), some(lambda: rng.randrange(-700_000, 2_900_000))),
        "time": (pa.timestamp("ns"), some(lambda: moment(rng))),
        "money": (pa.decimal128(12, 2), some(lambda: rng.randrange(-(10**12) + 1, 10**12))),
        "huge": (pa.decimal128(38, 5), some(lambda: rng.randrange(-(10**38) + 1, 10**38))),
        "nulls": (pa.int32(), [None] * ROWS),
        "list": (
            pa.list_(pa.int32()),
            some(lambda: [rng.choice((None, 5)) for _ in range(rng.randrange(4))]),
        ),
        "map": (pa.map_(pa.string(), pa.int8()), some(lambda: [(text(), 7)] * rng.randrange(2))),
        "struct": (
            pa.struct([("x", pa.int32()), ("y", pa.list_(pa.string()))]),
            some(lambda: {"x": rng.choice((None, 1)), "y": rng.choice((None, [], ["a", None]))}),
        ),
    }


def moment(rng):
    """Nanoseconds since 1970; before, whole seconds: of others pyarrow stores negative nanoseconds."""
    at = rng.randrange(-(1 << 62), 1 << 62)
    return at if at > 0 else at // BILLION * BILLION


def arrow(kind, items):
    """An Arrow array of the values as they are in `values`."""
    if pa.types.is_decimal(kind):
        items = [None if item is None else Decimal(f"{item}e-{kind.scale}") for item in items]
    return pa.array(items, kind)


def expected(kind, items):
    """What the reference answers of them."""
    if pa.types.is_string(kind):
        return [None if item is None else item.encode() for item in items]
    if pa.types.is_timestamp(kind):
        return [None if item is None else divmod(item, BILLION) for item in items]
    if pa.types.is_map(kind):
        return [None if item is None else [(key.encode(), value) for key, value in item] for item in items]
    if pa.types.is_struct(kind):
        return [item and item | {"y": item["y"] and [y and y.encode() for y in item["y"]]} for item in items]
    return items


@pytest.fixture(scope="module")
def columns():
    """The same values for all tests."""
    return values(random.Random(7))


@pytest.fixture(scope="module")
def table(columns):
    """They as an Arrow table."""
    return pa.table({name: arrow(kind, items) for name, (kind, items) in columns.items()})


def written(table, **options):
    """The bytes that pyarrow makes of a table."""
    out = io.BytesIO()
    orc.write_table(table, out, row_index_stride=STRIDE, **options)
    return out.getvalue()


@pytest.mark.sweep(4)
@pytest.mark.parametrize("compression", ["uncompressed", "zlib", "snappy", "lz4", "zstd"])
@pytest.mark.parametrize("version", ["0.11", "0.12"])
@pytest.mark.parametrize("dictionary", [0.0, 1.0])
def test_pyarrow_writes(columns, table, compression, version, dictionary):
    """What pyarrow writes reads as what it was given, in any codec and version of runs."""
    data = written(
        table,
        compression=compression,
        file_version=version,
        dictionary_key_size_threshold=dictionary,
        compression_block_size=1 << 16,
        stripe_size=4096,
        batch_size=500,
    )
    file = OrcFile(data)
    found = file.read()
    assert found.num_rows == ROWS
    assert compression != "uncompressed" or len(file.footer.stripes) > 1
    for column in found.columns:
        assert to_python(column) == expected(*columns[column.name]), column.name


@pytest.mark.sweep(2)
@pytest.mark.parametrize("compression", ["uncompressed", "zlib"])
@pytest.mark.parametrize("version", ["0.11", "0.12"])
def test_seek_anywhere_is_scan(table, compression, version):
    """Any range of rows, found by the positions of its row group, holds what the whole stripe holds there."""
    data = written(
        table,
        compression=compression,
        file_version=version,
        compression_block_size=1 << 16,
        dictionary_key_size_threshold=0.5,
        stripe_size=1 << 20,
    )
    file = OrcFile(data)
    rng = random.Random(1)
    for number, stripe in enumerate(file.footer.stripes):
        whole = {column.name: column for column in file.read(stripes=[number]).columns}
        rows = stripe.number_of_rows
        ranges = [(start, min(rows, start + 3)) for start in range(0, rows, STRIDE)]
        ranges += [tuple(sorted(rng.choices(range(rows + 1), k=2))) for _ in range(10)]
        for start, stop in ranges:
            found = file.read_rows(None, number, start, stop)
            assert found.num_rows == stop - start
            for column in found.columns:
                assert to_python(column) == to_python(cut(whole[column.name], start, stop)), (start, stop)


def test_projection(columns, table):
    """Columns by name and by path; a struct is read without the fields that are not asked for."""
    file = OrcFile(written(table))
    found = file.read(["struct.y", "int"])
    assert [column.name for column in found.columns] == ["int", "struct"]
    assert [field.name for field in found.columns[1].fields] == ["y"]
    y = expected(*columns["struct"])
    assert to_python(found.columns[1]) == [row and {"y": row["y"]} for row in y]
    (keys,) = file.read(["map.key"]).columns
    assert keys.value is None


def test_pyorc_writes():
    """Unions, padded strings and both timestamps as pyorc writes them, in a writer's own time zone."""
    pyorc = pytest.importorskip("pyorc")
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo

    zone = ZoneInfo("America/Los_Angeles")
    schema = (
        "struct<u:uniontype<int,string>,c:char(4),v:varchar(3),t:timestamp,"
        "i:timestamp with local time zone,s:struct<>>"
    )
    moments = [
        datetime(2015, 7, 1, 12, 0, 0, 5, tzinfo=zone),
        datetime(1969, 12, 31, 23, 59, 58, 999_000, tzinfo=zone),
        datetime(1890, 1, 1, tzinfo=zone),
        datetime(2500, 3, 8, 12, 34, 56, tzinfo=zone),
    ]
    rows = [(1, "ab", "xyz", moment, moment, ()) for moment in moments]
    rows += [("x", None, None, None, None, None), (None, "", "", moments[0], moments[0], ())]
    out = io.BytesIO()
    with pyorc.Writer(out, schema, timezone=zone) as writer:
        writer.writerows(rows)
    found = {column.name: to_python(column) for column in OrcFile(out.getvalue()).read().columns}
    assert found["u"] == [*[(0, 1)] * 4, (1, b"x"), None]
    assert found["c"] == [*[b"ab  "] * 4, None, b"    "]
    assert found["v"] == [*[b"xyz"] * 4, None, b""]
    assert found["s"] == [*[{}] * 4, None, {}]

    def parts(moment):
        delta = moment - datetime(1970, 1, 1, tzinfo=UTC)
        return delta.days * 86_400 + delta.seconds, delta.microseconds * 1000

    walls = [parts(moment.replace(tzinfo=UTC)) for moment in moments]
    instants = [parts(moment) for moment in moments]
    assert found["t"] == [*walls, None, walls[0]]
    assert found["i"] == [*instants, None, instants[0]]


def small_files():
    """Files that are small enough to be damaged a thousand times."""
    table = pa.table(
        {
            "a": pa.array([1, None, 3] * 60),
            "b": pa.array(["x", "yy", None] * 60),
            "c": pa.array([[1], None, []] * 60),
            "d": pa.array([Decimal("1.5"), None, None] * 60, pa.decimal128(9, 1)),
            "e": pa.array([5, None, -BILLION] * 60, pa.timestamp("ns")),
        }
    )
    made = [written(table, compression=name, stripe_size=1024) for name in ("uncompressed", "zlib", "zstd")]
    examples = Path(DATA).rglob("*.orc") if DATA else ()
    return made + [path.read_bytes() for path in sorted(examples) if 0 < path.stat().st_size < 3_000]


def everything(data):
    """Read all that there is in a file: values, seeks, indexes, filters, statistics."""
    file = OrcFile(data, limits=Limits(values=1 << 22, page_bytes=1 << 24))
    assert file.metadata is not None
    file.read()
    for number in range(len(file.footer.stripes)):
        rows = file.stripe(number).rows
        file.read_rows(None, number, rows // 2, rows)
        for column in range(file.root.max_id + 1):
            file.row_index(number, column)
            file.bloom_filters(number, column)


def attempt(data):
    """Read a damaged file: it reads, or the error is one of ours, at an offset within it."""
    try:
        everything(data)
    except (Malformed, Unsupported, LimitExceeded) as error:
        return error
    return None


@pytest.mark.parametrize("number", range(3))
def test_truncations(number):
    """Files that were cut anywhere raise only the documented errors, with a rule and an offset."""
    data = small_files()[number]
    assert attempt(data) is None
    for size in range(0, len(data), 7):
        error = attempt(data[:size])
        assert isinstance(error, Malformed), size
        assert error.offset is None or error.offset <= size


def test_flipped_bytes(fewer):
    """Files with wrong bytes read or raise the documented errors, without memory out of proportion."""
    rng = random.Random(11)
    files = small_files()
    tracemalloc.start()
    try:
        for _ in range(fewer(400, 8)):
            damaged = bytearray(rng.choice(files))
            for _ in range(rng.choice((1, 1, 2, 5))):
                at = rng.randrange(len(damaged))
                damaged[at] = rng.choice((rng.randrange(256), damaged[at] ^ 1 << rng.randrange(8)))
            error = attempt(bytes(damaged))
            assert error is None or isinstance(error, ReferenceError_)
        assert tracemalloc.get_traced_memory()[1] < 400 << 20
    finally:
        tracemalloc.stop()
