"""The same table written by both versions: what came of it, which rules the files break, what was chosen.

Lines are of the form of `harness/investigate/upgrade/pairing.py`, the file being what the new version wrote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.children.outcomes import OutcomeKind
from harness.investigate.upgrade.classes import Class, Right, plain, unlike
from harness.investigate.upgrade.facts import changes
from harness.runs.pipeline import written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.runs.pipeline.context import Context
    from harness.runs.pipeline.written import Write

_TAKEN = {Class.REFUSES: Right.REGRESSED, Class.DIES: Right.REGRESSED}
_TAKEN |= {Class.ACCEPTS: Right.IMPROVED, Class.LIVES: Right.IMPROVED}


def lines(context: Context) -> Iterator[dict[str, Any]]:
    """Yield a line for each difference of what both versions wrote of a table in a layout."""
    made: dict[tuple[str, str], dict[str, Write]] = {}
    for one in written.writes(context):
        made.setdefault((one.table.name, one.layout.name), {})[one.process.key] = one
    for pair in made.values():
        if len(pair) == 2:
            assert context.comparison is not None
            old, new = (pair[key] for key in context.comparison.engines)
            yield from _differences(context, old, new)


def _differences(context: Context, old: Write, new: Write) -> Iterator[dict[str, Any]]:
    found = unlike(old.outcome, new.outcome)
    if found:
        right = _TAKEN.get(found.cls, Right.UNSPECIFIED)
        told = found.told
        yield _line(context, old, new, (found.cls, "", f"writing: {told}", found.old, found.new), right)
    if old.outcome.kind is not OutcomeKind.TABLE or new.outcome.kind is not OutcomeKind.TABLE:
        return
    before, after = ({one["rule"]: one["message"] for one in side.broken} for side in (old, new))
    for rule in sorted(before.keys() ^ after.keys()):
        told = f"{rule} broken now" if rule in after else f"{rule} broken no more"
        right = Right.REGRESSED if rule in after else Right.IMPROVED
        change = Class.RULES, rule, told, before.get(rule, "keeps it"), after.get(rule, "keeps it")
        yield _line(context, old, new, change, right)
    files = [written.file_of(context, one.process, one.table.name, one.layout.name) for one in (old, new)]
    seen: set[str] = set()
    for change in changes(files[0], files[1], context.format):
        if change[2] not in seen:  # of columns of one type that changed alike, the first
            seen.add(change[2])
            yield _line(context, old, new, change, Right.BOTH_RIGHT)


def _line(
    context: Context, old: Write, new: Write, change: tuple[Class, str, str, str, str], right: Right
) -> dict[str, Any]:
    cls, place, told, before, after = change
    files = [written.file_of(context, one.process, one.table.name, one.layout.name) for one in (old, new)]
    file = next((file for file in reversed(files) if file.exists()), files[1])
    return {
        "signature": plain(" | ".join((f"{new.process.name} writes {context.format}", cls.value, told))),
        "class": cls.value,
        "right": right.value,
        "by": "validator" if cls is Class.RULES else "spec",
        "case": f"written/{new.table.name}/{new.layout.name}",
        "format": context.format,
        "file": str(file),
        "other": str(files[0]),
        "sha256": new.sha256,
        "size": file.stat().st_size if file.exists() else 0,
        "probe": None,
        "query": None,
        "configs": [""],
        "of": 1,
        "path": place,
        "old": before,
        "new": after,
        "verdicts": ["", ""],
        "features": sorted({*new.table.features, *new.layout.features}),
        "unstable": False,
        "tried": [],
        "restored": [],
        "explained": [],
    }
