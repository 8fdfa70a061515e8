"""A corpus of files that releases of engines wrote, which digests compare with an earlier build.

    FOLDER/<format>/<engine>@<version>/<group>-<table>.<format>   with its case beside it (`.json`)
    FOLDER/digests.json                                           an entry for each table: see Entry

Tables and options are drawn as for `run --write-generated`: they follow from the seed, the number of the
group, and the engine's name, so that all releases of an engine write the same tables under the options that
they have. What is there, with the digest in `digests.json`, is not written again: an interrupted build goes
on where it ended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from corpora.build.formats import FORMATS
from corpora.build.reading import open_file
from corpora.build.silences import REPEATED
from corpora.build.tagged_columns import tagged_table
from corpora.cases import Case, Expectation, dump
from corpora.files import digest, write_whole
from corpora.keys import Keys
from corpora.known_failures import WRITTEN
from corpora.problem import UserError
from corpora.tagged import Table
from harness.children.connection import Connection
from harness.children.limits import Limits
from harness.children.outcomes import Outcome, OutcomeKind
from harness.children.scratch import scratch_folder
from harness.engines.writer_options import CHOSEN, choose
from harness.judging.ask import unless_killed
from harness.judging.bench import Bench
from harness.judging.case_files import features_of_file
from harness.judging.compare import compare
from harness.judging.evidence import level_of
from harness.judging.places import Process
from harness.judging.wording import in_words
from harness.judging.writers import WRITER
from harness.runs.pipeline import drawn
from harness.runs.pipeline.context import WriteDrawn, resolved
from harness.runs.pipeline.selection import SelectionError, select
from harness.runs.pipeline.written import MUST
from harness.runs.pipeline.written_files import broken_rules
from reference_impl.errors import ReferenceError_

DIGESTS = "digests.json"
OTHER = "holds other values"  # in the entry of a file that is not what its writer was given
RANDOM = "random"  # in the entry of a file that has other bytes each time, since its writer encrypts it
# A checked-in build: the digests of what releases write, which another build has to write again.
RELEASES = Path(__file__).with_name("written_releases.json")
RELEASES_OF = WriteDrawn(8, 1)
_REFUSED = (OutcomeKind.REFUSED, OutcomeKind.UNSUPPORTED)
# `sha256` of the file, with the refusal of its drawn options if it was written `without options`; else
# `refused` or `failed`, with the writer's message.
Entry = dict[str, str]
Entries = dict[str, Entry]


class WrittenError(UserError):
    """A corpus of written files cannot be built or compared; the message is one line."""


@dataclass(frozen=True)
class Request:
    """What to build: `tables` of each of the `engines` (`name@version`) that write one of the `formats`."""

    folder: Path
    engines: Sequence[str]
    formats: Sequence[str]
    tables: WriteDrawn
    limits: Limits


class Counted(NamedTuple):
    """The tables of one release in one format: written now, there already, refused, failed."""

    writer: str
    format: str
    written: int
    there: int
    refused: int
    failed: int


def build(request: Request) -> Iterator[Counted]:
    """Write what is missing, release by release; raises WrittenError, and BenchError as Bench does."""
    try:
        chosen = select(list(request.engines), list(request.formats), every_switch=False, probed=False)
    except SelectionError as error:
        raise WrittenError(str(error)) from error
    writers = [process for process in chosen.processes if process.reported]
    for process in writers:
        if not any(_writes(process, format_) for format_ in request.formats):
            raise WrittenError(f"{process.key} writes no files of {' or '.join(request.formats)}")
    entries = read_digests(request.folder / DIGESTS, missing_ok=True)
    with scratch_folder() as scratch:
        for process in writers:
            for format_ in request.formats:
                if _writes(process, format_):
                    with Bench([process], request.limits, scratch) as bench:
                        yield _Writer(request, process, format_, bench, entries).write()


def read_digests(path: Path, *, missing_ok: bool = False) -> Entries:
    """Return the entries of a file of digests; raises WrittenError."""
    if missing_ok and not path.exists():
        return {}
    try:
        entries: Entries = json.loads(path.read_bytes())
        texts = {type(text) for entry in entries.values() for text in entry.values()}
    except FileNotFoundError:
        raise WrittenError(f"{path}: not there; `colconf corpus written` writes it") from None
    except (OSError, ValueError, AttributeError) as error:
        raise WrittenError(f"{path}: is no file of digests: {error}") from error
    if not texts <= {str} or not all(entries.values()):
        raise WrittenError(f"{path}: is no file of digests: an entry has no text")
    return entries


def engines_of(entries: Entries) -> tuple[str, ...]:
    """Return the releases that wrote the files of a build, as `name@version`."""
    return tuple(dict.fromkeys(name.split("/")[1] for name in entries))


def differences(entries: Entries, wanted: Entries) -> Iterator[str]:
    """Yield a line for each file that is not as another build wrote it; refusals are compared as such."""
    for name in sorted({*entries, *wanted}):
        here, there = _short(entries.get(name)), _short(wanted.get(name))
        if here != there:
            yield f"{name}: {there} before, {here} now"


def _short(entry: Mapping[str, str] | None) -> str:
    if not entry:
        return "absent"
    if RANDOM in entry:
        return entry[RANDOM]
    return entry["sha256"][:12] if "sha256" in entry else next(iter(entry))


def _writes(process: Process, format_: str) -> bool:
    there = process.writes and format_ in process.formats and bool(process.write_options)
    return there and drawn.has_options(process.write_options, format_)


def features_of(path: Path, format_: str, keys: Keys | None) -> tuple[str, ...]:
    """Return the features of a file, of one that its writer damaged those that its footer shows."""
    try:
        return tuple(FORMATS[format_].features(path.read_bytes(), keys))
    except ReferenceError_:
        return features_of_file(path, format_, keys)


def other_values(path: Path, format_: str, keys: Keys | None, given: Table) -> str:
    """Return how a file differs from what its writer was given, as the reference reads it, "" if not.

    Of a file that the reference refuses nothing is known.
    """
    try:
        table = tagged_table(open_file(str(path), format_, keys).read())
    except ReferenceError_:
        return ""
    at = compare(given, table, ()).difference
    return f"{at.path}: {in_words('', at.kind, at.expected, at.actual)}" if at else ""


class _Writer:
    """One release writes tables of one format."""

    def __init__(
        self, request: Request, process: Process, format_: str, bench: Bench, entries: Entries
    ) -> None:
        self._request = request
        self._process = process
        self._format = format_
        self._bench = bench
        self._entries = entries
        self._options = drawn.writer_of(process.write_options, format_)
        self._folder = request.folder / format_ / process.key

    def write(self) -> Counted:
        """Write the groups that are missing; the digests are stored behind each."""
        tables, there = self._request.tables, 0
        draw: Callable[..., list[list[Table]]] = resolved(tables.generator)
        names: list[str] = []
        for number in range(drawn.groups(tables)):
            most = min(drawn.TABLES, tables.tables - number * drawn.TABLES)
            of_group = [f"{self._format}/{self._process.key}/{number:05}-{at}" for at in range(most)]
            names += of_group
            if all(map(self._is_there, of_group)):
                there += most
                continue
            self._folder.mkdir(parents=True, exist_ok=True)
            (group,) = draw(tables.seed, [number], self._format)
            for at, name in enumerate(of_group):
                self._entries[name] = self._write(name, f"{drawn.name_of(tables, number)}/{at}", group[at])
            write_whole(self._request.folder / DIGESTS, json.dumps(self._entries, indent=1, sort_keys=True))
        kinds = [next(iter(self._entries[name])) for name in names]
        refused, failed = kinds.count("refused"), kinds.count("failed")
        return Counted(
            self._process.key, self._format, len(names) - there - refused - failed, there, refused, failed
        )

    def _path(self, name: str) -> Path:
        return self._request.folder / f"{name}.{self._format}"

    def _is_there(self, name: str) -> bool:
        """Return whether a table needs no writing: its file is as it was, or it was refused."""
        entry, path = self._entries.get(name, {}), self._path(name)
        if "sha256" in entry:
            return path.exists() and digest(path) == entry["sha256"]
        return "refused" in entry

    def _write(self, name: str, place: str, table: Table) -> Entry:
        """Have a table written, and its case beside it; under defaults if the drawn options are refused."""
        writes = self._connection().describe().get("writes", {})
        own, always = drawn.given(self._options, table), writes.get("defaults", {})
        name_of_choice = f"{place}/{self._process.name}"
        options = choose(self._options, name_of_choice, own, writes.get("options"))
        chosen = {**always, **options}
        path = self._path(name)
        outcome, without = self._outcome(path, own, chosen), ""
        if options and outcome.kind in _REFUSED:
            without, chosen = outcome.detail.summary, always
            outcome = self._outcome(path, own, chosen)
        if outcome.kind is not OutcomeKind.TABLE:
            path.unlink(missing_ok=True)
            what = "refused" if outcome.kind in _REFUSED else "failed"
            return {what: outcome.detail.summary or outcome.kind.value}
        keys = self._options.keys(chosen)
        table = self._options.stored(own, chosen)
        other = other_values(path, self._format, keys, table)
        case = self._case(name, path, None if other else table, keys)
        dump(case, path.with_suffix(".json"), durable=False)
        entry = {"sha256": case.sha256, **({"without options": without} if without else {})}
        entry |= {OTHER: other} if other else {}
        return {**entry, **({RANDOM: "encrypted"} if case.keys else {})}

    def _outcome(self, path: Path, table: Table, chosen: dict[str, Any]) -> Outcome:
        path.unlink(missing_ok=True)
        switches = self._process.configs[0].switches
        write = partial(self._connection().write, path, self._format, switches, table, {CHOSEN: chosen})
        return unless_killed(write)

    def _connection(self) -> Connection:
        return self._bench.connection(self._process)

    def _expectation(self, path: Path, table: Table | None, keys: Keys | None, source: str) -> Expectation:
        """Return what is right of a file; a reader may refuse one whose writer breaks a MUST.

        Without a table, since the file holds other values than its writer was given, engines vote: whether
        the writer or the reference is wrong is not known here.
        """
        if table is None:
            return Expectation.by_vote()
        broken = (each["rule"] for each in broken_rules(path, self._format, keys))
        musts = [rule for rule in broken if level_of(rule) == MUST and rule not in REPEATED]
        if musts:
            return Expectation.either(f"its writer breaks {musts[0]}", table=table, source=source)
        return Expectation.accept(table, source)

    def _case(self, name: str, path: Path, table: Table | None, keys: Keys | None) -> Case:
        """Return the case of a file."""
        source = f"{WRITER}{self._process.key}"
        number, _, at = name.rpartition("/")[2].rpartition("-")
        group = drawn.name_of(self._request.tables, int(number))
        return Case(  # the id is that of a run's case, but for the release
            f"{WRITTEN}{self._process.key}/{group}/{at}",
            self._format,
            path,
            digest(path),
            self._expectation(path, table, keys, source),
            features=features_of(path, self._format, keys),
            source=source,
            keys=keys,
        )
