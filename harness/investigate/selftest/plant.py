"""The description of a planted bug."""

from __future__ import annotations

from dataclasses import dataclass

# Not those of `corpora.build.formats`, which imports the readers before a bug is planted in them.
PARQUET, ORC = "parquet", "orc"
READ, QUERY, REFUSAL, TABLE, FUZZ = "read", "query", "refusal", "table", "fuzz"
TABLE_QUERY = "table query"


@dataclass(frozen=True)
class Plant:
    """A bug: in a copy of the reference reader, or in a fake engine.

    `name` is a slug, `what` states in a line what the reader does wrong, `clause` what it should have read.
    `shows` is where the bug shows: `read` (legal files, read whole), `query` (queries of such files),
    `refusal` (files that break a rule), `table` (folders that are read as tables), `table query` (queries of
    such folders), `fuzz` (mutated files); `format` is the format of these files.

    A copy of the reader has `new` in place of `old`, which occurs once in the source of `module`. A fake
    engine has no `module`: `new` names an engine of `selftest.fakes`, or of `selftest.query_fakes`.
    """

    name: str
    what: str
    old: str
    new: str
    clause: str
    module: str
    shows: str = READ
    format: str = PARQUET
