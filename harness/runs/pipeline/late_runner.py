"""A runner that starts while the run is planned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from harness.runs.pipeline.local import LocalRunner, Runner
from harness.runs.pipeline.request import Request


class LateRunner:
    """A runner that is still starting while the run is planned."""

    def __init__(self, make: Callable[[], Runner]) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._made = self._pool.submit(make)

    def get(self) -> Runner:
        """Wait for it; raises what kept it from starting."""
        return self._made.result()

    def close(self) -> None:
        """Close it once it has started."""
        self._pool.shutdown()
        if self._made.exception() is None:
            self._made.result().close()


@contextmanager
def starting_runner(request: Request, tmp: Path) -> Iterator[LateRunner]:
    """Start the runner of a run; close it at the end."""
    master = request.master

    def make() -> Runner:
        if master is None:
            return LocalRunner(request.jobs)
        from harness.runs.pipeline.spark import SparkRunner

        return SparkRunner(master, request.out / "spark.log", tmp)

    late = LateRunner(make)
    try:
        yield late
    finally:
        late.close()
