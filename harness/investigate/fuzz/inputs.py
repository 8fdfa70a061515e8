"""Files to send: what reached new places in the reference, and mutants.

Mutants are made of that, of the checked-in cases, and of what made an engine say something new. The corpus of
the target `parquet_file` or `orc_file` is looked at again and again: a process that is guided by the coverage
of our reader may be filling it.
"""

from __future__ import annotations

import json
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import corpora
from corpora.keys import Keys
from properties.fuzz.crashes import digest_of
from properties.strategies.mutations import orc, parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

TARGETS = {"parquet": "parquet_file", "orc": "orc_file"}
_MUTANTS: dict[str, Callable[[bytes, Random, Sequence[bytes]], parquet.Mutant | orc.Mutant]] = {
    "parquet": parquet.mutant,
    "orc": orc.mutant,
}
_LARGEST_SEED = 4 << 10  # bytes
_LARGEST = 64 << 10
_LOOK_SECONDS = 2.0
_FRESH = 0.5  # of a batch, at most, are inputs of the corpus as they are
_FROM_CORPUS, _FROM_ANSWERS = 0.35, 0.25  # of mutants, while there is something to take
_RECENT = 64
_OTHERS = 2
_TRIES = 4


@dataclass(frozen=True)
class Input:
    """A file to send: its bytes, the checked-in case that it comes from, "" if that is not known, and how.

    `future`: it has a feature that no reader need know, so that each may refuse it. `keys`: of the case.
    """

    data: bytes
    seed: str
    how: str
    future: bool = False
    keys: Keys | None = None


class Inputs:
    """The inputs of one format; `others` are folders of campaigns whose corpora are read as well."""

    def __init__(self, format_: str, out: Path, others: Sequence[Path]) -> None:
        self.format = format_
        self._folders = [one / "corpus" / TARGETS[format_] for one in (out, *others)]
        self._answers = out / "corpus" / f"engines_{format_}"
        self._seeds = seeds(format_)
        self._corpus: list[Path] = []
        self._fresh: deque[Path] = deque()
        self._seen: set[str] = set()
        self._sent: set[bytes] = set()
        self._telling: list[Input] = []
        self._looked = 0.0
        for path in sorted(self._answers.iterdir()) if self._answers.is_dir() else ():
            self._telling.append(Input(path.read_bytes(), "", "an answer of an earlier campaign"))

    @property
    def reached(self) -> int:
        """Return how many inputs the corpora have."""
        return len(self._corpus)

    def next(self, count: int, random: Random) -> list[Input]:
        """Return some inputs, none that was answered before."""
        self._look()
        found: list[Input] = []
        while self._fresh and len(found) < count * _FRESH:
            path = self._fresh.popleft()
            self._add(found, path, Input(_bytes(path), "", f"corpus {path.name}"))
        for _ in range(_TRIES * count):
            if len(found) >= count:
                break
            made = self._mutant(random)
            self._add(found, None, made)
        return found

    def keep(self, one: Input) -> None:
        """Keep an input that made an engine say something new: it is mutated, too."""
        self._telling.append(one)
        self._answers.mkdir(parents=True, exist_ok=True)
        (self._answers / digest_of(one.data)).write_bytes(one.data)

    def seed(self, random: Random) -> Input:
        """Return a checked-in file as it is."""
        path = random.choice(self._seeds)
        return Input(path.read_bytes(), case_of(path), "seed", keys=_keys_of(path))

    def _add(self, found: list[Input], path: Path | None, one: Input) -> None:
        digest = bytes.fromhex(digest_of(one.data))[:8]
        if one.data and len(one.data) <= _LARGEST and digest not in self._sent:
            self._sent.add(digest)
            found.append(one)
        if path is not None:
            self._corpus.append(path)

    def _mutant(self, random: Random) -> Input:
        parent = self._parent(random)
        others = [self.seed(random).data for _ in range(random.randrange(_OTHERS + 1))]
        made = _MUTANTS[self.format](parent.data, random, others)
        of = parent.seed or parent.how
        return Input(made.data, parent.seed, f"{of}: {', '.join(made.operations)}"[:500], keys=parent.keys)

    def _parent(self, random: Random) -> Input:
        turn = random.random()
        if turn < _FROM_CORPUS and self._corpus:
            some = self._corpus[-_RECENT:] if random.randrange(2) else self._corpus
            path = random.choice(some)
            if data := _bytes(path):
                return Input(data, "", f"corpus {path.name}")
        elif turn < _FROM_CORPUS + _FROM_ANSWERS and self._telling:
            return random.choice(self._telling[-_RECENT:] if random.randrange(2) else self._telling)
        return self.seed(random)

    def _look(self) -> None:
        if time.monotonic() < self._looked + _LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        for folder in self._folders:
            new = (
                [path for path in folder.iterdir() if path.name not in self._seen] if folder.is_dir() else []
            )
            self._seen.update(path.name for path in new)
            self._fresh.extend(sorted(new))


def seeds(format_: str) -> list[Path]:
    """Return the checked-in files that are small."""
    folder = Path(corpora.__path__[0], format_)
    return [path for path in sorted(folder.rglob(f"*.{format_}")) if path.stat().st_size <= _LARGEST_SEED]


def case_of(path: Path) -> str:
    """Return the id of a checked-in file."""
    return str(json.loads(path.with_suffix(".json").read_bytes())["id"])


def _keys_of(path: Path) -> Keys | None:
    """Return the keys of a checked-in file."""
    told = json.loads(path.with_suffix(".json").read_bytes()).get("keys")
    return None if told is None else Keys.from_json(told)


def _bytes(path: Path) -> bytes:
    """Return an input; nothing if a process has just taken it away."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
