"""The two forms of candidates: a file, and a folder that is read as a table.

The search knows bytes alone. A form says which bytes a case is, how they come to the disk, what they break,
what is expected of them, and how they can be smaller.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from corpora import rules
from corpora.build.evolution.cases import PLAIN, expected
from corpora.build.field_ids import field_ids
from corpora.build.formats import FORMATS
from corpora.build.opening import open_bytes
from corpora.build.tagged_columns import tagged_table
from corpora.cases import Case, Expectation
from corpora.files import write_whole
from corpora.folders import digest
from corpora.keys import Keys
from corpora.table_files import TableFile
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.investigate.minimize import reductions, table_reductions
from harness.investigate.minimize.bundle import Bundle
from harness.investigate.minimize.reduction import Reduction
from reference_impl.errors import ReferenceError_

_FILES_HELD = 256  # whose values and breaches are remembered: most candidates change a single file


class Form(Protocol):
    """The meaning of a candidate's bytes; `suffix` ends the names of their files or folders."""

    format: str
    suffix: str

    def data(self, case: Case) -> bytes:
        """Return the bytes of a case; raises OSError."""

    def put(self, data: bytes, path: Path, *, durable: bool) -> None:
        """Write bytes to a path, in place of what is there, whole or not at all; raises OSError."""

    def load(self, path: Path, progress: dict[str, Any]) -> bytes:
        """Return the bytes that `put` wrote; `progress` is that of `described`. Raises OSError."""

    def described(self, data: bytes) -> dict[str, Any]:
        """Return the JSON of what bytes have beside the files that `put` writes."""

    def case(self, case: Case, data: bytes, path: Path) -> Case:
        """Return a case about bytes that `put` has written to a path."""

    def broken(self, data: bytes) -> frozenset[str]:
        """Return the MUSTs that bytes break."""

    def original(self, case: Case, data: bytes) -> Expectation | None:
        """Return the expectation of the case that is minimized; None if nobody knows."""

    def expectation(self, original: Expectation, data: bytes, broken: frozenset[str]) -> Expectation | None:
        """Return the expectation of a candidate, given the MUSTs that it breaks; None if it is unsuitable."""

    def recorded(self, original: Expectation, data: bytes, table: Table | None) -> Expectation:
        """Return the expectation of the smallest candidate; `table` is what the reference has read of it."""

    def reductions(self, names: frozenset[str]) -> tuple[Reduction, ...]:
        """Return the reductions, coarse before fine; `names` stay."""

    def witnesses(self) -> tuple[Reduction, ...]:
        """Return the reductions that show what a finding needs."""


def form_of(case: Case) -> Form:
    """Return the form of a case."""
    if case.read is not None:
        return TableForm(case.format)
    return FileForm(case.format, case.keys)


class FileForm:
    """Candidates are files; `keys` open them."""

    def __init__(self, format_: str, keys: Keys | None = None) -> None:
        self.format = format_
        self.keys = keys
        self.suffix = f".{format_}"

    def data(self, case: Case) -> bytes:
        """Return the bytes of the file."""
        return case.file.read_bytes()

    def put(self, data: bytes, path: Path, *, durable: bool) -> None:
        """Write the file."""
        if durable:
            write_whole(path, data)
        else:
            path.write_bytes(data)

    def load(self, path: Path, progress: dict[str, Any]) -> bytes:  # noqa: ARG002 - the protocol's
        """Return the bytes of the file."""
        return path.read_bytes()

    def described(self, data: bytes) -> dict[str, Any]:  # noqa: ARG002 - the protocol's
        """Return nothing: the file has all."""
        return {}

    def case(self, case: Case, data: bytes, path: Path) -> Case:
        """Return a case about the file."""
        return replace(case, file=path, sha256=hashlib.sha256(data).hexdigest(), keys=self.keys)

    def broken(self, data: bytes) -> frozenset[str]:
        """Return the MUSTs that the file breaks."""
        return _musts(self.format, data, self.keys)

    def original(self, case: Case, data: bytes) -> Expectation:  # noqa: ARG002 - the protocol's
        """Return the expectation of the case; a vote becomes the reference's answer when it is judged."""
        return case.expectation

    def expectation(self, original: Expectation, data: bytes, broken: frozenset[str]) -> Expectation | None:  # noqa: ARG002 - the protocol's
        """Return the vote of the reference, or that the file is refused for a rule that it breaks."""
        if original.kind != "refuse":
            return Expectation.by_vote()
        if original.rule is None:
            return Expectation.refuse(clause=original.clause) if broken else None
        return (
            Expectation.refuse(rule=original.rule, clause=original.clause)
            if original.rule in broken
            else None
        )

    def recorded(self, original: Expectation, data: bytes, table: Table | None) -> Expectation:  # noqa: ARG002 - the protocol's
        """Return the expectation with the table that the reference has read."""
        if table is None or original.kind == "refuse":
            return original
        if original.kind == "either" and original.reason:
            return Expectation.either(original.reason, table=table)
        return Expectation.accept(table, "vote")

    def reductions(self, names: frozenset[str]) -> tuple[Reduction, ...]:
        """Return the reductions of files."""
        return reductions.of(self.format, names, self.keys)

    def witnesses(self) -> tuple[Reduction, ...]:
        """Return the reductions that show which parts a finding needs."""
        return reductions.witnesses(self.format)


class TableForm:
    """Candidates are folders, each with a read (`Bundle`); the oracle says what each must return."""

    suffix = ""

    def __init__(self, format_: str) -> None:
        self.format = format_

    def data(self, case: Case) -> bytes:
        """Return the bundle of the folder and the read."""
        assert case.read is not None
        return Bundle.of_folder(case.file, case.read).pack()

    def put(self, data: bytes, path: Path, *, durable: bool) -> None:
        """Write the folder."""
        Bundle.unpack(data).write(path, durable=durable)

    def load(self, path: Path, progress: dict[str, Any]) -> bytes:
        """Return the bundle of the folder and the read."""
        return Bundle.of_folder(path, TableRead.from_json(progress["read"])).pack()

    def described(self, data: bytes) -> dict[str, Any]:
        """Return the read."""
        return {"read": Bundle.unpack(data).read.to_json()}

    def case(self, case: Case, data: bytes, path: Path) -> Case:
        """Return a case about the folder and the read, with the texts that its expectation is about."""
        read, expectation = Bundle.unpack(data).read, case.expectation
        written = replace(case, file=path, sha256=digest(path), read=read, notes=str(read))
        return replace(written, spec=expectation.clause or PLAIN, source=expectation.source)

    def broken(self, data: bytes) -> frozenset[str]:
        """Return the MUSTs that any of the files breaks."""
        files = Bundle.unpack(data).files
        return frozenset[str]().union(*(_musts_of_part(self.format, content) for _, content in files))

    def original(self, case: Case, data: bytes) -> Expectation | None:
        """Return what is recorded, or what the oracle expects of the folder."""
        return case.expectation if case.expectation.table is not None else self._expected(data)

    def expectation(self, original: Expectation, data: bytes, broken: frozenset[str]) -> Expectation | None:  # noqa: ARG002 - the protocol's
        """Return what the oracle expects."""
        return self._expected(data)

    def _expected(self, data: bytes) -> Expectation | None:
        """Return what the oracle expects, by the vote of the reference if it refuses a file.

        None if no specification says what the read must return.
        """
        bundle = Bundle.unpack(data)
        try:
            files = [_file(self.format, content)._replace(path=path) for path, content in bundle.files]
        except ReferenceError_:
            return Expectation.by_vote()
        return expected(files, bundle.read)

    def recorded(self, original: Expectation, data: bytes, table: Table | None) -> Expectation:  # noqa: ARG002 - the protocol's
        """Return what the oracle expects."""
        return self._expected(data) or original

    def reductions(self, names: frozenset[str]) -> tuple[Reduction, ...]:
        """Return the reductions of tables, with those of files."""
        return table_reductions.of(self.format, names)

    def witnesses(self) -> tuple[Reduction, ...]:
        """Return the reductions that show which parts of the read and of files a finding needs."""
        return table_reductions.witnesses(self.format)


def _musts(format_: str, data: bytes, keys: Keys | None) -> frozenset[str]:
    report = FORMATS[format_].examine(data, keys)
    known = rules.load()
    names = {violation.rule for violation in report.violations}
    return frozenset(name for name in names if known[name].level == "MUST")


@lru_cache(_FILES_HELD)
def _musts_of_part(format_: str, data: bytes) -> frozenset[str]:
    return _musts(format_, data, None)


@lru_cache(_FILES_HELD)
def _file(format_: str, data: bytes) -> TableFile:
    """Return the values, the field ids and the size of a file; raises ReferenceError_."""
    opened = open_bytes(data, format_)
    return TableFile("", tagged_table(opened.read()), field_ids(opened), len(data))
