"""One case asked and judged again, by the pipeline, in a folder that goes afterwards."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.importers import Imported
from harness.pipeline.errors import PipelineError
from harness.pipeline.request import Request
from harness.pipeline.run import run
from harness.pipeline.selection import SelectionError, select
from harness.results import load
from harness.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpora.cases import Case
    from harness.connection import Limits
    from harness.results import Results


class CannotAsk(Exception):  # noqa: N818 - it says what is so
    """An engine cannot be asked; the message is one line."""


class _Silent:
    def stage(self, name: str, total: int) -> None:
        """Say nothing."""

    def advance(self, count: int) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""


def judged(case: Case, engines: Sequence[str], limits: Limits) -> Results:
    """Return the results of a case under these engines (none: all that are here), nothing being known of it.

    Raises CannotAsk.
    """
    try:
        chosen = select(list(engines), [case.format], every_switch=False, probed=bool(case.probes))
    except SelectionError as error:
        raise CannotAsk(str(error)) from error
    with tempfile.TemporaryDirectory(prefix="colconf-again-") as scratch:
        out, known = Path(scratch) / "run", Path(scratch) / "known"
        known.mkdir()
        asked = {"case": case.id, "colconf": __version__}
        imported = Imported((case,), ())
        request = Request(
            out,
            chosen.processes,
            limits,
            imported,
            1,
            asked,
            ["again"],
            known=known,
            every_value=True,
            format=case.format,
        )
        try:
            told, _ = run(request, _Silent())
        except PipelineError as error:
            raise CannotAsk(str(error)) from error
        failed = [f"{one['engine']}: {one['reason']}" for one in told["unavailable"]]
        if engines and failed:
            raise CannotAsk("; ".join(failed))
        return load(out)
