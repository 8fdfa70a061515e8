"""The parts of a file, to be changed and put together again.

    >>> parts = dissect(data)
    >>> smaller = assemble(edits.without_column(parts, 3))
    >>> broken = assemble(parts, Seal.STREAM_LENGTH, by=-1)

What was not changed is written as it stood: `assemble(dissect(data)) == data`, whatever is wrong in it.
"""

from reference_impl.orc.anatomy.parts import Anatomy, Message, Seal, Slips, StreamPart, StripePart
from reference_impl.orc.anatomy.reading import dissect
from reference_impl.orc.anatomy.writing import assemble, seals

__all__ = [
    "Anatomy",
    "Message",
    "Seal",
    "Slips",
    "StreamPart",
    "StripePart",
    "assemble",
    "dissect",
    "seals",
]
