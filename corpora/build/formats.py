"""The two formats, Parquet and ORC: the names, readers, validators, writers and tables of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from corpora import formats, own_cases
from corpora.build import coverage, expected, orc_expected, same
from corpora.build.opening import Data, File, open_bytes, open_path, orc_keys
from corpora.build.orc import coverage as orc_coverage
from corpora.features import features_of
from corpora.keys import Keys
from corpora.tagged import Table
from reference_impl.errors import ReferenceError_
from reference_impl.limits import DEFAULT, Limits
from reference_impl.orc import inspect as orc_inspect
from reference_impl.orc import tamper as orc_tamper
from reference_impl.orc import writer as orc_writer
from reference_impl.orc.file import OrcFile
from reference_impl.orc.summary import summarize as summarize_orc
from reference_impl.orc.summary import summarize_columns as summarize_orc_columns
from reference_impl.orc.validate import examine as examine_orc
from reference_impl.parquet import inspect as parquet_inspect
from reference_impl.parquet import tamper as parquet_tamper
from reference_impl.parquet import writer as parquet_writer
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.summary import summarize, summarize_columns
from reference_impl.parquet.validate import examine
from reference_impl.validation import Report

Selected = tuple[int | None, str | None, bool]  # row group or stripe, column, pages or row groups


R_co = TypeVar("R_co", covariant=True)


class OfBytes(Protocol[R_co]):
    """A function of a file's bytes, with its keys and limits."""

    def __call__(self, data: Data, keys: Keys | None = None, limits: Limits = DEFAULT) -> R_co:
        """Return the result for a file."""


@dataclass(frozen=True)
class Format:
    """The differences between formats; plans and tampers are those of the format's writer.

    `name` stands in ids, JSON and command lines, `title` in sentences. `magics` begin a file.
    `file` opens bytes, `open` a path, `examine` validates, `inspect` describes. `summary` returns the
    features of an open file, `of_columns` those of some of its columns, `counts` the rows of each row group
    or stripe, `writer` the software that the file names as its writer, "" without.

    `table` returns the expected table of a plan's file, `parts` the ordinals of the rows of each row group or
    stripe, `features` the features of a file. `parts_of_file` yields the parts of a file that do not depend
    on compression. `rules` is the prefix of the ids of rules. `required` returns the coverage items for given
    rules, `reached` those of a file. The corpus has at least `least_cases`, with together at most
    `most_bytes`.
    """

    name: str
    title: str
    magics: tuple[bytes, ...]
    suffixes: tuple[str, ...]
    rules: str
    file: OfBytes[File]
    open: Callable[[str | Path, Keys | None], File]
    examine: OfBytes[Report]
    inspect: Callable[[Data, Selected, Keys | None], Mapping[str, Any]]
    summary: Callable[[Any], tuple[str, ...]]
    of_columns: Callable[[Any, Collection[str]], tuple[str, ...]]
    counts: Callable[[Any], list[int]]
    writer: Callable[[Any], str]
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
        """Return the folder of the corpus; raises UserError."""
        return own_cases.folder() / self.name

    @property
    def waivers(self) -> Path:
        """Return the file of the items that the corpus need not reach."""
        return own_cases.CHECKED_IN / "waivers.d" / f"{self.name}.toml"


# orc_proto.proto, Footer.writer
_WRITERS = ("ORC Java", "ORC C++", "Presto", "Go", "Trino", "cuDF")


def _orc_writer(file: OrcFile) -> str:
    number = file.footer.writer
    name = _WRITERS[number] if number is not None and number < len(_WRITERS) else ""
    return " ".join(filter(None, (name, file.footer.software_version)))


PARQUET = Format(
    formats.PARQUET,
    "Parquet",
    formats.MAGICS[formats.PARQUET],
    formats.SUFFIXES[formats.PARQUET],
    "PQ-",
    lambda data, keys=None, limits=DEFAULT: open_bytes(data, formats.PARQUET, keys, limits),
    lambda path, keys: open_path(path, formats.PARQUET, keys),
    lambda data, keys=None, limits=DEFAULT: examine(data, keys, limits=limits),
    lambda data, selected, keys: parquet_inspect.inspect(data, parquet_inspect.Selection(*selected), keys),
    lambda file: features_of(summarize(file)),
    lambda file, names: features_of(summarize_columns(file, names)),
    lambda file: [group.num_rows for group in file.metadata.row_groups],
    lambda file: file.metadata.created_by or "",
    lambda plan, tamper: parquet_writer.write(plan, tamper or parquet_tamper.NOTHING),
    expected.table,
    expected.row_groups,
    lambda data, keys: features_of(summarize(ParquetFile(data, keys))),
    same.parquet_parts,
    coverage.required,
    lambda path, keys: coverage.reached(ParquetFile.open(str(path), keys)),
    most_bytes=11_000_000,
    least_cases=1_000,
)
ORC = Format(
    formats.ORC,
    "ORC",
    formats.MAGICS[formats.ORC],
    formats.SUFFIXES[formats.ORC],
    "ORC-",
    lambda data, keys=None, limits=DEFAULT: open_bytes(data, formats.ORC, keys, limits),
    lambda path, keys: open_path(path, formats.ORC, keys),
    lambda data, keys=None, limits=DEFAULT: examine_orc(data, orc_keys(keys), limits=limits),
    lambda data, selected, keys: orc_inspect.inspect(data, orc_inspect.Selection(*selected), orc_keys(keys)),
    lambda file: features_of(summarize_orc(file), "orc"),
    lambda file, names: features_of(summarize_orc_columns(file, names), "orc"),
    lambda file: [stripe.number_of_rows or 0 for stripe in file.footer.stripes],
    _orc_writer,
    lambda plan, tamper: orc_writer.write(plan, tamper or orc_tamper.NOTHING),
    orc_expected.table,
    orc_expected.stripes,
    lambda data, keys: _orc_features(OrcFile(data, keys=orc_keys(keys))),
    same.orc_parts,
    orc_coverage.required,
    lambda path, keys: orc_coverage.reached(OrcFile.open(path, keys=orc_keys(keys))),
    most_bytes=2_700_000,
    least_cases=1_000,
)
FORMATS = {format_.name: format_ for format_ in (PARQUET, ORC)}


def _orc_features(file: OrcFile) -> tuple[str, ...]:
    runs = {"runs": orc_coverage.names_of_runs(file)}
    return (*features_of(summarize_orc(file), "orc"), *features_of(runs, "orc"))
