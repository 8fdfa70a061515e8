"""The processes of releases: installed where they are not, and chosen as a run chooses them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from corpora.cases import FORMATS, Case
from harness.engines.naming import EngineName, parse
from harness.engines.registry import ENGINES
from harness.environments.availability import status_of
from harness.environments.install import install
from harness.environments.problem import EnvironmentProblem
from harness.investigate.ranges.asker import CannotStart
from harness.judging.ballots import REFERENCE
from harness.judging.places import Process
from harness.runs.pipeline.selection import SelectionError, select


@dataclass
class Starting:
    """Returns the process of a release of an engine; each release is tried once."""

    engine: str
    say: Callable[[str], object]
    _failed: dict[str, str] = field(default_factory=dict)
    _processes: dict[tuple[str, str, str, bool], Process] = field(default_factory=dict)

    def __call__(self, version: str, config: str, case: Case) -> Process:
        """Return the process; raises CannotStart."""
        if version in self._failed:
            raise CannotStart(self._failed[version])
        key = version, config, case.format, bool(case.probes)
        if key not in self._processes:
            try:
                self._processes[key] = self._process(version, config, case)
            except (EnvironmentProblem, SelectionError) as error:
                self._failed[version] = str(error)
                raise CannotStart(str(error)) from error
        return self._processes[key]

    def _process(self, version: str, config: str, case: Case) -> Process:
        name = EngineName(self.engine, version)
        if not status_of(name).available:
            install(ENGINES[self.engine], version, say=self.say)
        text = f"{name}:{config}" if config else str(name)
        selection = select([str(parse(text))], [case.format], every_switch=False, probed=bool(case.probes))
        return next(process for process in selection.processes if process.name == self.engine)


def reference() -> Process:
    """Return the process of the reference, which reads along for the judge."""
    (process,) = select([REFERENCE], FORMATS, every_switch=False).processes
    return replace(process, reported=False)
