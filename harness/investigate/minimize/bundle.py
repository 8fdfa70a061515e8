"""A table case as bytes, which the search reduces like a file: the read, and the files of the folder."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from corpora.files import whole_path
from corpora.folders import files_of
from corpora.table_reads import TableRead


@dataclass(frozen=True)
class Bundle:
    """A read, and the files of a folder: paths within it, and bytes."""

    read: TableRead
    files: tuple[tuple[str, bytes], ...]

    def pack(self) -> bytes:
        """Return the bytes: a line of JSON, and the files one after the other."""
        sizes = [[path, len(data)] for path, data in self.files]
        head = {"read": self.read.to_json(), "files": sizes}
        line = json.dumps(head, separators=(",", ":")).encode()
        return b"\n".join([line, b"".join(data for _, data in self.files)])

    @staticmethod
    def unpack(packed: bytes) -> Bundle:
        """Return the bundle of what `pack` returned."""
        line, _, rest = packed.partition(b"\n")
        head = json.loads(line)
        files, at = [], 0
        for path, size in head["files"]:
            files.append((path, rest[at : at + size]))
            at += size
        return Bundle(TableRead.from_json(head["read"]), tuple(files))

    @staticmethod
    def of_folder(folder: Path, read: TableRead) -> Bundle:
        """Return the bundle of a folder; raises OSError."""
        paths = list(files_of(folder))
        return Bundle(read, tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths))

    def write(self, folder: Path, *, durable: bool) -> None:
        """Write the files into a folder, in place of what is there; raises OSError."""
        with whole_path(folder, durable=durable) as unfinished:
            unfinished.mkdir()
            for path, data in self.files:
                target = unfinished / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            shutil.rmtree(folder, ignore_errors=True)
