"""Plans of ORC files become files that read back as what was planned, whatever their layout."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from corpora.build import orc_expected
from harness.judging.compare import compare
from reference_impl.columns import to_python
from reference_impl.errors import UsageError
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import (
    Bloom,
    Chunks,
    Column,
    Dictionary,
    DictionaryOrder,
    FilePlan,
    Index,
    Order,
    Original,
    Present,
    Statistics,
)
from reference_impl.orc.schema import CompressionKind, StreamKind, Type, TypeKind
from reference_impl.orc.tamper import Tamper
from reference_impl.orc.validate import validate
from reference_impl.orc.writer import write
from reference_impl.plans import show
from reference_impl.tests.orc_plans import (
    NESTED,
    PRIMITIVES,
    expected_rows,
    of_values,
    plan,
    read_rows,
    with_columns,
)

ZLIB = CompressionKind.ZLIB
TINY = Chunks(sizes=(1, 2, 50))
TEXT = ("string", "varchar", "char")
V1 = Column(rle=1)
INT_RUNS = {
    1: (RunKind.CHOSEN, RunKind.REPEAT, RunKind.LITERALS),
    2: (RunKind.CHOSEN, RunKind.SHORT_REPEAT, RunKind.DIRECT, RunKind.PATCHED_BASE, RunKind.DELTA),
}
LAYOUTS = {
    "default": {},
    "groups": {"row_index_stride": 17},
    "no index": {"row_index_stride": 0},
    "stripes": {"stripes": (50, 149, 1), "row_index_stride": 20, "gap": 7},
    "version 1": {"columns": (V1,) * 40, "row_index_stride": 33, "version": (0, 11)},
    "present": {"columns": (Column(present=Present.ALWAYS),) * 40, "row_index_stride": 9},
    "reversed": {"order": Order.REVERSED, "row_index_stride": 50},
    "by kind": {"order": Order.KINDS, "stream_ranks": (3, 1, 2), "row_index_stride": 50},
    "unknown": {"unknown_fields": True, "unpacked": True},
    "sparse": {
        "file_statistics": False,
        "stripe_statistics": False,
        "writer": None,
        "calendar": None,
        "software_version": None,
        "writer_version": None,
        "columns": (Column(index=None, statistics=None),) * 40,
    },
    "first positions": {
        "columns": (Column(index=Index(None, empty_first=True)),) * 40,
        "row_index_stride": 30,
    },
    "all told": {
        "columns": (
            Column(
                statistics=Statistics(widen=3, truncate=2, local=True, bytes_on_disk=True),
                index=Index(Statistics(widen=1, truncate=1, nanos=False)),
            ),
        )
        * 40,
        "metadata": (("a", b"\x00\xff"), ("a", b"")),
    },
    **{
        kind.name.lower(): {"compression": kind, "block_size": size, "row_index_stride": 40}
        for kind, size in zip(CompressionKind, (9, 64, 1 << 18, 100, 200, 1 << 20), strict=False)
    },
    "chunks": {"compression": ZLIB, "chunks": TINY, "tail_chunks": TINY, "row_index_stride": 17},
    "original": {"compression": ZLIB, "chunks": Chunks((30,), Original.ALWAYS), "row_index_stride": 17},
    "mixed": {
        "compression": CompressionKind.ZSTD,
        "chunks": Chunks((100, 7), Original.MIXED, level=9),
        "row_index_stride": 17,
    },
}


# ORC C++ refuses LZO with a match of two bytes behind one to three literals, which the format has.
CPLUSPLUS = [name for name in LAYOUTS if name != "lzo"]


@cache
def written(layout, *, nulls=True):
    """Return the plan of all types in a layout, and its file."""
    found = plan(nulls=nulls, **LAYOUTS[layout])
    return found, write(found)


@pytest.mark.sweep(6)
@pytest.mark.unmeasured
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("nulls", [True, False], ids=["nulls", "no nulls"])
def test_layouts(layout, nulls):
    """The reference reads the values of all types in every layout."""
    found, data = written(layout, nulls=nulls)
    assert read_rows(data) == expected_rows(found)


@pytest.mark.parametrize("order", DictionaryOrder)
@pytest.mark.parametrize("rle", [1, 2])
@pytest.mark.parametrize("unused", [(), (b"", b"zzz")])
@pytest.mark.parametrize("duplicates", [False, True])
def test_dictionaries(order, rle, unused, duplicates):
    """Dictionaries of any order, with entries that are unused or stand twice, mean the same."""
    layout = Column(rle=rle, dictionary=Dictionary(order, unused, duplicates))
    found = with_columns(plan(100, TEXT, row_index_stride=30), Column(), layout)
    assert read_rows(write(found)) == expected_rows(found)


@pytest.mark.sweep(6)
@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("rle", "kind", "length"), [(v, k, n) for v in (1, 2) for k in INT_RUNS[v] for n in (None, 1, 7)]
)
def test_runs(rle, kind, length):
    """Streams of numbers can be cut into runs of any kind and length."""
    runs = (Run(kind, length), Run(RunKind.CHOSEN, 3))
    layout = Column(rle=rle, data_runs=runs, length_runs=runs, secondary_runs=runs)
    names = ("short", "int", "long", "date", "timestamp", "decimal", "string", "binary", "list", "map")
    found = with_columns(plan(150, names, row_index_stride=11), layout)
    data = write(found)
    assert read_rows(data) == expected_rows(found)
    assert_seekable(found, data)


@pytest.mark.parametrize("kind", [RunKind.CHOSEN, RunKind.REPEAT, RunKind.LITERALS])
@pytest.mark.parametrize("length", [None, 1, 5])
def test_runs_of_bytes(kind, length):
    """So can streams of bytes and bits, those that say which values are there among them."""
    runs = (Run(kind, length),)
    layout = Column(present_runs=runs, data_runs=runs)
    found = with_columns(plan(150, ("boolean", "byte"), row_index_stride=11), Column(), layout)
    data = write(found)
    assert read_rows(data) == expected_rows(found)
    assert_seekable(found, data)


def assert_seekable(found, data):
    """Assert that from every row group on the reference reads what it reads from the begin."""
    file, wanted = OrcFile(data), expected_rows(found)
    for stripe, groups in enumerate(orc_expected.row_groups(found)):
        begin = groups[0].start if groups else 0
        for group in groups:
            start, stop = group.start - begin, group.stop - begin
            columns = file.read_rows(None, stripe, start, stop).columns
            rows = list(zip(*map(to_python, columns), strict=True))
            assert rows == wanted[group.start : group.stop]


@pytest.mark.sweep(5)
@pytest.mark.unmeasured
@pytest.mark.parametrize("layout", LAYOUTS)
def test_positions(layout):
    """Positions land where the row groups begin."""
    assert_seekable(*written(layout))


def test_positions_move():
    """A position that is changed is not where the row group begins: the test above can fail."""

    class Moved(Tamper):
        def positions(self, place, group, positions):
            return (*positions[:-1], positions[-1] + 1) if group == 2 and place.column == 1 else positions

    found = plan(100, ("int",), nulls=False, row_index_stride=10)
    with pytest.raises((AssertionError, Exception)) as caught:
        assert_seekable(found, write(found, Moved()))
    assert caught.type is AssertionError


@pytest.mark.sweep(4, each="engine")
@pytest.mark.parametrize("engine", ["pyorc", "pyarrow_orc"])
@pytest.mark.parametrize("layout", CPLUSPLUS)
def test_other_readers(engine, layout, tmp_path):
    """ORC's own C++ library reads the same values, by itself and in pyarrow."""
    reader = _engine(engine)
    names = [name for name in (*PRIMITIVES, *NESTED) if engine == "pyorc" or name != "union"]
    found = plan(names=names, **LAYOUTS[layout])
    path = tmp_path / "a.orc"
    path.write_bytes(write(found))
    actual = reader.read(str(path), "orc", {})
    assert compare(orc_expected.table(found), actual, reader.equivalences).difference is None


def _engine(name):
    if name == "pyorc":
        pytest.importorskip("pyorc")
        from harness.engines.pyorc.adapter import Pyorc

        return Pyorc()
    pytest.importorskip("pyarrow.orc")
    from harness.engines.pyarrow_orc.adapter import PyarrowOrc

    return PyarrowOrc()


@pytest.mark.parametrize("layout", CPLUSPLUS)
def test_other_readers_seek(layout, tmp_path):
    """ORC C++ finds the begin of row groups by the positions."""
    pyorc = pytest.importorskip("pyorc")
    found, data = written(layout)
    path = tmp_path / "a.orc"
    path.write_bytes(data)
    with path.open("rb") as file:
        whole = pyorc.Reader(file).read()
    for group in [group for groups in orc_expected.row_groups(found) for group in groups]:
        with path.open("rb") as file:
            reader = pyorc.Reader(file)
            reader.seek(group.start)
            assert reader.read() == whole[group.start :]


@pytest.mark.parametrize(
    "found",
    [
        FilePlan((Type(kind=TypeKind.STRUCT),), ((), ())),
        FilePlan((Type(kind=TypeKind.INT),), (1, None, 3)),
        FilePlan((Type(kind=TypeKind.LIST, subtypes=(1,)), Type(kind=TypeKind.INT)), ([1], [])),
        plan(0),
        replace(plan(0), stripes=(0, 0)),
        of_values(Type(kind=TypeKind.INT), [None, None]),
        of_values(
            Type(kind=TypeKind.INT),
            [None] * 9,
            row_index_stride=2,
            columns=(Column(empty_streams=False),) * 2,
        ),
        FilePlan(
            (Type(kind=TypeKind.STRUCT, subtypes=(1,), field_names=("",)), Type(kind=TypeKind.INT)),
            ((1,), None),
        ),
    ],
    ids=[
        "no fields",
        "root int",
        "root list",
        "no rows",
        "empty stripes",
        "all null",
        "no streams",
        "null row",
    ],
)
def test_corners(found):
    """Files of few values, or none, are read as what they are."""
    file = OrcFile(write(found))
    table = file.read()
    assert table.num_rows == len(found.rows)
    columns = [to_python(column) for column in table.columns]
    if found.types[0].kind is not TypeKind.STRUCT:
        assert columns == [list(found.rows)]
    elif columns:
        fields = len(columns)
        rows = [(None,) * fields if row is None else row for row in found.rows]
        assert list(zip(*columns, strict=True)) == rows


def test_positions_of_what_is_not_there():
    """A PRESENT stream that would be empty, and is not there, has no positions."""
    layout = Column(present=Present.ALWAYS, empty_streams=False)
    found = of_values((TypeKind.LIST, "string"), [[], [], []], row_index_stride=2, columns=(layout,) * 3)
    data = write(found)
    assert (2, StreamKind.PRESENT) not in OrcFile(data).stripe(0).places
    assert_seekable(found, data)


ZONES = ["UTC", "America/New_York", "Asia/Kolkata", "Europe/London", "Australia/Lord_Howe", "GMT+5:30"]


@pytest.mark.parametrize("zone", ZONES)
def test_zones(zone):
    """A wall clock is what it is in any zone, before 1970 and after 2100 as well."""
    seconds = [-(10**10), -86_400 * 3, -5, 0, 1, 1_420_070_400, 1_700_000_000, 5 * 10**9, 10**12]
    pairs = list(product(seconds, (0, 999_999, 1_000_000, 123_456_789, 500_000_000)))
    if zone in {"UTC", "GMT+5:30"}:
        pairs.append((-(10**14), 1_000_001))
    found = of_values(Type(kind=TypeKind.TIMESTAMP), pairs, writer_timezone=zone)
    assert read_rows(write(found)) == expected_rows(found)


def test_zones_of_stripes():
    """Each stripe has the time zone of its writer; bounds by a local clock are those of a stripe alone."""
    zones = ("Asia/Kolkata", None, "America/New_York")
    instants = of_values(Type(kind=TypeKind.TIMESTAMP_INSTANT), [(at, 0) for at in range(5)])
    with pytest.raises(UsageError):
        write(replace(of_values(Type(kind=TypeKind.TIMESTAMP), [(0, 0)]), stripe_timezones=zones))
    layout = Column(statistics=Statistics(local=True, utc=False), bloom=Bloom(encoding=0))
    for plan_, named in (
        (instants, zones),
        (of_values(Type(kind=TypeKind.TIMESTAMP), [(at, 0) for at in range(5)]), ("UTC", *zones[::2])),
    ):
        layouts = (Column(), *[layout] * (len(plan_.types) - 1))
        some = replace(plan_, stripes=(1, 1, 1, 2), stripe_timezones=named, columns=layouts)
        data = write(some)
        file = OrcFile(data)
        assert [file.stripe(at).footer.writer_timezone for at in range(4)] == [*named, named[0]]
        assert read_rows(data) == expected_rows(some)
        assert not list(validate(data))
        assert file.statistics[-1].timestamp_statistics.minimum is None
        first = file.stripe_statistics[2].col_stats[-1].timestamp_statistics.minimum
        assert first == 2000 + (18_000_000 if plan_ is not instants else 0)


def test_decimals_of_any_scale():
    """Each decimal can be stored at a scale of its own."""
    type_ = Type(kind=TypeKind.DECIMAL, precision=20, scale=3)
    found = of_values(type_, [1, (1, 0), (-25, 2), (5000, 4), (0, 38), (10**30, 38 - 8)])
    assert read_rows(write(found)) == expected_rows(found)


def test_bits_of_floats():
    """NaN keeps its payload and its sign, zero its sign."""
    raws = [b"\x01\x00\xc0\x7f", b"\x00\x00\xc0\xff", b"\x00\x00\x00\x80"]
    file = OrcFile(write(of_values(Type(kind=TypeKind.FLOAT), raws)))
    assert file.read().columns[0].values.tobytes() == b"".join(raws)


def test_streams_of_a_plan():
    """Streams are those of the plan, end to end, indexes first."""
    layout = Column(bloom=Bloom(original=True), dictionary=Dictionary())
    found = with_columns(plan(20, ("string",)), Column(), layout)
    places = OrcFile(write(found)).stripe(0).streams
    assert [place.kind for place in places if place.column == 1] == [
        StreamKind.ROW_INDEX,
        StreamKind.BLOOM_FILTER,
        StreamKind.BLOOM_FILTER_UTF8,
        StreamKind.PRESENT,
        StreamKind.DATA,
        StreamKind.DICTIONARY_DATA,
        StreamKind.LENGTH,
    ]
    ends = [place.offset + place.length for place in places]
    assert [place.offset for place in places][1:] == ends[:-1]


def test_overrides():
    """The layout of a single column of a stripe can be another one."""
    found = plan(20, ("int",), nulls=False, stripes=(10, 10), overrides=((1, 1, V1),))
    file = OrcFile(write(found))
    assert [file.stripe(number).encodings[1][0].name for number in (0, 1)] == ["DIRECT_V2", "DIRECT"]


def test_same_bytes():
    """Writing is a pure function, and a tamper that changes nothing changes nothing."""
    found = plan(50, compression=ZLIB)
    assert write(found) == write(found, Tamper())


@pytest.mark.parametrize(
    "found",
    [
        replace(plan(3), stripes=(1, 1)),
        replace(plan(3), block_size=0),
        replace(plan(3), block_size=1 << 23),
        replace(plan(3), compression=ZLIB, block_size=9, chunks=Chunks((10,))),
        replace(plan(3), compression=ZLIB, block_size=9, block_size_absent=True),
        replace(plan(3), writer_timezone=None),
        replace(plan(3), writer_timezone="Middle/Earth"),
        with_columns(plan(3, ("int",)), Column(dictionary=Dictionary())),
        with_columns(plan(3, ("boolean",)), Column(), Column(bloom=Bloom())),
        with_columns(plan(3, ("int",)), Column(rle=3)),
        of_values(Type(kind=TypeKind.BYTE), [128]),
        of_values(Type(kind=TypeKind.INT), ["1"]),
        of_values(Type(kind=TypeKind.FLOAT), [1e300]),
        of_values(Type(kind=TypeKind.DECIMAL, precision=3, scale=1), [1000]),
        of_values(Type(kind=TypeKind.DECIMAL, precision=3, scale=1), [(15, 2)]),
        of_values(Type(kind=TypeKind.TIMESTAMP), [(-1, 2_000_000)]),
        of_values(Type(kind=TypeKind.TIMESTAMP), [(0, 10**9)]),
        of_values((TypeKind.MAP, "int", "int"), [[(None, 1)]]),
        of_values((TypeKind.UNION, "int"), [(1, 1)]),
        of_values((TypeKind.STRUCT, "int"), [()]),
        of_values(Type(kind=TypeKind.TIMESTAMP), [(1_394_332_200, 0)], writer_timezone="America/New_York"),
    ],
    ids=range(21),
)
def test_refused(found):
    """What no legal file can say is refused."""
    with pytest.raises(UsageError):
        write(found)


def test_show():
    """Plans print as the Python that makes them."""
    assert show(Column(rle=1, bloom=Bloom(words=2))) == "Column(rle=1, bloom=Bloom(words=2))"
