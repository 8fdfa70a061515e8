"""Signatures: a text that similar failures share, so that a finding is counted once and recognised later."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpora.known_failures import Judged
from harness.judging.probes import ROWS

if TYPE_CHECKING:
    from harness.judging.results import Finding, Row

_NORMAL = (
    (re.compile(r"(?:file:)?/[^\s'\",:;)\]]*"), "<path>"),
    (re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{8,}\b"), "<hex>"),
    (re.compile(r"\d+"), "<n>"),
    (re.compile(r"\s+"), " "),
)
_SIGNATURE_TEXT = 160
CAUSE = "| caused by: "


@dataclass(frozen=True)
class Stored:
    """A judged row on its way to the store: with every switch's value, and the size of its file in bytes.

    `cell` describes the first differing cell: its type, or for a query its subject or its kind, or "".
    `scope` is the part of the configuration that the failure depends on, None for all of it.
    """

    row: Row
    switches: dict[str, str]
    size: int
    cell: str = ""
    scope: str | None = None


def label(row: Row | Finding) -> str:
    """Return the engine of a row as `name@version:config`."""
    return engine_label(row.engine, row.version, row.config)


def engine_label(name: str, version: str, config: str, **_: object) -> str:
    """Return an engine as `name@version:config`, without the parts that are empty."""
    return ":".join(filter(None, (f"{name}@{version}" if version else name, config)))


def judged_of(stored: Stored) -> Judged:
    """Return a row in the form in which known failures match it."""
    row = stored.row
    features = row.detail["features"]
    return Judged(
        row.case, row.engine, row.version, stored.switches, row.verdict, signature(stored), features
    )


def signature(stored: Stored) -> str:
    """Return the signature of a row: engine, configuration, verdict, and the error or the cell.

    The version is no part of it, so that a finding is recognised after an upgrade.
    """
    row, detail = stored.row, stored.row.detail
    config = row.config if stored.scope is None else stored.scope
    engine = f"{row.engine}:{config}" if config else row.engine
    if detail["difference"]:
        what = _what(detail["difference"], is_probe=detail["probe"] is not None)
        failure = f"{what} in {stored.cell}" if stored.cell else what
    elif detail["signal"] is not None:
        failure = f"signal {detail['signal']}"
    elif row.verdict in {"accepted_invalid", "wrote_invalid"}:
        failure = detail["expectation"]["rule"] or detail["expectation"]["clause"] or ""
    else:
        failure = ": ".join(filter(None, (detail["error_class"], normalised(detail["message"]))))
    scope = f" in {stored.cell}" if detail["probe"] is not None and not detail["difference"] else ""
    return " | ".join((engine, row.verdict, failure[:_SIGNATURE_TEXT] + scope))


def _what(difference: dict[str, str], *, is_probe: bool) -> str:
    """Return the kind of a difference; for a probe also which rows differ."""
    kind, path = difference["kind"], difference["path"]
    return f"{kind}: {path}" if is_probe and path in ROWS else kind


def normalised(message: str) -> str:
    """Return the first line of a message without paths, numbers and digests, which differ between files.

    Of a chain of causes, which Spark's messages have, the last cause counts: the rest is always the same.
    """
    line = next((line for line in message.rpartition(CAUSE)[2].splitlines() if line.strip()), "")
    for pattern, instead in _NORMAL:
        line = pattern.sub(instead, line)
    return line.strip()
