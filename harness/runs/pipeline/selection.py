"""The engine processes and configurations of a run, from the names given or the installed engines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from corpora.problem import UserError
from harness.engines.naming import EngineName, NamingError, parse
from harness.engines.registry import ENGINES, Entry
from harness.environments.availability import Status, status, status_of, statuses
from harness.judging.ballots import REFERENCE
from harness.judging.equivalences import EQUIVALENCES
from harness.judging.places import Config, Process
from harness.runs.pipeline.profiles import configurations, with_pushdown


class SelectionError(UserError, ValueError):
    """An engine that was named cannot be run; the message is one line."""


@dataclass(frozen=True)
class Selection:
    """Engine processes, and the unavailable engines (`engine`, `reason`, `mend`)."""

    processes: tuple[Process, ...]
    unavailable: list[dict[str, str]]

    def labels(self) -> list[str]:
        """Return the reported engines and configurations, as `name@version:config`."""
        return [
            f"{process.key}:{config.text}" if config.text else process.key
            for process in self.processes
            if process.reported
            for config in process.configs
        ]

    def manifests(self) -> dict[str, str]:
        """Return the manifests of foreign engines by name."""
        return {process.name: process.foreign.manifest for process in self.processes if process.foreign}


def select(
    names: Sequence[str],
    formats: Collection[str],
    *,
    every_switch: bool,
    probed: bool = False,
    queried: bool = False,
) -> Selection:
    """Return the engines of `names`, or all installed ones; the reference always reads along.

    `formats` are the formats of the files: an engine that was not named is left out if it reads none of them.
    `probed`: queries will be asked, under every value of `pushdown` unless a name sets one; otherwise an
    engine that is not named keeps its default. `queried`: files that are read under the other configurations
    too get queries, under the default and the values of `pushdown` that are more than one means of it alone.
    Raises SelectionError for an unknown name, and for a named engine that cannot be run.
    """
    absent: list[Status] = []
    if names:
        chosen = _named(names, formats, probed=probed, queried=queried)
    else:
        chosen, absent = _all(formats, every_switch=every_switch, probed=probed, queried=queried)
    if not any(process.name == REFERENCE for process in chosen):
        silent = _process(status(ENGINES[REFERENCE]), [{}])
        chosen = [*chosen, replace(silent, reported=False)]
    return Selection(tuple(chosen), [_unavailable(engine_status) for engine_status in absent])


def _named(names: Iterable[str], formats: Collection[str], *, probed: bool, queried: bool) -> list[Process]:
    by_key: dict[tuple[str, str], Status] = {}
    configs: dict[tuple[str, str], list[dict[str, str]]] = {}
    for text in names:
        try:
            engine = parse(text)
        except NamingError as error:
            raise SelectionError(str(error)) from error
        engine_status = _runnable(engine)
        key = engine.name, engine_status.version
        by_key.setdefault(key, engine_status)
        given = configs.setdefault(key, [])
        wanted = [engine.config]
        if probed or queried:
            wanted = with_pushdown(engine.entry, engine.config, formats, fine=probed)
        given += [config for config in wanted if config not in given]
    return [_process(by_key[key], given) for key, given in configs.items()]


def _runnable(engine: EngineName) -> Status:
    """Return the status of an engine that can be run; raises SelectionError."""
    check_claims(engine.entry)
    engine_status = status_of(engine)
    if not engine_status.available:
        key = f"{engine.name}@{engine.version}" if engine.version else engine.name
        raise SelectionError(f"{key} cannot be run: {engine_status.reason}; {engine_status.mend}")
    return engine_status


def check_claims(entry: Entry) -> None:
    """Raise SelectionError if a manifest claims an equivalence that is not known."""
    for name in entry.pages:
        if name not in EQUIVALENCES:
            close = get_close_matches(name, EQUIVALENCES, 1)
            mend = f"did you mean {close[0]}?" if close else "docs/protocol.md lists them"
            raise SelectionError(f"{entry.manifest}: unknown equivalence {name!r:.60}; {mend}")


def _all(
    formats: Collection[str], *, every_switch: bool, probed: bool, queried: bool
) -> tuple[list[Process], list[Status]]:
    for entry in ENGINES.values():
        check_claims(entry)
    known_engines = [
        engine_status for engine_status in statuses() if set(engine_status.entry.formats) & set(formats)
    ]
    chosen = [
        _process(
            engine_status,
            _configs(
                engine_status.entry,
                formats,
                every_switch=every_switch,
                probed=probed,
                queried=queried,
            ),
            narrowed=True,
        )
        for engine_status in known_engines
        if engine_status.available
    ]
    return chosen, [engine_status for engine_status in known_engines if not engine_status.available]


def _configs(
    entry: Entry, formats: Collection[str], *, every_switch: bool, probed: bool, queried: bool
) -> list[dict[str, str]]:
    """Return the configurations of an engine that was not named; for `probed` and `queried` see `select`."""
    if probed:
        return with_pushdown(entry, {}, formats)
    configs = configurations(entry, formats, every_switch=every_switch)
    return [*with_pushdown(entry, {}, formats, fine=False), *configs[1:]] if queried else configs


def _unavailable(engine_status: Status) -> dict[str, str]:
    return {"engine": engine_status.entry.name, "reason": engine_status.reason, "mend": engine_status.mend}


def _process(engine_status: Status, configs: Iterable[dict[str, str]], *, narrowed: bool = False) -> Process:
    """Return the process of an engine; `narrowed`: a configuration is for formats where it has an effect."""
    entry, launch = engine_status.entry, engine_status.launch
    defaults = {switch: values[0] for switch, values in entry.switches.items()}
    return Process(
        entry.name,
        engine_status.version,
        launch.command,
        tuple(
            Config(_text(given), {**defaults, **given}, formats=_formats(entry, given) if narrowed else ())
            for given in configs
        ),
        entry.formats,
        entry.heavy,
        engine_status.writes,
        variables=launch.variables,
        apart=launch.apart,
        write_options=entry.write_options,
        foreign=entry if entry.foreign else None,
    )


def _formats(entry: Entry, config: dict[str, str]) -> tuple[str, ...]:
    """Return the formats in which a configuration makes a difference; none for all that the engine reads."""
    formats = tuple(
        format_
        for format_ in entry.formats
        if all(value in entry.values(switch, [format_]) for switch, value in config.items())
    )
    return () if formats == tuple(entry.formats) else formats


def _text(config: dict[str, str]) -> str:
    """Return the given switches as in the engine's name, without switches at their default."""
    return ",".join(f"{switch}={value}" for switch, value in config.items())
