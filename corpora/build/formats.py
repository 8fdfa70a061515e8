"""The functions that build and check the corpus of each format, Parquet and ORC."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.build import coverage, expected, orc_expected, same
from corpora.build.orc import coverage as orc_coverage
from corpora.features import features_of
from corpora.keys import Keys
from corpora.tagged import Table
from reference_impl.errors import ReferenceError_
from reference_impl.orc import tamper as orc_tamper
from reference_impl.orc import writer as orc_writer
from reference_impl.orc.file import OrcFile
from reference_impl.orc.summary import summarize as summarize_orc
from reference_impl.parquet import tamper as parquet_tamper
from reference_impl.parquet import writer as parquet_writer
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.summary import summarize

CORPORA = Path(__file__).parents[1]


@dataclass(frozen=True)
class Format:
    """The functions of a format; plans and tampers are those of its writer.

    `table` returns the expected table of a plan's file, `parts` the ordinals of the rows of each row group or
    stripe, `features` the features of a file. `parts_of_file` yields the parts of a file that do not depend
    on compression. `rules` is the prefix of the ids of rules. `required` returns the coverage items for given
    rules, `reached` those of a file. The corpus has at least `least_cases`, with together at most
    `most_bytes`.
    """

    name: str
    rules: str
    write: Callable[[Any, Any], bytes]
    table: Callable[[Any], Table]
    parts: Callable[[Any], list[range]]
    features: Callable[[bytes, Keys | None], tuple[str, ...]]
    parts_of_file: Callable[[bytes], Iterator[Any]]
    required: Callable[[Iterable[str]], set[str]]
    reached: Callable[[Path, Keys | None], Iterator[str]]
    most_bytes: int
    least_cases: int

    def same(self, data: bytes, other: bytes) -> bool:
        """Return whether two files have the same bytes, or differ only in compression."""
        if data == other:
            return True
        try:
            return list(self.parts_of_file(data)) == list(self.parts_of_file(other))
        except ReferenceError_:
            return False

    @property
    def folder(self) -> Path:
        """Return the folder of the corpus."""
        return CORPORA / self.name

    @property
    def waivers(self) -> Path:
        """Return the file of the items that the corpus need not reach."""
        return CORPORA / "waivers.d" / f"{self.name}.toml"


PARQUET = Format(
    "parquet",
    "PQ-",
    lambda plan, tamper: parquet_writer.write(plan, tamper or parquet_tamper.NOTHING),
    expected.table,
    expected.row_groups,
    lambda data, keys: features_of(summarize(ParquetFile(data, keys))),
    same.parquet_parts,
    coverage.required,
    lambda path, keys: coverage.reached(ParquetFile.open(str(path), keys)),
    most_bytes=10_000_000,
    least_cases=1_000,
)
ORC = Format(
    "orc",
    "ORC-",
    lambda plan, tamper: orc_writer.write(plan, tamper or orc_tamper.NOTHING),
    orc_expected.table,
    orc_expected.stripes,
    lambda data, keys: _orc_features(OrcFile(data, keys=keys.orc if keys else None)),
    same.orc_parts,
    orc_coverage.required,
    lambda path, keys: orc_coverage.reached(OrcFile.open(path, keys=keys.orc if keys else None)),
    most_bytes=2_700_000,
    least_cases=1_000,
)
FORMATS = {format_.name: format_ for format_ in (PARQUET, ORC)}


def _orc_features(file: OrcFile) -> tuple[str, ...]:
    runs = {"runs": orc_coverage.names_of_runs(file)}
    return (*features_of(summarize_orc(file), "orc"), *features_of(runs, "orc"))
