"""Which statistics and Bloom filters of a file are reliable: some writers are known to write them wrongly."""

from __future__ import annotations

import re
from dataclasses import replace

from reference_impl.orc import bloom, statistics
from reference_impl.orc.column_encodings import is_decimal64
from reference_impl.orc.file import OrcFile
from reference_impl.orc.schema import StreamKind, TypeKind
from reference_impl.orc.statistics import Summary
from reference_impl.orc.types import TypeNode

_JAVA, _CPP = 0, 1
# The writer versions of Java that fixed these bugs.
_HIVE_8732, _HIVE_12055, _HIVE_13083, _ORC_135, _ORC_517 = 1, 3, 4, 6, 7
_LONG_DIGITS = 18  # Java writes decimals of at most so many digits by another class (ORC-517)
_OLD_CPP = re.compile(r"1\.6\.(\d|1[01])\b|1\.7\.0\b")  # whose Bloom filters lack values (ORC-1024)
# Types whose values C++ hashes in buffers of another width (FINDINGS.md, pyarrow-orc-bloom-of-tinyint and
# pyorc-bloom-of-char).
_CPP_MISHASHES = (TypeKind.BYTE, TypeKind.CHAR)


def _version(file: OrcFile) -> int:
    """Return the writer version in terms of Java's: "other writers start at 6", with the fixes of that."""
    return file.postscript.writer_version or 0


def _is_java(file: OrcFile) -> bool:
    return (file.footer.writer or _JAVA) == _JAVA


def trusted(file: OrcFile, node: TypeNode, summary: Summary) -> Summary:
    """Leave out bounds that the writer of the file is known to write wrongly.

    C++ compares texts up to their first zero byte, and then by length: a bound without one is right.
    """
    if (file.footer.writer or _JAVA) == _CPP and node.kind in statistics.TEXTS:
        low, high = (None if bound and b"\0" in bound else bound for bound in (summary.low, summary.high))
        return replace(summary, low=low, high=high)
    if not _is_java(file) or _is_right(node, _version(file)):
        return summary
    return statistics.Summary(summary.count, summary.has_null)


def _is_right(node: TypeNode, version: int) -> bool:
    """Return whether Java of this version wrote right bounds (orc_proto.proto, WriterVersion)."""
    if node.kind in statistics.TIMES:
        return version >= _ORC_135
    if node.kind is TypeKind.DECIMAL:
        short = node.precision <= _LONG_DIGITS
        return version >= (_ORC_517 if short else _HIVE_13083)
    return version >= _HIVE_8732 or node.kind in (*statistics.INTEGERS, *statistics.FLOATS)


def usable_bloom(file: OrcFile, stripe: int, node: TypeNode) -> StreamKind | None:
    """Return the kind of stream whose filters are reliable, None if there is none.

    The older kind has text in the charset of the writer's machine (HIVE-12055), times in its zone, and
    decimals in more than one form. The newer kind has times in UTC if `bloom_encoding` is 1 (ORC-135).
    No page says how short decimals of version 1.9999 are hashed, and Java hashes integers ("Use numeric value
    for decimal statistics and bloom filter", says ORCv2.md, "TO DO items").
    """
    if is_decimal64(node.kind, node.precision, file.tail.version):
        return None
    if (file.footer.writer or _JAVA) == _CPP:
        software = file.footer.software_version
        if software is None or _OLD_CPP.match(software) or node.kind in _CPP_MISHASHES:
            return None
    opened = file.stripe(stripe)
    encoding = opened.encodings[node.id][1].bloom_encoding
    if (node.id, StreamKind.BLOOM_FILTER_UTF8) in opened.places:
        if encoding not in (None, 0, 1):
            return None
        in_utc = encoding == 1 or node.kind not in bloom.TIMES
        return StreamKind.BLOOM_FILTER_UTF8 if in_utc else None
    if node.kind in bloom.TIMES or node.kind is TypeKind.DECIMAL:
        return None
    if node.kind in statistics.TEXTS and _is_java(file) and _version(file) < _HIVE_12055:
        return None
    return StreamKind.BLOOM_FILTER
