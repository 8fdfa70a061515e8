"""The digests of a run's input files: a run can be resumed only with the same files."""

from __future__ import annotations

from corpora.importers import Imported
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.errors import PipelineError


def note(context: Context, imported: Imported, *, resumed: bool) -> None:
    """Write the digests of the files; raise PipelineError if a resumed run has other files."""
    part = context.parts / "files.ndjson"
    now = {case.id: (str(case.file), case.sha256) for case in imported.cases}
    if not resumed or not context.has(part):
        context.commit(
            part, ({"id": identity, "file": file, "sha256": sha} for identity, (file, sha) in now.items())
        )
        return
    before = {line["id"]: (line["file"], line["sha256"]) for line in context.lines(part)}
    changed = sorted(
        f"{(now.get(identity) or before[identity])[0]} {_what(before.get(identity), now.get(identity))}"
        for identity in {*before, *now}
        if before.get(identity) != now.get(identity)
    )
    if changed:
        more = f", and {len(changed) - 1:,} more files are not as they were" if len(changed) > 1 else ""
        raise PipelineError(f"{context.out}: cannot be resumed: {changed[0]}{more}")


def _what(before: object, now: object) -> str:
    if now is None:
        return "is gone"
    return "has changed since the run was begun" if before else "was not there when the run was begun"
