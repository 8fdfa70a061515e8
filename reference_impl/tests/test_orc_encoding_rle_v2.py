"""Integer run length encoding, version 2: every kind there and back, positions, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.cursor import Cursor
from reference_impl.errors import Malformed, UsageError
from reference_impl.orc.encodings import rle_v2
from reference_impl.orc.encodings.rle_v2 import patched_base
from reference_impl.orc.encodings.rle_v2.widths import WIDTHS, aligned, closest, code
from reference_impl.orc.encodings.runs import V2_KINDS, Run, RunKind
from reference_impl.tests.refusals import refused

LEAST, MOST = -(1 << 63), (1 << 63) - 1
OUTLIERS = [2030, 2000, 2020, 1000000, *range(2040, 2191, 10)]
RUNS = st.lists(
    st.builds(Run, st.sampled_from(V2_KINDS), st.none() | st.integers(1, 520), st.integers(0, 40)), max_size=3
)


@st.composite
def columns(draw):
    """Values as each kind likes them: equal, in one direction, near each other but for a few, or any."""
    values = []
    for _ in range(draw(st.integers(0, 4))):
        rng = np.random.default_rng(draw(st.integers(0, 1000)))
        count = draw(st.sampled_from([1, 2, 3, 8, 10, 11, 20, 511, 512, 513]))
        width = draw(st.integers(1, 64))
        any_ = rng.integers(0, 1 << 64, count, np.uint64) >> np.uint64(64 - width)
        shape = draw(st.sampled_from(["equal", "up", "down", "few", "any"]))
        if shape == "equal":
            any_[:] = any_[0]
        elif shape in ("up", "down"):
            any_ = np.sort(any_.view(np.int64))[:: 1 if shape == "up" else -1]
        elif shape == "few":
            rest = rng.random(count) > draw(st.sampled_from([0.004, 0.05]))
            any_ = np.where(rest, any_ >> np.uint64(draw(st.integers(0, width - 1))), any_)
        moved = any_.view(np.int64) + draw(st.sampled_from([0, 0, -5, 1000, LEAST]))
        values += moved.tolist()
    return values


@settings(deadline=None)
@given(columns(), RUNS, st.booleans())
def test_round_trip(values, runs, signed):
    """Integers come back from any mixture of runs, from the begin and from the position of each value."""
    if not signed:
        values = [value & MOST for value in values]
    made = rle_v2.encode(values, signed=signed, runs=runs)
    cursor, notes = Cursor(made.data + b"more"), []
    found = rle_v2.decode(cursor, len(values), signed=signed, notes=notes)
    assert found.dtype == np.int64
    assert found.tolist() == values
    assert cursor.remaining == 4
    assert not notes
    for index in {0, len(values) // 3, len(values)}:
        at, skip = made.position(index)
        found = rle_v2.decode(Cursor(made.data[at:]), len(values) - index, signed=signed, skip=skip)
        assert found.tolist() == values[index:]


EXAMPLES = [  # of the specification
    (RunKind.SHORT_REPEAT, [10000] * 5, "0a 27 10"),
    (RunKind.DIRECT, [23713, 43806, 57005, 48879], "5e 03 5c a1 ab 1e de ad be ef"),
    (
        RunKind.PATCHED_BASE,
        OUTLIERS,
        "8e 13 2b 21 07 d0 1e 00 14 70 28 32 3c 46 50 5a 64 6e 78 82 8c 96 a0 aa b4 be fc e8",
    ),
    (RunKind.DELTA, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29], "c6 09 02 02 22 42 42 46"),
]


@pytest.mark.parametrize(("kind", "values", "data"), EXAMPLES)
def test_examples(kind, values, data):
    """Bytes as the specification has them, also without asking for the kind."""
    assert rle_v2.decode(Cursor(bytes.fromhex(data)), len(values), signed=False).tolist() == values
    assert rle_v2.encode(values, signed=False, runs=[Run(kind)]).data.hex(" ") == data
    assert len(rle_v2.encode(values, signed=False).data) <= len(data.split())


@pytest.mark.parametrize(
    ("data", "signed", "values"),
    [
        ("00 03", True, [-2] * 3),
        ("3f ff ff ff ff ff ff ff ff", True, [LEAST] * 10),
        ("40 00 80", False, [1]),  # width code 0 is one bit
        ("40 08 ff 80", True, [-1] * 9),
        ("7e 00 ff ff ff ff ff ff ff ff", True, [LEAST]),
        ("c0 00 06 00", True, [3]),  # a delta run of one value, where there are no bits
        ("c0 03 05 00", True, [-3] * 4),
        ("c0 03 05 03", False, [5, 3, 1, -1]),
        ("c2 01 05 01", False, [5, 4]),  # a width, and no delta that has it
        ("c2 03 05 01 10", False, [5, 4, 4, 3]),  # one direction; deltas of 0 after the first one
        ("fe 02 00 02" + "ff" * 8, True, [0, 1, 0]),  # a delta of 2^64 - 1 leaves 64 bits
        ("8e 00 20 01 80 00 00 00 01", False, None),
        ("82 01 00 01 81 40 80", True, None),
    ],
)
def test_bytes(data, signed, values):
    """Corners of each kind, by hand."""
    cursor = Cursor(bytes.fromhex(data))
    if values is None or (not signed and min(values) < 0):
        with pytest.raises(Malformed):
            rle_v2.decode(cursor, 512, signed=signed)
    else:
        assert rle_v2.decode(cursor, len(values), signed=signed).tolist() == values
        assert not cursor.remaining


def patched(*, width, length, base, patch_width, gap_width, entries, value=0, entry_width=None):
    """Make a run of patched base: `length` times `value`, and (gap, patch) `entries`."""
    head = 2 << 14 | code(width) << 9 | length - 1
    head = head << 16 | (len(base) - 1) << 13 | code(patch_width) << 8 | (gap_width - 1) << 5 | len(entries)
    entry_width = entry_width or closest(gap_width + patch_width)
    out = [head.to_bytes(4, "big"), base]
    for numbers, bits in (
        ([value] * length, width),
        ([gap << patch_width | patch for gap, patch in entries], entry_width),
    ):
        digits = "".join(format(number, f"0{bits}b") for number in numbers)
        digits += "0" * (-len(digits) % 8)
        out.append(bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits), 8)))
    return b"".join(out)


PLAIN = {"width": 2, "length": 512, "base": b"\x05", "patch_width": 1, "gap_width": 8, "value": 1}


@pytest.mark.parametrize(
    ("entries", "places"),
    [
        ([(0, 1)], [0]),
        ([(255, 1), (255, 1)], [255, 510]),
        ([(255, 0), (0, 1)], [255]),
        ([(255, 0), (255, 0), (1, 1)], [511]),
        ([(3, 1), (0, 1), (1, 1)], [3, 4]),  # a gap of 0 patches the same value once more
        ([(3, 1), (255, 0)], [3]),  # goes on to a patch that is not there
    ],
)
def test_gaps(entries, places):
    """Gaps count from the value patched before; 255 with a patch of 0 goes on."""
    found = rle_v2.decode(Cursor(patched(**PLAIN, entries=entries)), 512, signed=False)
    assert np.flatnonzero(found != 6).tolist() == places
    assert (found[places] == 10).all()


@pytest.mark.parametrize(
    ("base", "first"),
    [("05", 5), ("85", -5), ("80", 0), ("7f", 127), ("ff", -127), ("00 05", 5), ("ff" * 8, -MOST)],
)
@pytest.mark.parametrize("signed", [True, False])
def test_bases(base, first, signed):
    """The base is sign and magnitude, whether values are signed or not."""
    run = patched(**PLAIN | {"base": bytes.fromhex(base), "value": 0}, entries=[(1, 1)])
    if first >= 0 or signed:
        assert rle_v2.decode(Cursor(run), 3, signed=signed).tolist() == [first, first + 4, first]
    else:
        with refused("ORC-INT-002"):
            rle_v2.decode(Cursor(run), 3, signed=signed)


def test_base_of_a_negative_column():
    """What is written for a negative base: its magnitude, and the sign in its highest bit."""
    made = rle_v2.encode([value - 2200 for value in OUTLIERS], signed=True, runs=[Run(RunKind.PATCHED_BASE)])
    assert made.data[:6].hex(" ") == "8e 13 2b 21 80 c8"


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "ORC-RLE2-001"),
        (bytes.fromhex("0a 27"), "ORC-RLE2-001"),
        (bytes.fromhex("5e"), "ORC-RLE2-001"),
        (bytes.fromhex("5e 03 5c a1"), "ORC-RLE2-001"),
        (bytes.fromhex("8e 13 2b"), "ORC-RLE2-001"),
        (bytes.fromhex("8e 13 2b 21 07"), "ORC-RLE2-001"),
        (bytes.fromhex(EXAMPLES[2][2])[:-1], "ORC-RLE2-001"),
        (bytes.fromhex("c6 09 02"), "ORC-RLE2-001"),
        (bytes.fromhex("c6 09 82"), "ORC-RLE2-001"),
        (bytes.fromhex("c6 09 02 02 22 42 42"), "ORC-RLE2-001"),
        (bytes.fromhex("c0 02" + "80" * 10 + "00 00"), "ORC-RLE2-002"),
        (bytes.fromhex("c0 02 00" + "80" * 9 + "02"), "ORC-RLE2-002"),
        (
            patched(**PLAIN | {"patch_width": 64, "gap_width": 1}, entries=[(0, 1)], entry_width=65),
            "ORC-RLE2-003",
        ),
        (patched(**PLAIN, entries=[]), "ORC-RLE2-004"),
        (patched(**PLAIN | {"length": 255}, entries=[(255, 1)]), "ORC-RLE2-005"),
        (patched(**PLAIN, entries=[(255, 1), (255, 0), (2, 1)]), "ORC-RLE2-005"),
        (patched(**PLAIN | {"width": 64}, entries=[(0, 1)]), "ORC-RLE2-007"),
        (patched(**PLAIN | {"width": 56, "patch_width": 9}, entries=[(0, 256)]), "ORC-RLE2-007"),
        (bytes.fromhex("c2 03 05 00 10"), "ORC-RLE2-008"),
        (bytes.fromhex("c2 00 05 01"), "ORC-RLE2-009"),
        (patched(**PLAIN | {"patch_width": 17}, entries=[(1 << 8, 1)]), "ORC-RLE2-011"),
    ],
)
def test_refused(data, rule):
    """Broken runs name their rule, also behind a good one."""
    for count, before in ((1, b""), (6, bytes.fromhex("0a 27 10"))):
        cursor = Cursor(before + data, base=50)
        with refused(rule) as caught:
            rle_v2.decode(cursor, count, signed=True)
        assert 50 + len(before) <= caught.value.offset <= 50 + len(before) + len(data)


def test_patches_of_nothing():
    """A patch of 0 with a gap below 255 changes nothing, and is noted once a run."""
    notes = []
    run = patched(**PLAIN, entries=[(5, 0), (7, 0), (1, 1)])
    found = rle_v2.decode(Cursor(run + run, base=50), 1024, signed=True, notes=notes)
    assert np.flatnonzero(found != 6).tolist() == [13, 525]
    assert [note.rule for note in notes] == ["ORC-RLE2-006"] * 2
    assert [note.offset for note in notes] == [50, 50 + len(run)]
    assert rle_v2.decode(Cursor(run), 512, signed=True).tolist() == found[:512].tolist()


def test_patch_wider_than_needed():
    """A patch width that would go beyond 64 bits is no matter if no bit does (pyorc writes such)."""
    run = patched(**PLAIN | {"width": 56, "patch_width": 9}, entries=[(0, 127)])
    assert rle_v2.decode(Cursor(run), 2, signed=True).tolist() == [(127 << 56) + 6, 6]


@pytest.mark.parametrize(
    ("data", "values"),
    [
        ("c0 02 fe ff ff ff ff ff ff ff ff 01 02", [MOST, LEAST, LEAST + 1]),
        ("c2 02 fc ff ff ff ff ff ff ff ff 01 02 40", [MOST - 1, MOST, LEAST]),
        ("82 01 e0 01 7f ff ff ff ff ff ff ff 60 40", None),
    ],
)
def test_wrap(data, values):
    """What leaves 64 bits goes on at the other end, and is noted."""
    notes = []
    found = rle_v2.decode(Cursor(bytes.fromhex(data)), len(values or [0]), signed=True, notes=notes)
    assert values is None or found.tolist() == values
    assert [note.rule for note in notes] == ["ORC-RLE2-010"]


def test_runs_as_planned():
    """Runs are as long as asked for, take turns, and give way to direct."""
    runs = [Run(RunKind.SHORT_REPEAT, 4), Run(RunKind.DELTA, 5), Run(RunKind.PATCHED_BASE, 3)]
    made = rle_v2.encode([7] * 4 + [1, 2, 3, 4, 9] + [6] * 3 + [1, 2, 1, 2], signed=False, runs=runs)
    assert made.counts.tolist() == [4, 5, 3, 4]
    assert [made.data[at] >> 6 for at in made.starts] == [0, 3, 1, 1]


@given(st.lists(st.integers(0, 64), min_size=2, max_size=40), st.integers(LEAST, MOST), st.booleans())
def test_layouts(widths, least, many):
    """Every layout of patched base is legal, has a patch, and says the values."""
    above = [(1 << width) - 1 for width in widths] * (12 if many else 1)
    values = np.array([min(least + value, MOST) for value in [0, *above]])
    for layout in patched_base.layouts(values):
        assert abs(layout.base) <= MOST
        assert 1 <= len(layout.entries) <= 31
        assert all(gap <= 255 and patch >> layout.patch_width == 0 for gap, patch in layout.entries)
        assert layout.width + layout.patch_width <= 64
        run = Cursor(patched_base.encode(values, layout))
        assert rle_v2.decode(run, len(values), signed=True).tolist() == values.tolist()
        assert not run.remaining


@pytest.mark.parametrize(
    ("places", "entries"),
    [
        (range(0, 512, 18), 29),
        ([511], 3),
        (range(32), None),
        ([*range(30), 511], None),
        (range(31), 31),
        ([*range(29), 511], 31),
    ],
)
def test_most_patches(places, entries):
    """There are 31 entries at most, those that only go on among them."""
    values = np.zeros(512, np.int64)
    values[list(places)] = 1 << 20
    values[1::2] += 1
    made = rle_v2.encode(values, signed=False, runs=[Run(RunKind.PATCHED_BASE)])
    assert made.data[0] >> 6 == (2 if entries else 1)
    assert not entries or made.data[3] & 31 == entries
    assert np.array_equal(rle_v2.decode(Cursor(made.data), 512, signed=False), values)


@pytest.mark.parametrize(("bits", "width"), [(20, 24), (30, 32), (34, 40), (50, 56)])
def test_patches_within_64_bits(bits, width):
    """Width and patch width are 64 bits at most: with outliers of 64 bits, not every width will do."""
    values = np.array([LEAST + 1 + (1 << bits) - 1] * 40 + [LEAST + 1, MOST])
    layout = patched_base.layouts(values)[0]
    assert layout.width == width
    assert layout.width + layout.patch_width == 64


@pytest.mark.parametrize("kind", [RunKind.DELTA, RunKind.PATCHED_BASE])
def test_what_no_run_can_hold(kind):
    """A first difference of more than 64 bits, a base of -2^63: direct."""
    values = [LEAST, MOST, MOST] if kind is RunKind.DELTA else [LEAST, LEAST + 1, LEAST + 2, 0]
    made = rle_v2.encode(values, signed=True, runs=[Run(kind)])
    assert made.data[0] >> 6 == 1
    assert rle_v2.decode(Cursor(made.data), len(values), signed=True).tolist() == values


def test_short_repeats_one_by_one():
    """The cursor stands behind the last run that is needed."""
    cursor = Cursor(bytes.fromhex("00 01 00 02 08 03 03 00"))
    assert rle_v2.decode(cursor, 4, signed=False).tolist() == [1, 1, 1, 2]
    assert cursor.pos == 4
    assert rle_v2.decode(cursor, 2, signed=False, skip=1).tolist() == [0x303] * 2
    assert cursor.pos == 7


@pytest.mark.parametrize("extra", range(30))
def test_widths(extra):
    """Each width of the table can be asked for, of direct and delta, and is read."""
    for kind, values in ((RunKind.DIRECT, [0, 1, 0]), (RunKind.DELTA, [0, 1, 1])):
        made = rle_v2.encode(values, signed=False, runs=[Run(kind, extra_width=extra)])
        least = 1 if kind is RunKind.DIRECT else 2
        assert WIDTHS[made.data[0] >> 1 & 31] == closest(aligned(least), extra)
        assert rle_v2.decode(Cursor(made.data), 3, signed=False).tolist() == values


def test_writer_refuses():
    """Runs of version 1, and integers that cannot be stored, are the caller's mistake."""
    with pytest.raises(UsageError):
        rle_v2.encode([1], signed=True, runs=[Run(RunKind.REPEAT)])
    with pytest.raises(UsageError):
        rle_v2.encode([-1], signed=False)
