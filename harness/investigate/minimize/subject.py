"""The finding to minimize: a case, an engine's configuration, a query, and the signature of the problem."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from itertools import accumulate, product

from corpora.build.formats import FORMATS
from corpora.cases import Case, Probe
from corpora.folders import hidden_in
from corpora.known_failures import LOST, Entry, Judged
from corpora.problem import UserError
from corpora.queries import (
    Extract,
    Fields,
    Filter,
    FilterHeld,
    Join,
    Project,
    QueryError,
    RowGroup,
    Slice,
    TopRows,
    predicate_of,
)
from corpora.queries import leaves as tests_of
from corpora.query_base import OfColumn
from harness.children.connection import Limits
from harness.engines.naming import switches_of
from harness.investigate.minimize.requests import Aim, CandidateBench, Observation, allowed
from harness.investigate.minimize.table_reductions import names as names_of
from harness.judging import pushdown
from harness.judging.verdicts import Verdict
from harness.listings.text import case_name
from reference_impl.errors import ReferenceError_

_LEAST_SECONDS = 1
# A file of which the table is known, and that may be refused, is refused as expected.
_UNREAD = {Verdict.REFUSED_VALID, Verdict.REFUSED_AS_EXPECTED, Verdict.UNSUPPORTED, Verdict.PANICKED}
_TIMES = 8
_PARTS = 8  # an answer may take the remaining time divided by this, until the finding is reproduced


class NotShown(UserError, ValueError):  # noqa: N818 - it says what is so
    """The engine does not show the finding; the message is one line."""


@dataclass(frozen=True)
class Subject:
    """A finding: the original bytes, and the query, if any, that shows it."""

    data: bytes
    case: Case
    probe: Probe | None
    aim: Aim

    @property
    def names(self) -> frozenset[str]:
        """Return the names in the query, and in the read of a table."""
        query = self.probe.query if self.probe else None
        names = set() if self.case.read is None else names_of(self.case.read)
        if isinstance(query, Fields):
            names.update(name for path in query.paths for name in path)
        predicate = None if query is None else predicate_of(query)
        if predicate is not None:
            names.update(name for test in tests_of(predicate) for name in test.path)
        if isinstance(query, Filter | FilterHeld | Join | Slice | Project | TopRows):
            names.update(query.columns or ())
        if isinstance(query, OfColumn):
            names.update(query.path)
        if isinstance(query, Extract | FilterHeld):
            names.update(step for step in query.steps if isinstance(step, str))
        return frozenset(names)

    def shown_by(self, data: bytes, bench: CandidateBench) -> bool:
        """Return whether a candidate shows the finding; raises BenchError."""
        broken = bench.broken(data)
        if self.aim.allowed is not None and broken - self.aim.allowed:
            return False
        expectation = bench.form.expectation(self.aim.original, data, broken)
        probe = self.probe and _of_file(self.probe, data, self.case)
        if expectation is None or (self.probe and not probe):
            return False
        wavers = self.aim.observation.verdict == Verdict.UNSTABLE
        try:
            return any(
                self.aim.fits(observation)
                for _ in range(1 if wavers else bench.tries)
                for observation in bench.show(data, expectation, probe, wavers=wavers)
            )
        except QueryError:  # the column was removed, or has another type
            return False


def _of_file(probe: Probe, data: bytes, case: Case) -> Probe | None:
    """Return the probe of a case for another file: the rows of a row group are those of that file."""
    if not isinstance(probe.query, RowGroup):
        return Probe(probe.query)
    try:
        format_ = FORMATS[case.format]
        counts = format_.counts(format_.file(data, case.keys))
    except ReferenceError_:
        return None
    if probe.query.number >= len(counts):
        return None
    ends = list(accumulate(counts, initial=0))
    return Probe(probe.query, tuple(range(ends[probe.query.number], ends[probe.query.number + 1])))


def find(case: Case, bench: CandidateBench, entry: Entry | None, deadline: float) -> Subject:
    """Return the first finding of a case that fits `entry`; narrows the configurations of the bench.

    The whole file comes first, then each query. An unstable engine (by the verdict of `entry`, which then
    matches any problem) is queried repeatedly only if no problem shows at once; a finding that shows now and
    then, as often as the bench is told. An answer may take a part of
    the time until `deadline` (of `time.monotonic`), after which no query is sent.

    Raises NotShown, OSError and BenchError.
    """
    data = bench.form.data(case)
    original = bench.form.original(case, data)
    if original is None:
        raise NotShown(f"{case_name(case)}: no specification says what this read of the folder must return")
    broken = bench.broken(data)
    verdicts: set[str] = set()
    unread: set[str] = set()  # the configurations that do not read the whole file
    wavers = (False, True) if entry is not None and entry.verdict == Verdict.UNSTABLE else (False,)
    bench.limit(_shorter(bench.limits, (deadline - time.monotonic()) / _PARTS))
    for often, _, probe in product(wavers, range(bench.tries), (None, *case.probes)):
        if time.monotonic() > deadline:
            raise NotShown(
                f"{case_name(case)}: {bench.engine.key} did not show the finding within the time budget"
            )
        observations = bench.show(data, original, probe, wavers=often)
        verdicts.update(observation.verdict for observation in observations)
        if probe is None:
            unread |= {each.config for each in observations if each.verdict in _UNREAD}
        wanted = next(
            (
                observation
                for observation in observations
                if observation.problem and _is_wanted(observation, case, bench, entry)
            ),
            None,
        )
        if wanted is not None:
            limit: frozenset[str] | None = broken  # what a reader of tables may refuse is no broken file
            if case.read is None:
                limit = allowed(original, wanted.verdict, wanted.kind, broken)
            _narrow(bench, wanted)
            bench.queried_unread = original.table is not None and wanted.config in unread
            subject = Subject(data, case, probe, Aim(wanted, original, limit))
            hasty = wanted.verdict == Verdict.HUNG and _hastened(subject, bench)
            if not hasty and not subject.shown_by(data, bench):
                why = "judged by what the reference reads of the file, it does not show"
                raise NotShown(f"{case_name(case)}: {why} {wanted.signature!r:.300}")
            return subject
    message = f"{case_name(case)}: {bench.engine.key} shows {', '.join(sorted(verdicts))}"
    raise NotShown(
        f"{message}{_hidden(case)}, not {entry.signature or entry.verdict}"
        if entry
        else f"{message}: no problem{_hint(case)}"
    )


def _hidden(case: Case) -> str:
    hidden = hidden_in(case.file) if case.read is not None else []
    return f" (hidden files are left out, such as {hidden[0].name})" if hidden else ""


def _hint(case: Case) -> str:
    """Return why a finding may not show: it is that of a query, or of hidden files."""
    if hidden := _hidden(case):
        return hidden
    return "" if case.probes else "; the finding of a query of a run is called RUN:SIGNATURE"


def _hastened(subject: Subject, bench: CandidateBench) -> bool:
    """Shorten the time limit of a hang, if the hang shows with the shorter limit; return whether it does.

    The limit is a multiple of the reference's time, which is slower than most engines: a hang always takes
    all of it.
    """
    long = bench.limits
    bench.limit(_shorter(long, _TIMES * bench.reference_seconds()))
    if subject.shown_by(subject.data, bench):
        return True
    bench.limit(long)
    return False


def _shorter(limits: Limits, seconds: float) -> Limits:
    """Return limits with at most some whole seconds, as a hang's signature names them."""
    return replace(limits, seconds=min(limits.seconds, max(_LEAST_SECONDS, math.ceil(seconds))))


def _is_wanted(observation: Observation, case: Case, bench: CandidateBench, entry: Entry | None) -> bool:
    if entry is None:
        return True
    name, version = bench.engine.name, bench.engine.version
    judged = Judged(
        case.id,
        name,
        version,
        switches_of(name, observation.config),
        observation.verdict,
        observation.signature,
    )
    also = LOST if entry.verdict == Verdict.UNSTABLE else entry.also  # the next read may hang
    entry = replace(entry, feature="", column=(), options={}, also=tuple(also))
    return entry.expects(observation.verdict) and entry.covers(judged)


def _narrow(bench: CandidateBench, observation: Observation) -> None:
    """Query only the configuration of the finding, and the same without pushdown, for the signature."""
    process = bench.engine
    at = next(number for number, config in enumerate(process.configs) if config.text == observation.config)
    without = pushdown.off(process.configs, at)
    configs = [process.configs[at]] + ([] if without is None else [process.configs[without]])
    bench.narrow(replace(process, configs=tuple(configs)))
