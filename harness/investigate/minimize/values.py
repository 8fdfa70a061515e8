"""Values of Parquet files: simpler ones, in simpler encodings; entries of dictionaries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from harness.investigate.minimize.contents import Contents
from harness.investigate.minimize.pages import ChunkContent, Content, head_of, with_head
from harness.investigate.minimize.reduction import Reduction, Sites
from reference_impl.byte_arrays import ByteArrays
from reference_impl.errors import UsageError
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import change_meta
from reference_impl.parquet.encodings import plain
from reference_impl.parquet.schema import Encoding, PageType
from reference_impl.parquet.types import take

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from reference_impl.byte_arrays import Values
    from reference_impl.parquet.anatomy import Anatomy, Chunk
    from reference_impl.parquet.schema import ColumnMetaData

_BELOW = 1 << 12
_GROWTH = 1 << 10


def _of_pages(
    data: bytes,
    sites: Callable[[ChunkContent, Content], int],
    change: Callable[[ChunkContent, Content, int, int], Content],
) -> Sites:
    """Return sites within data pages, as many of each as `sites` says, which `change` reduces."""
    found = Contents(data)
    places = found.pages()
    counts = [
        sites(found.chunks[group][column], found.chunks[group][column].pages[page])
        for group, column, page in places
    ]

    def reduced(start: int, stop: int) -> bytes:
        new = found.parts.anatomy.copy()
        first = 0
        for (group, column, page), count in zip(places, counts, strict=True):
            low, high = max(start, first) - first, min(stop, first + count) - first
            if low < high:
                content = found.chunks[group][column]
                chunk = new.groups[group].chunks[column]
                made = change(content, content.pages[page], low, high)
                chunk.pages[page] = content.written(chunk.pages[page], made)
            first += count
        return found.parts.assembled(new)

    return Sites(sum(counts), reduced)


def _complex(values: Values) -> NDArray[np.int64]:
    """Return the places of values that can be simpler: bytes that are not empty, numbers that are not 0."""
    if isinstance(values, ByteArrays):
        return np.flatnonzero(values.lengths)
    flat = values if values.ndim == 1 else values.any(axis=1)
    bits = flat.view(np.dtype(f"u{flat.dtype.itemsize}")) if flat.dtype.kind == "f" else flat
    return np.flatnonzero(bits)


def _simpler(values: Values, places: NDArray[np.int64], *, halve: bool) -> Values:
    """Return values, some of them zero or empty; `halve`: half as long, or as large."""
    if isinstance(values, ByteArrays):
        chosen = set(places.tolist())
        return ByteArrays.of(
            one[: len(one) // 2 if halve else 0] if at in chosen else one for at, one in enumerate(values)
        )
    new = values.copy()
    new[places] = new[places] // 2 if halve and new.dtype.kind in "iu" else 0
    return new


def _values(data: bytes, *, halve: bool) -> Sites:
    def places(page: Content) -> NDArray[np.int64]:
        found = np.zeros(0, np.int64) if page.indices is not None else _complex(page.values)
        return found if not halve or isinstance(page.values, ByteArrays) else found[:0]

    def change(_chunk: ChunkContent, page: Content, low: int, high: int) -> Content:
        return replace(page, values=_simpler(page.values, places(page)[low:high], halve=halve))

    return _of_pages(data, lambda _chunk, page: len(places(page)), change)


def zeros(data: bytes) -> Sites:
    """Make values zero, or empty."""
    return _values(data, halve=False)


def halves(data: bytes) -> Sites:
    """Cut byte arrays to half their length."""
    return _values(data, halve=True)


def first_entries(data: bytes) -> Sites:
    """Have dictionary indices be 0."""

    def places(page: Content) -> NDArray[np.int64]:
        return np.zeros(0, np.int64) if page.indices is None else np.flatnonzero(page.indices)

    def change(chunk: ChunkContent, page: Content, low: int, high: int) -> Content:
        if page.indices is None or chunk.dictionary is None:
            raise UsageError("a page without a dictionary")
        indices = page.indices.copy()
        indices[places(page)[low:high]] = 0
        return replace(page, indices=indices, values=take(chunk.dictionary, indices))

    return _of_pages(data, lambda _chunk, page: len(places(page)), change)


def encodings(data: bytes) -> Sites:
    """Store the values of pages in PLAIN."""
    found = Contents(data)
    own = found.parts.anatomy
    places = [
        (group, column, page)
        for group, column, page in found.pages()
        if head_of(own.groups[group].chunks[column].pages[page]).encoding != Encoding.PLAIN
    ]

    def reduced(start: int, stop: int) -> bytes:
        new = own.copy()
        for group, column, page in places[start:stop]:
            chunk, content = new.groups[group].chunks[column], found.chunks[group][column]
            _plain(chunk, page)
            chunk.pages[page] = content.written(chunk.pages[page], content.pages[page])
            change_meta(chunk, lambda meta, chunk=chunk: _listed(meta, chunk))  # type: ignore[misc]
        return found.parts.assembled(new)

    return Sites(len(places), reduced)


def _plain(chunk: Chunk, page: int) -> None:
    part = chunk.pages[page]
    chunk.pages[page] = with_head(part, replace(head_of(part), encoding=Encoding.PLAIN))


def _listed(meta: ColumnMetaData, chunk: Chunk) -> ColumnMetaData:
    """Return metadata whose list has PLAIN, and not what no page uses any more."""
    used = {head_of(page).encoding for page in chunk.pages if page.is_data}
    levels = {Encoding.RLE, Encoding.BIT_PACKED}
    kept = [one for one in meta.encodings if one in used or one in levels or one == Encoding.PLAIN]
    return replace(meta, encodings=kept if Encoding.PLAIN in kept else [*kept, Encoding.PLAIN])


def entries(data: bytes) -> Sites:
    """Leave out entries of dictionaries that no page refers to."""
    found = Contents(data)
    own = found.parts.anatomy
    places: list[tuple[int, int, int]] = []
    for group, chunks in enumerate(found.chunks):
        for column, chunk in enumerate(chunks):
            if chunk.dictionary is not None and _is_first(own, group, column):
                used = _used(chunk)
                places += [(group, column, at) for at in range(len(chunk.dictionary)) if at not in used]

    def reduced(start: int, stop: int) -> bytes:
        new = own.copy()
        gone: dict[tuple[int, int], set[int]] = {}
        for group, column, at in places[start:stop]:
            gone.setdefault((group, column), set()).add(at)
        for (group, column), which in gone.items():
            _without_entries(new.groups[group].chunks[column], found.chunks[group][column], which)
        return found.parts.assembled(new)

    return Sites(len(places), reduced)


def _is_first(own: Anatomy, group: int, column: int) -> bool:
    pages = own.groups[group].chunks[column].pages
    return bool(pages) and pages[0].header.type == PageType.DICTIONARY_PAGE


def _used(chunk: ChunkContent) -> set[int]:
    indices = [page.indices for page in chunk.pages.values() if page.indices is not None]
    return {int(one) for found in indices for one in np.unique(found)}


def _without_entries(chunk: Chunk, content: ChunkContent, gone: set[int]) -> None:
    """Take entries out of the dictionary of a chunk, in place, and have its indices follow."""
    assert content.dictionary is not None
    kept = np.array([at for at in range(len(content.dictionary)) if at not in gone], np.int64)
    new_places = np.zeros(len(content.dictionary), np.int64)
    new_places[kept] = np.arange(len(kept))
    _set_dictionary(chunk, content, take(content.dictionary, kept))
    for number, page in content.pages.items():
        if page.indices is not None:
            moved = replace(page, indices=new_places[page.indices])
            chunk.pages[number] = content.written(chunk.pages[number], moved)


def _set_dictionary(chunk: Chunk, content: ChunkContent, values: Values) -> None:
    part = chunk.pages[0]
    body = plain.encode(values, content.physical)
    page = anatomy.with_sections(part, anatomy.Sections(b"", b"", body), content.codec)
    header = part.header.dictionary_page_header
    if header is None:
        raise UsageError("a dictionary page without its header")
    chunk.pages[0] = page.edited(dictionary_page_header=replace(header, num_values=len(values)))


def _dictionary_values(data: bytes, *, halve: bool) -> Sites:
    found = Contents(data)
    own = found.parts.anatomy
    places: list[tuple[int, int, int]] = []
    for group, chunks in enumerate(found.chunks):
        for column, chunk in enumerate(chunks):
            values = chunk.dictionary
            if values is None or not _is_first(own, group, column):
                continue
            if not halve or isinstance(values, ByteArrays):
                places += [(group, column, int(at)) for at in _complex(values)]

    def reduced(start: int, stop: int) -> bytes:
        new = own.copy()
        chosen: dict[tuple[int, int], list[int]] = {}
        for group, column, at in places[start:stop]:
            chosen.setdefault((group, column), []).append(at)
        for (group, column), which in chosen.items():
            content = found.chunks[group][column]
            assert content.dictionary is not None
            values = _simpler(content.dictionary, np.array(which, np.int64), halve=halve)
            _set_dictionary(new.groups[group].chunks[column], content, values)
        return found.parts.assembled(new)

    return Sites(len(places), reduced)


def zero_entries(data: bytes) -> Sites:
    """Make the values of dictionaries zero, or empty."""
    return _dictionary_values(data, halve=False)


def half_entries(data: bytes) -> Sites:
    """Cut the byte arrays of dictionaries to half their length."""
    return _dictionary_values(data, halve=True)


ENTRIES = Reduction("dictionary entries", entries)
VALUES = (
    Reduction("dictionary indices", first_entries),
    Reduction("values", zeros),
    Reduction("half values", halves),
    Reduction("dictionary values", zero_entries),
    Reduction("half dictionary values", half_entries),
)
ENCODINGS = Reduction("encodings", encodings, _GROWTH, _BELOW)
