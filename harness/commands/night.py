"""`colconf run --time-budget`: the files and engines of a night, and its options."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from corpora import own_cases
from corpora.cases import FORMATS, Case
from corpora.features import many_rows
from corpora.importers import Imported, import_paths
from harness.children.connection import Limits
from harness.commands.resume import named
from harness.commands.run_options import written_of
from harness.judging.ballots import REFERENCE
from harness.judging.pushdown import PUSHDOWN
from harness.judging.records import known_entries
from harness.problem import Problem
from harness.runs.history.records import Record
from harness.runs.nightly.plan import Night
from harness.runs.nightly.rounds import GENERATE, PARTITION, REPLAY, WRITE, WRITING, Round
from harness.runs.pipeline import drawn
from harness.runs.pipeline.context import Generate
from harness.runs.pipeline.derived import QUERIES_OF_WRITTEN
from harness.runs.pipeline.profiles import PROFILES
from harness.runs.pipeline.request import Request
from harness.runs.pipeline.selection import Selection, select
from harness.version import __version__

HISTORY = "history"
VARIABLE = "COLCONF_HISTORY"
PUBLISHED = ("PARQUET_TEST_DATA", "ORC_TEST_DATA")
_DURATION = re.compile(r"(?:(?P<h>[0-9.]+)h)?(?:(?P<m>[0-9.]+)m)?(?:(?P<s>[0-9.]+)s?)?", re.IGNORECASE)
_SECONDS = {"h": 3600, "m": 60, "s": 1}
_DECIDING = ("kind", "format", "files", "first", "seed", "chosen")  # what determines the results of a round
_GENERATED_SECONDS = 30.0  # generated and replayed files are small
_EXCLUDED = ("files", "tables", "generate", "seed", "workdir", "query", "query_file", "schema")


class Duration(click.ParamType[float]):
    """A duration such as 2h, 90m or 1h30m, in seconds; a bare number is in seconds."""

    name = "DURATION"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds."""
        matched = _DURATION.fullmatch(str(value).strip())
        try:
            parts = matched.groupdict() if matched else {}
            seconds = sum(float(number) * _SECONDS[unit] for unit, number in parts.items() if number)
        except ValueError:
            seconds = 0.0
        if seconds <= 0:
            self.fail(f"{value!r} is not a duration such as 2h, 90m or 1h30m", param, ctx)
        return seconds


def budget_option(*names: str, default: str, text: str) -> Callable[..., Any]:
    """Return the option of a time budget, of these names, of a command; `text` is its help."""
    return click.option(
        *names, type=Duration(), default=default, show_default=True, metavar="DURATION", help=text
    )


class Installed:
    """The files and engines of a night (`Sources` of `harness.runs.nightly.night`)."""

    def __init__(self, options: Mapping[str, Any], formats: Sequence[str], master: str | None) -> None:
        self._options = options
        self._profile = PROFILES[options["profile"]]
        self._master = master
        self.every = self._selected(formats, probed=True)
        readers = [switch for switch in self.every.processes if switch.reported and switch.name != REFERENCE]
        self.formats = [switch for switch in formats if any(switch in process.formats for process in readers)]
        if not self.formats:
            raise Problem("no engine other than the reference was selected; name an installed engine")
        identity = [*self.every.labels(), options["profile"], options["time_limit"], master is None]
        self.engines = hashlib.sha256(repr(identity).encode()).hexdigest()[:16]
        versions: dict[str, list[str]] = {}
        for process in self.every.processes:
            if process.reported:
                versions.setdefault(process.name, []).append(process.version)
        self.versions: Mapping[str, Sequence[str]] = versions

    def corpora(self) -> Mapping[str, Sequence[Case]]:
        """Return colconf's own cases, and published files whose environment variables are set."""
        paths = [own_cases.folder() / format_ for format_ in self.formats]
        paths += [Path(os.environ[name]) for name in PUBLISHED if os.environ.get(name)]
        cases = import_paths([path for path in paths if path.is_dir()]).cases
        return {format_: [case for case in cases if case.format == format_] for format_ in self.formats}

    def writes(self, kind: str, format_: str) -> bool:
        """Return whether an engine writes tables of a format, and partitioned ones where that is the kind."""
        writers = (process for process in self.every.processes if drawn.is_writer(process, format_))
        return any(
            kind == WRITE or drawn.writer_of(process.write_options, format_).partitions for process in writers
        )

    def request(self, planned: Round, cases: Sequence[Case], records: Sequence[Record]) -> Request:
        """Return the request of a round."""
        if planned.kind == REPLAY:
            probed = any(record.by_pushdown for record in records)
            chosen = select(self._names(records), [planned.format], every_switch=False, probed=probed)
        else:
            chosen = self._selected([planned.format], probed=planned.generates)
        processes = tuple(process for process in chosen.processes if planned.format in process.formats)
        seconds = self._profile.seconds
        small = not any(many_rows(planned.format) in case.features for case in cases)
        if planned.kind in (GENERATE, *WRITING) or (planned.kind == REPLAY and small):
            seconds = min(seconds, _GENERATED_SECONDS)
        limits = Limits(seconds=self._options["time_limit"] or seconds)
        if self._options["memory_limit"]:
            limits = replace(limits, memory_bytes=self._options["memory_limit"])
        write, seed = None, planned.seed or 0
        if planned.kind in WRITING:
            write = written_of(planned.files, seed, partitioned=planned.kind == PARTITION)
        generate = Generate(planned.files, seed) if planned.generates and write is None else None
        option = "--write-generated" if write else "--generate"
        again = [option, str(planned.files), "--seed", str(seed)] if planned.generates else []
        again += ["--partitioned"] * (planned.kind == PARTITION)
        deciding = {name: getattr(planned, name) for name in _DECIDING}
        return Request(
            Path(),
            processes,
            limits,
            None if planned.generates else Imported(tuple(cases), ()),
            self._profile.layouts,
            {
                **deciding,
                "engines": chosen.labels(),
                "limits": [*vars(limits).values()],
                "colconf": __version__,
            },
            ["run", "--format", planned.format, *again],
            chosen.unavailable,
            self._master,
            generate=generate,
            write=write,
            queries=QUERIES_OF_WRITTEN if write else 0,
            every_value=self._profile.every_value,
            format=planned.format,
            control=True,
            known=known_of(self._options),
            jobs=self._options["jobs"],
        )

    def _selected(self, formats: Sequence[str], *, probed: bool) -> Selection:
        names = self._options["engine"]
        return select(names, formats, every_switch=self._profile.every_switch, probed=probed)

    def _names(self, records: Sequence[Record]) -> list[str]:
        """Return the engines of findings, in each selected version, with the switches they failed with.

        If values of `pushdown` disagree, all of its values are run.
        """
        names: dict[str, None] = {}
        for record in records:
            assert record.smallest is not None
            switches = record.smallest.config.split(",")
            if record.by_pushdown:
                switches = [switch for switch in switches if not switch.startswith(f"{PUSHDOWN}=")]
            config = ",".join(filter(None, switches))
            for version in self.versions.get(record.engine, ()):
                names[named(f"{record.engine}@{version}{':' if config else ''}{config}")] = None
        return list(names)


def plan(options: Mapping[str, Any], out: Path, arguments: list[str], master: str | None) -> Night:
    """Return the plan of a night; raises Problem and SelectionError."""
    given = [name for name in _EXCLUDED if options[name]]
    if given:
        raise Problem(f"--time-budget chooses its own files; leave out --{given[0].replace('_', '-')}")
    formats = [name for name in FORMATS if not options["format_"] or name in options["format_"]]
    sources = Installed(options, formats, master)
    history = folder_of(options) or out.parent / HISTORY
    request = Request(
        out,
        (),
        Limits(),
        None,
        0,
        {
            **{name: options[name] for name in ("profile", "time_limit", "memory_limit", "time_budget")},
            "files": [],
            "generate": None,
            "seed": None,
            "format": ",".join(name for name in FORMATS if name in options["format_"]) or None,
            "named": list(options["engine"]),
            "engines": sources.every.labels(),
            "history": str(history.absolute()),
            "colconf": __version__,
            **({"known": options["known"]} if options["known"] else {}),
            **({"level": options["level"]} if options["level"] == "must" else {}),
        },
        arguments,
        sources.every.unavailable,
        master,
        options["overwrite"],
    )
    budget, entries = options["time_budget"], known_entries(known_of(options))
    return Night(request, history, budget, sources.formats, sources, entries, fresh=True)


def known_of(options: Mapping[str, Any]) -> Path | None:
    """Return the folder of `--known`, None if the option is not given."""
    return Path(options["known"]).absolute() if options["known"] else None


def folder_of(options: Mapping[str, Any]) -> Path | None:
    """Return the folder of `--history`, None if the option is not given."""
    return Path(options["history"]) if options["history"] else None
