"""Fields of requests, and what replies and lost children say of an outcome."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corpora.keys import Keys
from harness.children import protocol
from harness.children.child import Child
from harness.children.lost import LostError
from harness.children.outcomes import Detail, OutcomeKind
from harness.children.sanitizer import report


def judged(reply: dict[str, Any]) -> tuple[OutcomeKind, Detail]:
    """Return kind and details of a valid reply."""
    error = reply.get("error")
    if error is None:
        return OutcomeKind.TABLE, Detail()
    message = error["message"][: protocol.MAX_MESSAGE]
    further = {name: error.get(name, "") for name in ("origin", "step")}
    return OutcomeKind(error["kind"]), Detail(error["class"][:200], message, error["phase"][:20], **further)


def lost_detail(lost: LostError, op: str, child: Child) -> Detail:
    """Return the details of a lost child."""
    phase = "start" if op == "describe" else op
    stderr = child.stderr()
    of_sanitizer = report(stderr) if lost.kind is OutcomeKind.CRASHED else None
    name, message = of_sanitizer or ("", lost.message)
    return Detail(name, message, phase, lost.signal, lost.exit_status, stderr)


def keyed(keys: Keys | None) -> dict[str, Any]:
    """Return the keys as a field of a request; they are sent through the child's pipe only."""
    return {} if keys is None else {"keys": keys.to_wire()}


def of_file(file: str | os.PathLike[str], format_: str, config: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a request about a file or folder."""
    return {"file": str(Path(file).absolute()), "format": format_, "config": dict(config)}
