"""Validation of ORC: each rule is reported when it is broken, alone, and legal files break none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora import rules
from reference_impl.orc import bloom as bloom_filters
from reference_impl.orc import schema
from reference_impl.orc.framing_writer import frame
from reference_impl.orc.plan import (
    Bloom,
    Chunks,
    Column,
    Dictionary,
    DictionaryOrder,
    Index,
    Present,
    Statistics,
)
from reference_impl.orc.schema import CompressionKind, EncodingKind, StreamKind, Type
from reference_impl.orc.tamper import Place, Tamper
from reference_impl.orc.types import STRINGS
from reference_impl.orc.validate import examine, validate
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import PRIMITIVES, K, flat, of_values, plan, with_columns
from reference_impl.validation import MOST_OF_A_RULE
from reference_impl.wire.protobuf import encode

MUST = {rule.id for rule in rules.load().values() if rule.level == "MUST"}
DATA, LENGTH, PRESENT, SECONDARY = (
    StreamKind.DATA,
    StreamKind.LENGTH,
    StreamKind.PRESENT,
    StreamKind.SECONDARY,
)
WORDS = StreamKind.DICTIONARY_DATA
INT, LONG, STRING = PRIMITIVES["int"][0], PRIMITIVES["long"][0], PRIMITIVES["string"][0]
BARE = Column(index=None, statistics=None)  # nothing to compare values with
NO_TYPED = Column(index=Index(Statistics(typed=False)), statistics=Statistics(typed=False))


def tamper(**hooks):
    """Return a tamper whose methods are these functions."""
    return type("Changed", (Tamper,), {name: staticmethod(hook) for name, hook in hooks.items()})()


def at(kind, change, column=1, stripe=0):
    """Return a hook that changes one stream, or its numbers."""
    return lambda place, found: change(found) if place == Place(stripe, column, kind) else found


def fields(**changes):
    """Return a hook that replaces fields of a message, its last argument."""
    return lambda *given: replace(given[-1], **changes)


def of_type(type_):
    """Return a hook that replaces the type of column 1 in the footer."""
    return lambda footer: replace(footer, types=(footer.types[0], type_, *footer.types[2:]))


def said(level, change, column=1):
    """Return a hook for statistics of a level: "group", "stripe" or "file"."""

    def hook(place, group, found):
        told = "group" if group is not None else "stripe" if place.stripe is not None else "file"
        return change(found) if (told, place.column) == (level, column) else found

    return hook


def typed(name, **changes):
    """Return a change of the statistics of a type."""
    return lambda found: replace(found, **{name: replace(getattr(found, name), **changes)})


def broken(made, changed=None):
    """Return the rules that a file breaks."""
    return {one.rule for one in validate(write(made, changed or Tamper()))}


def layout_of(type_):
    """Return a layout of a type with what it can have beside its values: a Bloom filter, a dictionary."""
    bloom = Bloom(words=40) if type_.kind in bloom_filters.KINDS else None
    return Column(bloom=bloom, dictionary=Dictionary() if type_.kind in STRINGS else None)


INTS = of_values(INT, [5, None, 7, 1000, -3, 5, 5, 5])
NESTED = plan(30, ("list", "map", "struct"), nulls=False)


@pytest.mark.sweep(4)
@pytest.mark.unmeasured
@pytest.mark.parametrize("compression", list(CompressionKind))
def test_a_file_of_all_types_breaks_no_rule(compression):
    """What the writer writes keeps all rules, with row groups, Bloom filters, in every compression."""
    made = plan(200, compression=compression, row_index_stride=23, stripes=(90, 0, 110), block_size=1000)
    assert not examine(write(made)).violations
    report = examine(write(with_columns(made, *map(layout_of, made.types))))
    assert not report.violations
    assert not report.unchecked


@pytest.mark.unmeasured
@pytest.mark.parametrize("rle", [1, 2])
def test_runs_of_both_versions_break_no_rule(rle):
    """A file of either version of runs keeps all rules, its row groups found by their positions."""
    made = with_columns(plan(500, row_index_stride=37, compression=CompressionKind.ZLIB), Column(rle=rle))
    assert not validate(write(made))


def test_a_file_without_columns_or_rows_breaks_no_rule():
    """Nothing is there that could be wrong."""
    assert not validate(write(plan(0)))
    assert not validate(write(plan(3, ())))


TAIL = {
    "ORC-FILE-002": {"whole": lambda data: data[:-1] + b"\xff"},
    "ORC-FILE-004": {"whole": lambda data: b"CRO" + data[3:]},
    "ORC-FILE-003": {"postscript": fields(magic="ORD")},
    "ORC-FILE-005": {"postscript": fields(metadata_length=1 << 40)},
    "ORC-FILE-008": {"postscript": fields(version=(0, 12, 1))},
    "ORC-FILE-009": {"footer": fields(header_length=4)},
    "ORC-FILE-010": {"footer": fields(content_length=2)},
    "ORC-FILE-011": {"footer": fields(number_of_rows=9)},
    "ORC-FILE-012": {"footer": fields(row_index_stride=0)},
    "ORC-FILE-013": {"metadata": lambda found: replace(found, stripe_stats=found.stripe_stats * 2)},
    "ORC-FILE-014": {"footer": lambda found: replace(found, statistics=found.statistics[:1])},
    "ORC-FILE-015": {"footer": fields(metadata=(schema.UserMetadataItem(name="a"),))},
    "ORC-FILE-017": {"footer": fields(writer=1), "postscript": fields(writer_version=5)},
    "ORC-FILE-018": {
        "metadata": lambda found: replace(
            found, stripe_stats=(replace(one, col_stats=one.col_stats * 2) for one in found.stripe_stats)
        )
    },
    "ORC-PROTO-001": {"footer_bytes": lambda data: data + b"\x09\x00"},
    "ORC-PROTO-002": {"footer_bytes": lambda data: data + b"\x30" + b"\xff" * 10 + b"\x01"},
    "ORC-PROTO-003": {"footer_bytes": lambda data: data + b"\x0e"},
    "ORC-PROTO-004": {"footer_bytes": lambda data: data + b"\x00\x00"},
    "ORC-PROTO-005": {"footer_bytes": lambda data: data + b"\xfc\x01"},
    "ORC-PROTO-006": {"footer_bytes": lambda data: data + b"\x2a\x05a"},
    "ORC-PROTO-007": {"footer": fields(software_version="\udcff")},
    "ORC-TYPE-001": {"footer": fields(types=(), statistics=())},
    "ORC-TYPE-002": {
        "footer": lambda found: replace(found, types=(replace(found.types[0], subtypes=(2,)), found.types[1]))
    },
    "ORC-TYPE-003": {"footer": of_type(Type(kind=K.LIST))},
    "ORC-TYPE-004": {
        "footer": lambda found: replace(
            found, types=(replace(found.types[0], field_names=()), found.types[1])
        )
    },
    "ORC-TYPE-005": {"footer": of_type(Type())},
    "ORC-STRIPE-001": {"stripe_information": fields(footer_length=1 << 50)},
}


@pytest.mark.parametrize("rule", TAIL)
def test_rules_of_the_tail(rule):
    """One thing is changed in the tail, and one rule is reported."""
    assert broken(INTS, tamper(**TAIL[rule])) == {rule}


def test_what_is_too_short_or_another_format():
    """A file of one byte, and one of no magic number, are no ORC files."""
    assert {one.rule for one in validate(b"x")} == {"ORC-FILE-001"}
    assert {one.rule for one in validate(b"PAR1" + bytes(20) + b"PAR1")} <= MUST


def test_wrong_sizes_of_compression():
    """The kind and the block size are looked at, and with a wrong size the file goes on being read."""
    made = replace(INTS, compression=CompressionKind.ZLIB)
    assert broken(made, tamper(postscript=fields(compression_block_size=1 << 23))) == {"ORC-FILE-007"}
    raw = encode(schema.PostScript(compression=CompressionKind.ZLIB)).replace(b"\x10\x01", b"\x10\x09")
    assert broken(INTS, tamper(postscript_bytes=lambda data: data.replace(b"\x10\x00", raw))) == {
        "ORC-FILE-006"
    }


@pytest.mark.parametrize(
    ("rule", "type_"),
    [
        ("ORC-TYPE-006", Type(kind=K.VARCHAR)),
        ("ORC-TYPE-007", Type(kind=K.DECIMAL, precision=39, scale=0)),
        ("ORC-TYPE-008", Type(kind=K.DECIMAL, precision=3, scale=4)),
    ],
)
def test_types_whose_parameters_are_wrong_are_read_all_the_same(rule, type_):
    """Parameters are reported, and the columns still looked at: a null key of statistics is found as well."""
    legal = Type(kind=type_.kind, maximum_length=9 if type_.kind is K.VARCHAR else None)
    legal = legal if type_.kind is K.VARCHAR else Type(kind=K.DECIMAL, precision=9, scale=min(type_.scale, 3))
    value = b"a" if type_.kind is K.VARCHAR else 1
    made = with_columns(of_values(legal, [value, value]), BARE)
    changed = tamper(footer=of_type(type_), statistics=said("file", fields(number_of_values=9), 0))
    assert rule in broken(made, tamper(footer=of_type(type_)))
    root = with_columns(of_values(legal, [value, value]), Column(), BARE)
    assert {rule, "ORC-STATS-003"} <= broken(root, changed)


def test_a_union_of_too_many_types():
    """Tags are bytes: there are no more than 256 types."""
    children = tuple(range(2, 259))
    union = flat(("x", Type(kind=K.UNION, subtypes=children)))
    types = (*union, *[Type(kind=K.INT)] * 257)
    assert broken(INTS, tamper(footer=fields(types=types, statistics=()))) == {"ORC-TYPE-009"}


def footer_of(change):
    """Return a hook for the footer of a stripe."""
    return lambda _, found: change(found)


def moved(found):
    """Put the first stream last."""
    return replace(found, streams=(*found.streams[1:], found.streams[0]))


def streams(change):
    """Change each stream of a stripe's footer."""
    return footer_of(lambda found: replace(found, streams=tuple(map(change, found.streams))))


def encoding(**changes):
    """Return a hook that changes the encoding of column 1."""
    return footer_of(
        lambda found: replace(found, columns=(found.columns[0], replace(found.columns[1], **changes)))
    )


def test_streams_of_a_stripe():
    """Streams are counted, in their areas, each once, of columns that there are, where there is room."""
    made = with_columns(INTS, BARE)
    few = footer_of(lambda found: replace(found, columns=found.columns[:1]))
    assert broken(made, tamper(stripe_footer=few)) == {"ORC-STRIPE-004"}
    assert broken(made, tamper(stripe_footer=encoding(kind=EncodingKind.DICTIONARY))) == {"ORC-STRIPE-011"}
    twice = streams(lambda one: replace(one, kind=PRESENT) if one.kind == DATA else one)
    assert "ORC-STRIPE-008" in broken(made, tamper(stripe_footer=twice))
    beyond = tamper(stripe_footer=streams(lambda one: replace(one, column=7) if one.kind == DATA else one))
    assert broken(made, beyond) == {"ORC-STRIPE-009", "ORC-STRIPE-012"}
    long = tamper(
        stripe_footer=streams(lambda one: replace(one, length=1 << 40) if one.kind == DATA else one)
    )
    assert broken(made, long) == {"ORC-STRIPE-010", "ORC-STRIPE-012"}
    short = streams(lambda one: replace(one, length=one.length - 1) if one.kind == PRESENT else one)
    assert "ORC-STRIPE-006" in broken(made, tamper(stripe_footer=short))
    index = streams(
        lambda one: replace(one, length=one.length - 1) if one.kind == StreamKind.ROW_INDEX else one
    )
    assert "ORC-STRIPE-005" in broken(INTS, tamper(stripe_footer=index))
    assert "ORC-STRIPE-007" in broken(INTS, tamper(stripe_footer=footer_of(moved)))
    foreign = streams(lambda one: replace(one, kind=LENGTH) if one.kind == PRESENT else one)
    assert "ORC-STRIPE-013" in broken(made, tamper(stripe_footer=foreign))


def test_stripes_that_share_bytes_are_not_read():
    """A stripe that lies upon another one is reported, and nothing of it is looked at."""
    made = with_columns(replace(INTS, stripes=(4, 4)), BARE)
    changed = tamper(stripe_information=fields(offset=3))
    assert broken(made, changed) == {"ORC-STRIPE-002"}


def test_time_zones_of_stripes():
    """A TIMESTAMP asks for a zone that there is."""
    made = with_columns(of_values(PRIMITIVES["timestamp"][0], [(5, 6)]), BARE)
    assert broken(made, tamper(stripe_footer=footer_of(fields(writer_timezone=None)))) == {"ORC-STRIPE-014"}
    assert broken(made, tamper(stripe_footer=footer_of(fields(writer_timezone="No/Where")))) == {
        "ORC-STRIPE-015"
    }
    assert not broken(INTS, tamper(stripe_footer=footer_of(fields(writer_timezone=None))))


CHUNKS = {
    "ORC-COMP-001": lambda data: data[:2],
    "ORC-COMP-002": lambda data: data[:-1],
    "ORC-COMP-004": lambda data: data[:3] + bytes([data[3] | 0x06]) + data[4:],
    "ORC-COMP-005": lambda data: data + b"\x01\x00\x00",
    "ORC-COMP-006": lambda data: bytes([data[0] + 2]) + data[1:] + b"\x00",
}


@pytest.mark.parametrize("rule", CHUNKS)
def test_compression_chunks(rule):
    """Chunks of a stream are whole, of the codec, and neither empty nor padded."""
    made = with_columns(of_values(STRING, [b"abc" * 40] * 3), BARE)
    made = replace(made, compression=CompressionKind.ZLIB)
    assert broken(made, tamper(stored=at(DATA, CHUNKS[rule]))) == {rule}


def test_chunks_larger_than_they_may_be_or_need():
    """No chunk expands beyond the block, and none that compression made larger is stored."""
    made = with_columns(of_values(STRING, [b"abc" * 100]), BARE)
    made = replace(made, compression=CompressionKind.ZLIB, block_size=100)
    large = at(DATA, lambda _: frame(CompressionKind.ZLIB, Chunks(), 300, bytes(300)).data)
    assert broken(made, tamper(stored=large)) == {"ORC-COMP-003"}
    made = replace(with_columns(INTS, BARE), compression=CompressionKind.ZLIB)
    changed = tamper(stored=at(PRESENT, lambda _: b"\x0e\x00\x00" + b"\x01\x02\x00\xfd\xff" + b"\xff\xbf"))
    assert broken(made, changed) == {"ORC-COMP-007"}


def v2(*values):
    """Return a hook that stores these bytes in DATA."""
    return {"stream": at(DATA, lambda _: bytes(values))}


RUNS = {
    "ORC-RLE2-001": v2(0x46, 0x06, 2),
    "ORC-RLE2-002": v2(0xC0, 0x06, *[0xFF] * 10, 1, 0),
    "ORC-RLE2-003": v2(0x8E, 0x06, 0x1F, 0xE1, *bytes(40)),
    "ORC-RLE2-004": v2(0x8E, 0x06, 0x00, 0x00, *bytes(20)),
    "ORC-RLE2-008": v2(0xC2, 0x06, 2, 0, 0, 0, 0),
    "ORC-INT-001": v2(0x7E, 0x06, *b"\xff" * 56),
    "ORC-INT-003": v2(0x46, 0x07, *bytes(4), 0x40, 0x00, 0x00),
}


@pytest.mark.parametrize("rule", RUNS)
def test_runs_of_integers(rule):
    """Runs are decoded strictly: each of these bytes breaks one rule."""
    made = with_columns(INTS, BARE)
    assert broken(made, tamper(**RUNS[rule])) == {rule}


def test_values_left_over_in_the_last_run_are_seen():
    """A value too many within the run that the last value stands in is reported, also in row groups."""
    made = with_columns(of_values(INT, [1, 2, 3, 4]), NO_TYPED)
    assert broken(made, v2_of(0x46, 0x04, 0x24, 0x68, 0xA0)) == {"ORC-INT-003"}


def v2_of(*values):
    """Return a tamper that stores these bytes in DATA."""
    return tamper(**v2(*values))


TEXTS = {
    "ORC-STR-006": (STRING, [b"\xff"]),
    "ORC-STR-007": (Type(kind=K.CHAR, maximum_length=2), ["üüü".encode()]),
    "ORC-STR-008": (Type(kind=K.VARCHAR, maximum_length=2), ["üüü".encode()]),
}


@pytest.mark.parametrize("dictionary", [None, Dictionary()])
@pytest.mark.parametrize("rule", TEXTS)
def test_texts(rule, dictionary):
    """Text is UTF-8 and has so many characters (not bytes), direct and in a dictionary."""
    type_, values = TEXTS[rule]
    legal = ["üü".encode(), *[b"a"] * 3]
    made = with_columns(of_values(type_, legal), BARE, replace(BARE, dictionary=dictionary))
    assert not broken(made)
    made = with_columns(of_values(STRING, [*legal, *values]), BARE, replace(BARE, dictionary=dictionary))
    assert broken(made, tamper(footer=of_type(type_))) == {rule}


def size_of(size):
    """Return a tamper that says a size of the dictionary."""
    return tamper(stripe_footer=encoding(dictionary_size=size))


def test_dictionaries():
    """Of a dictionary: its size, lengths, data, ids, and that it is sorted."""
    words = [b"a", b"bb", b"a", b"c"]
    layout = replace(BARE, dictionary=Dictionary())
    made = with_columns(of_values(STRING, words), BARE, layout)
    assert not broken(made)

    assert broken(made, size_of(None)) == {"ORC-STRIPE-016"}
    assert broken(made, size_of(4)) == {"ORC-STR-002"}
    assert "ORC-STR-002" in broken(made, size_of(2))
    assert broken(made, tamper(stream=at(WORDS, lambda data: data + b"x"))) == {"ORC-STR-003"}
    assert broken(made, tamper(stream=at(WORDS, lambda data: data[:-1]))) == {"ORC-STR-003"}
    assert broken(made, tamper(numbers=at(DATA, lambda ids: [*ids[:-1], 3]))) == {"ORC-STR-004"}
    seen = with_columns(made, BARE, replace(layout, dictionary=Dictionary(DictionaryOrder.REVERSED)))
    assert broken(seen) == {"ORC-STR-005"}


def test_bytes_too_few_and_too_many():
    """DATA has the bytes of all values, and no more."""
    for type_, value, rule in (
        (STRING, b"abc", "ORC-STR-001"),
        (PRIMITIVES["double"][0], 1.0, "ORC-FLOAT-001"),
        (PRIMITIVES["decimal"][0], 1 << 60, "ORC-DEC-004"),
    ):
        made = with_columns(of_values(type_, [value, value]), BARE)
        assert broken(made, tamper(stream=at(DATA, lambda data: data[:-1]))) == {rule}
        assert broken(made, tamper(stream=at(DATA, lambda data: data + b"\x00"))) == {"ORC-STR-009"}


def test_decimals_and_times():
    """Digits, scales, nanoseconds and days are those that the type can have."""
    decimal = Type(kind=K.DECIMAL, precision=4, scale=2)
    made = with_columns(of_values(decimal, [1234]), BARE)
    assert broken(made, tamper(stream=at(DATA, lambda _: b"\xa0\x9c\x01"))) == {"ORC-DEC-002"}
    assert broken(made, tamper(stream=at(DATA, lambda _: b"\xff" * 18 + b"\x7f"))) == {"ORC-DEC-001"}
    assert broken(made, tamper(numbers=at(SECONDARY, lambda _: [4]))) == {"ORC-DEC-003"}
    times = with_columns(of_values(PRIMITIVES["timestamp"][0], [(5, 6)]), BARE)
    assert broken(times, tamper(numbers=at(SECONDARY, lambda _: [10**9 << 3]))) == {"ORC-TIME-001"}
    days = with_columns(of_values(PRIMITIVES["date"][0], [5]), BARE)
    assert broken(days, tamper(numbers=at(DATA, lambda _: [1 << 31]))) == {"ORC-TIME-002"}


def test_children_that_are_too_few():
    """Where lengths ask for more values than the child has, that is said, not that its runs end."""
    made = with_columns(of_values((K.LIST, "int"), [[1, 2], [3]]), BARE)
    assert broken(made, tamper(numbers=at(LENGTH, lambda _: [2, 2]))) == {"ORC-NEST-001"}
    cut = tamper(stream=at(DATA, lambda data: data[:-1], column=2))
    assert broken(made, cut) == {"ORC-RLE2-001"}
    made = with_columns(of_values((K.LIST, "double"), [[1.0, 2.0], [3.0]]), BARE)
    assert broken(made, tamper(numbers=at(LENGTH, lambda _: [2, 2]))) == {"ORC-NEST-001"}
    assert broken(made, tamper(stream=at(DATA, lambda data: data[:-1], column=2))) == {"ORC-FLOAT-001"}


def test_keys_and_tags():
    """Keys of a map are not null and there once; a tag is that of a type."""
    pair = (K.MAP, "string", "long")
    made = with_columns(of_values(pair, [[(b"a", 1), (b"b", 2)], [(b"a", 3)]]), BARE)
    assert not broken(made)
    twice = tamper(rows=lambda _, rows: [([(b"a", 1), (b"a", 2)],), *rows[1:]])
    assert broken(made, twice) == {"ORC-NEST-003"}
    present = with_columns(made, BARE, BARE, replace(BARE, present=Present.ALWAYS))
    null = tamper(stream=at(PRESENT, lambda _: b"\xff\x60", column=2))
    assert {"ORC-NEST-002"} <= broken(present, null)
    union = with_columns(of_values((K.UNION, "int", "string"), [(0, 1), (1, b"a")]), BARE)
    assert broken(union, tamper(numbers=at(DATA, lambda _: [0, 2]))) == {"ORC-NEST-004"}


@pytest.mark.unmeasured
def test_violations_of_one_rule_are_bounded():
    """No more than a hundred of a rule are kept; the others are counted."""
    made = replace(INTS, stripes=(1,) * 8, row_index_stride=1)
    wide = replace(made, types=flat(*((f"x{at}", INT) for at in range(40))), rows=((1,) * 40,) * 8)
    report = examine(write(wide, tamper(statistics=fields(number_of_values=9))))
    assert len(report.violations) == MOST_OF_A_RULE
    assert report.suppressed["ORC-STATS-003"] > 100


def test_more_rows_than_the_limits_allow():
    """A stripe of more rows than there can be numbers has not the values for them."""
    report = examine(write(INTS, tamper(stripe_information=fields(number_of_rows=1 << 63))))
    assert {violation.rule for violation in report.violations} == {"ORC-FILE-011", "ORC-BOOL-001"}
