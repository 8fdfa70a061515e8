# Any bytes are pages or a documented error. A data page of version 2 that was read is written as PLAIN
# pages of both versions, and read again to the same.
"""Data page of version 2 (README.md, "Data Pages"): any type, codec, encoding and level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import pages
from reference_impl.parquet.schema import PageType

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_page_v2"


def seeds() -> Iterable[bytes]:
    """Return the first data page of chunks, behind its dictionary."""
    return pages.seeds(PageType.DATA_PAGE_V2)


def mutate(data: bytes, random: Random) -> bytes:
    """Change the header of the first page."""
    return pages.mutate(data, random)


def check(data: bytes) -> None:
    """Read the bytes as pages."""
    pages.check(data, PageType.DATA_PAGE_V2)
