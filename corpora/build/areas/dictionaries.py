"""Dictionaries of every type: with unused values, with repeated values, sorted, without an offset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from corpora.build import nestings, samples
from corpora.build.recipe import Recipe, leaf, schema, slug
from reference_impl.parquet.plan import Column, Dictionary, FilePlan, Page
from reference_impl.parquet.schema import Encoding, Type

_SPEC = "Encodings.md, Dictionary Encoding"
_FORMS = {
    "duplicates": Dictionary(duplicates=True),
    "sorted": Dictionary(sorted_flag=True),
    "said-not-sorted": Dictionary(sorted_flag=False),
    "no-offset": Dictionary(offset=False),
    "wide-indices": Dictionary(index_width_extra=6),
    "crc": Dictionary(crc=True),
    "old-name": Dictionary(plain_dictionary=True, sorted_flag=False),
    "old-name-no-offset": Dictionary(plain_dictionary=True, offset=False),
}
_UNUSED = {
    Type.INT32: (5, 6, -9),
    Type.BYTE_ARRAY: (b"never", b"", b"\xff"),
    Type.DOUBLE: (9.5, samples.DOUBLE_NANS[0]),
    Type.FIXED_LEN_BYTE_ARRAY: (b"xyz", b"zzz"),
    Type.INT64: (12, 2**40),
    Type.FLOAT: (9.5,),
    Type.BOOLEAN: (False,),
    Type.INT96: (bytes(12),),
}


def recipes() -> Iterator[Recipe]:
    """Yield the forms."""
    for kind in (Type.INT32, Type.BYTE_ARRAY, Type.DOUBLE, Type.FIXED_LEN_BYTE_ARRAY):
        for (name, dictionary), nesting in product(_FORMS.items(), ("optional", "list")):
            yield _recipe(kind, name, dictionary, nesting)
    for kind, unused in _UNUSED.items():
        yield _recipe(kind, "unused", Dictionary(unused=unused), "optional")
        yield _recipe(kind, "unused-and-twice", Dictionary(unused=unused, duplicates=True), "required")
    yield from _groups()


def _recipe(kind: Type, name: str, dictionary: Dictionary, nesting: str) -> Recipe:
    layout = Column((Page(6, Encoding.RLE_DICTIONARY),), dictionary=dictionary, encoding_stats=True)
    values = samples.VALUES[kind] * 2
    plan = nestings.plan(nestings.BY_NAME[nesting], samples.fields(kind), values, layout)
    return Recipe(f"dictionary/{slug(kind.name)}/{name}/{nesting}", plan, _SPEC)


def _groups() -> Iterator[Recipe]:
    """Yield files in which only some chunks of a column have a dictionary."""
    rows = tuple({"x": b"v%d" % (n % 3)} for n in range(12))
    by_index = Column((Page(None, Encoding.RLE_DICTIONARY),), dictionary=Dictionary())
    fields = schema(leaf("x", Type.BYTE_ARRAY))
    for name, groups in {"first": (0,), "last": (2,), "outer": (0, 2)}.items():
        overrides = tuple((group, 0, by_index) for group in groups)
        plan = FilePlan(fields, rows, overrides=overrides, row_groups=(4, 4, 4))
        yield Recipe(f"dictionary/in-row-group/{name}", plan, _SPEC)
    plan = FilePlan(fields, rows, (by_index,), row_groups=(6, 1, 5))
    yield Recipe("dictionary/in-row-group/every", plan, _SPEC, notes="each has a dictionary of its own")
