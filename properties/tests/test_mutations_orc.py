"""Mutants of ORC files."""

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from properties.strategies.mutations import orc, protobuf
from properties.strategies.mutations.orc import chunks, futures, runs, splices, values
from reference_impl.columns import to_python
from reference_impl.compression import has_lzo
from reference_impl.cursor import Cursor
from reference_impl.errors import ReferenceError_
from reference_impl.limits import Limits
from reference_impl.orc.anatomy import Seal, dissect
from reference_impl.orc.encodings import rle_v2
from reference_impl.orc.encodings.runs import Run, RunKind
from reference_impl.orc.encodings.scan import FIELDS, Encoding, scan
from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Bloom, Chunks, Column, Dictionary
from reference_impl.orc.schema import (
    BloomFilterIndex,
    CompressionKind,
    EncodingKind,
    Footer,
    Metadata,
    PostScript,
    RowIndex,
    StreamKind,
    StripeFooter,
    TypeKind,
)
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import NESTED, PRIMITIVES, plan

EXAMPLES = Path(os.environ.get("ORC_TEST_DATA", "."))
LIMITS = Limits(values=1 << 16, page_bytes=1 << 20, footer_bytes=1 << 20)
RUNS = tuple(
    Run(kind) for kind in (RunKind.SHORT_REPEAT, RunKind.PATCHED_BASE, RunKind.DELTA, RunKind.DIRECT)
)
LAYOUT = Column(data_runs=RUNS, length_runs=RUNS, secondary_runs=RUNS)
STRING = Column(dictionary=Dictionary(), bloom=Bloom())
V1 = Column(rle=1)


def make(layouts, **choices):
    """Return a file of all types in two stripes."""
    columns = tuple(layouts.get(name, layouts["else"]) for name in ("root", *PRIMITIVES, *NESTED))
    chosen = {"row_index_stride": 8, "chunks": Chunks((100,)), "metadata": (("a", b"b"),)} | choices
    return write(plan(30, stripes=(20, 10), columns=columns, **chosen))


PLAIN = make({"root": Column(), "boolean": Column(), "byte": Column(), "string": STRING, "else": Column()})
ZLIB = make({"string": STRING, "else": Column()}, compression=CompressionKind.ZLIB)
OLD = make({"else": V1}, compression=CompressionKind.SNAPPY)
PATCHED = write(
    plan(40, ("int", "long", "list"), nulls=False, columns=(Column(),) + (LAYOUT,) * 4, row_index_stride=0)
)
SEEDS = (PLAIN, ZLIB, OLD, PATCHED)


def mutants(count, seed):
    """Yield mutants of all seeds."""
    dice = random.Random(seed)
    for _ in range(count):
        yield orc.mutant(dice.choice(SEEDS), dice, [dice.choice(SEEDS)])


@pytest.fixture(scope="module")
def found(fewer):
    """Return twelve hundred mutants, or the first half of them; each operation occurs in either."""
    return list(mutants(fewer(1200, 5), 5))


def reach(data):
    """Return the part that the reference reads last: bytes, tail, stripe footers, or values."""
    where = "bytes"
    try:
        file = OrcFile(data, limits=LIMITS)
        where = "tail"
        for number in range(len(file.footer.stripes)):
            file.stripe(number)
        where = "stripes"
        file.read()
    except ReferenceError_:
        return where
    return "values"


@pytest.mark.heavy
def test_deterministic():
    """The same bytes and the same state of the `Random` give the same mutants."""
    assert list(mutants(60, 3)) == list(mutants(60, 3))
    assert list(mutants(60, 3)) != list(mutants(60, 4))


@pytest.mark.heavy
def test_each_is_another_file(found):
    """Nearly all mutants differ from their seed, and none is larger than 4 MiB."""
    assert sum(mutant.data not in SEEDS for mutant in found) > 0.95 * len(found)
    assert max(len(mutant.data) for mutant in found) < 4 << 20


@pytest.mark.heavy
def test_most_get_past_the_tail(found, some_of):
    """The reference reads the tail of most mutants, the stripe footers of many, and refuses many values."""
    read = some_of(((str(number), mutant) for number, mutant in enumerate(found)), 8)
    stages = Counter(reach(mutant.data) for mutant in read)
    total = len(read)
    assert stages["bytes"] < 0.35 * total
    assert stages["stripes"] > 0.1 * total
    assert stages["values"] > 0.25 * total


def names(found):
    """Return how often each operation occurs, by its parts too."""
    out = Counter()
    for mutant in found:
        for name in mutant.operations:
            what, _, rest = name.partition(": ")
            out.update([what, name])
            out.update(f"{what}: {each}" for each in rest.split(", "))
    return out


@pytest.mark.heavy
def test_each_operation_happens(found):
    """Every operation occurs: on messages, runs, values, chunks, splices, seals and futures."""
    done = names(found)
    wanted = ["bytes", *splices.OPERATIONS]
    wanted += [f"chunks: {name}" for name in chunks.OPERATIONS]
    wanted += [f"broken: {seal}" for seal in Seal]
    wanted += [f"future: {name}" for name in futures.FUTURES]
    wanted += [f"value: {role}" for role in values.Role]
    wanted += [
        cls.__name__ for cls in (PostScript, Footer, Metadata, StripeFooter, RowIndex, BloomFilterIndex)
    ]
    assert [name for name in wanted if not done[name]] == []


def test_each_codec_is_changed_to():
    """A file is stored in each codec that there is; in LZO where its library is installed."""
    parts = dissect(SEEDS[0])
    codecs = set()
    for number in range(200):
        codecs.add(splices.change_codec(parts, (), random.Random(number)).codec)
        if len(codecs) == len(CompressionKind) - (not has_lzo()):
            break
    assert codecs == set(CompressionKind) - (set() if has_lzo() else {CompressionKind.LZO})


def test_each_field_of_a_header_is_changed():
    """Each field of the header of each kind of run is changed, and the bytes behind the header."""
    done = set()
    streams = {
        Encoding.RLE_V2: rle_v2.encode(
            [7] * 5 + [1, 900, 3, 4] * 10 + list(range(0, 90, 3)) + [5] * 50 + [70_000] + [5] * 20,
            signed=True,
            runs=(
                Run(RunKind.SHORT_REPEAT, 5),
                Run(RunKind.DIRECT, 40),
                Run(RunKind.DELTA, 30),
                Run(RunKind.PATCHED_BASE, 71),
            ),
        ).data,
        Encoding.RLE_V1: b"\x61\x00\x07\xfb\x02\x03\x06\x07\x0b",
        Encoding.BYTE_RLE: b"\x61\x00\xfe\x44\x45",
        Encoding.VARINTS: b"\x01\x80\x02\x05",
    }
    assert {piece.kind for piece in scan(streams[Encoding.RLE_V2], Encoding.RLE_V2)} == {
        "short repeat", "direct", "delta", "patched base",
    }  # fmt: skip
    for encoding, data in streams.items():
        for seed in range(1500):
            done.add(runs.mutate(data, encoding, random.Random(seed))[1])
    wanted = [
        f"{Encoding.RLE_V2}: {kind} {part.name}"
        for kind, fields in FIELDS.items()
        if kind not in ("run", "literals")
        for part in fields
    ]
    wanted += ["rle v2: delta base", "rle v2: delta delta base", "rle v2: patched base base"]
    wanted += ["rle v2: patched base last patch", "rle v1: run delta", "rle v1: literals literal"]
    wanted += ["rle v1: run length", "byte rle: literals length", "varints: varint number"]
    wanted += [f"{encoding}: run inserted" for encoding in streams]
    assert [name for name in wanted if name not in done] == []


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=80), st.data())
def test_scan_finds_the_runs(numbers, data):
    """`scan` returns the runs of a stream by their headers, with the right number of values."""
    kinds = st.sampled_from(
        [RunKind.CHOSEN, RunKind.SHORT_REPEAT, RunKind.DIRECT, RunKind.DELTA, RunKind.PATCHED_BASE]
    )
    lengths = st.none() | st.integers(1, 20)
    drawn = data.draw(st.lists(st.builds(Run, kinds, lengths), max_size=5))
    encoded = rle_v2.encode(numbers, signed=True, runs=drawn)
    pieces = scan(encoded.data, Encoding.RLE_V2)
    assert [piece.length for piece in pieces] == encoded.counts.tolist()
    assert b"".join(piece.data for piece in pieces) == encoded.data


@given(st.lists(st.integers(0, 200), min_size=1, max_size=60), st.integers(0, 1 << 32))
def test_one_value_is_changed(lengths, seed):
    """One value of a stream is changed, and all others stay the same."""
    data = rle_v2.encode(lengths, signed=False).data
    made, name = values.mutate(data, values.Role.LENGTH, Encoding.RLE_V2, 0, random.Random(seed))
    assert name == "value: length"
    try:
        after = rle_v2.decode(Cursor(made), len(lengths), signed=False).tolist()
    except ReferenceError_:  # a length of 2^63 or more is refused
        reject()
    assert sum(a != b for a, b in zip(after, lengths, strict=True)) <= 1


@pytest.mark.parametrize(
    ("kind", "encoding", "stream", "role", "how"),
    [
        (TypeKind.INT, EncodingKind.DIRECT_V2, StreamKind.PRESENT, values.Role.PRESENT, Encoding.BOOLEAN),
        (TypeKind.INT, EncodingKind.DIRECT, StreamKind.DATA, values.Role.NUMBER, Encoding.RLE_V1),
        (TypeKind.CHAR, EncodingKind.DIRECT_V2, StreamKind.DATA, values.Role.TEXT, Encoding.RAW),
        (TypeKind.STRING, EncodingKind.DICTIONARY_V2, StreamKind.DATA, values.Role.INDEX, Encoding.RLE_V2),
        (TypeKind.TIMESTAMP, EncodingKind.DIRECT_V2, StreamKind.DATA, values.Role.SECONDS, Encoding.RLE_V2),
        (TypeKind.TIMESTAMP, EncodingKind.DIRECT, StreamKind.SECONDARY, values.Role.NANOS, Encoding.RLE_V1),
        (TypeKind.DECIMAL, EncodingKind.DIRECT_V2, StreamKind.DATA, values.Role.DIGITS, Encoding.VARINTS),
        (TypeKind.DECIMAL, EncodingKind.DIRECT_V2, StreamKind.SECONDARY, values.Role.SCALE, Encoding.RLE_V2),
        (TypeKind.UNION, EncodingKind.DIRECT, StreamKind.DATA, values.Role.TAG, Encoding.BYTE_RLE),
        (TypeKind.LIST, EncodingKind.DIRECT_V2, StreamKind.LENGTH, values.Role.LENGTH, Encoding.RLE_V2),
        (
            TypeKind.STRING,
            EncodingKind.DICTIONARY,
            StreamKind.DICTIONARY_DATA,
            values.Role.TEXT,
            Encoding.RAW,
        ),
    ],
)
def test_meaning_of_streams(kind, encoding, stream, role, how):
    """A stream has the role and encoding of the specification's column encodings."""
    assert values.meaning(kind, encoding, stream) == (role, how)


@given(st.binary(max_size=300), st.integers(0, 1 << 32))
def test_never_raises_on_any_bytes(data, seed):
    """Any bytes are mutated, with any bytes to splice from."""
    assert isinstance(orc.mutate(data, random.Random(seed), [data, b"", PLAIN]), bytes)


def mutated(data):
    """Return mutants of the files that a strategy draws; a second file is there to splice from."""
    dice = st.randoms(use_true_random=False)
    return st.builds(lambda file, other, random: orc.mutate(file, random, [other]), data, data, dice)


@settings(max_examples=60, deadline=None)
@given(mutated(mutated(st.sampled_from(SEEDS))))
def test_never_raises_on_mutants(data):
    """The reference reads mutants of mutants, or raises a documented error."""
    reach(data)


@given(st.binary(max_size=60), st.sampled_from(list(Encoding)), st.integers(0, 1 << 32))
def test_runs_of_any_bytes(data, encoding, seed):
    """Any bytes are mutated as a stream of runs."""
    made, name = runs.mutate(data, encoding, random.Random(seed))
    assert isinstance(made, bytes)
    assert name


@given(st.binary(max_size=60), st.sampled_from(list(chunks.OPERATIONS)), st.integers(0, 1 << 32))
def test_chunks_of_any_bytes(data, name, seed):
    """Any bytes are mutated as a stream of chunks."""
    assert isinstance(chunks.OPERATIONS[name](dissect(ZLIB), data, random.Random(seed)), bytes)


@given(
    st.binary(max_size=80), st.sampled_from([PostScript, Footer, StripeFooter, RowIndex]), st.integers(0, 99)
)
def test_messages_of_any_bytes(data, cls, seed):
    """Any bytes are mutated as a message."""
    assert isinstance(protobuf.mutate(data, cls, random.Random(seed)), bytes)


def outcome(data, columns=None):
    """Return the rule that a file breaks, or None and its columns."""
    try:
        table = OrcFile(data).read(columns)
    except ReferenceError_ as error:
        return error.rule, None
    return None, repr([to_python(column) for column in table.columns])


@pytest.mark.sweep(18, each="name")
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("data", [PLAIN, ZLIB, OLD], ids=["plain", "zlib", "old"])
@pytest.mark.parametrize("name", list(futures.FUTURES))
def test_futures(name, data, seed):
    """The reference reads a file of the future, or names the rule of the feature when it refuses the file."""
    future = futures.FUTURES[name]
    made = future.make(dissect(data), random.Random(seed))
    assert made is not None
    assert made != data
    rule, rows = outcome(made)
    assert (rule or "reads") in (future.rules or ("reads",))
    assert (future.handling is futures.Handling.READS) == (rule is None)
    if rule is None:
        assert rows == outcome(data)[1]


def test_other_columns_of_a_future():
    """Where data stands in a stream of an unknown kind, the reference still reads the other columns."""
    made = futures.FUTURES["data relabelled"].make(dissect(PLAIN), random.Random(1))
    read = [outcome(made, [name]) for name in (*PRIMITIVES, *NESTED)]
    before = [outcome(PLAIN, [name]) for name in (*PRIMITIVES, *NESTED)]
    assert [rule for rule, _ in read if rule] == ["ORC-STRIPE-012"]
    assert sum(one == other for one, other in zip(read, before, strict=True)) == len(read) - 1


def test_futures_without_a_place():
    """A file without stripes has no place for an encoding of the future."""
    empty = dissect(write(plan(0, ("int",))))
    assert futures.FUTURES["encoding"].make(empty, random.Random(0)) is None


@pytest.mark.heavy
@pytest.mark.corpus
@pytest.mark.skipif("ORC_TEST_DATA" not in os.environ, reason="ORC_TEST_DATA is not set")
def test_examples_are_mutated():
    """The reference reads mutants of other writers' examples, or raises a documented error."""
    dice = random.Random(1)
    found = [path.read_bytes() for path in sorted(EXAMPLES.rglob("*.orc")) if path.stat().st_size < 20_000]
    for data in found:
        for _ in range(6):
            reach(orc.mutate(data, dice, [dice.choice(found)]))
