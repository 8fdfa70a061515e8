"""Signatures: what rows that fail alike share, so that findings are counted once and found again."""

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

    `cell` is what the first differing cell is: its type, or of a query what it looks at, or its kind, or
    "". `scope` is the configuration as far as the failure hangs on it, None for all of it.
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
    """Return an engine as `name@version:config`, the last two as far as they are given."""
    return ":".join(filter(None, (f"{name}@{version}" if version else name, config)))


def judged_of(stored: Stored) -> Judged:
    """Return a row as known failures look at it."""
    row = stored.row
    features = row.detail["features"]
    return Judged(
        row.case, row.engine, row.version, stored.switches, row.verdict, signature(stored), features
    )


def signature(stored: Stored) -> str:
    """Return what rows that fail alike share: engine, configuration, verdict, and the error or the cell.

    The version has no part in it, so that a finding is found again after an upgrade.
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
    """Return the kind of a difference; of a probe's, also which rows it is about."""
    kind, path = difference["kind"], difference["path"]
    return f"{kind}: {path}" if is_probe and path in ROWS else kind


def normalised(message: str) -> str:
    """Return the first line of a message without what differs from file to file: paths, numbers, digests.

    Of a chain of causes (Spark's messages name them), the last one: what is around it is the same for all.
    """
    line = next((line for line in message.rpartition(CAUSE)[2].splitlines() if line.strip()), "")
    for pattern, instead in _NORMAL:
        line = pattern.sub(instead, line)
    return line.strip()
