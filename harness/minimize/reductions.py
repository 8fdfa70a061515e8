"""All reductions of a format, coarse before fine."""

from __future__ import annotations

from functools import partial

from harness.minimize import orc, orc_rows, parquet, raw, rows, values
from harness.minimize.reduction import Reduction


def of(format: str, kept: frozenset[str]) -> tuple[Reduction, ...]:  # noqa: A002 - the word for it everywhere
    """Answer the reductions of a format; names that are `kept` stay."""
    if format == "orc":
        return (
            *orc.COARSE,
            *orc.INDEXES,
            orc_rows.ROWS,
            orc.STREAMS,
            *orc_rows.VALUES,
            orc.CODECS,
            *orc.FIELDS,
            Reduction("names", partial(orc.short_names, kept=kept)),
            orc_rows.REWRITTEN,
            *raw.ORC,
        )
    return (
        *parquet.COARSE,
        *parquet.INDEXES,
        rows.ROWS,
        parquet.PAGES,
        values.ENTRIES,
        *values.VALUES,
        values.ENCODINGS,
        parquet.CODECS,
        parquet.DICTIONARIES,
        *parquet.FIELDS,
        Reduction("names", partial(parquet.short_names, kept=kept)),
        *raw.PARQUET,
    )


def witnesses(format: str) -> tuple[Reduction, ...]:  # noqa: A002 - the word for it everywhere
    """Answer reductions that tell what a finding needs: which indexes, statistics, codecs, encodings."""
    if format == "orc":
        return (*orc.INDEXES, orc.CODECS)
    return (*parquet.INDEXES, values.ENCODINGS, parquet.CODECS)
