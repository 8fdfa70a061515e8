"""The requests that an engine's child is sent, and the outcomes that its replies make.

How a request is sent, with which time limit, and what becomes of the child, is the connection's.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from corpora.cases import Probe
from corpora.keys import Keys
from corpora.queries import Query
from corpora.table_reads import TableRead
from corpora.tagged import Table
from harness.children.limits import Limits
from harness.children.messages import keyed, of_file
from harness.children.outcomes import Outcome


class Derived(NamedTuple):
    """The probes that a file suggests, the most telling first, and the number of the file's values."""

    probes: tuple[Probe, ...] = ()
    cells: int = 0


class Requests(ABC):
    """Whoever sends requests to one engine."""

    limits: Limits

    @abstractmethod
    def _ask(self, op: str, seconds: float, **fields: Any) -> tuple[dict[str, Any] | None, Outcome]:
        """Return a good reply and its outcome, or None and the outcome of the failure."""

    @abstractmethod
    def _seconds(self, files: Sequence[str | os.PathLike[str]]) -> float:
        """Return the time limit of a request about files."""

    def read(
        self, file: str | os.PathLike[str], format: str, config: Mapping[str, str], keys: Keys | None = None
    ) -> Outcome:
        """Return the outcome of reading a file, with its `keys` if it is encrypted."""
        fields = of_file(file, format, config)
        reply, outcome = self._ask("read", self._seconds([file]), **fields, **keyed(keys))
        return replace(outcome, table=reply["table"]) if reply else outcome

    def read_table(
        self, folder: str | os.PathLike[str], format: str, config: Mapping[str, str], read: TableRead
    ) -> Outcome:
        """Return the outcome of reading a folder as one table; the rows are in the order of their values."""
        fields = {**of_file(folder, format, config), "read": read.to_json()}
        reply, outcome = self._ask("read_table", self._seconds([folder]), **fields)
        return replace(outcome, table=reply["table"]) if reply else outcome

    def read_tables(
        self,
        folders: Sequence[str | os.PathLike[str]],
        format: str,
        config: Mapping[str, str],
        read: TableRead,
    ) -> list[Outcome] | Outcome:
        """Return the outcome of reading each folder as one table, as `read_many` does."""
        fields = {"format": format, "config": dict(config), "read": read.to_json()}
        return self._ask_many("read_tables", folders, **fields)

    def read_many(
        self,
        files: Sequence[str | os.PathLike[str]],
        format: str,
        config: Mapping[str, str],
        keys: Keys | None = None,
    ) -> list[Outcome] | Outcome:
        """Return an outcome per file, in order; a single outcome if the sheet failed as a whole."""
        return self._ask_many("read_many", files, format=format, config=dict(config), **keyed(keys))

    def query(
        self,
        files: Sequence[str | os.PathLike[str]],
        format: str,
        config: Mapping[str, str],
        query: Query,
        keys: Keys | None = None,
        *,
        read: TableRead | None = None,
    ) -> list[Outcome] | Outcome:
        """Return the outcome of a query on each file, as `read_many` does; with a `read`, on each folder."""
        fields = {"format": format, "config": dict(config), "query": query.to_json()}
        of_table = {} if read is None else {"read": read.to_json()}
        return self._ask_many("query", files, **fields, **of_table, **keyed(keys))

    def digest(  # noqa: PLR0917 - a request
        self,
        file: str | os.PathLike[str],
        format: str,
        config: Mapping[str, str],
        block_rows: int,
        seconds: float | None = None,
        query: Query | None = None,
        keys: Keys | None = None,
    ) -> tuple[dict[str, Any], Outcome]:
        """Return the `digests` of a file or folder, and how that went: well is a TABLE without a table.

        `seconds` is how long it may take, which depends on the size of the file; None for the limit of any
        request. With a `query`, those of its answer.
        """
        of_answer = {} if query is None else {"query": query.to_json()}
        fields = {**of_file(file, format, config), "block_rows": block_rows, **of_answer, **keyed(keys)}
        seconds = self._seconds([file]) if seconds is None else seconds
        reply, outcome = self._ask("digest", seconds, **fields)
        return (reply["digests"] if reply else {}), outcome

    def rows(  # noqa: PLR0917 - a request
        self,
        file: str | os.PathLike[str],
        format: str,
        config: Mapping[str, str],
        rows: range,
        seconds: float | None = None,
        query: Query | None = None,
        keys: Keys | None = None,
    ) -> Outcome:
        """Return some rows of a file or folder, or of the answer to a query; for `seconds` see `digest`."""
        of_answer = {} if query is None else {"query": query.to_json()}
        fields = {**of_file(file, format, config), **of_answer, **keyed(keys)}
        seconds = self._seconds([file]) if seconds is None else seconds
        reply, outcome = self._ask("rows", seconds, **fields, first=rows.start, count=len(rows))
        return replace(outcome, table=reply["table"]) if reply else outcome

    def probes(
        self,
        file: str | os.PathLike[str],
        format: str,
        most: int,
        keys: Keys | None = None,
        read: TableRead | None = None,
    ) -> tuple[Derived, Outcome]:
        """Return at most `most` probes that are derived from a file, and how that went, as `digest` does.

        With a `read`, from the folder `file`, which is read as one table.
        """
        fields: dict[str, Any] = {"file": str(Path(file).absolute()), "format": format, "most": most}
        fields |= {} if read is None else {"read": read.to_json()}
        reply, outcome = self._ask("probes", self._seconds([file]), **fields, **keyed(keys))
        if not reply:
            return Derived(), outcome
        return Derived(tuple(map(Probe.from_json, reply["probes"])), reply["cells"]), outcome

    def write(
        self,
        file: str | os.PathLike[str],
        format: str,
        config: Mapping[str, str],
        table: Table,
        options: Mapping[str, Any],
    ) -> Outcome:
        """Have the engine write `table`; the outcome of kind TABLE, without a table, says that it did."""
        fields = of_file(file, format, config)
        fields.update(table=table.to_json(), options=dict(options))
        return self._ask("write", self.limits.seconds, **fields)[1]

    def _ask_many(
        self, op: str, files: Sequence[str | os.PathLike[str]], **fields: Any
    ) -> list[Outcome] | Outcome:
        seconds = self._seconds(files) + self.limits.sheet_file_seconds * max(0, len(files) - 1)
        reply, outcome = self._ask(
            op, seconds, files=[str(Path(file).absolute()) for file in files], **fields
        )
        if not reply:
            return outcome
        share = max(1, len(files))
        outcome = replace(outcome, seconds=outcome.seconds / share, cpu_seconds=outcome.cpu_seconds / share)
        return [replace(outcome, table=table) for table in reply["tables"]]
