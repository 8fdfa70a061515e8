"""Files of JSON lines with a digest, which `run.json` stores and readers compare.

Atomic writing of files is in `corpora/files.py`, which lower packages use too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from corpora.files import whole_file


@dataclass(frozen=True)
class Digest:
    """The digest of a file of lines: their number and SHA-256."""

    lines: int
    sha256: str

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"lines": self.lines, "sha256": self.sha256}


class Counting:
    """The digest of the lines so far."""

    def __init__(self) -> None:
        self._lines = 0
        self._sha256 = hashlib.sha256()

    def add(self, line: bytes) -> None:
        """Add a line with its line end."""
        self._lines += 1
        self._sha256.update(line)

    def put(self, line: Mapping[str, Any]) -> None:
        """Add a line as `Lines` would write it."""
        self.add(_encoded(line))

    @property
    def digest(self) -> Digest:
        """Return the digest of the lines so far."""
        return Digest(self._lines, self._sha256.hexdigest())


def digest_of_lines(lines: Iterable[Mapping[str, Any]]) -> Digest:
    """Return the digest that a file of these lines would have."""
    counting = Counting()
    for line in lines:
        counting.put(line)
    return counting.digest


def _encoded(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n"


class Lines:
    """A file of JSON lines that is being written."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._counting = Counting()

    def put(self, data: Mapping[str, Any]) -> None:
        """Write a line."""
        self.put_raw(_encoded(data))

    def put_raw(self, line: bytes) -> None:
        """Write a line that is JSON already, with its line end."""
        self._counting.add(line)
        self._out.write(line)

    @property
    def digest(self) -> Digest:
        """Return the digest of the lines so far."""
        return self._counting.digest


@contextmanager
def written_lines(path: Path) -> Iterator[Lines]:
    """Yield a file of JSON lines that gets its name when it is whole; raises OSError."""
    with whole_file(path) as out:
        yield Lines(out)


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> Digest:
    """Write a file of JSON lines, whole or not at all, and return its digest; raises OSError."""
    with written_lines(path) as out:
        for line in lines:
            out.put(line)
    return out.digest


def digest_of(path: Path) -> Digest:
    """Return the digest of a file as it stands; raises OSError."""
    counting = Counting()
    with path.open("rb") as lines:
        for line in lines:
            counting.add(line)
    return counting.digest
