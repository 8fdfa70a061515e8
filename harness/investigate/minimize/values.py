"""Reductions of values of Parquet files: simpler values, simpler encodings, fewer entries of dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from harness.investigate.minimize.pages import ChunkContent, Content, Contents, head_of, with_head
from harness.investigate.minimize.reduction import Impossible, Reduction, Sites, overlaps
from reference_impl.byte_arrays import ByteArrays, Values
from reference_impl.parquet import anatomy
from reference_impl.parquet.anatomy import Anatomy, Chunk, change_meta
from reference_impl.parquet.encodings import plain
from reference_impl.parquet.schema import ColumnMetaData, Encoding, PageType
from reference_impl.parquet.types import take

_BELOW = 1 << 12
_GROWTH = 1 << 10


def _of_pages(
    data: bytes,
    sites: Callable[[ChunkContent, Content], int],
    change: Callable[[ChunkContent, Content, int, int], Content],
) -> Sites:
    """Return sites within data pages: `sites` returns their number in a page, `change` reduces them."""
    contents = Contents(data)
    places = contents.pages()
    counts = [
        sites(contents.chunks[group][column], contents.chunks[group][column].pages[page])
        for group, column, page in places
    ]

    def reduced(start: int, stop: int) -> bytes:
        new = contents.parts.anatomy.copy()
        for number, low, high in overlaps(start, stop, counts):
            group, column, page = places[number]
            content = contents.chunks[group][column]
            chunk = new.groups[group].chunks[column]
            changed = change(content, content.pages[page], low, high)
            chunk.pages[page] = content.written(chunk.pages[page], changed)
        return contents.parts.assembled(new)

    return Sites(sum(counts), reduced)


def _complex(values: Values) -> NDArray[np.int64]:
    """Return the places of values that can be simpler: non-empty bytes, numbers other than 0."""
    if isinstance(values, ByteArrays):
        return np.flatnonzero(values.lengths)
    flat = values if values.ndim == 1 else values.any(axis=1)
    bits = flat.view(np.dtype(f"u{flat.dtype.itemsize}")) if flat.dtype.kind == "f" else flat
    return np.flatnonzero(bits)


def _simpler(values: Values, places: NDArray[np.int64], *, halve: bool) -> Values:
    """Return values of which some are zero or empty; `halve`: half as long, or half as large."""
    if isinstance(values, ByteArrays):
        chosen = set(places.tolist())
        return ByteArrays.of(
            value[: len(value) // 2 if halve else 0] if at in chosen else value
            for at, value in enumerate(values)
        )
    new = values.copy()
    new[places] = new[places] // 2 if halve and new.dtype.kind in "iu" else 0
    return new


def _values(data: bytes, *, halve: bool) -> Sites:
    def places(page: Content) -> NDArray[np.int64]:
        complex_ = np.zeros(0, np.int64) if page.indices is not None else _complex(page.values)
        return complex_ if not halve or isinstance(page.values, ByteArrays) else complex_[:0]

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
    """Set dictionary indices to 0."""

    def places(page: Content) -> NDArray[np.int64]:
        return np.zeros(0, np.int64) if page.indices is None else np.flatnonzero(page.indices)

    def change(chunk: ChunkContent, page: Content, low: int, high: int) -> Content:
        if page.indices is None or chunk.dictionary is None:
            raise Impossible("a page without a dictionary")
        indices = page.indices.copy()
        indices[places(page)[low:high]] = 0
        return replace(page, indices=indices, values=take(chunk.dictionary, indices))

    return _of_pages(data, lambda _chunk, page: len(places(page)), change)


def encodings(data: bytes) -> Sites:
    """Store the values of pages in PLAIN."""
    contents = Contents(data)
    own = contents.parts.anatomy
    places = [
        (group, column, page)
        for group, column, page in contents.pages()
        if head_of(own.groups[group].chunks[column].pages[page]).encoding != Encoding.PLAIN
    ]

    def reduced(start: int, stop: int) -> bytes:
        new = own.copy()
        for group, column, page in places[start:stop]:
            chunk, content = new.groups[group].chunks[column], contents.chunks[group][column]
            _plain(chunk, page)
            chunk.pages[page] = content.written(chunk.pages[page], content.pages[page])
            change_meta(chunk, lambda meta, chunk=chunk: _listed(meta, chunk))  # type: ignore[misc]
        return contents.parts.assembled(new)

    return Sites(len(places), reduced)


def _plain(chunk: Chunk, page: int) -> None:
    part = chunk.pages[page]
    chunk.pages[page] = with_head(part, replace(head_of(part), encoding=Encoding.PLAIN))


def _listed(meta: ColumnMetaData, chunk: Chunk) -> ColumnMetaData:
    """Return metadata whose list of encodings has PLAIN, and no encoding that no page uses."""
    used = {head_of(page).encoding for page in chunk.pages if page.is_data}
    levels = {Encoding.RLE, Encoding.BIT_PACKED}
    remaining = [
        encoding
        for encoding in meta.encodings
        if encoding in used or encoding in levels or encoding == Encoding.PLAIN
    ]
    return replace(meta, encodings=remaining if Encoding.PLAIN in remaining else [*remaining, Encoding.PLAIN])


def _of_dictionaries(
    data: bytes,
    sites: Callable[[ChunkContent, Values], Iterable[int]],
    change: Callable[[Chunk, ChunkContent, Values, list[int]], None],
) -> Sites:
    """Return entries of dictionaries as sites, those that `sites` returns; `change` reduces them in place."""
    contents = Contents(data)
    own = contents.parts.anatomy
    places = [
        (group, column, at)
        for group, chunks in enumerate(contents.chunks)
        for column, content in enumerate(chunks)
        if content.dictionary is not None and _is_first(own, group, column)
        for at in sites(content, content.dictionary)
    ]

    def reduced(start: int, stop: int) -> bytes:
        new = own.copy()
        for (group, column), chosen in groupby(places[start:stop], key=lambda place: place[:2]):
            content = contents.chunks[group][column]
            assert content.dictionary is not None
            chunk = new.groups[group].chunks[column]
            change(chunk, content, content.dictionary, [at for *_, at in chosen])
        return contents.parts.assembled(new)

    return Sites(len(places), reduced)


def entries(data: bytes) -> Sites:
    """Leave out entries of dictionaries that no page refers to."""
    return _of_dictionaries(
        data,
        lambda content, values: sorted(set(range(len(values))) - _used(content)),
        _without_entries,
    )


def _is_first(own: Anatomy, group: int, column: int) -> bool:
    pages = own.groups[group].chunks[column].pages
    return bool(pages) and pages[0].header.type == PageType.DICTIONARY_PAGE


def _used(chunk: ChunkContent) -> set[int]:
    indices = [page.indices for page in chunk.pages.values() if page.indices is not None]
    return {int(index) for array in indices for index in np.unique(array)}


def _without_entries(chunk: Chunk, content: ChunkContent, values: Values, gone: list[int]) -> None:
    """Remove entries from the dictionary of a chunk, in place, and renumber its indices."""
    remaining = np.delete(np.arange(len(values)), gone)
    new_places = np.zeros(len(values), np.int64)
    new_places[remaining] = np.arange(len(remaining))
    _set_dictionary(chunk, content, take(values, remaining))
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
        raise Impossible("a dictionary page without its header")
    chunk.pages[0] = page.edited(dictionary_page_header=replace(header, num_values=len(values)))


def _dictionary_values(data: bytes, *, halve: bool) -> Sites:
    def sites(_content: ChunkContent, values: Values) -> Iterable[int]:
        return map(int, _complex(values)) if not halve or isinstance(values, ByteArrays) else ()

    def change(chunk: Chunk, content: ChunkContent, values: Values, chosen: list[int]) -> None:
        _set_dictionary(chunk, content, _simpler(values, np.array(chosen, np.int64), halve=halve))

    return _of_dictionaries(data, sites, change)


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
