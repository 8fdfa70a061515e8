# Any bytes are a PageHeader or a documented error. What was read is written and read again to the same.
"""Header of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from properties.fuzz import cut_parquet, inputs
from properties.fuzz.structs import check_thrift
from properties.strategies.mutations import thrift
from reference_impl.parquet.schema import PageHeader

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NAME = "parquet_page_header"


def seeds() -> Iterable[bytes]:
    """Return the headers of all pages."""
    return inputs.some(
        cut.raw[page.offset - cut.start : page.body_offset - cut.start]
        for cut in cut_parquet.chunks()
        for page in cut_parquet.pages(cut)
    )


def check(data: bytes) -> None:
    """Read the bytes as a header."""
    check_thrift(PageHeader, data)


def mutate(data: bytes, random: Random) -> bytes:
    """Change fields."""
    return thrift.mutate(data, PageHeader, random)
