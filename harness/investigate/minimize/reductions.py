"""All reductions of a format, coarse before fine."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from harness.investigate.minimize import orc, orc_rows, parquet, raw, rows, values
from harness.investigate.minimize.reduction import Reduction, Sites
from reference_impl.orc.file import OrcFile

if TYPE_CHECKING:
    from corpora.keys import Keys


def of(
    format: str,  # noqa: A002 - the word for it everywhere
    kept: frozenset[str],
    keys: Keys | None = None,
) -> tuple[Reduction, ...]:
    """Return the reductions of a format; names that are `kept` stay, `keys` open what is encrypted."""
    if format == "orc":
        encryption, fewer, *values_, anew = orc_rows.reductions(None if keys is None else keys.orc)
        return (
            encryption,
            *orc.COARSE,
            *orc.INDEXES,
            fewer,
            orc.STREAMS,
            *values_,
            orc.CODECS,
            *orc.FIELDS,
            Reduction("names", partial(orc.short_names, kept=kept)),
            anew,
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
    """Return reductions that tell what a finding needs: which indexes, statistics, codecs, encodings.

    Of an encrypted ORC file they tell nothing: parts that go take others to where they are not decrypted.
    """
    if format == "orc":
        return tuple(replace(one, sites=partial(_unsealed, one)) for one in (*orc.INDEXES, orc.CODECS))
    return (*parquet.INDEXES, values.ENCODINGS, parquet.CODECS)


def _unsealed(reduction: Reduction, data: bytes) -> Sites:
    if OrcFile(data).footer.encryption is not None:
        return Sites(0, lambda _start, _stop: data)
    return reduction.sites(data)
