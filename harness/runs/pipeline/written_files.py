"""Problems of a file that an engine wrote, except for wrong values: broken rules, and unencrypted columns.

The values are judged when the file is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora.build.evolution.own import doubts, refusal
from corpora.build.formats import FORMATS
from corpora.build.opening import open_path
from corpora.cases import CONTESTED, Expectation
from corpora.folders import files_of, hidden_in
from corpora.keys import Keys
from harness.engines.writer_options import WriterOptions
from harness.judging.compare import Difference, TablePath
from harness.judging.verdicts import Judgement, Verdict
from reference_impl.errors import ReferenceError_
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.schema import ColumnChunk
from reference_impl.parquet.tree import Node
from reference_impl.validation import Violation


def broken_rules(file: Path, form: str, keys: Keys | None = None) -> list[dict[str, str]]:
    """Return each rule that a file, or a file of a folder, breaks, once for each type of column.

    The items are `rule`, `about` (the type, or "" for a violation outside of columns), and a `message` about
    the first such violation.
    """
    first: dict[tuple[str, str], Violation] = {}
    for each in files_of(file) if file.is_dir() else [file]:
        types = _types(each, form, keys)
        for violation in FORMATS[form].examine(each.read_bytes(), keys).violations:
            about = next((types[part] for part in violation.path if part in types), "")
            first.setdefault((violation.rule, about), violation)
    return [
        {"rule": rule, "about": about, "message": _message(each)} for (rule, about), each in first.items()
    ]


def _message(violation: Violation) -> str:
    where = ".".join(violation.path) + (f", byte {violation.offset}" if violation.offset is not None else "")
    return f"[{violation.rule}] {where}: {violation.message}"


def _types(file: Path, form: str, keys: Keys | None) -> dict[str, str]:
    """Return the type of each column, by the parts of a violation's path that name the column."""
    try:
        opened = open_path(file, form, keys)
    except ReferenceError_:  # broken before its schema: no violation is about a column
        return {}
    types: dict[str, str] = {}  # of columns of one name, the first
    if isinstance(opened, ParquetFile):
        for leaf in opened.leaves:
            for name in (f"column {'.'.join(leaf.path)}", f"columns[{leaf.index}]"):
                types.setdefault(name, _type_of(leaf))
    else:
        for node in opened.root.walk():
            path = f" ({'.'.join(node.path)})"
            for name in (f"column {node.id}", f"statistics[{node.id}]"):
                types |= {name: node.kind.name, f"{name}{path}": node.kind.name}
    return types


def _type_of(leaf: Node) -> str:
    physical = leaf.physical.type.name if leaf.physical is not None else ""
    return f"{physical} ({leaf.logical.name})" if leaf.logical is not None else physical


def remove_hidden_files(folder: Path) -> None:
    """Remove the files that an engine writes beside those of a table (`_SUCCESS`, checksums, `_metadata`).

    Some readers read these files and refuse the folder, which would hide how they read its partitions. Files
    in folders with hidden names stay: they hold rows, whose partition has such a name.
    """
    for file in hidden_in(folder):
        if file.name[0] in "_.":
            file.unlink()


def expectation_of_folder(folder: Path, format_: str, expectation: Expectation) -> Expectation:
    """Return the expectation of a folder that readers may refuse, or whose values they read differently."""
    if (reason := refusal(folder)) and expectation.kind == "accept":
        expectation = Expectation.either(reason, table=expectation.table, source=expectation.source)
    doubt = doubts(folder, format_)
    return replace(expectation, certainty=CONTESTED, why=doubt) if doubt else expectation


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
