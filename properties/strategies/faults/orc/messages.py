"""Faults of Protocol Buffers: malformed fields at the end of the footer."""

from __future__ import annotations

from dataclasses import replace

from properties.strategies.faults.fault import Fault, File
from properties.strategies.faults.orc.edits import edit, ints
from properties.strategies.faults.orc.places import in_file
from reference_impl.orc.tamper import Tamper

_PLAIN = ints()


def _behind(record: str) -> Tamper:
    """Return the edit that appends bytes (in hexadecimal) to the footer; a006 is a varint of field 100."""
    return edit(footer_message=lambda data: data + bytes.fromhex(record))


FAULTS = (
    Fault(
        "ORC-PROTO-001/tag-without-value",
        "the footer ends behind the tag of a field",
        File(_PLAIN, _behind("a006")),
        "it ends behind a field that nobody knows",
        File(_PLAIN, _behind("a00601")),
        places=in_file(),
    ),
    Fault(
        "ORC-PROTO-002/varint-of-11-bytes",
        "a varint has 11 bytes",
        File(_PLAIN, _behind(f"a006 {'80' * 10} 01")),
        "one has 10",
        File(_PLAIN, _behind(f"a006 {'80' * 9} 01")),
        places=in_file(),
    ),
    Fault(
        "ORC-PROTO-003/wire-type-6",
        "the wire type of a field is 6",
        File(_PLAIN, _behind("a606 00000000")),
        "it is 5, a number of 32 bits",
        File(_PLAIN, _behind("a506 00000000")),
        places=in_file(),
    ),
    Fault(
        "ORC-PROTO-004/field-0",
        "the number of a field is 0",
        File(_PLAIN, _behind("0001")),
        "it is 2^29 - 1, the largest",
        File(_PLAIN, _behind("f8ffffff0f 01")),
        places=in_file(),
    ),
    Fault(
        "ORC-PROTO-005/group-with-another-end",
        "a group of field 100 ends with the tag of field 101",
        File(_PLAIN, _behind("a306 ac06")),
        "it ends with its own, and holds a field",
        File(_PLAIN, _behind("a306 0801 a406")),
    ),
    Fault(
        "ORC-PROTO-006/longer-than-the-footer",
        "a field of 5 bytes has 1",
        File(_PLAIN, _behind("a206 05 01")),
        "one of no bytes has none",
        File(_PLAIN, _behind("a206 00")),
        places=in_file(),
    ),
    Fault(
        "ORC-PROTO-007/name-of-latin-1",
        "the name of the writer's software is no UTF-8",
        File(_PLAIN, edit(footer_message=lambda data: data.replace(b"colconf", b"colcon\xe9"))),
        "it is, and not ASCII",
        File(replace(_PLAIN, software_version="é")),
    ),
)
