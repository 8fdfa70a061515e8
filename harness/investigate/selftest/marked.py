"""The reference with marks in the places of plants, as engines: for child processes, imported after `mark`.

Each place that a case reaches is noted once, in the file that `NOTES` names; a case begins when that file is
not there.
"""

from __future__ import annotations

import os
from pathlib import Path

from corpora.keys import Keys
from harness.engines.base import Engine
from harness.engines.reference.adapter import Reference
from harness.investigate.selftest.planting import ALWAYS, NOTES, SEEN, seen
from harness.investigate.selftest.strict import Strict


class _Noting(Engine):
    _has_begun = False

    def enter(self, keys: Keys | None) -> None:
        """Begin a request."""
        if not self._has_begun:
            self._has_begun = True
            ALWAYS.update(SEEN)  # what importing the reader has called
        if not Path(os.environ[NOTES]).exists():
            SEEN.clear()
            for name in ALWAYS:
                seen(name)
        super().enter(keys)


class Marked(_Noting, Reference):
    """Reads as the reference."""


class MarkedStrict(_Noting, Strict):
    """Reads strictly."""
