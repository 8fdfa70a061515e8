"""What several tests of campaigns begin with: files that end their reader."""

import pytest

from harness.investigate.fuzz.inputs import Input
from harness.investigate.fuzz.requests import FuzzBench
from harness.investigate.fuzz.tests.test_engines import LIMITS, REFERENCE_PROCESS, fake
from harness.investigate.minimize.tests.files import parquet


@pytest.fixture(scope="session")
def crashes(tmp_path_factory):
    """Return what came of files that end their reader, by their count of rows; one bench reads all."""
    folder, engine = tmp_path_factory.mktemp("crashes"), fake("CrashesOnDelta")
    with FuzzBench([engine], REFERENCE_PROCESS, "parquet", LIMITS, folder) as bench:
        inputs = {rows: Input(parquet(rows), "", "test") for rows in (20, 30, 40, 60)}
        return {rows: bench.ask([one], lambda _: True) for rows, one in inputs.items()}
