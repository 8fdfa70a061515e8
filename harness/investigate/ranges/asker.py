"""Answers of releases to cases: one child per release at a time, and a cache that outlives it.

An answer is cached under the engine and its version, by the case, the configuration, the limits and a digest
of the modules that children get (adapters among them): whatever changes one of these asks anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from corpora.cases import Case
from corpora.files import write_whole
from corpora.known_failures import Entry
from corpora.problem import UserError
from corpora.tagged import Table
from harness.children.connection import Limits
from harness.children.outcomes import Outcome
from harness.judging.answers import Answered, Remembered
from harness.judging.bench import Bench, BenchError
from harness.judging.claims import of_format
from harness.judging.column_features import of_repeated
from harness.judging.control import digest_of_modules
from harness.judging.judge import expectation_by_reference, judge
from harness.judging.places import Place, Process, Sheet
from harness.judging.records import PROBLEMS
from harness.judging.settle import settle
from harness.judging.signature import Stored
from harness.judging.traits import Traits
from harness.judging.verdicts import has_grown
from harness.runs.pipeline.parts import outcome_from_json, outcome_to_json

_SHEET = "bisect"


class CannotStart(UserError):  # noqa: N818 - it says what is so
    """A release cannot be asked; the message is one line."""


class Question(NamedTuple):
    """A case to ask under a configuration such as `zone=kolkata`, "" for the default."""

    case: Case
    config: str

    @property
    def key(self) -> tuple[str, str]:
        """Return a key that is unique per question."""
        return self.config, self.case.id


@dataclass(frozen=True)
class Reply:
    """The outcomes of a question, and of a repetition of the problems among them; to be judged.

    `is_fine`: there are no problems, not even known failures.
    """

    case: Case
    process: Process
    traits: Traits
    first: Remembered
    second: Remembered
    reference: Answered
    is_fine: bool

    def rows(self, known: Sequence[Entry] = ()) -> list[Stored]:
        """Return the judged rows: of each configuration the first problem that is not in `known`."""
        answered = [self.reference, Answered(self.process, self.traits, self.first)]
        judged = judge((self.case,), answered, known, expectation_by_reference)
        return [
            settle(
                row.stored,
                self.first.get(row.place),
                self.second.get(row.place),
                known,
                of_repeated(self.case, row.place),
            )
            for row in judged
        ]


class _Content(NamedTuple):
    """The cached form of a reply."""

    traits: Traits
    first: Remembered
    second: Remembered
    is_fine: bool


Start = Callable[[str, str, Case], Process]  # of a version, a configuration and a case; raises CannotStart


@dataclass
class Asker:
    """Asks releases of an engine; `start` returns a release's process, `folder` is for temporary files.

    The child of one release lives until another release is asked. `store` is the folder of the cache.
    """

    start: Start
    reference: Process
    limits: Limits
    folder: Path
    store: Path
    _benches: dict[str, Bench] = field(default_factory=dict)
    _read: dict[str, Answered] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close(tuple(self._benches))

    def ask(self, version: str, questions: Iterable[Question]) -> dict[tuple[str, str], Reply]:
        """Return the replies of a release by the questions' keys; raises CannotStart."""
        return {question.key: self._ask(version, question) for question in questions}

    def _ask(self, version: str, question: Question) -> Reply:
        process = self.start(version, question.config, question.case)
        path = self.store / process.key / f"{self._digest(process, question)}.json"
        content = _cached(path)
        if content is None:
            content = self._fetched(process, question)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps(_to_json(content)) + "\n")
        case, traits = question.case, content.traits
        traits = replace(traits, claimed=of_format(traits.claimed, case.format))
        reference = self._of_reference(case)
        return Reply(case, process, traits, content.first, content.second, reference, content.is_fine)

    def _fetched(self, process: Process, question: Question) -> _Content:
        case, reference = question.case, self._of_reference(question.case)
        bench = self._bench(process)
        try:
            first = bench.ask(process, Sheet(_SHEET, (case,)))
            traits = Traits.of(bench.connection(process).describe())
            answered = [reference, Answered(process, bench.traits(process, case.format), first)]
            second, is_fine = Remembered(), True
            for row in judge((case,), answered, (), expectation_by_reference):
                is_fine = is_fine and row.stored.row.verdict not in PROBLEMS
                if row.doubtful:
                    grown = has_grown(first.outcomes[row.place])
                    second.outcomes[row.place] = bench.ask_place(process, case, row.place, fresh=grown)
        except BenchError as error:
            raise CannotStart(str(error)) from error
        return _Content(traits, _whole(first), _whole(second), is_fine)

    def _of_reference(self, case: Case) -> Answered:
        if case.id not in self._read:
            bench = self._bench(self.reference)
            answers = _whole(bench.ask(self.reference, Sheet(_SHEET, (case,)), everything=False))
            self._read[case.id] = Answered(self.reference, bench.traits(self.reference, case.format), answers)
        return self._read[case.id]

    def _bench(self, process: Process) -> Bench:
        """Return the bench of a process; those of other releases are closed."""
        if process.key not in self._benches:
            self._close([key for key in self._benches if key != self.reference.key])
            folder = self.folder / process.key
            folder.mkdir(exist_ok=True)
            self._benches[process.key] = Bench((process,), self.limits, folder)
        return self._benches[process.key]

    def _close(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._benches.pop(key).close()

    def _digest(self, process: Process, question: Question) -> str:
        case = question.case
        basis = [
            *(digest_of_modules(process.name), case.format, case.sha256, question.config),
            *([config.text for config in process.configs], [probe.to_json() for probe in case.probes]),
            *(case.expectation.to_json(), self.limits.seconds, self.limits.memory_bytes),
            *([] if case.read is None else [case.read.to_json()]),
        ]
        return hashlib.sha256(json.dumps(basis).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _whole(answers: Remembered) -> Remembered:
    """Return outcomes with their tables in memory: spilled ones go with the bench."""
    return Remembered({place: _in_memory(outcome) for place, outcome in answers.outcomes.items()})


def _in_memory(outcome: Outcome) -> Outcome:
    table = outcome.table
    if table is None or table.spill is None:
        return outcome
    return replace(outcome, table=Table(table.columns, table.num_rows, list(table.blocks())))


def _to_json(content: _Content) -> dict[str, Any]:
    outcomes = [
        [[list(place), outcome_to_json(outcome)] for place, outcome in look.outcomes.items()]
        for look in (content.first, content.second)
    ]
    return {"traits": vars(content.traits), "outcomes": outcomes, "fine": content.is_fine}


def _cached(path: Path) -> _Content | None:
    """Return the content of a file of the cache; None without one, and for a damaged one."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        data = json.loads(path.read_text("utf-8"))
        first, second = (
            Remembered({Place(*place): outcome_from_json(outcome) for place, outcome in look})
            for look in data["outcomes"]
        )
        claimed = tuple(data["traits"].pop("claimed"))
        return _Content(Traits(claimed, **data["traits"]), first, second, data["fine"])
    return None
