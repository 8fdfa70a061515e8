"""The answers of installed engines, asked as in a run: each file once, by every engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.engines.registry import ENGINES
from harness.investigate.blames.measure import Answers, Known, about
from harness.judging.ballots import REFERENCE, Ballot
from harness.judging.bench import Bench
from harness.judging.places import Place, Process, Sheet

_READ = Place(0, 0)


def answers(bench: Bench, files: Sequence[Known]) -> Iterator[Answers]:
    """Yield the answers to each file, by the keys of processes; raises BenchError."""
    for known in files:
        ballots = (_answer(bench, process, known) for process in bench.processes if _reads(process, known))
        yield Answers.of(known, {ballot.engine: ballot for ballot in ballots if ballot is not None})


def _reads(process: Process, known: Known) -> bool:
    return process.name != REFERENCE and known.case.format in process.formats


def _answer(bench: Bench, process: Process, known: Known) -> Ballot | None:
    """Return the answer under the first configuration, None if the engine was not asked."""
    plain = replace(process, configs=process.configs[:1])
    outcome = bench.ask(plain, Sheet(known.case.id, (known.case,)), everything=False).get(_READ)
    if outcome is None:
        return None
    traits = bench.traits(process, known.case.format).under(process.configs[0].switches)
    lineage = ENGINES[process.name].lineage_of(known.case.format)
    return Ballot(outcome, about(known, traits.claimed), lineage, process.key)
