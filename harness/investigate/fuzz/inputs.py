"""Files to send: inputs that reached new code in the reference, and mutants.

Mutants are made from such inputs, from the checked-in cases, and from inputs to which an engine gave a new
reply. The corpus of the target `parquet_file` or `orc_file` is read again every few seconds: a process that
is guided by the coverage of our reader may be adding to the corpus.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import corpora
from corpora.build.formats import ORC, PARQUET
from corpora.cases import Probe
from corpora.keys import Keys
from properties.fuzz.crashes import digest_of
from properties.strategies.mutations import orc, parquet
from properties.strategies.mutations.scalars import Mutant

TARGETS = {PARQUET.name: "parquet_file", ORC.name: "orc_file"}
MUTANTS: dict[str, Callable[[bytes, Random, Sequence[bytes]], Mutant]] = {
    PARQUET.name: parquet.mutant,
    ORC.name: orc.mutant,
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
    """A file to send: its bytes, its checked-in case (`seed`, "" if unknown), and its origin (`how`).

    `future`: the file has a feature that no reader need know, so that each may refuse the file. `keys`: of
    the case. `parent`: the file that a mutant was made from. `probes`: queries of an earlier campaign.
    """

    data: bytes
    seed: str
    how: str
    future: bool = False
    keys: Keys | None = None
    parent: bytes = b""
    probes: tuple[Probe, ...] = ()


class Inputs:
    """The inputs of a format; `others` are folders of campaigns whose corpora are read as well."""

    def __init__(self, format_: str, out: Path, others: Sequence[Path]) -> None:
        self.format = format_
        self._folders = [folder / "corpus" / TARGETS[format_] for folder in (out, *others)]
        self._answers = out / "corpus" / f"engines_{format_}"
        self._seeds = seeds(format_)
        self._corpus: list[Path] = []
        self._fresh: deque[Path] = deque()
        self._seen: set[str] = set()
        self._sent: set[bytes] = set()
        self._revealing: list[Input] = []
        self._looked = 0.0
        for path in sorted(self._answers.iterdir()) if self._answers.is_dir() else ():
            self._revealing.append(Input(path.read_bytes(), "", "an answer of an earlier campaign"))

    @property
    def reached(self) -> int:
        """Return the number of inputs in the corpora."""
        return len(self._corpus)

    def next(self, count: int, random: Random) -> list[Input]:
        """Return some inputs, none that was returned before."""
        self._look()
        batch: list[Input] = []
        while self._fresh and len(batch) < count * _FRESH:
            path = self._fresh.popleft()
            self._add(batch, path, Input(_bytes(path), "", f"corpus {path.name}"))
        for _ in range(_TRIES * count):
            if len(batch) >= count:
                break
            mutant = self._mutant(random)
            self._add(batch, None, mutant)
        return batch

    def keep(self, file: Input) -> None:
        """Store an input to which an engine gave a new reply: the input is mutated, too."""
        self._revealing.append(file)
        self._answers.mkdir(parents=True, exist_ok=True)
        (self._answers / digest_of(file.data)).write_bytes(file.data)

    def seed(self, random: Random) -> Input:
        """Return a checked-in file as it is."""
        path = random.choice(self._seeds)
        return Input(path.read_bytes(), case_of(path), "seed", keys=_keys_of(path))

    def _add(self, batch: list[Input], path: Path | None, file: Input) -> None:
        digest = bytes.fromhex(digest_of(file.data))[:8]
        if file.data and len(file.data) <= _LARGEST and digest not in self._sent:
            self._sent.add(digest)
            batch.append(file)
        if path is not None:
            self._corpus.append(path)

    def _mutant(self, random: Random) -> Input:
        parent = self._parent(random)
        others = [self.seed(random).data for _ in range(random.randrange(_OTHERS + 1))]
        mutant = MUTANTS[self.format](parent.data, random, others)
        of = parent.seed or parent.how
        how = f"{of}: {', '.join(mutant.operations)}"[:500]
        return Input(mutant.data, parent.seed, how, keys=parent.keys, parent=parent.data)

    def _parent(self, random: Random) -> Input:
        turn = random.random()
        if turn < _FROM_CORPUS and self._corpus:
            some = self._corpus[-_RECENT:] if random.randrange(2) else self._corpus
            path = random.choice(some)
            if data := _bytes(path):
                return Input(data, "", f"corpus {path.name}")
        elif turn < _FROM_CORPUS + _FROM_ANSWERS and self._revealing:
            return random.choice(self._revealing[-_RECENT:] if random.randrange(2) else self._revealing)
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
    """Return the small checked-in files."""
    folder = Path(corpora.__path__[0], format_)
    return [path for path in sorted(folder.rglob(f"*.{format_}")) if path.stat().st_size <= _LARGEST_SEED]


def case_of(path: Path) -> str:
    """Return the id of a checked-in file."""
    return str(json.loads(path.with_suffix(".json").read_bytes())["id"])


def _keys_of(path: Path) -> Keys | None:
    """Return the keys of a checked-in file."""
    keys = json.loads(path.with_suffix(".json").read_bytes()).get("keys")
    return None if keys is None else Keys.from_json(keys)


def _bytes(path: Path) -> bytes:
    """Return an input; no bytes if a process has just removed the file."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
