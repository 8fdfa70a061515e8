"""The files that a run was given, as they were when it was begun: a run that is resumed needs the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.runs.pipeline.errors import PipelineError

if TYPE_CHECKING:
    from corpora.importers import Imported
    from harness.runs.pipeline.context import Context


def note(context: Context, imported: Imported, *, resumed: bool) -> None:
    """Write down the digests of the files; a resumed run that finds others raises PipelineError."""
    part = context.parts / "files.ndjson"
    now = {case.id: (str(case.file), case.sha256) for case in imported.cases}
    if not resumed or not context.has(part):
        context.commit(part, ({"id": one, "file": file, "sha256": sha} for one, (file, sha) in now.items()))
        return
    before = {line["id"]: (line["file"], line["sha256"]) for line in context.lines(part)}
    changed = sorted(
        f"{(now.get(one) or before[one])[0]} {_what(before.get(one), now.get(one))}"
        for one in {*before, *now}
        if before.get(one) != now.get(one)
    )
    if changed:
        more = f", and {len(changed) - 1:,} more files are not as they were" if len(changed) > 1 else ""
        raise PipelineError(f"{context.out}: cannot be resumed: {changed[0]}{more}")


def _what(before: object, now: object) -> str:
    if now is None:
        return "is gone"
    return "has changed since the run was begun" if before else "was not there when the run was begun"
