"""What is disturbed: commands that a second call continues, and what their results are."""

import hashlib
import json
from typing import NamedTuple

from corpora.cases import load as load_case
from harness.judging.results import load_run, verify
from harness.runs.history.store import load as load_history
from properties.fuzz import targets

GENERATED = ("--generate", "20", "--seed", "3", "--report", "none", "--engine", "reference")
FUZZED = "parquet_footer"


class Scenario(NamedTuple):
    """A command whose output folder is `out`; `result` of its folder raises where that is not whole.

    `fresh`: the option with which the command begins anew in the folder.
    """

    name: str
    arguments: tuple[str, ...]
    result: object
    fresh: tuple[str, ...] = ("--overwrite",)

    def line(self, work):
        """Return the arguments of the command, for a folder to work in."""
        return [text.replace("WORK", str(work)) for text in self.arguments]


def rows(work):
    """Return a digest of the results of a run without times, sizes of processes, and where files lie."""
    out = work / "out"
    verify(out)
    held = hashlib.sha256()
    for line in (out / "results.ndjson").read_text().splitlines():
        row = json.loads(line.replace(str(work), "WORK"))  # also in what an engine says of a file
        del row["seconds"], row["peak_rss_bytes"]
        held.update(json.dumps(row).encode())
    held.update((out / "findings.ndjson").read_text().replace(str(work), "WORK").encode())
    return held.hexdigest()


def night(work):
    """Return the same for every night that is whole: how much it does depends on the clock."""
    verify(work / "out")
    record = load_run(work / "out")
    assert record.finished
    assert all(round_["done"] for round_ in record.rounds)
    history = load_history(work / "history")
    missing = [finding for finding in history.records.values() if history.case(finding) is None]
    assert len(missing) == len(list(history.damaged()))
    return "whole"


def pairs(work):
    """Return a digest of the differences between two versions."""
    text = (work / "out" / "differences.ndjson").read_text().replace(str(work), "WORK")
    return hashlib.sha256(text.encode()).hexdigest()


def inputs(work):
    """Return the same if each stored input has the name that its content gives it."""
    assert FUZZED in targets.names()
    for file in (work / "out").rglob("*"):
        name = file.stem
        if file.is_file() and len(name) >= 16 and all(sign in "0123456789abcdef" for sign in name):
            digests = (hashlib.sha256, hashlib.sha1)
            assert any(digest(file.read_bytes()).hexdigest().startswith(name) for digest in digests), file
    return "whole"


def smallest(work):
    """Return the same for every search whose smallest file is the one that its case is about."""
    case = load_case(work / "out" / "minimal.json")
    assert hashlib.sha256(case.file.read_bytes()).hexdigest() == case.sha256
    return "whole"


OUT = ("--out", "WORK/out")
SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        Scenario("run", ("run", *GENERATED, "--engine", "pyarrow:pushdown=on", "--no-spark", *OUT), rows),
        Scenario("spark", ("run", *GENERATED, "--engine", "spark", "--master", "local[2]", *OUT), rows),
        Scenario(
            "night",
            (
                "run",
                "--time-budget",
                "20s",
                "--history",
                "WORK/history",
                "--format",
                "parquet",
                "--engine",
                "pyarrow",
                "--no-spark",
                "--report",
                "none",
                *OUT,
            ),
            night,
        ),
        Scenario(
            "gate",
            (
                "upgrade",
                "--from",
                "duckdb@1.5.6",
                "--to",
                "duckdb@2.0.0",
                "--generate",
                "10",
                "--corpora",
                "none",
                "--no-writes",
                "--format",
                "parquet",
                "--report",
                "none",
                *OUT,
            ),
            pairs,
        ),
        Scenario("fuzz", ("fuzz", "run", FUZZED, "--time-budget", "4s", "--seed", "1", *OUT), inputs, ()),
        Scenario(
            "minimize",
            ("minimize", "duckdb-nan-left-out", "--engine", "duckdb", "--time-budget", "20s", *OUT),
            smallest,
            (),
        ),
    )
}
