"""From the engines that were named, or are here, to engine processes and their configurations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.availability import Status, status, statuses
from harness.connection import worker_command
from harness.engines.registry import ENGINES
from harness.naming import EngineName, NamingError, parse
from harness.pipeline.plan import Config, Process
from harness.pipeline.profiles import configurations, with_pushdown
from harness.vote import REFERENCE

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
        """Answer what is asked of engines, as `name@version:config`."""
        return [
            f"{process.key}:{config.text}" if config.text else process.key
            for process in self.processes
            if process.reported
            for config in process.configs
        ]


def select(
    names: Sequence[str], formats: Collection[str], *, every_switch: bool, probed: bool = False
) -> Selection:
    """Answer the engines of `names`, or all that are here; the reference reads along in any case.

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
    configs: dict[str, list[dict[str, str]]] = {}
    for text in names:
        try:
            engine = parse(text)
        except NamingError as error:
            raise SelectionError(str(error)) from error
        _check(engine)
        given = configs.setdefault(engine.name, [])
        wanted = with_pushdown(engine.entry, engine.config, formats) if probed else [engine.config]
        given += [config for config in wanted if config not in given]
    return [_process(status(ENGINES[name]), given) for name, given in configs.items()]


def _check(engine: EngineName) -> None:
    found = status(engine.entry)
    if not found.available:
        raise SelectionError(f"{engine.name} cannot be run: {found.reason}; {found.mend}")
    if engine.version and engine.version != found.version:
        raise SelectionError(
            f"{engine}: the version here is {found.version}, and colconf cannot install others yet; "
            f"write {engine.name}, or run colconf where {engine.version} is installed"
        )


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
    entry = found.entry
    defaults = {switch: values[0] for switch, values in entry.switches.items()}
    return Process(
        entry.name,
        found.version,
        tuple(worker_command(entry)),
        tuple(Config(_text(given), {**defaults, **given}) for given in configs),
        entry.formats,
        entry.heavy,
        entry.writes,
    )


def _text(config: dict[str, str]) -> str:
    """Answer the switches that were given, as in the engine's name; those left at their default are not."""
    return ",".join(f"{switch}={value}" for switch, value in config.items())
