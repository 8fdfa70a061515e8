"""What a planted bug is."""

from __future__ import annotations

from dataclasses import dataclass

from harness.formats import PARQUET

READ, QUERY, REFUSAL, FUZZ = "read", "query", "refusal", "fuzz"


@dataclass(frozen=True)
class Plant:
    """A bug: in a copy of the reference reader, or in a fake engine.

    `name` is a slug, `what` says in a line what the reader does wrong, `clause` what it should have read.
    `shows` is where to look for it: `read` (whole files that are legal), `query` (what is asked of them),
    `refusal` (files that break a rule), `fuzz` (mutated files); `format` of which files.

    A copy of the reader is the reader with `new` in place of `old`, which stands once in the source of
    `module`. A fake engine has no `module`: `new` names a class of `harness.investigate.selftest.fakes`.
    """

    name: str
    what: str
    clause: str
    module: str
    old: str
    new: str
    shows: str = READ
    format: str = PARQUET
