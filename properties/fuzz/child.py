"""`python -m properties.fuzz.child TARGET [OPTION…] [-libFuzzer_flag…] [FOLDER…]`: one target under atheris.

    --out DIR       inputs go to DIR/corpus/TARGET, findings to DIR/crashes/TARGET (default: colconf-fuzz)
    --state FILE    holds the current input and the number of inputs run, and outlives the process
    --seeds         write the seeds into the corpus first
    --memory BYTES  limit of the address space
    --record N FILE run N inputs, or for 5 s, then write them and their CPU seconds to a file, and end
    --plain FILE    run the inputs of such a file, without atheris, and print their CPU seconds
    --once FILE     run the input in a file, without atheris; status 1, and a finding as JSON, if it fails
    --cpu SECONDS   CPU time of that input

An exception that the check of a target raises is stored at once, and fuzzing continues. Only `reference_impl`
and `corpora.tagged` are instrumented. Without atheris the exit status is 2, with a message.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import mmap
import os
import random
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from properties.fuzz import coverage

INSTRUMENTED = ("reference_impl", "corpora.tagged")
# These modules do not read inputs, and are instrumented only for the targets that test them: mutators use the
# first, and the writers write what was read, so that their branches follow from those of the readers.
_NOT_READING = (
    *("reference_impl/wire/*tree*", "reference_impl/*/anatomy/*"),
    *("reference_impl/orc/encodings/scan", "reference_impl/wire/*_writer"),
)
_TESTING_THEM = ("thrift_tree", "protobuf_tree", "parquet_anatomy", "orc_anatomy")
_BY_STRUCTURE = 60  # percent of mutants by structure, as long as their mutation takes at most
_SHARE = 0.1  # CPU seconds for each CPU second of checks
MISSING = "fuzzing needs atheris: pip install 'colconf[fuzz]'"
MAX_LEN = 8192
RENEW = 75  # exit status: start again; everything is stored
_LOOK = 64  # inputs between two measurements of memory
_RENEWED_AT = 0.5  # of the memory limit; atheris leaks the result of each comparison that it traces
_HEAD = struct.Struct("<QI")  # inputs run, length of the one being run
_RECORDED = 5.0  # CPU seconds
_MUTANTS = 32  # of an input of `--once`
_FLAGS = [f"-handle_{name}=0" for name in ("segv", "bus", "abrt", "ill", "fpe", "usr1", "usr2")]


class State:
    """The number of inputs run, and the last input, in a file that outlives the process."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(bytes(_HEAD.size + MAX_LEN))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def begin(self, data: bytes) -> None:
        """Write down the input that is run next."""
        (count, _), size = _HEAD.unpack_from(self._map), min(len(data), len(self._map) - _HEAD.size)
        self._map[_HEAD.size : _HEAD.size + size] = data[:size]
        _HEAD.pack_into(self._map, 0, count + 1, size)

    def read(self) -> tuple[int, bytes]:
        """Return the number of inputs run, and the last input."""
        count, size = _HEAD.unpack_from(self._map)
        return count, self._map[_HEAD.size : _HEAD.size + size]


def main(arguments: Sequence[str]) -> int:
    """Run a target; return an exit status, unless libFuzzer ends the process."""
    flags = [argument for argument in arguments if argument.startswith("-") and not argument.startswith("--")]
    config = _parser().parse_intermixed_args([argument for argument in arguments if argument not in flags])
    if config.plain:
        return _plain(config.target, config.plain)
    if config.once:
        return _once(config.target, config.once, config.memory, config.cpu)
    if find_spec("atheris") is None:
        print(MISSING, file=sys.stderr)
        return 2
    import atheris  # noqa: PLC0415 - optional

    packages = {name.split(".")[0] for name in INSTRUMENTED}
    with coverage.instrumenting(packages, _excluded(config.target)) as branches:
        from properties.fuzz import targets  # noqa: PLC0415 - instrumented while it is imported

        target = targets.load(config.target)
    corpus = config.folders or [config.out / "corpus" / target.NAME]
    run = _Run(target, config, branches)
    if config.seeds:
        _write_seeds(target, corpus[0], run.store.folder)
    if config.memory:
        resource.setrlimit(resource.RLIMIT_AS, (config.memory, config.memory))
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)
    mutate = getattr(target, "mutate", None)
    # `Setup` replaces `Mutate` by another function.
    by_bytes = lambda data, most: atheris.Mutate(data, most)  # noqa: E731, PLW0108 - looked up late
    options = {"custom_mutator": run.mutator(mutate, by_bytes)} if mutate else {}
    limits = [] if any(argument.startswith("-max_len") for argument in flags) else [f"-max_len={MAX_LEN}"]
    state = config.out / "state"
    state.mkdir(parents=True, exist_ok=True)
    artifacts = [
        f"-artifact_prefix={state}/"
    ]  # files of libFuzzer itself, otherwise in the working directory
    begin = os.environ.get("COLCONF_FUZZ_SELF", sys.argv[0])
    argv = [begin, *_FLAGS, *limits, *artifacts, *flags, *map(str, corpus)]
    atheris.Setup(argv, run.check, **options)
    atheris.Fuzz()
    return 0


def _excluded(target: str) -> set[str]:
    """Return the modules that are not instrumented: those that do not read inputs."""
    root = Path(__file__).resolve().parents[2]
    paths = [path for name in _NOT_READING for path in sorted(root.glob(f"{name}.py"))]
    if target in _TESTING_THEM:
        return set()
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for path in paths
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m properties.fuzz.child", allow_abbrev=False)
    parser.add_argument("target")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=Path("colconf-fuzz"))
    parser.add_argument("--state", type=Path)
    parser.add_argument("--seeds", action="store_true")
    parser.add_argument("--memory", type=int)
    parser.add_argument("--record", nargs=2, metavar=("N", "FILE"))
    parser.add_argument("--plain", type=Path)
    parser.add_argument("--once", type=Path)
    parser.add_argument("--cpu", type=int)
    return parser


class _Run:
    """Checks each input, and stores findings."""

    def __init__(self, target: Any, config: argparse.Namespace, branches: coverage.Branches) -> None:
        from properties.fuzz import bounds, crashes  # noqa: PLC0415 - they import what is instrumented

        self._crashes = crashes
        self._name = target.NAME
        self._watch = bounds.Watch(target.check)
        self._resident = bounds.resident
        self.store = crashes.Store(config.out / "crashes" / target.NAME)
        self._state = State(config.state) if config.state else None
        self._room = int(config.memory * _RENEWED_AT) if config.memory else 0
        self._branches = branches
        self._done = 0
        self._record = _Record(int(config.record[0]), Path(config.record[1])) if config.record else None

    def check(self, data: bytes) -> None:
        """Check an input, and store the exception that the check raises."""
        if self._state is not None:
            self._state.begin(data)
        if self._record is not None:
            self._record.add(data)
        try:
            self._watch(data)
        except Exception as error:  # noqa: BLE001 - every exception is a finding
            self._store(data, error)
        self._branches.report()
        self._done += 1
        if self._room and self._done % _LOOK == 0 and self._resident() > self._room:
            os._exit(RENEW)

    def _store(self, data: bytes, error: Exception) -> None:
        crash = self._crashes.of_exception(self._name, data, error)
        if self.store.add(crash, data):
            print(f"found: {crash.signature}", file=sys.stderr, flush=True)

    def mutator(
        self, mutate: Callable[[bytes, random.Random], bytes], by_bytes: Callable[[bytes, int], bytes]
    ) -> Callable[[bytes, int, int], bytes]:
        """Return the mutator for atheris: some mutants by structure, as time allows, others by bytes."""
        spent = 0.0

        def mutant(data: bytes, most: int, seed: int) -> bytes:
            nonlocal spent
            if seed % 100 < _BY_STRUCTURE and spent <= self._watch.spent * _SHARE:
                start = time.process_time()
                try:
                    mutated = mutate(data, random.Random(seed))  # noqa: S311 - to be repeated, not to be secret
                except Exception as error:  # noqa: BLE001 - mutators must not raise either
                    self._store(data, error)
                    mutated = data
                spent += time.process_time() - start
                if len(mutated) <= most and mutated != data:
                    return mutated
            return by_bytes(data, most)

        return mutant


def _write_seeds(target: Any, corpus: Path, crashed: Path) -> None:
    from properties.fuzz.crashes import digest_of  # noqa: PLC0415 - as above

    corpus.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds():
        name = digest_of(seed)
        if not (corpus / name).exists() and not (crashed / name).exists():
            (corpus / name).write_bytes(seed)


class _Record:
    """The inputs of a benchmark, written to a file when there are enough."""

    def __init__(self, wanted: int, path: Path) -> None:
        self._wanted = wanted
        self._path = path
        self._inputs: list[bytes] = []
        self._start = 0.0

    def add(self, data: bytes) -> None:
        """Record an input; the last input ends the process."""
        if not self._inputs:
            self._start = time.process_time()
        self._inputs.append(data)
        seconds = time.process_time() - self._start
        if len(self._inputs) > self._wanted or (seconds > _RECORDED and len(self._inputs) > 1):
            record = {"seconds": seconds, "inputs": [item.hex() for item in self._inputs[:-1]]}
            self._path.write_text(json.dumps(record), "utf-8")
            os._exit(0)


def _plain(name: str, path: Path) -> int:
    from properties.fuzz import targets  # noqa: PLC0415 - not instrumented here

    check = targets.load(name).check
    inputs = [bytes.fromhex(text) for text in json.loads(path.read_text("utf-8"))["inputs"]]
    start = time.process_time()
    for data in inputs:
        with suppress(Exception):  # this run measures time only; the other run has stored the finding
            check(data)
    print(json.dumps({"seconds": time.process_time() - start}))
    return 0


def _once(name: str, path: Path, memory: int | None, cpu: int | None) -> int:
    """Run one input with its time and memory measured, and mutate it, which must not raise either."""
    from properties.fuzz import bounds, crashes, targets  # noqa: PLC0415 - not instrumented here

    target, data = targets.load(name), path.read_bytes()
    mutate = getattr(target, "mutate", None)
    faulthandler.enable()
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if cpu:
        faulthandler.register(signal.SIGXCPU, chain=True)
        end = int(time.process_time()) + 1 + cpu
        resource.setrlimit(resource.RLIMIT_CPU, (end, end + 1))
    try:
        bounds.Watch(target.check, sampled=1)(data)
        if mutate is not None:
            for seed in range(_MUTANTS):
                mutate(data, random.Random(seed))  # noqa: S311 - to be repeated
    except Exception as error:  # noqa: BLE001 - every exception is a finding
        print(json.dumps(crashes.to_json(crashes.of_exception(target.NAME, data, error))))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
