"""What an engine of a version can be asked: its answers to the control set, which are cached.

An answer is cached under the engine's version and configuration, how it is started, and a digest of the
children's modules (adapters among them) and of the control set: whatever changes one of these asks anew.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from corpora.answers import answer as right_answer
from corpora.build.control import controls
from corpora.build.control.controls import READ
from corpora.cache import folder as cache_folder
from corpora.cases import Case
from corpora.files import write_whole
from harness.children.connection import Limits
from harness.children.outcomes import Outcome, OutcomeKind
from harness.engines.registry import ENGINES
from harness.environments.carried import files as carried_files
from harness.judging.answers import Remembered
from harness.judging.bench import Bench, BenchError
from harness.judging.places import READ as WHOLE
from harness.judging.places import Barred, Config, Place, Process, Sheet
from harness.judging.probes import Traits, judge_probe
from harness.judging.verdicts import PASSED, Judgement, judge

ANSWERED, LACKED, FAILED, NOT_ASKED = STATES = ("answered", "unsupported", "failed", "not_asked")
_FOLDER = "control"


class Answer(NamedTuple):
    """The answer to a question about a control file.

    `subject` and `question` are those of `controls.questions`, or the file's name and `read`. `state`:
    `answered`, `unsupported` (the engine lacks it), `failed` (the engine's own error or wrong values: a
    finding, if a run meets it) or `not_asked` (Python code of adapter or binding failed). `reason` is a line.
    """

    control: str
    subject: str
    question: str
    state: str
    reason: str


@dataclass(frozen=True)
class Answers:
    """The answers of one configuration of an engine's version to the control files of a format."""

    engine: str
    version: str
    config: str
    format: str
    answers: tuple[Answer, ...]
    basis: str = ""

    @property
    def key(self) -> str:
        """Return `name@version`, with the configuration if it is not the default."""
        return f"{self.engine}@{self.version}" + (f":{self.config}" if self.config else "")

    def barred(self) -> Iterator[Barred]:
        """Yield what this configuration is not to be asked."""
        yield from self._barred_files()
        failed: dict[tuple[str, str], str] = {}
        for answer in self.answers:
            if answer.state == NOT_ASKED and answer.question != READ:
                failed.setdefault((answer.subject, answer.question), answer.reason)
        for (subject, question), reason in failed.items():
            yield Barred(self.config, subject, question, reason)

    def _barred_files(self) -> Iterator[Barred]:
        """Yield the features of files that cannot be read: those of no file that can be."""
        reads = {answer.control: answer for answer in self.answers if answer.question == READ}
        features = controls.features(self.format)
        fine = [features[name] for name, answer in reads.items() if answer.state != NOT_ASKED]
        common = frozenset(chain.from_iterable(fine))
        first = next(iter(features))
        if first in reads and reads[first].state == NOT_ASKED:
            yield Barred(self.config, "", READ, reads[first].reason)
            return
        for name, answer in reads.items():
            if answer.state == NOT_ASKED:
                for feature in sorted(features[name] - common):
                    yield Barred(self.config, feature, READ, answer.reason)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**vars(self), "answers": [answer._asdict() for answer in self.answers]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Answers:
        """Read the JSON form; raises TypeError and KeyError."""
        return cls(**{**data, "answers": tuple(Answer(**answer) for answer in data["answers"])})


Say = Callable[[str], object]


def with_control(
    processes: Sequence[Process], formats: Iterable[str], limits: Limits, say: Say = lambda _: None
) -> tuple[Process, ...]:
    """Return the processes with what each is not to be asked, by its answers to the control set."""
    wanted = tuple(formats)
    return tuple(_with_control(process, wanted, limits, say) for process in processes)


def _with_control(process: Process, formats: Sequence[str], limits: Limits, say: Say) -> Process:
    if process.name not in ENGINES or not ENGINES[process.name].packages:
        return process  # the reference is part of colconf
    barred = [
        barred
        for format_ in formats
        if format_ in process.formats
        for answers in ask(process, format_, limits, say)
        for barred in answers.barred()
    ]
    if barred:
        say(f"{process.key} is not asked {', '.join(dict.fromkeys(map(described, barred)))}")
    return replace(process, barred=tuple(barred))


def described(barred: Barred) -> str:
    """Return the question, for people."""
    if barred.question == READ:
        return f"to read files with {barred.subject}" if barred.subject else "to read any file"
    return " ".join(filter(None, (barred.subject, barred.question)))


def ask(
    process: Process, format_: str, limits: Limits, say: Say = lambda _: None, *, anew: bool = False
) -> list[Answers]:
    """Return the answers of each configuration, from the cache if they are there; `anew`: ask all again.

    An engine that does not start has none.
    """
    cached = {} if anew else {config.text: _cached(process, config, format_) for config in process.configs}
    missing = tuple(config for config in process.configs if cached.get(config.text) is None)
    if missing:
        say(f"{process.key}: asking the control set of {format_}")
        for answers in _requested(replace(process, configs=missing, barred=()), format_, limits):
            cached[answers.config] = answers
            config = next(config for config in missing if config.text == answers.config)
            path = _path(process, config, format_)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps(answers.to_json(), indent=1) + "\n")
    stored = (cached.get(config.text) for config in process.configs)
    return [answers for answers in stored if answers is not None]


def all_cached() -> Iterator[Answers]:
    """Yield the answers in the cache that still hold for these adapters and this control set."""
    for path in sorted((cache_folder() / _FOLDER).glob("*/*.json")):
        answers = _read(path)
        if answers is not None and answers.basis == _basis():
            yield answers


def _requested(process: Process, format_: str, limits: Limits) -> Iterator[Answers]:
    cases = controls.cases(format_, cache_folder() / _FOLDER / "files" / controls.digest()[:16])
    with (
        tempfile.TemporaryDirectory(prefix="colconf-control-") as folder,
        Bench((process,), limits, Path(folder)) as bench,
    ):
        by_config: dict[int, list[Answer]] = {number: [] for number in range(len(process.configs))}
        for case in cases:
            try:
                outcomes = bench.ask(process, Sheet(case.id, (case,)), everything=False)
                traits = bench.traits(process, format_)
            except BenchError:
                return
            for number, config in enumerate(process.configs):
                about = traits.under(config.switches).about(case.features)
                by_config[number] += _judged(case, number, outcomes, about)
    for number, config in enumerate(process.configs):
        given = tuple(by_config[number])
        yield Answers(process.name, process.version, config.text, format_, given, _basis())


def _judged(case: Case, number: int, outcomes: Remembered, traits: Traits) -> Iterator[Answer]:
    name, table = controls.name(case), case.expectation.table
    assert table is not None
    outcome = outcomes.get(Place(number, 0, WHOLE))
    if outcome is not None:
        yield _answer(name, ("", READ), outcome, judge(case.expectation, outcome, traits.claimed))
    for at, probe in enumerate(case.probes):
        outcome = outcomes.get(Place(number, 0, at))
        if outcome is not None:
            expected = right_answer(probe.query, table, traits.order(probe.query), probe.rows)
            judgement = judge_probe(probe, expected, outcome, traits, file=table).judgement
            for question in controls.questions(probe.query, table):
                yield _answer(name, question, outcome, judgement)


def _answer(name: str, question: tuple[str, str], outcome: Outcome, judgement: Judgement) -> Answer:
    if outcome.detail.origin:
        state, reason = NOT_ASKED, f"{outcome.detail.origin}: {outcome.detail.summary}"
    elif outcome.kind is OutcomeKind.UNSUPPORTED:
        state, reason = LACKED, outcome.detail.summary
    elif judgement.verdict in PASSED:
        state, reason = ANSWERED, ""
    else:
        difference = judgement.difference
        text = f"expected {difference.expected}, got {difference.actual}" if difference else ""
        state, reason = FAILED, f"{judgement.verdict}: {outcome.detail.summary or text}"
    return Answer(name, *question, state, reason[:400])


def _basis() -> str:
    """Return digests of what all answers depend on: the control set, and the modules of children."""
    return f"{controls.digest()[:16]}-{digest_of_modules()[:16]}"


@cache
def digest_of_modules() -> str:
    """Return a digest of the modules of children, adapters among them."""
    digest = hashlib.sha256()
    for name, data in sorted(carried_files().items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _path(process: Process, config: Config, format_: str) -> Path:
    text = json.dumps([config.text, format_, process.command, process.variables, _basis()])
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
    return cache_folder() / _FOLDER / process.key / f"{digest[:24]}.json"


def _cached(process: Process, config: Config, format_: str) -> Answers | None:
    return _read(_path(process, config, format_))


def _read(path: Path) -> Answers | None:
    """Return answers from the cache; None if they are not there, or damaged: then they are asked again."""
    try:
        return Answers.from_json(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None
