"""The output folder of the gate: the account, the differences, and the smallest file of each group."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from corpora.files import sweep, whole_file
from harness.files import Counting, digest_of
from harness.investigate.upgrade import scripts
from harness.investigate.upgrade.account import FILE
from harness.investigate.upgrade.groups import Group
from harness.runs.pipeline import folder
from harness.runs.pipeline.errors import PipelineError

DIFFERENCES, RUNS, CASES = "differences.ndjson", "runs", "cases"
CASE_FOLDERS = 200  # groups whose smallest file is copied next to the report


def prepare(out: Path, *, overwrite: bool) -> None:
    """Make the output folder; refuse one with other files, and remove an account that is overwritten."""
    out.mkdir(parents=True, exist_ok=True)
    sweep(out)
    if any(out.iterdir()) and not any((out / name).exists() for name in (RUNS, FILE)):
        raise PipelineError(f"{out}: holds other files; give another --out")
    if overwrite:
        folder.remove(out, FILE, DIFFERENCES, CASES)


def keep(out: Path, groups: list[Group], account: dict[str, Any]) -> None:
    """Copy the smallest file of each group next to a script that shows the difference without colconf."""
    for number, (group, data) in enumerate(zip(groups[:CASE_FOLDERS], account["groups"], strict=False), 1):
        folder = out / CASES / f"{number:03}"
        data["folder"] = scripts.keep(folder, group, account["engines"])


def write(out: Path, lines: Sequence[tuple[str, dict[str, Any]]], account: dict[str, Any]) -> None:
    """Write the differences and the account, and read both again; raises PipelineError if one is damaged."""
    for file_name, texts in (
        (DIFFERENCES, (json.dumps({"input": name, **line}) + "\n" for name, line in lines)),
        (FILE, chain([json.dumps(account, indent=1)], ["\n"])),
    ):
        written, path = Counting(), out / file_name
        with whole_file(path) as file:
            for text in texts:
                written.add(text.encode("ascii"))
                file.write(text.encode("ascii"))
        if digest_of(path).sha256 != written.digest.sha256:
            raise PipelineError(f"{path}: damaged; run the same command again")
