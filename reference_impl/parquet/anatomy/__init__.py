"""A Parquet file taken apart, and put together again: `dissect`, edits, `assemble`.

    >>> parts = anatomy.dissect(data)
    >>> del parts.groups[0]
    >>> smaller = anatomy.assemble(anatomy.recount(parts))

What was right in the file is right in the new one: lengths, offsets, sizes, checksums. What was wrong stays
wrong by as much as it was (`lies`), and `assemble(parts, Seal.CRC)` breaks exactly one thing.
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
