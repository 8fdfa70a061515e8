"""Who is asked what: configurations, engine processes, sheets of cases, and places of outcomes in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from harness.children.launch import Launch

if TYPE_CHECKING:
    from corpora.cases import Case

READ = -1  # in the place of a probe: the whole file


class Config(NamedTuple):
    """A configuration: as its user wrote it, in canonical order, and with every switch's value.

    `probed`: it is asked queries too; otherwise it only reads files whole.
    """

    text: str
    switches: dict[str, str]
    probed: bool = True


@dataclass(frozen=True)
class Process:
    """One `name@version`, and the configurations that its children serve.

    `heavy`: it takes seconds to start and more than one core to run, and reads a sheet faster than its files.
    `reported` is false for the reference when it only reads along to judge by. `variables` are set for its
    children, `apart` says that they run in an environment of their own.
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

    @property
    def key(self) -> str:
        """`name@version`, which is also the name of the folder of its parts."""
        return f"{self.name}@{self.version}"

    @property
    def label(self) -> str:
        """What its files are named after: the version only where it is not the one beside colconf."""
        return self.key if self.apart else self.name

    @property
    def launch(self) -> Launch:
        """How its children are started."""
        return Launch(self.command, self.variables, self.apart)


class Sheet(NamedTuple):
    """Files of one format and schema, with the same queries, which the first case has."""

    id: str
    cases: tuple[Case, ...]


class Place(NamedTuple):
    """Where an outcome stands in a sheet: indices of the process's configuration, of the case, of its probe.

    A probe of READ is the whole file.
    """

    config: int
    case: int
    probe: int = READ
