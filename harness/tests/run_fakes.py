"""Engines for tests of runs: slow, moody, bad at sheets. A module without more to import starts fast."""

# ruff: noqa: D102 - the methods are those of Engine

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

from corpora.tagged import STRING, Table, integer
from harness.engines.errors import Unsupported
from harness.tests.fakes import Healthy


class Slow(Healthy):
    """Takes its time, and notes what it read and who it is, in the folder above the files."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        time.sleep(0.05)
        with (Path(file).parent.parent / "reads").open("a") as notes:
            notes.write(f"{os.getpid()} {Path(file).name}\n")
        return super().read(file, format, config)


class Moody(Healthy):
    """Reads a bad file well only from the second time on."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        mark = Path(file).parent.parent / f"{Path(file).name}.seen"
        if Path(file).name.startswith("bad") and not mark.exists():
            mark.touch()
            raise ValueError("not today")
        return super().read(file, format, config)


class _Once(Healthy):
    """Does something else when it reads a bad file for the first time."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        mark = Path(file).parent.parent / f"{Path(file).name}.seen"
        if Path(file).name.startswith("bad") and not mark.exists():
            mark.touch()
            return self.first()
        return super().read(file, format, config)

    def first(self):
        """Return the first answer."""
        raise NotImplementedError


class CrashesOnce(_Once):
    """Dies the first time."""

    def first(self):
        """End the process by a signal."""
        os.kill(os.getpid(), signal.SIGSEGV)


class HangsOnce(Healthy):
    """Hangs the first time, and notes who it is, in the folder above the files."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        mark = Path(file).parent.parent / f"{Path(file).name}.seen"
        if Path(file).name.startswith("bad") and not mark.exists():
            mark.touch()
            with (Path(file).parent.parent / "hanging").open("a") as notes:
                notes.write(f"{os.getpid()}\n")
            time.sleep(3600)
        return super().read(file, format, config)


class WrongOnce(_Once):
    """Reads another number the first time."""

    def first(self):
        """Return a wrong table."""
        return Table.of([("name", STRING), ("number", integer(32))], [["no"], ["8"]])


class OtherErrorOnce(_Once):
    """Lacks a feature for a bad file, which it called broken the first time."""

    def first(self):
        """Raise the error of the first time."""
        raise ValueError("broken")

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        table = super().read(file, format, config)
        if Path(file).name.startswith("bad"):
            raise NotImplementedError("not yet")
        return table


class CountsCalls(Healthy):
    """Notes how many files it is asked for at once."""

    def read_many(self, files, format, config):  # noqa: A002 - the protocol's word
        with (Path(files[0]).parent.parent / "calls").open("a") as notes:
            notes.write(f"{len(files)} ")
        return super().read_many(files, format, config)


class NotTogether(CountsCalls):
    """Fails a sheet with a bad file in it, whole, by a plain error."""

    def misbehave(self):
        raise ValueError("not together with this one")


class DiesTogether(CountsCalls):
    """Dies of a sheet with a bad file in it."""

    def misbehave(self):
        os.abort()


class JsonFile(Healthy):
    """Reads what Healthy writes."""

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        return Table.from_json(json.loads(Path(file).read_text()))


class WritesNoLists(JsonFile):
    """Refuses some tables, and says that it lacks a page version."""

    def write(self, file, format, config, table, options):  # noqa: A002 - the protocol's word
        if any(column.type.kind == "list" for column in table.columns):
            raise ValueError("lists?")
        if options["page_version"] == 2:
            raise Unsupported("version 2")
        super().write(file, format, config, table, options)


class TellsEnvironment(Healthy):
    """Notes the names of the variables it was given, and its path."""

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        told = {"variables": sorted(os.environ), "path": os.environ["PYTHONPATH"]}
        (Path(file).parent.parent / "environment").write_text(json.dumps(told))
        return Table.of([("a", STRING)], [["x"]])


class Sometimes(Healthy):
    """Fails a bad file at first, then twice more, and never again: what it did stands beside the files."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        if Path(file).name.startswith("bad"):
            mark = Path(file).parent.parent / "looks"
            looks = len(mark.read_text()) if mark.exists() else 0
            mark.write_text("x" * (looks + 1))
            if looks < 2:
                raise ValueError("not today")
        return super().read(file, format, config)


class ByContent(Healthy):
    """Tells files by what is in them, whatever they are called."""

    bad = True

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        content = Path(file).read_bytes()
        if content.startswith(b"bad") and self.bad:
            raise ValueError("no, not this one")
        return Table.of([("name", STRING), ("number", integer(32))], [[content.decode("latin-1")], ["7"]])


class Mended(ByContent):
    """Reads what is bad, too."""

    bad = False


class CrashesFirst(Healthy):
    """Dies of a bad file if that is the first of its process: it loads lazily what others load for it."""

    warm = False

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        if Path(file).name.startswith("bad") and not self.warm:
            os.kill(os.getpid(), signal.SIGSEGV)
        self.warm = True
        return super().read(file, format, config)


class WrongAfter(Healthy):
    """Reads another number from a bad file behind `culprit`: a cache is filled by the file before."""

    cached = False

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        if Path(file).name == "culprit":
            self.cached = True
        if Path(file).name.startswith("bad") and self.cached:
            return Table.of([("name", STRING), ("number", integer(32))], [[Path(file).name], ["8"]])
        return super().read(file, format, config)


class ByChance(Healthy):
    """Refuses a bad file at the first, the third and the fifth look."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        if Path(file).name.startswith("bad"):
            mark = Path(file).parent.parent / f"{Path(file).name}.looks"
            looks = len(mark.read_text()) if mark.exists() else 0
            mark.write_text("x" * (looks + 1))
            if looks % 2 == 0:
                raise NotImplementedError("not today")
        return super().read(file, format, config)


class DiesOfTables(Healthy):
    """Ends when it is asked for a table."""

    name = "diesoftables"

    def read_table(self, folder, format, config, read):  # noqa: A002, ARG002 - the protocol's word
        os.abort()


class NoTables(Healthy):
    """Reads files alone."""

    name = "notables"

    def read_table(self, folder, format, config, read):  # noqa: A002, ARG002 - the protocol's word
        raise Unsupported("files alone")
