"""How a reader may handle a file with a feature of the future."""

from __future__ import annotations

from enum import StrEnum


class Handling(StrEnum):
    """The best that a reader can do."""

    READS = "reads"  # reads all columns
    COLUMN = "column"  # reads all columns but that with the feature, or refuses the file
    REFUSES = "refuses"  # refuses the file, and names the feature
