"""Temporary settings of the session for a request: options, the zone, names of files, and keys."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from corpora.keys import Keys
from harness.children.links import Links
from harness.engines.base import Engine
from harness.engines.spark import formats as spark_formats
from harness.engines.spark import orc_keys as spark_orc_keys
from harness.engines.spark.errors import die_if_gone, translated
from harness.engines.spark.keys import Taught
from harness.engines.spark.relations import Relations
from harness.engines.spark.session import enter_zone, find_java, settings_of, start
from harness.engines.zones import UTC, zone_of


class InSession(Engine):
    """An engine with a session of its own, in `zone`, and with a folder for what Spark writes."""

    def __init__(self) -> None:
        find_java()
        self.scratch = tempfile.mkdtemp(prefix="colconf-spark-")
        atexit.register(shutil.rmtree, self.scratch, ignore_errors=True)
        self.links = Links(tempfile.mkdtemp(prefix="links-", dir=self.scratch))
        self.relations = Relations(self.links)
        self.session = start(self.scratch)
        self.taught = Taught(self.session)
        self.zone = UTC

    @contextmanager
    def _set(self, settings: dict[str, str]) -> Iterator[None]:
        """Set options of the session for a while."""
        try:
            for name, value in settings.items():
                self.session.conf.set(name, value)
            yield
        finally:
            for name in settings:
                self.session.conf.unset(name)

    def _configure(self, format: str, config: dict[str, str]) -> None:
        try:
            for name, value in settings_of(format, config).items():
                if value is None:
                    self.session.conf.unset(name)
                else:
                    self.session.conf.set(name, value)
            self.zone = spark_formats.READING[format].zone(config)
            enter_zone(self.session, zone_of(config))
        except Exception:
            die_if_gone(self.session)
            raise

    @contextmanager
    def _linked(self, files: list[str], suffix: str, *, keep: bool = False) -> Iterator[list[str]]:
        """Give the files names that Spark reads as they are, for a while; with `keep`, for later reads, too.

        Spark passes over names that begin with `_` or `.`, takes `*?[{` as patterns, answers paths as URIs.
        """
        if keep and self.keys is None:  # keys are known to the session by names, which others must not have
            linked = self.relations.linked(files, f".{suffix}")
        else:
            linked = self.links.to(files, always=True, suffix=f".{suffix}")
        with linked as names, translated(self.session, names), self._keyed(suffix, names):
            yield list(names)

    def _keyed(self, format: str, names: Iterable[str]) -> AbstractContextManager[None]:
        """Have the session know the keys of the format, for a while."""
        keyed: dict[str, Callable[[Keys], AbstractContextManager[None]]] = {
            "parquet": lambda keys: self.taught.known(keys, names),
            "orc": lambda keys: spark_orc_keys.known(self.session, keys.orc),
        }
        return nullcontext() if self.keys is None else keyed[format](self.keys)
