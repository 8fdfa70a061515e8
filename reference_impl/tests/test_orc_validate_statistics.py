"""Validation of what ORC files say of their values: statistics, row indexes, Bloom filters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Bloom, Column, Index, Statistics
from reference_impl.orc.schema import CompressionKind, StreamKind, Type
from reference_impl.orc.statistics_schema import DateStatistics
from reference_impl.orc.tamper import Place
from reference_impl.orc.validate import examine
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import PRIMITIVES, K, of_values, plan, with_columns
from reference_impl.tests.test_orc_validate import broken, fields, said, tamper, typed

INT, STRING = PRIMITIVES["int"][0], PRIMITIVES["string"][0]
INTS = of_values(INT, [5, None, 7, 1000, -3, 5, 5, 5])
TEXT = of_values(STRING, [b"b", b"a", None, b"c"])
MOMENTS = of_values(PRIMITIVES["timestamp"][0], [(-5, 7_000_001), (5, 6), None])
DECIMALS = of_values(PRIMITIVES["decimal"][0], [5, -7, 12345])
DOUBLES = of_values(PRIMITIVES["double"][0], [0.5, -2.5, 100.0])
LISTS = of_values((K.LIST, "int"), [[1, 2], [], [3]])
TRUES = of_values(PRIMITIVES["boolean"][0], [True, False, True])

FALSE = {
    "ORC-STATS-001": (INTS, typed("int_statistics", minimum=-2)),
    "ORC-STATS-002": (INTS, typed("int_statistics", maximum=999)),
    "ORC-STATS-003": (INTS, fields(number_of_values=6)),
    "ORC-STATS-004": (INTS, fields(has_null=False)),
    "ORC-STATS-005": (INTS, typed("int_statistics", sum=1)),
    "ORC-STATS-006": (TEXT, typed("string_statistics", sum=4)),
    "ORC-STATS-007": (TRUES, typed("bucket_statistics", count=(1,))),
    "ORC-STATS-008": (DECIMALS, typed("decimal_statistics", minimum="1e-3")),
    "ORC-STATS-009": (INTS, fields(date_statistics=DateStatistics(minimum=1))),
    "ORC-STATS-012": (TEXT, typed("string_statistics", lower_bound="a")),
    "ORC-STATS-013": (MOMENTS, typed("timestamp_statistics", maximum_nanos=1_000_001)),
    "ORC-STATS-014": (LISTS, typed("collection_statistics", total_children=4)),
    "ORC-STATS-015": (DOUBLES, typed("double_statistics", sum=98.5)),
    "ORC-STATS-016": (MOMENTS, typed("timestamp_statistics", maximum_utc=None)),
    "ORC-STATS-019": (INTS, typed("int_statistics", minimum=2000)),
    "ORC-STATS-020": (DECIMALS, typed("decimal_statistics", sum="1")),
    "ORC-PROTO-007": (TEXT, typed("string_statistics", maximum="c\udcff")),
}


@pytest.mark.parametrize("level", ["group", "stripe", "file"])
@pytest.mark.parametrize("rule", FALSE)
def test_what_is_not_true_is_reported_at_every_level(rule, level):
    """Of a row group, a stripe and the file: what is false is reported once, and not as a wrong merge."""
    made, change = FALSE[rule]
    found = broken(made, tamper(statistics=said(level, change)))
    assert found == {rule} | ({"ORC-STATS-017"} if rule == "ORC-PROTO-007" and level == "group" else set())


@pytest.mark.parametrize(
    ("level", "rule"), [("group", "ORC-STATS-017"), ("stripe", "ORC-STATS-010"), ("file", "ORC-STATS-011")]
)
def test_bounds_that_no_value_has(level, rule):
    """Bounds wider than the values are a SHOULD: of a row group, or of a stripe or file against its parts."""
    found = broken(INTS, tamper(statistics=said(level, typed("int_statistics", minimum=-4))))
    assert found == {rule}


def test_nulls_that_are_not_there():
    """HasNull of values without a null is a SHOULD."""
    made = of_values(INT, [1, 2])
    found = broken(made, tamper(statistics=said("group", fields(has_null=True))))
    assert found == {"ORC-STATS-018"}


def test_nulls_above_are_not_nulls_of_a_child():
    """A field of a null struct does not exist: neither its count nor hasNull know of it."""
    made = of_values((K.STRUCT, "double", "string"), [None, (1.0, b"a"), None])
    assert not broken(made)
    claimed = tamper(statistics=said("group", fields(has_null=True), column=2))
    assert "ORC-STATS-018" in broken(made, claimed)


def test_sums_that_leave_64_bits():
    """No sum is recorded where it overflows on the way, even if it ends within 64 bits."""
    most = (1 << 63) - 1
    made = of_values(PRIMITIVES["long"][0], [most, 1, -2])
    assert not broken(made)
    claimed = tamper(statistics=said("group", typed("int_statistics", sum=most - 1)))
    assert "ORC-STATS-005" in broken(made, claimed)


def test_sums_that_leave_64_bits_unseen():
    """Without statistics of row groups, which sums were added is not known; only their end is looked at."""
    most = (1 << 63) - 1
    made = replace(of_values(PRIMITIVES["long"][0], [most, 1, -2]), row_index_stride=0)
    right = tamper(statistics=said("stripe", typed("int_statistics", sum=most - 1)))
    wrong = tamper(statistics=said("stripe", typed("int_statistics", sum=most - 2)))
    assert "ORC-STATS-005" not in broken(made, right)
    assert "ORC-STATS-005" in broken(made, wrong)


def test_floating_point():
    """Zeros are one, NaN is in no order, and sums may differ by rounding."""
    double = PRIMITIVES["double"][0]
    assert not broken(of_values(double, [0.0, -0.0, 1.0]))
    assert not broken(of_values(double, [float("nan"), 1.0]))
    near = tamper(statistics=said("group", typed("double_statistics", sum=98.00000000001)))
    assert "ORC-STATS-015" not in broken(DOUBLES, near)


_MOST, _INF, _NAN = 1.7976931348623157e308, float("inf"), float("nan")


@pytest.mark.parametrize(
    ("values", "total", "is_right"),
    [
        ([_MOST, 1.0, -_MOST, 2.0], 0.0, True),
        ([_MOST, 1.0, -_MOST, 2.0], 2.0, True),  # as added in order
        ([_MOST, _MOST, -_MOST, -_MOST], _INF, True),
        ([_MOST, _MOST, -_MOST, -_MOST], _NAN, True),
        ([_MOST, -1.0], 0.0, False),
        ([_INF, 1.0], _INF, True),
        ([_INF, 1.0], 1.0, False),
        ([_INF, -_INF], _NAN, True),
        ([_INF, -_INF], _INF, False),
        ([_INF, -_MOST, -_MOST], _NAN, True),  # the overflow first
        ([_NAN, 1.0], 1.0, False),
    ],
)
def test_sums_that_overflow(values, total, is_right):
    """A sum that overflows in some order may be anything; of an infinity or NaN it is not finite."""
    plan_ = of_values(PRIMITIVES["double"][0], values)
    stated = tamper(statistics=said("group", typed("double_statistics", sum=total)))
    assert ("ORC-STATS-015" not in broken(plan_, stated)) is is_right


def test_moments_that_cannot_be_stored():
    """Statistics of the second before 1970 tell of a value that its encoding turned into another one."""
    made = of_values(PRIMITIVES["instant"][0], [(0, 500_000_000)])
    lost = typed("timestamp_statistics", minimum_utc=-500, maximum_utc=-500)
    assert broken(made, tamper(statistics=said("group", lost))) == {"ORC-TIME-003"}


def test_long_strings_have_bounds_instead():
    """A bound that was shortened need not be a value; it must still be one."""
    layout = Column(index=Index(Statistics(truncate=3)), statistics=Statistics(truncate=3))
    made = with_columns(of_values(STRING, [b"abcdef", b"zzzzzz"]), layout)
    assert not broken(made)
    low = tamper(statistics=said("file", typed("string_statistics", lower_bound="b")))
    assert broken(made, low) == {"ORC-STATS-001"}


GROUPS = replace(plan(60, nulls=True), row_index_stride=7)


@pytest.mark.sweep(6)
@pytest.mark.unmeasured
@pytest.mark.parametrize("compression", [CompressionKind.NONE, CompressionKind.ZSTD])
@pytest.mark.parametrize("name", [*PRIMITIVES, "list", "map", "union"])
def test_positions_of_every_type_are_followed(name, compression):
    """Whatever number of a position is changed, the entry is reported, and nothing else."""
    made = replace(plan(60, (name,)), row_index_stride=7, compression=compression, block_size=20)
    assert not broken(made)
    data = write(made)
    count = len(_first_positions(data))
    for number in range(count):
        changed = tamper(positions=_raised(number))
        assert broken(made, changed) == {"ORC-INDEX-003"}, number
    assert broken(made, tamper(positions=_cut)) == {"ORC-INDEX-002"}
    assert broken(made, tamper(positions=lambda *given: (*given[-1], 0))) == {"ORC-INDEX-002"}


def _first_positions(data):
    return OrcFile(data).row_index(0, 1).entry[3].positions


def _raised(number):
    def hook(place, group, positions):
        if place.column != 1 or group != 3:
            return positions
        return (*positions[:number], positions[number] + 1, *positions[number + 1 :])

    return hook


def _cut(place, group, positions):
    return positions[:-1] if place.column == 1 and group else positions


def test_entries_of_row_indexes():
    """There is an entry for each row group, and a row index of each column."""
    made = replace(INTS, row_index_stride=3)
    few = tamper(
        row_index=lambda place, found: replace(found, entry=found.entry[:-1]) if place.column else found
    )
    assert broken(made, few) == {"ORC-INDEX-001"}
    none = tamper(row_index=lambda place, found: found if place.column else None)
    assert broken(made, none) == {"ORC-INDEX-004"}


WITH_BLOOM = with_columns(replace(INTS, row_index_stride=3), Column(), Column(bloom=Bloom(words=2)))


def bloom(**changes):
    """Return a tamper that changes every Bloom filter."""

    def hook(_, found):
        return replace(found, bloom_filter=tuple(replace(one, **changes) for one in found.bloom_filter))

    return tamper(bloom=hook)


def test_bloom_filters():
    """A Bloom filter has words and functions, one for each row group, and admits every value."""
    assert not broken(WITH_BLOOM)
    assert broken(WITH_BLOOM, bloom(utf8bitset=bytes(16))) == {"ORC-BLOOM-001"}
    assert broken(WITH_BLOOM, bloom(utf8bitset=b"\xff" * 9)) == {"ORC-BLOOM-002"}
    assert broken(WITH_BLOOM, bloom(num_hash_functions=0)) == {"ORC-BLOOM-003"}
    assert broken(WITH_BLOOM, bloom(utf8bitset=None, bitset=(-1 & (1 << 64) - 1,))) == {"ORC-BLOOM-006"}
    few = tamper(bloom=lambda _, found: replace(found, bloom_filter=found.bloom_filter[:1]))
    assert broken(WITH_BLOOM, few) == {"ORC-BLOOM-004"}
    layout = Column(bloom=Bloom(words=2, encoding=2))
    assert broken(with_columns(WITH_BLOOM, Column(), layout)) == {"ORC-BLOOM-005"}


@pytest.mark.parametrize("name", [name for name in PRIMITIVES if name != "boolean"])
def test_bloom_filters_of_every_type(name):
    """Values of every type are hashed as the writer hashes them; one that is not admitted is reported."""
    made = plan(30, (name,), row_index_stride=8)
    made = with_columns(made, Column(), Column(bloom=Bloom(words=8)))
    assert not broken(made)
    assert broken(made, bloom(utf8bitset=bytes(64))) == {"ORC-BLOOM-001"}


def test_what_was_hashed_in_an_older_way_is_not_checked():
    """Old Bloom filters of text and moments are told apart, not reported."""
    made = with_columns(TEXT, Column(), Column(bloom=Bloom(utf8=False, original=True)))
    report = examine(write(made))
    assert not report.violations
    assert "BLOOM_FILTER" in report.unchecked[0]


def test_a_column_that_cannot_be_read_hides_no_other():
    """Values of the other columns are still compared with what is said of them."""
    made = plan(20, ("int", "long"), nulls=False)
    changed = tamper(
        stored=lambda place, data: b"" if place == Place(0, 1, StreamKind.DATA) else data,
        statistics=said("stripe", typed("int_statistics", minimum=10**18), column=2),
    )
    assert broken(made, changed) == {"ORC-RLE2-001", "ORC-STATS-019"}


@pytest.mark.unmeasured
def test_statistics_of_two_stripes_are_merged():
    """The file's are those of all stripes together, of every type."""
    made = plan(80, stripes=(30, 50), row_index_stride=9)
    assert not broken(made)
    assert not broken(replace(made, stripe_statistics=False))
    assert not broken(replace(made, file_statistics=False))


def test_types_without_statistics():
    """Empty messages say nothing, and nothing is wrong with them."""
    assert not broken(with_columns(plan(20), Column(index=Index(None), statistics=None)))
    assert not broken(of_values(Type(kind=K.GEOMETRY), [b"\x01"]))
