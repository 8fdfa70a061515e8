"""Damage in the folder of a continued run: damaged parts are set aside, and made again.

After a kill, parts are complete or absent. After a power cut, a full or failing disk, or a manual change,
they may be incomplete: each existing part is read through, with the tables and files that it names. The files
that a run reads must be those with which it began.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from corpora.folders import digest_of
from corpora.importers import Imported
from harness.runs.pipeline import matrix, parts
from harness.runs.pipeline.context import Context
from harness.runs.pipeline.errors import PipelineError
from harness.runs.pipeline.parts import DamagedPart


def mend(context: Context) -> Iterator[str]:
    """Set damaged parts aside, and yield a line about each; raises OSError."""
    for part in sorted(context.parts.rglob("*.ndjson")):
        try:
            _verify(context, part)
        except DamagedPart as error:
            target = context.set_aside(part)
            yield f"{part}: damaged ({error.why}); set aside as {target.name if target else '-'}, made again"


def _verify(context: Context, part: Path) -> None:
    """Raise DamagedPart unless a part, its tables and its files are as they were written."""
    parts.verify(part)
    for file, sha256 in _files_of(context, part):
        if not file.exists() or digest_of(file) != sha256:
            raise DamagedPart(part, f"its file {file} is not as it was written")


def _files_of(context: Context, part: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files and folders that a part names, generated ones and those of writers, with digests."""
    stage = part.relative_to(context.parts).parts[0]
    if stage == "generate":
        lines = parts.read(part)
        next(lines)
        for line in lines:
            yield from ((Path(case["file"]), case["sha256"]) for case in line["cases"])
    if stage == "write":
        process = next((engine for engine in context.processes if engine.key == part.parent.name), None)
        for line in parts.read(part) if process else ():
            if process and line["sha256"]:
                of, name = matrix.of_name(context, part.stem.replace("-", "/", 1))
                yield matrix.file_of(of, process, name, line["layout"]), line["sha256"]


def note_files(context: Context, imported: Imported, *, resumed: bool) -> None:
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
