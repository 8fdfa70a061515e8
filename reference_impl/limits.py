"""How much a reader may spend on one file; all legal files within them are read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Upper bounds, checked before memory is taken.

    `values`: entries of one column in one call. A run of nulls of any length takes a few bytes in a
    file, so nothing but a limit bounds it. `page_bytes`: one page, uncompressed. `column_bytes`: the values
    of one Parquet column in one call; each page may repeat a long value of its dictionary. `footer_bytes`:
    the metadata.
    """

    values: int = 1 << 27
    page_bytes: int = (1 << 31) - 1
    column_bytes: int = 1 << 32
    footer_bytes: int = 1 << 30


DEFAULT = Limits()
