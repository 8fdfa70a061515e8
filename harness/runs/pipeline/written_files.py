"""What is wrong with a file that an engine wrote, but for its values: broken rules, and columns in plain.

Values are judged when the file is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpora.build.formats import FORMATS
from corpora.keys import Keys
from harness.engines.writer_options import WriterOptions
from harness.judging.compare import Difference, TablePath
from harness.judging.verdicts import Judgement, Verdict
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import ColumnChunk


def broken_rules(file: Path, form: str, keys: Keys | None = None) -> list[dict[str, str]]:
    """Return each rule that a file breaks once: `rule`, and a `message` about the first violation."""
    messages: dict[str, str] = {}
    for violation in FORMATS[form].examine(file.read_bytes(), keys).violations:
        where = ".".join(violation.path) + (
            f", byte {violation.offset}" if violation.offset is not None else ""
        )
        messages.setdefault(violation.rule, f"[{violation.rule}] {where}: {violation.message}")
    return [{"rule": rule, "message": message} for rule, message in messages.items()]


def unsealed(writer: WriterOptions, chosen: Mapping[str, Any], file: Path) -> list[str]:
    """Return the columns, sorted, that options encrypt with keys of their own, and the file does not.

    Paths that name no column of the file are left out.
    """
    wanted = set(writer.sealed(chosen))
    if not wanted:
        return []
    try:
        opened = ParquetFile.open(file, keys=writer.keys(chosen))
    except ReferenceError_:  # broken: `broken_rules` says by which rule
        return []
    plain = {
        ".".join(leaf.path)
        for group in opened.metadata.row_groups
        for leaf, chunk in zip(opened.leaves, group.columns, strict=False)
        if not _has_own_key(chunk)
    }
    return sorted(wanted & plain)


def not_encrypted(columns: Sequence[str]) -> Judgement:
    """Return the judgement of a file with columns, at least one, that are not encrypted as they should be."""
    path = TablePath("encryption", note=f" of column {columns[0]!r}")
    return Judgement(Verdict.WROTE_OTHER, (), Difference(path, "a key of its own", "none", "encryption"))


def _has_own_key(chunk: ColumnChunk) -> bool:
    crypto = chunk.crypto_metadata
    return crypto is not None and crypto.ENCRYPTION_WITH_COLUMN_KEY is not None
