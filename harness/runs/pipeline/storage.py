"""Where the folder of a run is stored: in a shared folder, or as a copy, file by file, on each machine.

Stages work on paths. A shared folder (local, NFS, or mounted at the same place everywhere) needs nothing
else. An object store or HDFS has no paths: there, each machine has a folder of its own at one place, and gets
and puts whole files with `pyarrow.fs`.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from corpora.files import whole_file, whole_path
from corpora.folders import files_of
from harness.runs.pipeline.errors import PipelineError

# Of Spark's URLs, what `pyarrow.fs` calls the same.
_SCHEMES = {"s3a": "s3", **{name: name for name in ("s3", "gs", "hdfs", "viewfs", "abfs", "abfss")}}
_MIRRORS = Path("/tmp")  # noqa: S108 - the same on all machines; the folder below has the run's random id


class Storage(Protocol):
    """Has files of a run's folder be here that another machine made; they are whole, and never change."""

    def open(self, folder: Path) -> None:
        """Have the folder be here; raises PipelineError."""

    def fetch(self, path: Path) -> bool:
        """Have a file or folder be here, and say whether it is."""

    def publish(self, path: Path) -> None:
        """Let the other machines have a file or folder of ours."""

    def remove(self, path: Path) -> None:
        """Remove a file or folder everywhere."""


class Shared:
    """A folder that all machines see under one path."""

    def open(self, folder: Path) -> None:
        """Raise PipelineError if it cannot be seen here."""
        if not folder.is_dir():
            host = os.uname().nodename
            mend = "give --workdir on a file system that all machines see"
            raise PipelineError(f"{folder} is not on {host}: {mend}")

    def fetch(self, path: Path) -> bool:
        """Return whether it is there."""
        return path.exists()

    def publish(self, path: Path) -> None:
        """Do nothing: it is there."""

    def remove(self, path: Path) -> None:
        """Remove it."""
        _remove(path)


SHARED = Shared()


class Mirrored:
    """Copies in `root` of the files below `url`; a path outside of `root` is a file of this machine only."""

    def __init__(self, root: Path, url: str) -> None:
        self.root = root
        self.url = url

    def __getstate__(self) -> Mapping[str, Any]:
        return {"root": self.root, "url": self.url}

    @cached_property
    def _far(self) -> tuple[Any, str]:
        from pyarrow.fs import FileSystem

        system, base = FileSystem.from_uri(self.url)
        return system, base.rstrip("/")

    def open(self, folder: Path) -> None:
        """Make the folder here."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            system, base = self._far
            system.create_dir(base, recursive=True)
        except Exception as error:
            lines = str(error).splitlines() or [type(error).__name__]
            raise PipelineError(f"{self.url}: {lines[0]}") from error

    def fetch(self, path: Path) -> bool:
        """Copy the file or folder to here, unless it is."""
        from pyarrow.fs import FileType

        if path.exists() or not path.is_relative_to(self.root):
            return path.exists()
        system, base = self._far
        there = f"{base}/{path.relative_to(self.root).as_posix()}"
        kind = system.get_file_info(there).type
        if kind == FileType.NotFound:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == FileType.Directory:
            self._fetch_folder(there, path)
        else:
            self._fetch_file(there, path)
        return True

    def _fetch_file(self, there: str, path: Path) -> None:
        system, _ = self._far
        with (
            system.open_input_stream(there) as source,
            whole_file(path, durable=False) as out,  # the far copy is the one that counts
        ):
            shutil.copyfileobj(source, out)

    def _fetch_folder(self, there: str, path: Path) -> None:
        from pyarrow.fs import FileSelector, FileType

        system, _ = self._far
        try:
            with whole_path(path, durable=False) as unfinished:
                unfinished.mkdir(parents=True, exist_ok=True)
                for info in system.get_file_info(FileSelector(there, recursive=True)):
                    if info.type == FileType.File:
                        target = unfinished / info.path.removeprefix(f"{there}/")
                        target.parent.mkdir(parents=True, exist_ok=True)
                        self._fetch_file(info.path, target)
        except OSError:
            if not path.is_dir():  # else another thread has fetched it meanwhile
                raise

    def publish(self, path: Path) -> None:
        """Copy the file, or the files of the folder, to where all can have it; whole files have names."""
        if not path.is_relative_to(self.root):
            return
        system, base = self._far
        target = f"{base}/{path.relative_to(self.root).as_posix()}"
        if path.is_dir():
            system.create_dir(target, recursive=True)  # it may have no files
            for file in files_of(path):
                self.publish(file)
            return
        system.create_dir(target.rpartition("/")[0], recursive=True)
        unfinished = f"{target}.{os.uname().nodename}-{os.getpid()}-{threading.get_ident()}"
        try:
            with path.open("rb") as source, system.open_output_stream(unfinished) as out:
                shutil.copyfileobj(source, out)
            system.move(unfinished, target)
        except BaseException:
            with suppress(OSError):  # the first error is the one to report
                system.delete_file(unfinished)
            raise

    def remove(self, path: Path) -> None:
        """Remove it here and there."""
        from pyarrow.fs import FileType

        _remove(path)
        system, base = self._far
        target = base if path == self.root else f"{base}/{path.relative_to(self.root).as_posix()}"
        kind = system.get_file_info(target).type
        if kind == FileType.Directory:
            system.delete_dir(target)
        elif kind == FileType.File:
            system.delete_file(target)


class Work(NamedTuple):
    """The folder in which the stages of a run work, and how machines share it."""

    folder: Path
    storage: Storage


def work(out: Path, workdir: str | None, run: str) -> Work:
    """Return where the stages of the run with an id work: in its own folder, or in one of `workdir`.

    Raises PipelineError for a URL of a file system that is not supported.
    """
    if workdir is None:
        return Work(out.resolve(), SHARED)
    scheme, is_url, rest = workdir.partition(":")
    if scheme == "file":
        return Work(Path("/", rest.lstrip("/"), f"colconf-{run}"), SHARED)
    if not is_url or "/" in scheme:
        return Work(Path(workdir).resolve() / f"colconf-{run}", SHARED)
    if scheme not in _SCHEMES:
        known = ", ".join(sorted({"file", *_SCHEMES}))
        raise PipelineError(f"--workdir {workdir}: {scheme} is none of the supported file systems ({known})")
    folder = _MIRRORS / f"colconf-{run}"
    return Work(folder, Mirrored(folder, f"{_SCHEMES[scheme]}:{rest.rstrip('/')}/colconf-{run}"))


def check_workdir(workdir: str) -> None:
    """Raise PipelineError for a working folder that cannot be one."""
    place = work(Path(), workdir, "check")
    nearest = next(path for path in place.folder.parents if path.exists())
    if place.storage is SHARED and not nearest.is_dir():
        raise PipelineError(f"--workdir {workdir}: {nearest} is a file, not a folder")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
