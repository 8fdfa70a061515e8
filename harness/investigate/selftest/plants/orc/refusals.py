"""Checks that are not made: ORC files that break a rule are read."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import ORC, REFUSAL, Plant

_HOME = "reference_impl.orc.encodings"
_Plant = partial(Plant, shows=REFUSAL, format=ORC)
_tail = partial(_Plant, module="reference_impl.orc.tail")
_stripe = partial(_Plant, module="reference_impl.orc.stripe")
_leaves = partial(_Plant, module="reference_impl.orc.readers.leaves")

PLANTS = (
    _tail(
        "rows-not-counted",
        "the numberOfRows of a file is not compared with its stripes",
        "if footer.number_of_rows not in (None, rows):",
        "if footer.number_of_rows == -1:",
        "ORCv1.md, Footer",
    ),
    _stripe(
        "areas-not-compared",
        "indexLength and dataLength of a stripe are not compared with its streams",
        "if total != length:",
        "if total < 0:",
        "ORCv1.md, Stripe Information",
    ),
    _stripe(
        "stream-twice",
        "if a column has two streams of a kind, the first is read and the second ignored",
        "            if (place.column, place.kind) in out:\n",
        "            if (place.column, place.kind) in out:\n"
        "                continue\n"
        "            if place.column < 0:\n",
        "ORCv1.md, Stripe Footer",
    ),
    _Plant(
        "union-tag-clamped",
        "a union tag beyond the variants is read as the last variant",
        "tags = source.octets(StreamKind.DATA, count)",
        "tags = np.minimum(source.octets(StreamKind.DATA, count), len(node.children) - 1)",
        "ORCv1.md, Union Columns",
        "reference_impl.orc.readers.nested",
    ),
    _Plant(
        "id-clamped",
        "a dictionary id out of range is read as the last entry",
        "    check_ids(ids, len(words), offset)\n",
        "    ids = np.minimum(ids, max(0, len(words) - 1))\n",
        "ORCv1.md, String, Char, and VarChar Columns",
        f"{_HOME}.string",
    ),
    _leaves(
        "integers-cut",
        "integers that do not fit their type are truncated",
        "if len(wrong):",
        "if len(wrong) < 0:",
        "ORCv1.md, SmallInt, Int, and BigInt Columns",
    ),
    _leaves(
        "decimal-digits-unchecked",
        "a decimal may have more digits than its type",
        "if largest >= 10**precision:",
        "if largest < 0:",
        "ORCv1.md, Decimal Columns",
    ),
    _Plant(
        "nanos-unchecked",
        "nanoseconds of a second or more are accepted",
        "if len(wrong):",
        "if len(wrong) < 0:",
        "ORCv1.md, Timestamp Columns",
        f"{_HOME}.timestamp",
    ),
    _Plant(
        "patch-beyond-run",
        "a patch beyond the end of its run is applied to the last value",
        'check(places >= each("length"), "a patch beyond the run", BEYOND)',
        'places = np.minimum(places, each("length") - 1)',
        "ORCv1.md, Patched Base",
        f"{_HOME}.rle_v2.patched_base",
    ),
    _Plant(
        "chunk-beyond-block",
        "a chunk that expands to more than the block size is accepted",
        "expand(self.codec.name, body, self.block_size, base",
        "expand(self.codec.name, body, MAX_BLOCK_SIZE, base",
        "ORCv1.md, Compression",
        "reference_impl.orc.framing",
    ),
    _tail(
        "header-length-unchecked",
        "any headerLength of a file is accepted",
        "if footer.header_length not in (None, len(MAGIC)):",
        "if footer.header_length == -1:",
        "ORCv1.md, Footer",
    ),
)
