"""A Parquet file taken apart, and put together again: `dissect`, edits, `assemble`.

    >>> parts = anatomy.dissect(data)
    >>> del parts.groups[0]
    >>> smaller = anatomy.assemble(anatomy.recount(parts))

Lengths, offsets, sizes and checksums that were right stay right in the new file; those that were wrong stay
wrong by the same amount (`lies`). `assemble(parts, Seal.CRC)` breaks exactly one seal.
"""

from reference_impl.parquet.anatomy.assembling import assemble
from reference_impl.parquet.anatomy.bodies import Sections, recompressed, sections, with_sections
from reference_impl.parquet.anatomy.counting import recount
from reference_impl.parquet.anatomy.dissecting import dissect
from reference_impl.parquet.anatomy.edits import (
    change_meta,
    drop_bloom,
    drop_column,
    drop_group,
    drop_index,
    drop_optional,
    drop_page,
    drop_page_of,
    drop_statistics,
    drop_stretch,
    nodes,
    with_codec,
)
from reference_impl.parquet.anatomy.parts import Anatomy, Beside, Chunk, Group, PagePart, Stretch
from reference_impl.parquet.anatomy.seals import Seal, bearing, break_seal

__all__ = [
    "Anatomy",
    "Beside",
    "Chunk",
    "Group",
    "PagePart",
    "Seal",
    "Sections",
    "Stretch",
    "assemble",
    "bearing",
    "break_seal",
    "change_meta",
    "dissect",
    "drop_bloom",
    "drop_column",
    "drop_group",
    "drop_index",
    "drop_optional",
    "drop_page",
    "drop_page_of",
    "drop_statistics",
    "drop_stretch",
    "nodes",
    "recompressed",
    "recount",
    "sections",
    "with_codec",
    "with_sections",
]
