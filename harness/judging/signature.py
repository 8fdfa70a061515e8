"""Signatures: a text that similar failures share, so that a finding is counted once and recognised later."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Self

from corpora.known_failures import Judged
from harness.judging.results import Finding, Row
from harness.judging.root_cause import panic_in, root_cause
from harness.judging.rows import ROWS
from harness.judging.verdicts import TIME, Verdict

_NORMAL = (
    # In quotes, where it may contain blanks; a drive of Windows; a path as it stands.
    (re.compile(r"(?<=')(?:file:)?/[^'\n]+(?=')|(?<=\")(?:file:)?/[^\"\n]+(?=\")"), "<path>"),
    (re.compile(r"\b[A-Za-z]:\\[^\s'\",:;)\]]*"), "<path>"),
    (re.compile(r"(?:file:)?/[^\s'\",:;)\]]*"), "<path>"),
    (re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"), "<hex>"),
    (re.compile(r"0x[0-9a-fA-F]+|\b(?=[0-9]*[a-f])[0-9a-f]{8,}\b"), "<hex>"),
    (re.compile(r"(?<![\w.)\]-])-(?=\d)"), ""),  # a sign; not the dash of PARQUET-<n>
    (re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.])"), "<n>"),
    (re.compile(r"\d+"), "<n>"),
    (re.compile(r"\s+"), " "),
)
_CAUSE_LENGTH = 160
_SEPARATOR = " | "
_ABOUT = " in "


@dataclass(frozen=True)
class Stored:
    """A judged row on its way to the store: with every switch's value, and the size of its file in bytes.

    `cell` describes the first differing cell: its type, or for a query its subject or its kind, or "". Of a
    file that its writer made wrong, it is the type of the column.
    `scope` is the part of the configuration that the failure depends on, None for all of it.
    """

    row: Row
    switches: dict[str, str]
    size: int
    cell: str = ""
    scope: str | None = None


@dataclass(frozen=True)
class Signature:
    """The common part of rows that fail alike. The version is not in it: a finding outlives an upgrade.

    `config` is the configuration as far as the failure hangs on it, `cause` the error, the broken rule, the
    signal or the kind of a difference, `about` the type of the first differing cell (or of the column that
    breaks the rule) or the subject of the query, None if there is none. An upgrade's difference has its class
    as `verdict`.
    """

    engine: str
    config: str
    verdict: str
    cause: str
    about: str | None = None

    def __str__(self) -> str:
        engine = f"{self.engine}:{self.config}" if self.config else self.engine
        cause = f"{self.cause}{_ABOUT}{self.about}" if self.about is not None else self.cause
        return _SEPARATOR.join((engine, self.verdict, cause))

    @classmethod
    def of(cls, stored: Stored) -> Self:
        """Return the signature of a row."""
        row = stored.row
        config = row.config if stored.scope is None else stored.scope
        return cls(row.engine, config, row.verdict, *_cause(stored))

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Return a signature of which only the text is stored; raises ValueError.

            engine [":" config] " | " verdict " | " cause [" in " about]

        Results, findings, histories and known failures of every version hold this form, so it does not
        change. `str` of the result is `text` again. The first two separators count: a cause, often a message,
        may contain " | ". A message may also contain " in ", so `about` stays a part of `cause` and is None.
        The names of engines contain no ":", and those of engines, configurations and verdicts no " | ".
        """
        parts = text.split(_SEPARATOR, 2)
        if len(parts) != 3:
            raise ValueError(f"{text!r:.200} is not the text of a signature")
        head, verdict, cause = parts
        engine, _, config = head.partition(":")
        return cls(engine if config else head, config, verdict, cause)


def label(row: Row | Finding) -> str:
    """Return the engine of a row as `name@version:config`."""
    return engine_label(row.engine, row.version, row.config)


def engine_label(name: str, version: str, config: str, **_: object) -> str:
    """Return an engine as `name@version:config`, without the parts that are empty."""
    return ":".join(filter(None, (f"{name}@{version}" if version else name, config)))


def judged_of(stored: Stored) -> Judged:
    """Return a row in the form in which known failures match it."""
    row = stored.row
    detail, of_row = row.detail, (row.case, row.engine, row.version, stored.switches, row.verdict)
    return Judged(
        *of_row,
        signature(stored),
        detail.features,
        queried=detail.probe is not None,
        options=detail.options or {},
        column_features=detail.column_features,
    )


def signature(stored: Stored) -> str:
    """Return the text of a row's signature, under which files and known failures hold the finding."""
    return str(Signature.of(stored))


def signed(stored: Stored) -> Stored:
    """Return a row that has its signature if it is a finding or a known failure."""
    if not (stored.row.detail.finding or stored.row.detail.known):
        return stored
    return replace(stored, row=stored.row.with_detail(signature=signature(stored)))


def _cause(stored: Stored) -> tuple[str, str | None]:
    """Return the cause and the cell of a row's signature, shortened."""
    row, detail, cell = stored.row, stored.row.detail, stored.cell
    is_error = row.verdict == Verdict.INCONSISTENT and bool(detail.message)
    if detail.difference and not is_error:
        cause = _kind_of(detail.difference, is_probe=detail.probe is not None)
        return cause, cell[: _CAUSE_LENGTH - len(f"{cause}{_ABOUT}")] or None
    if detail.cost is not None and detail.cost.of == TIME:
        cause = TIME
    elif detail.signal is not None and not detail.error_class:  # else a sanitizer says more
        panic = panic_in(detail.stderr)
        cause = f"signal {detail.signal}" + (f": {normalised(panic)}" if panic else "")
    elif row.verdict in {"accepted_invalid", "wrote_invalid"}:
        cause = detail.expectation.rule or detail.expectation.clause or ""
    else:
        cause = ": ".join(filter(None, (detail.error_class, normalised(detail.message))))
    if row.verdict == Verdict.WROTE_INVALID:
        return cause, cell or None
    return cause[:_CAUSE_LENGTH], None if detail.probe is None else cell


def _kind_of(difference: dict[str, str], *, is_probe: bool) -> str:
    """Return the kind of a difference; of a probe's, also which rows it is about."""
    kind, path = difference["kind"], difference["path"]
    return f"{kind}: {path}" if is_probe and path in ROWS else kind


def normalised(message: str) -> str:
    """Return the first line of a message without paths, numbers and addresses, which differ between files.

    Of a chain of causes, or a panic in wrappers, the innermost cause counts: the rest is always the same.
    """
    line = next((line for line in root_cause(message).splitlines() if line.strip()), "")
    for pattern, instead in _NORMAL:
        line = pattern.sub(instead, line)
    return line.strip()
