"""The same table written by both versions: the outcomes, the rules that the files break, the layout.

Lines have the form of those in `harness/investigate/upgrade/pairing.py`; `file` is the new version's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.children.outcomes import OutcomeKind
from harness.investigate.upgrade.classes import Class, Right, line, plain, unlike
from harness.investigate.upgrade.facts import changes
from harness.judging.signature import Signature
from harness.runs.pipeline import matrix, written
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.written import Write

_TAKEN = {Class.REFUSES: Right.REGRESSED, Class.DIES: Right.REGRESSED}
_TAKEN |= {Class.ACCEPTS: Right.IMPROVED, Class.LIVES: Right.IMPROVED}


def lines(context: Context) -> Iterator[dict[str, Any]]:
    """Yield a line for each difference between the files that both versions wrote."""
    pairs: dict[tuple[str, str], dict[str, Write]] = {}
    for _, write in written.writes(context):
        pairs.setdefault((write.table.name, write.layout.name), {})[write.process.key] = write
    for pair in pairs.values():
        if len(pair) == 2:
            assert context.comparison is not None
            old, new = (pair[key] for key in context.comparison.engines)
            yield from _differences(context, old, new)


def _differences(context: Context, old: Write, new: Write) -> Iterator[dict[str, Any]]:
    difference = unlike(old.outcome, new.outcome)
    if difference:
        right = _TAKEN.get(difference.cls, Right.UNSPECIFIED)
        cause = f"writing: {difference.cause}"
        yield _line(context, old, new, (difference.cls, "", cause, difference.old, difference.new), right)
    if old.outcome.kind is not OutcomeKind.TABLE or new.outcome.kind is not OutcomeKind.TABLE:
        return
    before, after = ({broken["rule"]: broken["message"] for broken in side.broken} for side in (old, new))
    for rule in sorted(before.keys() ^ after.keys()):
        cause = f"{rule} broken now" if rule in after else f"{rule} broken no more"
        right = Right.REGRESSED if rule in after else Right.IMPROVED
        change = Class.RULES, rule, cause, before.get(rule, "keeps it"), after.get(rule, "keeps it")
        yield _line(context, old, new, change, right)
    files = _files(context, old, new)
    seen: set[str] = set()
    for change in changes(files[0], files[1], context.format):
        if change[2] not in seen:  # of columns of one type that changed alike, the first
            seen.add(change[2])
            yield _line(context, old, new, change, Right.BOTH_RIGHT)


def _files(context: Context, old: Write, new: Write) -> list[Path]:
    return [
        matrix.file_of(context, write.process, write.table.name, write.layout.name) for write in (old, new)
    ]


def _line(
    context: Context, old: Write, new: Write, change: tuple[Class, str, str, str, str], right: Right
) -> dict[str, Any]:
    cls, place, cause, before, after = change
    files = _files(context, old, new)
    file = next((file for file in reversed(files) if file.exists()), files[1])
    return line(
        cls,
        right,
        signature=plain(str(Signature(f"{new.process.name} writes {context.format}", "", cls, cause))),
        by="validator" if cls is Class.RULES else "spec",
        case=f"written/{new.table.name}/{new.layout.name}",
        format=context.format,
        file=str(file),
        other=str(files[0]),
        sha256=new.sha256,
        size=file.stat().st_size if file.exists() else 0,
        path=place,
        old=before,
        new=after,
        features=sorted({*new.table.features, *new.layout.features}),
    )
