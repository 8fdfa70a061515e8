"""What a file must mean, from its plan alone: `corpora/build/expected.py`, which the corpus is made by, too."""

from __future__ import annotations

from corpora.build.expected import table

__all__ = ["table"]
