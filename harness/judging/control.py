"""The requests that a version of an engine supports: its answers to the control set, which are cached.

An answer is cached under the engine's version and configuration, how it is started, and a digest of the
children's modules (adapters among them) and of the control set: whatever changes one of these asks anew.
A foreign engine is asked each time: its code is none of ours, and may change while its version stays.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from filelock import FileLock

from corpora.answers import answer as right_answer
from corpora.build.control import controls
from corpora.build.control.controls import READ
from corpora.cache import folder as cache_folder
from corpora.cases import Case
from corpora.files import write_whole
from harness.children.connection import Limits
from harness.children.outcomes import Outcome, OutcomeKind
from harness.children.scratch import scratch_folder
from harness.children.threads import in_threads
from harness.engines.registry import ENGINES
from harness.environments.carried import files as carried_files
from harness.judging.answers import Remembered
from harness.judging.bench import Bench, BenchError
from harness.judging.control_answers import ANSWERED, FAILED, LACKED, NOT_ASKED, Answer, Answers, described
from harness.judging.control_groups import Group, groups_of
from harness.judging.places import READ as WHOLE
from harness.judging.places import Place, Process, Sheet
from harness.judging.probes import judge_probe
from harness.judging.traits import Traits
from harness.judging.verdicts import PASSED, Judgement, judge

_FOLDER = "control"
_EVERY_SECONDS = 20.0  # between two messages while an engine is asked


Say = Callable[[str], object]


def with_control(
    processes: Sequence[Process], formats: Iterable[str], limits: Limits, say: Say = lambda _: None
) -> tuple[Process, ...]:
    """Return the processes with what each is not to be asked, by its answers to the control set.

    `say` is called in threads.
    """
    wanted = tuple(formats)
    return tuple(in_threads(lambda process: _with_control(process, wanted, limits, say), processes))


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
        every = sorted({each.config for each in barred})  # the default configuration is ""
        for config in every:
            texts = dict.fromkeys(described(each) for each in barred if each.config == config)
            say(f"{process.key}{f':{config}' if config else ''} is not asked {', '.join(texts)}")
    return replace(process, barred=tuple(barred))


def ask(
    process: Process, format_: str, limits: Limits, say: Say = lambda _: None, *, anew: bool = False
) -> list[Answers]:
    """Return the answers of each configuration, from the cache if they are there; `anew`: ask all again.

    An engine that does not start has none. The answers of a foreign engine are never cached.
    """
    foreign = process.foreign is not None
    groups = {group.key: group for group in groups_of(process)}
    with _locked(process):
        known = {
            key: None if anew or foreign else _cached(process, group, format_)
            for key, group in groups.items()
        }
        missing = [groups[key] for key, answers in known.items() if answers is None]
        if missing:
            count = len(controls.features(format_))
            say(f"{process.key}: {count} trivial {format_} files show, once, what it can be asked")
        for group, answers in _requested(process, missing, format_, limits, say) if missing else ():
            known[group.key] = answers
            if not foreign:
                path = _path(process, group, format_, probed=group.config.probed)
                write_whole(path, json.dumps(answers.to_json(), indent=1) + "\n")
    by_config = {
        config.text: replace(answers, config=config.text)
        for key, answers in known.items()
        if answers is not None
        for config in groups[key].configs
    }
    return [by_config[config.text] for config in process.configs if config.text in by_config]


@contextmanager
def _locked(process: Process) -> Iterator[None]:
    """Let one process of colconf ask an engine, for whose answers the others wait."""
    folder = cache_folder() / _FOLDER / process.key
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        yield


def all_cached() -> Iterator[Answers]:
    """Yield the answers in the cache that still hold for these adapters and this control set."""
    for path in sorted((cache_folder() / _FOLDER).glob("*/*.json")):
        answers = _read(path)
        if answers is not None and answers.basis == _basis(answers.engine):
            yield answers


def _requested(
    process: Process, missing: Sequence[Group], format_: str, limits: Limits, say: Say
) -> Iterator[tuple[Group, Answers]]:
    """Run what is not cached, and yield the results of each group; none if the engine does not start."""
    wanted = replace(process, configs=tuple(group.config for group in missing), barred=())
    basis = _basis(process.name)
    for group, answers in zip(missing, answers_to(wanted, format_, limits, say), strict=False):
        yield (
            group,
            Answers(process.name, process.version, group.config.text, format_, tuple(answers), basis),
        )


def answers_to(
    process: Process, format_: str, limits: Limits, say: Say = lambda _: None
) -> list[list[Answer]]:
    """Return the answers of each configuration; none if the engine does not start."""
    cases = controls.cases(format_, cache_folder() / _FOLDER / "files" / controls.digest()[:16])
    by_config: list[list[Answer]] = [[] for _ in process.configs]
    next_message = time.monotonic() + _EVERY_SECONDS
    with (
        scratch_folder() as folder,
        Bench((process,), limits, Path(folder)) as bench,
    ):
        for done, case in enumerate(cases):
            if time.monotonic() >= next_message:
                next_message = time.monotonic() + _EVERY_SECONDS
                say(f"{process.key}: {done} of {len(cases)} trivial {format_} files")
            try:
                outcomes = bench.ask(process, Sheet(case.id, (case,)), everything=False)
                traits = bench.traits(process, format_)
            except BenchError:
                return []
            for number, config in enumerate(process.configs):
                about = traits.under(config.switches).about(case.features)
                by_config[number] += _judged(case, number, outcomes, about)
    return by_config


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


def _basis(engine: str) -> str:
    """Return digests of the inputs of an engine's results: the control set, and modules of children."""
    return f"{controls.digest()[:16]}-{digest_of_modules(engine)[:16]}"


@cache
def digest_of_modules(engine: str) -> str:
    """Return a digest of the modules of children that serve an engine: all but the folders of others."""
    folders = {name: "/".join(entry.module.split(".")[:-1]) + "/" for name, entry in ENGINES.items()}
    content = carried_files()
    own = b"".join(data for name, data in content.items() if name.startswith(folders.get(engine, "")))
    others = [
        folder for folder in folders.values() if folder.rstrip("/").replace("/", ".").encode() not in own
    ]
    digest = hashlib.sha256()
    for name, data in sorted(content.items()):
        if name.startswith(folders.get(engine, "")) or not name.startswith(tuple(others)):
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _path(process: Process, group: Group, format_: str, *, probed: bool) -> Path:
    python, adapter = process.command[0], process.command[-1]  # between them is the folder of modules
    about = [group.key, probed, format_, python, adapter, process.variables, _basis(process.name)]
    text = json.dumps(about)
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
    return cache_folder() / _FOLDER / process.key / f"{digest[:24]}.json"


def _cached(process: Process, group: Group, format_: str) -> Answers | None:
    """Return the cached results of a group; results without queries only if the group runs no queries."""
    complete = _read(_path(process, group, format_, probed=True))
    if complete is not None or group.config.probed:
        return complete
    return _read(_path(process, group, format_, probed=False))


def _read(path: Path) -> Answers | None:
    """Return answers from the cache; None if they are not there, or damaged: then they are asked again."""
    try:
        return Answers.from_json(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None
