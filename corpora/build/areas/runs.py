"""Runs: the hybrid of RLE and bit-packing in all its forms, and the edges of DELTA_BINARY_PACKED."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, product

from corpora.build.recipe import (
    OPTIONAL,
    REPEATED,
    Recipe,
    column_plan,
    column_recipe,
    group,
    leaf,
    list_group,
    slug,
)
from reference_impl.parquet.plan import Column, Delta, Dictionary, Page, Runs
from reference_impl.parquet.schema import Encoding, Type

_SPEC = "Encodings.md, Run Length Encoding / Bit-Packing Hybrid"
_COUNTS = (1, 7, 8, 9, 17, 64, 65, 130)
_SIZES = (1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 256, 257)
_EXTRA = (1, 3, 7, 8, 15, 16, 23, 24, 31)


def _hybrid() -> Iterator[Recipe]:
    """Yield the _hybrid."""
    for runs, count in product(Runs, _COUNTS):
        for version in (1, 2):
            yield _levels(runs, count, version)
        yield _indices(runs, count)
        yield _booleans(runs, count)
    yield from _widths()
    yield from _padded()


def _pattern(number: int) -> int:
    """Return a number of a sequence of 0, 1 and 2 with short and long repetitions."""
    return (number // 9 + number // 30) % 3 if number % 60 > 15 else number % 3


def _levels(runs: Runs, count: int, version: int) -> Recipe:
    values = [n if _pattern(n) else None for n in range(count)]
    layout = Column((Page(None, version=version, levels=runs),))
    plan = column_plan(leaf("x", Type.INT32, OPTIONAL), values, layout)
    return Recipe(f"runs/levels/{runs}/{count}/v{version}", plan, _SPEC)


def _indices(runs: Runs, count: int) -> Recipe:
    values = [(10, 20, 30)[_pattern(n)] for n in range(count)]
    page = Page(None, Encoding.RLE_DICTIONARY, version=1 + count % 2, indices=runs)
    layout = Column((page,), dictionary=Dictionary())
    return column_recipe(f"runs/indices/{runs}/{count}", _SPEC, leaf("x", Type.INT32), values, layout)


def _booleans(runs: Runs, count: int) -> Recipe:
    values = [_pattern(n) == 1 for n in range(count)]
    layout = Column((Page(None, Encoding.RLE, version=1 + count % 2, indices=runs),))
    return column_recipe(f"runs/boolean/{runs}/{count}", _SPEC, leaf("x", Type.BOOLEAN), values, layout)


def _widths() -> Iterator[Recipe]:
    """Yield indices of every width for small dictionaries, and wider than needed."""
    for size in _SIZES:
        values = [number * 7 % size for number in range(size)] if size % 7 else list(range(size))
        page = Page(None, Encoding.RLE_DICTIONARY, version=1 + size % 2)
        layout = Column((page,), dictionary=Dictionary())
        plan = column_plan(leaf("x", Type.INT32), (*values, values[0], values[-1]), layout)
        yield Recipe(f"runs/index-width/size-{size}", plan, _SPEC)
    for extra, runs in product(_EXTRA, (Runs.PACKED, Runs.RLE)):
        letters = [(b"a", b"b")[_pattern(n) % 2] for n in range(40)]
        page = Page(None, Encoding.RLE_DICTIONARY, indices=runs)
        layout = Column((page,), dictionary=Dictionary(index_width_extra=extra))
        plan = column_plan(leaf("x", Type.BYTE_ARRAY), letters, layout)
        notes = "the width byte may say more than the indices need"
        yield Recipe(f"runs/index-width/{extra + 1}-bits/{runs}", plan, _SPEC, notes=notes)


def _padded() -> Iterator[Recipe]:
    """Yield bit-packed runs that end within a group of 8: no specification says what fills the group up."""
    notes = "the padding of the last group of a bit-packed run is not a value"
    values = [(10, 20, 30, 40, 50)[number % 5] for number in range(11)]
    for version in (1, 2):
        page = Page(None, Encoding.RLE_DICTIONARY, version=version, indices=Runs.PACKED, padding=_ALL_BITS)
        layout = Column((page,), dictionary=Dictionary())
        plan = column_plan(leaf("x", Type.INT32), values, layout)
        yield Recipe(f"runs/padding/indices/v{version}", plan, _SPEC, notes=notes)
        page = Page(None, Encoding.RLE, version=version, indices=Runs.PACKED, padding=_ALL_BITS)
        plan = column_plan(leaf("x", Type.BOOLEAN), [False] * 11, Column((page,)))
        yield Recipe(f"runs/padding/boolean/v{version}", plan, _SPEC, notes=notes)
        page = Page(None, version=version, levels=Runs.PACKED, padding=_ALL_BITS)
        lists = [[1], [], [2, 3], [4], None]
        items = list_group("x", OPTIONAL, group("list", REPEATED, leaf("element", Type.INT32)))
        rows = [None if each is None else {"list": [{"element": item} for item in each]} for each in lists]
        plan = column_plan(items, rows, Column((page,)))
        yield Recipe(f"runs/padding/levels/v{version}", plan, _SPEC, notes=notes)


_ALL_BITS = (1 << 32) - 1
_BITS = {Type.INT32: 32, Type.INT64: 64}
_DELTA_SPEC = "Encodings.md, Delta Encoding"
_DELTA_COUNTS = (0, 1, 2, 8, 31, 32, 33, 34, 64, 65, 66, 97, 128, 129, 130, 256, 257, 258, 385)
_LAYOUTS = {
    "one-miniblock": Delta(128, 1),
    "two-miniblocks": Delta(128, 2),
    "block-256": Delta(256, 8),
    "block-256-one-miniblock": Delta(256, 1),
    "block-1024": Delta(1024, 4),
    "block-1024-of-32": Delta(1024, 32),
    "block-4096": Delta(4096, 8),
    "padding-set": Delta(padding=-1),
    "padding-odd": Delta(padding=0x5555_5555_5555_5555),
    "unneeded-width-1": Delta(unneeded_width=1),
    "unneeded-width-64": Delta(unneeded_width=64),
    "unneeded-width-255": Delta(unneeded_width=255),
    "one-bit-more": Delta(extra_bits=1),
    "full-width": Delta(extra_bits=64),
}


def _delta_page(name: str, kind: Type, values: Sequence[int | None], page: Page, notes: str = "") -> Recipe:
    """Return a recipe for one column of these values."""
    repetition = OPTIONAL if None in values else 0
    plan = column_plan(leaf("x", kind, repetition), values, Column((page,)))
    return Recipe(f"delta-binary-packed/{name}", plan, _DELTA_SPEC, notes=notes)


def _wrapped(number: int, bits: int) -> int:
    """Return a number in two's complement of `bits` bits."""
    half = 1 << (bits - 1)
    return (number + half) % (1 << bits) - half


def _delta_widths() -> Iterator[Recipe]:
    """Yield every bit width: deltas alternate between the least delta and that plus 2^width - 1."""
    for kind, bits in _BITS.items():
        for width in range(bits + 1):
            low = _wrapped(-(1 << width) // 2, bits)
            value, values = 3, []
            for number in range(11):
                values.append(value)
                value = _wrapped(value + low + ((1 << width) - 1) * (number % 2), bits)
            page = Page(None, Encoding.DELTA_BINARY_PACKED, version=1 + width % 2)
            yield _delta_page(f"width/{slug(kind.name)}/{width}", kind, values, page)


def _counts() -> Iterator[Recipe]:
    """Yield pages with numbers of values around a miniblock of 32 and a block of 128."""
    for kind, count in product(_BITS, _DELTA_COUNTS):
        values = [number * number % 7 - 3 for number in range(count)]
        page = Page(None, Encoding.DELTA_BINARY_PACKED, version=1 + count % 2)
        yield _delta_page(f"count/{slug(kind.name)}/{count}", kind, values, page)


def _layouts() -> Iterator[Recipe]:
    """Yield other blocks and miniblocks, padding, and unneeded widths."""
    for kind, (name, delta), count in product(_BITS, _LAYOUTS.items(), (3, 130)):
        values = [number * number % 7 - 3 for number in range(count)]
        page = Page(None, Encoding.DELTA_BINARY_PACKED, delta=delta, version=1 + count % 2)
        notes = "" if name in {"block-256", "block-1024"} else "padding and unneeded widths are free"
        yield _delta_page(f"layout/{slug(kind.name)}/{name}/{count}", kind, values, page, notes)


def _sequences() -> Iterator[Recipe]:
    """Yield deltas that wrap around, equal deltas, and several pages."""
    for kind, bits in _BITS.items():
        least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        sequences: dict[str, Sequence[int | None]] = {
            "wraps": [least, most] * 6,
            "wraps-in-one-direction": [
                _wrapped(number * (1 << (bits - 2)) * 3, bits) for number in range(12)
            ],
            "extremes": [0, most, 0, least, 0, -1, least, 1, most],
            "constant": [most] * 40,
            "constant-delta": [least + 5 * number for number in range(40)],
            "falling": [most - number * number for number in range(40)],
            "first-value-least": [least, least, least + 1],
            "with-nulls": [None, 1, None, None, most, least, None],
            "all-null": [None] * 9,
        }
        for (name, values), version in product(sequences.items(), (1, 2)):
            page = Page(None, Encoding.DELTA_BINARY_PACKED, version)
            yield _delta_page(f"values/{slug(kind.name)}/{name}/v{version}", kind, values, page)
        values = [number * number % 90 for number in range(40)]
        page = Page(7, Encoding.DELTA_BINARY_PACKED)
        yield _delta_page(f"values/{slug(kind.name)}/seven-a-page", kind, values, page)


def recipes() -> Iterator[Recipe]:
    """Yield the runs, and the edges of deltas."""
    return chain(_hybrid(), _delta_widths(), _counts(), _layouts(), _sequences())
