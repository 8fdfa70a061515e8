"""Checks that are not made: ORC files that break a rule are read."""

from __future__ import annotations

from functools import partial

from corpora.build.formats import ORC
from harness.investigate.selftest.plant import REFUSAL, Plant

_TAIL = "reference_impl.orc.tail"
_STRIPE = "reference_impl.orc.stripe"
_LEAVES = "reference_impl.orc.readers.leaves"
_HOME = "reference_impl.orc.encodings"
_Plant = partial(Plant, shows=REFUSAL, format=ORC.name)

PLANTS = (
    _Plant(
        "rows-not-counted",
        "the numberOfRows of a file is not compared with its stripes",
        "ORCv1.md, Footer",
        _TAIL,
        "if footer.number_of_rows not in (None, rows):",
        "if footer.number_of_rows == -1:",
    ),
    _Plant(
        "areas-not-compared",
        "the lengths of index and data are not compared with the streams",
        "ORCv1.md, Stripe Information",
        _STRIPE,
        "if total != length:",
        "if total < 0:",
    ),
    _Plant(
        "stream-twice",
        "of two streams of a kind the first one counts",
        "ORCv1.md, Stripe Footer",
        _STRIPE,
        "            if (place.column, place.kind) in out:\n",
        "            if (place.column, place.kind) in out:\n"
        "                continue\n"
        "            if place.column < 0:\n",
    ),
    _Plant(
        "union-tag-clamped",
        "a tag beyond the variants of a union means the last one",
        "ORCv1.md, Union Columns",
        "reference_impl.orc.readers.nested",
        "tags = source.octets(StreamKind.DATA, count)",
        "tags = np.minimum(source.octets(StreamKind.DATA, count), len(node.children) - 1)",
    ),
    _Plant(
        "id-clamped",
        "an id beyond the dictionary means its last entry",
        "ORCv1.md, String, Char, and VarChar Columns",
        f"{_HOME}.string",
        "    check_ids(ids, len(words), offset)\n",
        "    ids = np.minimum(ids, max(0, len(words) - 1))\n",
    ),
    _Plant(
        "integers-cut",
        "integers beyond their type are cut",
        "ORCv1.md, SmallInt, Int, and BigInt Columns",
        _LEAVES,
        "if len(wrong):",
        "if len(wrong) < 0:",
    ),
    _Plant(
        "decimal-digits-unchecked",
        "a decimal may have more digits than its type",
        "ORCv1.md, Decimal Columns",
        _LEAVES,
        "if largest >= 10**precision:",
        "if largest < 0:",
    ),
    _Plant(
        "nanos-unchecked",
        "there may be more nanoseconds than a second has",
        "ORCv1.md, Timestamp Columns",
        f"{_HOME}.timestamp",
        "if len(wrong):",
        "if len(wrong) < 0:",
    ),
    _Plant(
        "patch-beyond-run",
        "a patch beyond the run is applied to its last value",
        "ORCv1.md, Patched Base",
        f"{_HOME}.rle_v2.patched_base",
        'check(places >= each("length"), "a patch beyond the run", BEYOND)',
        'places = np.minimum(places, each("length") - 1)',
    ),
    _Plant(
        "chunk-beyond-block",
        "a chunk may expand to more than the block has",
        "ORCv1.md, Compression",
        "reference_impl.orc.framing",
        "expand(self.codec.name, body, self.block_size, base",
        "expand(self.codec.name, body, MAX_BLOCK_SIZE, base",
    ),
    _Plant(
        "header-length-unchecked",
        "the headerLength of a file may be any number",
        "ORCv1.md, Footer",
        _TAIL,
        "if footer.header_length not in (None, len(MAGIC)):",
        "if footer.header_length == -1:",
    ),
)
