"""What a file must mean, from its plan alone; the corpus is made by the same (`corpora/build/expected.py`)."""

from __future__ import annotations

from corpora.build.expected import row_groups, table

__all__ = ["row_groups", "table"]
