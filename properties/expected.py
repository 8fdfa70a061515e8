"""What a file must mean, from its plan alone: what the corpus is made by too (`corpora/build`)."""

from __future__ import annotations

from corpora.build.expected import row_groups, table

__all__ = ["row_groups", "table"]
