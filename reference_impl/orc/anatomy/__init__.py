"""The parts of a file, to be changed and put together again.

    >>> parts = dissect(data)
    >>> smaller = assemble(edits.without_column(parts, 3))
    >>> broken = assemble(parts, Seal.STREAM_LENGTH, by=-1)

Unchanged parts are written byte for byte: `assemble(dissect(data)) == data`, even for a malformed file.
"""

from reference_impl.orc.anatomy.parts import Anatomy, Message, Seal, Slips, StreamPart, StripePart
from reference_impl.orc.anatomy.reading import dissect
from reference_impl.orc.anatomy.writing import assemble, seals

__all__ = ["Anatomy", "Message", "Seal", "Slips", "StreamPart", "StripePart", "assemble", "dissect", "seals"]
