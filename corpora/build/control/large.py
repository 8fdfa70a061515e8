"""Control files that are large: many rows, and long texts, by format; their values follow from their row."""

from __future__ import annotations

from collections.abc import Callable

from corpora.build.orc.schemas import INT, STRING, plan, struct_of
from corpora.build.recipe import leaf, schema, text
from corpora.formats import ORC, PARQUET
from reference_impl.orc.writer import write as write_orc
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import Type
from reference_impl.parquet.writer import write as write_parquet

ROWS = 100_000
TEXT = "colconf " * 12_500  # 100,000 bytes
TEXTS = 700  # rows: more than 64 MiB in all


def _integers_of_parquet() -> bytes:
    rows = tuple({"id": number} for number in range(ROWS))
    return write_parquet(FilePlan(schema(leaf("id", Type.INT32)), rows))


def _texts_of_parquet() -> bytes:
    return write_parquet(FilePlan(schema(text("t")), ({"t": TEXT.encode()},) * TEXTS))


def _integers_of_orc() -> bytes:
    return write_orc(plan(struct_of(id=INT), [(number,) for number in range(ROWS)]))


def _texts_of_orc() -> bytes:
    return write_orc(plan(struct_of(t=STRING), [(TEXT.encode(),)] * TEXTS))


# A column `id` of the numbers of ROWS rows, in 32 bits.
INTEGERS: dict[str, Callable[[], bytes]] = {PARQUET: _integers_of_parquet, ORC: _integers_of_orc}
# A column `t` that has TEXT in each of TEXTS rows.
LONG: dict[str, Callable[[], bytes]] = {PARQUET: _texts_of_parquet, ORC: _texts_of_orc}
