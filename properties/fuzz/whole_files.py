"""Targets that validate a whole file, or take it apart and put it together again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from properties.fuzz import inputs, orc_file, parquet_file
from properties.fuzz.bounds import limits
from properties.fuzz.claims import Broken, attempt, same
from properties.fuzz.table import Table
from properties.strategies.mutations import orc, parquet
from reference_impl.columns import to_python
from reference_impl.errors import Malformed, ReferenceError_
from reference_impl.orc import anatomy as orc_anatomy
from reference_impl.orc.file import OrcFile
from reference_impl.orc.validate import examine as examine_orc
from reference_impl.parquet import anatomy as parquet_anatomy
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.validate import examine as examine_parquet

TABLE = Table()
_VALID = (
    "Validating never raises, whatever the bytes. A file that the reader calls malformed breaks a rule that "
    "validating finds; one without a violation is read, or it is not supported or too large."
)


def _faults(format_: str) -> list[bytes]:
    """Return small files of all areas, most of them faults."""
    return inputs.some(inputs.files(format_, largest=2048), most=160)


def _check_report(report: Any, read: Callable[[], object]) -> None:
    """Raise Broken if a file without a violation is malformed."""
    try:
        read()
    except Malformed as error:
        if not report.violations and not report.unchecked:
            raise Broken("malformed, but no violation", str(error)) from error
    except ReferenceError_:
        return


@TABLE.target("orc_validate", "Validation of a whole ORC file.", _VALID, lambda: _faults("orc"), orc.mutate)
def check_orc_report(data: bytes) -> None:
    """Validate the bytes, and read them, without keys and with them."""
    for keys in (None, inputs.ORC_KEYS):
        report = examine_orc(data, keys, limits=limits(data))
        _check_report(report, partial(_read_orc, data, keys))


def _read_orc(data: bytes, keys: dict[str, dict[int, bytes]] | None) -> None:
    file = OrcFile(data, limits=limits(data), keys=keys)
    if keys is None or file.decryption is not None:
        file.read()


@TABLE.target(
    "parquet_validate",
    "Validation of a whole Parquet file.",
    _VALID,
    lambda: _faults("parquet"),
    parquet.mutate,
)
def check_parquet_report(data: bytes) -> None:
    """Validate the bytes, and read them."""
    report = examine_parquet(data, inputs.PARQUET_KEYS, limits=limits(data))
    _check_report(report, lambda: ParquetFile(data, inputs.PARQUET_KEYS, limits=limits(data)).read())


@TABLE.target(
    "orc_anatomy",
    "A whole ORC file, taken apart and put together again (`orc/anatomy`).",
    "Any bytes are taken apart or a documented error. What was taken apart and put together again is the "
    "same bytes, whatever is wrong in them.",
    orc_file.seeds,
    orc.mutate,
)
def check_orc_anatomy(data: bytes) -> None:
    """Take the bytes apart, and put them together."""
    anatomy = attempt(orc_anatomy.dissect, data, limits=limits(data))
    if anatomy is not None:
        same(orc_anatomy.assemble(anatomy), data, "nothing was changed")


@TABLE.target(
    "parquet_anatomy",
    "A whole Parquet file, taken apart and put together again (`parquet/anatomy`).",
    "Any bytes are taken apart or a documented error. What was taken apart and put together again is taken"
    " apart again to the same file; a file that can be read is read from it to the same.",
    parquet_file.seeds,
    parquet.mutate,
)
def check_parquet_anatomy(data: bytes) -> None:
    """Take the bytes apart, and put them together."""
    anatomy = attempt(parquet_anatomy.dissect, data)
    if anatomy is None:
        return
    whole = parquet_anatomy.assemble(anatomy)
    same(
        parquet_anatomy.assemble(parquet_anatomy.dissect(whole)), whole, "taken apart and put together twice"
    )
    before = attempt(_read_parquet, data, data)
    if before is not None:
        same(_read_parquet(whole, data), before, "read")


def _read_parquet(data: bytes, bounding: bytes) -> list[list[Any]]:
    table = ParquetFile(data, limits=limits(bounding)).read()
    return [to_python(column) for column in table.columns]
