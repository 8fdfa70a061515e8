"""What a reader may do with a file that has a feature of the future."""

from __future__ import annotations

from enum import StrEnum


class Handling(StrEnum):
    """What a reader does well."""

    READS = "reads"  # everything
    COLUMN = "column"  # all columns but the one that is of the future, or refuses
    REFUSES = "refuses"  # names what it does not know
