"""All reductions of a format, coarse before fine."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from corpora.build.formats import ORC, PARQUET
from corpora.keys import Keys
from harness.investigate.minimize import orc, orc_rows, parquet, raw, rows, values
from harness.investigate.minimize.reduction import NO_SITES, Reduction, Sites
from reference_impl.orc.file import OrcFile


def of(
    format: str,  # noqa: A002 - the word for it everywhere
    reserved: frozenset[str],
    keys: Keys | None = None,
) -> tuple[Reduction, ...]:
    """Return the reductions of a format; `reserved` names stay, `keys` decrypt."""
    return (*of_parts(format, reserved, keys), *_OF_BYTES[format])


def of_parts(
    format: str,  # noqa: A002 - the word for it everywhere
    reserved: frozenset[str],
    keys: Keys | None = None,
) -> tuple[Reduction, ...]:
    """Return the reductions that leave a file whole, without those of its bytes."""
    return _REDUCTIONS[format](reserved, keys)


def _orc(reserved: frozenset[str], keys: Keys | None) -> tuple[Reduction, ...]:
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
        Reduction("names", partial(orc.short_names, reserved=reserved)),
        anew,
    )


def _parquet(reserved: frozenset[str], _: Keys | None) -> tuple[Reduction, ...]:
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
        Reduction("names", partial(parquet.short_names, reserved=reserved)),
    )


_REDUCTIONS = {PARQUET.name: _parquet, ORC.name: _orc}
_OF_BYTES = {PARQUET.name: raw.PARQUET, ORC.name: raw.ORC}


def witnesses(format: str) -> tuple[Reduction, ...]:  # noqa: A002 - the word for it everywhere
    """Return reductions that show what a finding needs: which indexes, statistics, codecs, encodings.

    They have no sites in an encrypted ORC file, where removed parts shift others to where they cannot be
    decrypted.
    """
    return _WITNESSES[format]


def _unsealed(reduction: Reduction, data: bytes) -> Sites:
    if OrcFile(data).footer.encryption is not None:
        return NO_SITES
    return reduction.sites(data)


_WITNESSES: dict[str, tuple[Reduction, ...]] = {
    PARQUET.name: (*parquet.INDEXES, values.ENCODINGS, parquet.CODECS),
    ORC.name: tuple(
        replace(reduction, sites=partial(_unsealed, reduction)) for reduction in (*orc.INDEXES, orc.CODECS)
    ),
}
