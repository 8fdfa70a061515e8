"""Versions of engines, and the configurations in which they answer."""

from __future__ import annotations

from typing import NamedTuple

from corpora.versions import version_key


class Version(NamedTuple):
    """A version of an engine; `label` is `name@version`."""

    engine: str
    version: str

    @property
    def label(self) -> str:
        """Return `name@version`, or the name where no version is known."""
        return f"{self.engine}@{self.version}" if self.version else self.engine


def by_age(version: Version) -> tuple[str, tuple[tuple[int, ...], bool], str]:
    """Return the sort key of a version: by engine, then from old to new."""
    return (version.engine, version_key(version.version), version.version)


class Place(NamedTuple):
    """The source of an answer: a version of an engine in one configuration, "" for the default one."""

    version: Version
    config: str

    @property
    def label(self) -> str:
        """Return `name@version:config`."""
        return f"{self.version.label}:{self.config}" if self.config else self.version.label
