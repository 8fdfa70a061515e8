"""From the engines that were named, or are here, to engine processes and their configurations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.engines.naming import EngineName, NamingError, parse
from harness.engines.registry import ENGINES
from harness.environments.availability import Status, status, status_of, statuses
from harness.judging.places import Config, Process
from harness.judging.vote import REFERENCE
from harness.runs.pipeline.profiles import configurations, with_pushdown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


class SelectionError(ValueError):
    """An engine that was named cannot be run; the message is one line."""


@dataclass(frozen=True)
class Selection:
    """Engine processes, and the engines that are not here (`engine`, `reason`, `mend`)."""

    processes: tuple[Process, ...]
    unavailable: list[dict[str, str]]

    def labels(self) -> list[str]:
        """Return what is asked of engines, as `name@version:config`."""
        return [
            f"{process.key}:{config.text}" if config.text else process.key
            for process in self.processes
            if process.reported
            for config in process.configs
        ]


def select(
    names: Sequence[str], formats: Collection[str], *, every_switch: bool, probed: bool = False
) -> Selection:
    """Return the engines of `names`, or all that are here; the reference reads along in any case.

    `formats` are those of the files: an engine that was not named is left out if it knows none of them.
    `probed`: queries will be asked, each under every value of `pushdown` where a name does not give one;
    otherwise an engine that is not named keeps its default. Raises SelectionError for a name that is none,
    and for a named engine that cannot be run.
    """
    absent: list[Status] = []
    if names:
        chosen = _named(names, formats, probed=probed)
    else:
        chosen, absent = _all(formats, every_switch=every_switch, probed=probed)
    if not any(process.name == REFERENCE for process in chosen):
        silent = _process(status(ENGINES[REFERENCE]), [{}])
        chosen = [*chosen, replace(silent, reported=False)]
    return Selection(tuple(chosen), [_unavailable(one) for one in absent])


def _named(names: Iterable[str], formats: Collection[str], *, probed: bool) -> list[Process]:
    found: dict[tuple[str, str], Status] = {}
    configs: dict[tuple[str, str], list[dict[str, str]]] = {}
    for text in names:
        try:
            engine = parse(text)
        except NamingError as error:
            raise SelectionError(str(error)) from error
        one = _runnable(engine)
        key = engine.name, one.version
        found.setdefault(key, one)
        given = configs.setdefault(key, [])
        wanted = with_pushdown(engine.entry, engine.config, formats) if probed else [engine.config]
        given += [config for config in wanted if config not in given]
    return [_process(found[key], given) for key, given in configs.items()]


def _runnable(engine: EngineName) -> Status:
    """Return the status of an engine that can be run; raises SelectionError."""
    found = status_of(engine)
    if not found.available:
        key = f"{engine.name}@{engine.version}" if engine.version else engine.name
        raise SelectionError(f"{key} cannot be run: {found.reason}; {found.mend}")
    return found


def _all(formats: Collection[str], *, every_switch: bool, probed: bool) -> tuple[list[Process], list[Status]]:
    found = [one for one in statuses() if set(one.entry.formats) & set(formats)]
    chosen = [
        _process(
            one,
            with_pushdown(one.entry, {}, formats)
            if probed
            else configurations(one.entry, formats, every_switch=every_switch),
        )
        for one in found
        if one.available
    ]
    return chosen, [one for one in found if not one.available]


def _unavailable(found: Status) -> dict[str, str]:
    return {"engine": found.entry.name, "reason": found.reason, "mend": found.mend}


def _process(found: Status, configs: Iterable[dict[str, str]]) -> Process:
    entry, launch = found.entry, found.launch
    defaults = {switch: values[0] for switch, values in entry.switches.items()}
    return Process(
        entry.name,
        found.version,
        launch.command,
        tuple(Config(_text(given), {**defaults, **given}) for given in configs),
        entry.formats,
        entry.heavy,
        entry.writes,
        variables=launch.variables,
        apart=launch.apart,
    )


def _text(config: dict[str, str]) -> str:
    """Return the switches that were given, as in the engine's name; those left at their default are not."""
    return ",".join(f"{switch}={value}" for switch, value in config.items())
