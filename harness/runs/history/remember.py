"""One run, taken into a history: what `colconf run --history` does when the results are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.judging.results import load_run
from harness.runs.history.session import Session, annotate, observe
from harness.runs.history.store import History, opened
from harness.runs.history.third import confirm

if TYPE_CHECKING:
    from pathlib import Path

    from harness.judging.results import Finding
    from harness.runs.pipeline.request import Request
    from harness.runs.pipeline.run import Progress


def remember(folder: Path, request: Request, progress: Progress) -> list[Finding]:
    """Take the run that a request made into the history, and answer its findings with their states.

    Raises HistoryError, ResultsError, PipelineError and OSError.
    """
    session = Session.of(load_run(request.out))
    with opened(folder) as history:
        for text in history.damaged():
            progress.note(text)
        take(history, session, request, progress)
        history.sweep()
        return annotate(history, session, request.out)


def take(history: History, session: Session, request: Request, progress: Progress) -> None:
    """Take a run of a session into the history, and look a third time at what is new; saves the history."""
    observe(history, session, request.out)
    history.save()
    confirm(history, session, request, progress)
    history.save()
