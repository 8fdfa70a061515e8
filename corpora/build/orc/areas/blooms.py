"""Bloom filters of every type and size, in both kinds of streams, with queries of existing values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from corpora import tagged
from corpora.build.orc import samples
from corpora.build.orc.schemas import LONG, STRING, column_plan, column_recipe, recipe
from corpora.build.recipe import Recipe, slug
from corpora.queries import Compare, Filter
from reference_impl.orc import bloom
from reference_impl.orc.plan import Bloom, Column, Index, Statistics
from reference_impl.orc.schema import TypeKind

_SPEC = "ORCv1.md, Bloom Filter Index"
# Without typed statistics only the filter can skip a row group.
_BARE = Index(Statistics(typed=False))
_FORMS = {"utf8": Bloom(words=2), "original": Bloom(words=2, utf8=False, original=True)}


def recipes() -> Iterator[Recipe]:
    """Yield the filters."""
    for kind, (name, form) in product(bloom.KINDS, _FORMS.items()):
        values: list[Any] = [*samples.VALUES[kind], None]
        layout = Column(bloom=form, index=_BARE, statistics=Statistics(typed=False))
        file_plan = column_plan(samples.TYPES[kind], values, layout, row_index_stride=4)
        # Whether a CHAR equals a text depends on the treatment of trailing spaces.
        probed = None if kind is TypeKind.CHAR else ("x",)
        yield recipe(f"bloom/{slug(kind.name)}/{name}", file_plan, _SPEC, probed=probed)
    for words in (1, 3, 100):
        file_plan = column_plan(
            LONG, range(0, 200, 7), Column(bloom=Bloom(words=words), index=_BARE), row_index_stride=9
        )
        yield recipe(f"bloom/words/{words}", file_plan, _SPEC, probed=("x",))
    for hashes in (1, 2, 7, 20):
        file_plan = column_plan(
            STRING, [b"a", b"b", b"abc"], Column(bloom=Bloom(words=2, hashes=hashes), index=_BARE)
        )
        yield recipe(f"bloom/hashes/{hashes}", file_plan, _SPEC, probed=("x",))
    texts = [bytes(97 + at % 26 for at in range(length)) for length in (0, 1, 7, 8, 9, 15, 16, 17, 64)]
    file_plan = column_plan(STRING, texts, Column(bloom=Bloom(words=3), index=_BARE), row_index_stride=1)
    queries = tuple(Filter(Compare(("x",), "=", tagged.STRING, text.decode())) for text in texts)
    yield recipe("bloom/lengths-of-text", file_plan, _SPEC, queries=queries)
    both = Column(bloom=Bloom(words=4, original=True), index=_BARE)
    yield column_recipe("bloom/both-streams", _SPEC, LONG, range(9), both, row_index_stride=4, probed=("x",))
    yield from _times()


def _times() -> Iterator[Recipe]:
    """Yield timestamps hashed in the writer's zone and as UTC ("bloom_encoding")."""
    values = [value for value in samples.VALUES[TypeKind.TIMESTAMP] if value[0] > -(1 << 31)]
    for zone, encoding in product(("America/Los_Angeles", "Asia/Kolkata"), (None, 0, 1)):
        form = Bloom(words=4, encoding=encoding, utf8=encoding == 1, original=encoding != 1)
        file_plan = column_plan(
            samples.TYPES[TypeKind.TIMESTAMP],
            values,
            Column(bloom=form, index=_BARE),
            writer_timezone=zone,
            row_index_stride=3,
        )
        name = f"bloom/timestamp/{slug(zone.replace('/', '-'))}/encoding-{slug(str(encoding))}"
        yield recipe(name, file_plan, "orc_proto.proto, ColumnEncoding.bloom_encoding", probed=("x",))
