"""ALP: vectors of every size, exponents and factors, widths of integers, exceptions."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import product

from corpora.build import samples
from corpora.build.recipe import OPTIONAL, Recipe, column_plan, leaf, slug
from reference_impl.parquet.plan import Alp, Column, Page
from reference_impl.parquet.schema import Encoding, Type

_SPEC = "AlpEncoding.md, Page Layout"
_FLOATS = (Type.FLOAT, Type.DOUBLE)
_MOST = {Type.FLOAT: 10, Type.DOUBLE: 18}
_BITS = {Type.FLOAT: 32, Type.DOUBLE: 64}
_NAN = struct.pack("<d", float("nan"))
_ROWS = 21
_CENTS = [number * 37 % 1000 / 4 for number in range(_ROWS)]  # quarters, which both types hold exactly


def recipes() -> Iterator[Recipe]:
    """Yield the forms of a page."""
    example = (1500.0, _NAN, 2500.0, 333.5)
    notes = "the worked example of the specification"
    yield _recipe("example", Type.DOUBLE, example, Alp(exponent=4, factor=3), notes=notes)
    for kind in _FLOATS:
        yield from _vectors(kind)
        yield from _integers(kind)
        yield from _exceptions(kind)


def _vectors(kind: Type) -> Iterator[Recipe]:
    """Yield vectors of 8 values and of more, full and not, in one page and in some."""
    for log, count in product((3, 4, 15), (1, 7, 8, 9, 16, _ROWS)):
        if log == 3 or count == _ROWS:
            yield _recipe(f"vectors-of-{1 << log}/{count}", kind, _CENTS[:count], Alp(log))
    some = (None, *_CENTS, None)
    yield _recipe("nulls", kind, some, Alp(3))
    yield _recipe("nothing-but-nulls", kind, (None, None), Alp(3))
    yield _recipe("pages", kind, some, Alp(3), entries=9)
    yield _recipe("vectors-of-1024/default", kind, [*_CENTS] * 50, Alp())


def _integers(kind: Type) -> Iterator[Recipe]:
    """Yield exponents and factors, and integers of no bits, of all bits, and of more than needed."""
    most = _MOST[kind]
    for exponent, factor in ((0, 0), (2, 0), (2, 2), (most, 0), (most, most)):
        name = f"exponent-{exponent}-factor-{factor}"
        yield _recipe(name, kind, _CENTS, Alp(exponent=exponent, factor=factor))
    yield _recipe("width/0", kind, [-7.25] * 9, Alp())
    edge = 2.0 ** (_BITS[kind] - 1)
    yield _recipe("width/most", kind, [-edge, edge / 2, 0.0, -1.0], Alp(exponent=0))
    for extra in (1, 7):
        yield _recipe(f"width/{extra}-more", kind, _CENTS, Alp(extra_bits=extra))


def _exceptions(kind: Type) -> Iterator[Recipe]:
    """Yield exceptions, which are not short decimals: none, some, all, and some without need."""
    specials = samples.VALUES[kind]
    yield _recipe("exceptions/all", kind, specials[4:], Alp(3, exponent=0))
    yield _recipe("exceptions/some", kind, [*specials, *_CENTS], Alp())
    for every in (1, 2, 3):
        yield _recipe(f"exceptions/every-{every}", kind, _CENTS, Alp(3, exponent=2, exceptions=every))


def _recipe(  # noqa: PLR0917 - the parts of a page of ALP
    name: str, kind: Type, values: Sequence[object], form: Alp, entries: int | None = None, notes: str = ""
) -> Recipe:
    column = Column((Page(entries, Encoding.ALP, alp=form),))
    plan = column_plan(leaf("x", kind, OPTIONAL), values, column)
    place = f"alp/{slug(kind.name)}/{name}"
    return Recipe(place, plan, _SPEC, notes=notes)
