"""Known failures in `known/<engine>.toml`: a run reports other failures, and entries that no longer fail.

An entry names the cases, versions and configurations of the engine for which a verdict is expected, the
reason, and the upstream issue:

    [[failure]]
    case = "parquet-testing/data/int96_*"   # glob over case ids; `*` also matches `/`; or a list of globs
    versions = ">=4.0,<4.4"                 # optional; every version if absent
    config = { vectorized = "on" }          # optional; switches that are not named may have any value
    verdict = "different"
    reason = "one line"
    url = "https://…"                       # optional: the upstream issue
    clause = "parquet.thrift, Type.INT96"   # the clause that the engine breaks; optional where it breaks none
    expires = 2027-01-31                    # optional; the last day on which the entry counts
    signature = "* rows lost *"             # optional; glob over the finding's signature, for generated cases
    feature = "parquet/value/nan"           # optional; a glob, which matches a feature of the file
    column = ["parquet/value/nan"]          # optional; globs, each of which matches a feature of the columns
    subject = ["value in *"]                # optional; globs over the signature's end, one of which matches
    also = ["crashed"]                      # optional, of `unstable`: how the process is lost, too
    derived = true                          # optional: only derived queries show it (`--queries-of-cases`)
    options = { "page_size" = "1" }         # optional; globs over drawn options of the engine as a writer
    finding = "nan-hides-rows"              # optional; a confirmed finding, the same in every entry about it
    symptom = "one line"                    # of a finding: the effect for a user
    repro = "import …"                      # of a finding: a script that reproduces it without colconf
    language = "javascript"                 # optional: the script's, if it is not Python

A list of cases means one entry per case, with the same other members: each is matched, and becomes stale,
separately.

A case may fail by another cause, too: `subject` describes the effect of this cause. Releases differ in the
type and the query that show it first, so that `value in *`, `*: rows *` or `count in *` is narrow enough.

A generated file mixes features in many columns: `column` is about the features of those that the failure is
about alone (`harness/judging/column_features.py`): of the column that differs, or of those that the query
tests. That a file has NaN somewhere does not say that a filter of another column loses rows because of it.

A run reports an entry as stale if no failure in its scope remains, or if the entry has expired. An entry with
a `signature` is about generated cases: that no case fails in one run proves nothing, so a run does not report
such an entry. A run that derives queries reports entries that are `derived` alone, others the rest. Those
of `generated/*` also count for queries of files that engines wrote, and for all of files of generated tables.

Entries with the same `finding` belong to one finding (`corpora/findings.py` renders the findings); the first
entry has `symptom`, `clause` and `repro`, and its `case` is the smallest file.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from corpora.cases import CaseError
from corpora.formats import MAGICS
from corpora.versions import bounds, version_in, version_key

FOLDER = Path(__file__).with_name("known")
VERDICTS = (
    *("different", "refused_valid", "accepted_invalid", "unsupported", "crashed"),
    "panicked",
    *("hung", "out_of_memory", "amplified", "unstable", "inconsistent", "wrote_invalid", "wrote_other"),
)
GENERATED = "generated/"  # begins the ids of generated cases
_DRAWN = "/drawn-"  # in cases of generated tables that engines wrote
WRITTEN = "writers/"  # begins the ids of cases of files that engines wrote in a run
_ANY_FILE = frozenset({f"{GENERATED}*", *(f"{name}/*" for name in MAGICS)})
_WITH_TEXT = frozenset({"refused_valid", "panicked"})
# Verdicts on one of the answers of an engine that answers otherwise from time to time, and on its loss.
_UNSTABLE = frozenset({"different", "inconsistent", "refused_valid", "accepted_invalid", "panicked"})
LOST = frozenset({"crashed", "hung", "out_of_memory", "amplified"})
PASSED = frozenset({"agree", "equivalent", "refused_as_expected"})
NOT_ANY_MORE = "nothing in its scope fails so any more; remove it"
_NO_TEXTS = {"case", "config", "options", "expires", "subject", "column", "also", "derived"}
_REQUIRED = {"case", "verdict", "reason"}
_OPTIONAL = {
    *("url", "versions", "config", "clause", "expires"),
    *(
        "signature",
        "subject",
        "feature",
        "column",
        "also",
        "options",
        "derived",
        "finding",
        "symptom",
        "repro",
        "language",
    ),
}
_NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})
_RELEASE = re.compile(r"@[^/]*/")
_SPECIAL = re.compile(r"[*?[]")
_STALE = re.compile(
    r"(?P<file>.*?(?P<engine>[^/\\:]+)\.toml): (?P<case>.+) "
    rf"\((?P<verdict>{'|'.join(VERDICTS)})\): (?P<why>.+)"
)
_BROKEN_GLOB = re.compile(r"\[[^]]*$|//|\s$|^\s|^$")


class Judged(NamedTuple):
    """A row of a run: a case, the engine, its version and configuration, the verdict, its signature.

    `features` are the features of the case. `undecided`: a vote let the answer pass, whatever it is.
    `queried`: the verdict is about the answer to a query. `options` are those that the engine wrote the file
    with, by name. `column_features` are the features of the columns that the failure is about.
    """

    case: str
    engine: str
    version: str
    config: Mapping[str, str]
    verdict: str
    signature: str = ""
    features: Collection[str] = ()
    undecided: bool = False
    queried: bool = False
    options: Mapping[str, Any] = _NO_OPTIONS
    column_features: Collection[str] = ()


@dataclass(frozen=True)
class Entry:
    """A known failure; the fields are those of the file, and the engine from its name.

    `feature`: a feature, or a glob such as `orc/*`, that restricts the entry to cases with a matching
    feature. `column`: globs, each of which matches a feature of the columns that the failure is about.
    `options`: globs over the texts of options; the entry does not cover a file written without one
    of them. `file` is the path of the file in a folder other than `corpora/known`, for messages.
    """

    engine: str
    case: str
    verdict: str
    reason: str
    url: str = ""
    versions: str = ""
    config: Mapping[str, str] = field(default_factory=dict)
    clause: str = ""
    expires: dt.date | None = None
    signature: str = ""
    subject: tuple[str, ...] = ()
    feature: str = ""
    column: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    derived: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    finding: str = ""
    symptom: str = ""
    repro: str = ""
    language: str = "python"
    file: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.file or f'known/{self.engine}.toml'}: {self.case} ({self.verdict})"

    @cached_property
    def _begin(self) -> str:
        """The plain text at the start of the case's glob, which excludes most cases quickly."""
        return _SPECIAL.split(self.case, maxsplit=1)[0]

    def _fits(self, case: str) -> bool:
        return case.startswith(self._begin) and fnmatchcase(case, self.case)

    def is_named(self, case: str) -> bool:
        """Return whether the entry names a case, other than by a glob of all or of generated files."""
        is_any = not self._begin or self.case in _ANY_FILE
        return not is_any and self._fits(case)

    def covers(self, row: Judged) -> bool:
        """Return whether the row is in the entry's scope, whatever its verdict."""
        return self.engine == row.engine and self._names(row) and self.resembles(row) and self._is_about(row)

    def _is_about(self, row: Judged) -> bool:
        """Return whether the row's failure shows as that of the entry."""
        about = row.signature.partition(" | ")[2].partition(" | ")[2]
        return not self.subject or any(fnmatchcase(about, escaped(glob)) for glob in self.subject)

    def _names(self, row: Judged) -> bool:
        """Return whether the entry is about the row's case.

        What generated files show by their signature, other files show that are asked derived queries, and
        files of generated tables that engines wrote.
        """
        case = row.case
        if case.startswith(WRITTEN) and "@" in case:  # of `colconf corpus written`: the writer has a version
            case = _RELEASE.sub("/", case, count=1)
        if self._fits(case):
            return True
        is_generated = case.startswith(WRITTEN) and (row.queried or _DRAWN in case)
        return bool(is_generated and self.signature and self.case == f"{GENERATED}*")

    def resembles(self, row: Judged) -> bool:
        """Return whether the row is in the entry's scope, but for the case."""
        return (
            self.engine == row.engine
            and all(row.config.get(switch) == value for switch, value in self.config.items())
            and version_in(row.version, self.versions)
            and (not self.feature or any(fnmatchcase(feature, self.feature) for feature in row.features))
            and all(
                any(fnmatchcase(feature, glob) for feature in row.column_features) for glob in self.column
            )
            and all(_has_option(row.options, name, glob) for name, glob in self.options.items())
            and (not self.signature or fnmatchcase(row.signature, escaped(self.signature)))
        )

    def could_be(self, row: Judged) -> bool:
        """Return whether the row shows the entry's failure, in a case that the entry does not name.

        An entry covers other files if it is about any file of a format, or has the text of an error; if only
        its cases identify the cause (`orc/statistics/*/no-bounds`), another file may have another cause.
        """
        tells = self.case in _ANY_FILE or self.verdict in _WITH_TEXT
        formats = {name.partition("/")[0] for name in (self.case, self.feature)}.intersection(MAGICS)
        mine = {feature.partition("/")[0] for feature in row.features}
        return bool(self.signature and tells and formats <= mine and self.resembles(row))

    def expects(self, verdict: str) -> bool:
        """Return whether the entry allows the verdict; an unstable case may have either answer's."""
        return verdict in self._expected

    @cached_property
    def _expected(self) -> frozenset[str]:
        return frozenset({self.verdict, *self.also, *(_UNSTABLE if self.verdict == "unstable" else ())})

    def expired(self, today: dt.date) -> bool:
        """Return whether the last day of the entry has passed."""
        return self.expires is not None and self.expires < today


def match(entries: Sequence[Entry], row: Judged, *, today: dt.date | None = None) -> Entry | None:
    """Return the first entry that expects the row's verdict and has not expired, or None."""
    today = today or _today()
    if row.verdict in PASSED:
        return None
    candidates = (entry for entry in entries if entry.engine == row.engine and entry.expects(row.verdict))
    return next((entry for entry in candidates if entry.covers(row) and not entry.expired(today)), None)


def like(entries: Sequence[Entry], row: Judged, *, today: dt.date | None = None) -> str:
    """Return which known bug has the row's signature, whatever the case, or "".

    That is the bug's finding, which may stand as the reason, else its address, else its reason.
    """
    today = today or _today()
    engine = (entry for entry in entries if entry.engine == row.engine and entry.expects(row.verdict))
    alike = (entry for entry in engine if entry.could_be(row))
    entry = next((entry for entry in alike if not entry.expired(today)), None)
    if entry is None:
        return ""
    is_named = any(each.finding == entry.reason for each in entries)
    return entry.reason if is_named else entry.finding or entry.url or entry.reason


@dataclass(frozen=True)
class Stale:
    """An entry that no longer holds, the reason, and the versions of the run that it covers."""

    entry: Entry
    why: str
    versions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.entry}: {self.why}"

    def is_about(self, entry: Entry) -> bool:
        """Return whether it names an entry, in whatever folder."""
        mine = self.entry
        return (mine.engine, mine.case, mine.verdict) == (entry.engine, entry.case, entry.verdict)

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Return what a line of `run.json` names; raises CaseError.

        The line is the text of `str`: of the entry, it names the engine, the case and the verdict.
        """
        parts = _STALE.fullmatch(text)
        if parts is None:
            raise CaseError(f"{text!r:.200} is not a line about a stale entry")
        entry = Entry(parts["engine"], parts["case"], parts["verdict"], "", file=parts["file"])
        return cls(entry, parts["why"])


def examine(
    entries: Sequence[Entry],
    rows: Iterable[Judged],
    *,
    today: dt.date | None = None,
    partial: bool = False,
    queried: bool = False,
) -> list[Stale]:
    """Return the stale entries among the entries in whose scope a run judged a case.

    An entry is stale if none of the rows it covers has its verdict any more, or if it has expired. An entry
    that covers no row of the run is not stale, nor one of whose rows any is undecided, unless it is about
    the loss of a process, which is a failure whatever is expected. `partial`: the rows are of a part of the
    cases; an entry with a wildcard may still fail in another part. An entry with a signature is stale if it
    is of one case, all rows of which are right: a row has its first signature alone. If the run derived
    queries of cases (`queried`), it asked a part of the recorded ones: entries that are `derived` or expired
    are examined alone, and are stale if all rows of their cases are right.
    """
    today = today or _today()
    covered: dict[int, set[str]] = {}
    failed: set[int] = set()
    of_engine: dict[str, list[tuple[int, Entry, Entry]]] = {}
    for index, entry in enumerate(entries):
        if entry.derived is not queried and not entry.expired(today):
            continue
        is_of_one = not _SPECIAL.search(entry.case)
        if not entry.signature or is_of_one or entry.expired(today):  # others are never called stale
            scope = replace(entry, subject=(), column=(), signature="" if is_of_one else entry.signature)
            of_engine.setdefault(entry.engine, []).append((index, entry, scope))
    for row in rows:
        for index, entry, scope in of_engine.get(row.engine, ()):
            if index not in failed and scope.covers(row):
                covered.setdefault(index, set()).add(row.version)
                is_wrong = (
                    row.verdict not in PASSED if entry.signature or queried else entry.expects(row.verdict)
                )
                if (row.undecided and entry.verdict not in LOST) or is_wrong:
                    failed.add(index)
    problems = []
    for index, entry in enumerate(entries):
        versions = tuple(sorted(covered.get(index, ()), key=version_key))
        if index in covered and entry.expired(today):
            problems.append(Stale(entry, f"expired on {entry.expires}", versions))
        elif index in covered.keys() - failed and not (partial and _SPECIAL.search(entry.case)):
            problems.append(Stale(entry, NOT_ANY_MORE, versions))
    return problems


def escaped(glob: str) -> str:
    """Return a glob in which only `*` is special: signatures contain brackets and question marks."""
    return "".join(f"[{sign}]" if sign in "[?" else sign for sign in glob)


def _has_option(options: Mapping[str, Any], name: str, glob: str) -> bool:
    """Return whether an option has a value, for any column, whose text matches; `true`, not `True`."""
    if name not in options:
        return False
    value = options[name]
    values = value["by_column"].values() if isinstance(value, dict) and "by_column" in value else [value]
    texts = (each if isinstance(each, str) else json.dumps(each) for each in values)
    return any(fnmatchcase(text, glob) for text in texts)


def load(folder: Path = FOLDER) -> tuple[Entry, ...]:
    """Return all entries; raises CaseError, which names the file, for the first wrong entry."""
    return tuple(entry for path in sorted(folder.glob("*.toml")) for entry in read(path))


def read(path: Path) -> list[Entry]:
    """Return the entries of an engine's file; raises CaseError."""
    try:
        entries = _parsed(path.stem, path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CaseError(f"{path.parent.name}/{path.name}: {error}") from error
    return list(entries) if path.parent == FOLDER else [replace(entry, file=str(path)) for entry in entries]


@lru_cache(maxsize=64)
def _parsed(engine: str, text: str) -> tuple[Entry, ...]:
    """Return the entries of an engine's text: a run reads all of them several times."""
    data = tomllib.loads(text)
    entries = data.pop("failure", [])
    if data or not isinstance(entries, list):
        raise CaseError(f"has {', '.join(sorted(data)) or 'no list'}, where only failure is known")
    return tuple(entry for raw in entries for entry in _entries(engine, raw))


def cases_of(raw: Mapping[str, Any]) -> list[str]:
    """Return the globs of an entry of a file, which names a case or lists several."""
    return _listed(raw["case"])


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _entries(engine: str, raw: Any) -> list[Entry]:
    if not isinstance(raw, dict) or not set(raw) >= _REQUIRED or not set(raw) <= _REQUIRED | _OPTIONAL:
        raise CaseError(
            f"{raw!r:.80} lacks one of the fields {', '.join(sorted(_REQUIRED))}, or has unknown fields"
        )
    name, names, config = raw["case"], cases_of(raw), raw.get("config", {})
    subjects, columns = _listed(raw.get("subject", [])), _listed(raw.get("column", []))
    texts = [raw[key] for key in raw if key not in _NO_TEXTS]
    texts += names or [None]
    texts += subjects or [None] if "subject" in raw else []
    texts += columns or [None] if "column" in raw else []
    for table in (config, raw.get("options", {})):
        texts += table.values() if isinstance(table, dict) else [None]
    if not all(isinstance(text, str) and text for text in texts):
        raise CaseError(f"{name!r:.80}: a field is empty, or has a wrong type")
    broken = [glob for glob in names if _BROKEN_GLOB.search(glob) or names.count(glob) > 1]
    if broken:
        raise CaseError(f"{broken[0]!r:.80} is not a glob over case ids, or is listed twice")
    if raw["verdict"] not in VERDICTS:
        raise CaseError(f"{names[0]}: verdict {raw['verdict']!r:.40} is not one of {', '.join(VERDICTS)}")
    also = raw.get("also", [])
    if not isinstance(also, list) or not LOST.issuperset(also) or (also and raw["verdict"] != "unstable"):
        raise CaseError(f"{names[0]}: also is {also!r:.80}, not of {', '.join(sorted(LOST))}, for unstable")
    if raw.get("derived", True) is not True:
        raise CaseError(f"{names[0]}: derived is {raw['derived']!r:.40}, where it is true or absent")
    if type(raw.get("expires", dt.date.min)) is not dt.date:
        raise CaseError(f"{names[0]}: expires is {raw['expires']!r:.40}, not a date such as 2027-01-31")
    bounds(raw.get("versions", ""))
    lists = {"subject": tuple(subjects), "column": tuple(columns), "also": tuple(also)}
    return [Entry(engine, **{**raw, **lists, "case": glob}) for glob in names]


def _today() -> dt.date:
    return dt.datetime.now(tz=dt.UTC).date()
