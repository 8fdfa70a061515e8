"""The expected table of a file, from its plan alone; the corpus uses the same (`corpora/build`)."""

from __future__ import annotations

from corpora.build.expected import row_groups, table

__all__ = ["row_groups", "table"]
