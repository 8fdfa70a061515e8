"""Configurations, engine processes, sheets of cases, and places of outcomes in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from corpora.cases import Case
from harness.children.launch import Launch
from harness.engines.entry import Entry

READ = -1  # in the place of a probe: the whole file


class Config(NamedTuple):
    """A configuration: its text in canonical order, and the value of every switch.

    `probed`: it is asked queries too; otherwise it only reads files whole. `formats`: those whose files it is
    asked; none: any.
    """

    text: str
    switches: dict[str, str]
    probed: bool = True
    formats: tuple[str, ...] = ()

    def is_for(self, format_: str) -> bool:
        """Return whether files of a format are read in this configuration."""
        return not self.formats or format_ in self.formats


class Barred(NamedTuple):
    """A question that a configuration is not asked, and why.

    `question` is `read` of files with the feature `subject`, or the kind of a test or query of columns of the
    type `subject`; "" is any feature, and no column (`corpora.build.control.controls.questions`).
    """

    config: str
    subject: str
    question: str
    reason: str


@dataclass(frozen=True)
class Process:
    """One `name@version`, and the configurations that its children serve.

    `heavy`: it takes seconds to start and more than one core to run, and reads a sheet faster than its files.
    `reported` is false for the reference when it reads only for the judge. `variables` are set for its
    children; `apart`: they run in an environment of their own. `barred`: what it is not asked.
    `write_options` names the module with the options that are drawn for its writer, "" for none. `foreign` is
    the entry of an engine that its manifest alone describes.
    """

    name: str
    version: str
    command: tuple[str, ...]
    configs: tuple[Config, ...]
    formats: tuple[str, ...]
    heavy: bool = False
    writes: bool = False
    reported: bool = True
    variables: tuple[tuple[str, str], ...] = ()
    apart: bool = False
    barred: tuple[Barred, ...] = ()
    write_options: str = ""
    foreign: Entry | None = None

    @property
    def key(self) -> str:
        """Return `name@version`, which is also the name of the folder of its parts."""
        return f"{self.name}@{self.version}"

    @property
    def label(self) -> str:
        """Return the name for its files, with the version unless the engine is installed beside colconf."""
        return self.key if self.apart else self.name

    @property
    def launch(self) -> Launch:
        """Return how its children are started."""
        manners = self.foreign.foreign if self.foreign else None
        return Launch(self.command, self.variables, self.apart, manners)


class Sheet(NamedTuple):
    """Files of one format and schema, with the same queries, which the first case has.

    `derived`: the queries were derived from the file; otherwise they were recorded or generated with it. The
    first `given` are queries of the user instead.
    """

    id: str
    cases: tuple[Case, ...]
    derived: bool = False
    given: int = 0


class Place(NamedTuple):
    """The place of an outcome in a sheet: the indices of configuration, case and probe.

    The probe READ is the whole file. `way` names a value of the switch `way` that the engine was asked under
    instead of that of the configuration, "" for none.
    """

    config: int
    case: int
    probe: int = READ
    way: str = ""
