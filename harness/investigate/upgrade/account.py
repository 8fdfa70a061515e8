"""The account of an upgrade: `upgrade.json` of its folder, and its summary on standard output."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.investigate.upgrade.classes import Class, Right
from harness.judging.results import ResultsError
from harness.listings.text import display_name, show_line, whole_words

SCHEMA_VERSION = 1
FILE = "upgrade.json"


def load(out: Path) -> dict[str, Any]:
    """Read the account in a folder; raises ResultsError if there is none, or one of another version."""
    try:
        account = json.loads((out / FILE).read_bytes())
    except FileNotFoundError as error:
        raise ResultsError(f"{out}: not the folder of a comparison (no {FILE})") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(f"{out / FILE}: cannot be read: {error}") from error
    version = account.get("schema_version") if isinstance(account, dict) else None
    if version != SCHEMA_VERSION:
        raise ResultsError(f"{out}: an account of schema version {version!r:.40}; this is {SCHEMA_VERSION}")
    return dict(account)


NO_LONGER_READS = "no longer reads"
_TABLES = ("evolved-", "tables-")  # inputs whose cases are folders of files
_GROUPS = 30


def judgement(right: str, cls: str, signature: str) -> str:
    """Return the word for who is right: where the new version refuses what the old one read wrongly, which.

    That is no wrong answer any more, but neither an improvement of a job that used to run.
    """
    is_of_reading = " writes " not in signature.partition(" | ")[0]
    if right == Right.IMPROVED and cls == Class.REFUSES and is_of_reading:
        return NO_LONGER_READS
    return right


def unit(inputs: Iterable[str]) -> str:
    """Return what the cases of inputs are: files, or tables, which are folders of files."""
    are_tables = {name.startswith(_TABLES) for name in inputs}
    if are_tables == {True}:
        return "table case"
    return "file" if are_tables <= {False} else "file or table case"


def show(account: dict[str, Any], files: Sequence[str]) -> None:
    """Print the account for people: the verdict first."""
    for line in lines(account):
        show_line(line)
    for file in files:
        show_line(file)


def lines(account: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the account."""
    groups = account["groups"]
    open_ = [group for group in groups if group["reviewed"] is None]
    versions = " → ".join(f"{engine['name']}@{engine['version']}" for engine in account["engines"])
    if open_:
        yield f"NOT signed off: {versions}: {len(open_)} unreviewed differences"
    elif not account["passed"]:
        yield f"NOT signed off: {versions}: some of your files, tables or queries could not be compared"
    else:
        yield f"signed off: {versions}: nothing that is not reviewed"
    for part in account["inputs"]:
        kind = unit([part["input"]])
        yield (
            f"  {part['input']}: {part['cases']:,} {kind}s, {part['places']:,} answers under"
            f" {part['configs']} configurations; {part['differing']:,} {kind}s differ"
        )
        if part.get("blocks"):
            blocks = f"{part['blocks']:,} blocks, {part['bytes']:,} bytes"
            yield f"      digests of {part['rows']:,} rows in {blocks}"
        if part.get("unread"):
            yield f"      {uncompared(part)}"
        if part.get("whole"):
            yield f"      {part['whole']:,} of them read whole, because this engine has no batches"
    for query in account.get("queries", []):
        counts = f"{query['compared']:,} of {query['cases']:,} cases"
        yield f"  query {_plain(query['query'])}: answers compared on {counts}"
    for group in open_[:_GROUPS]:
        at = group["smallest"]
        word = judgement(group["right"], group["class"], group["signature"])
        kinds = f"{unit(group['inputs'])}{'s' * (group['cases'] != 1)}"
        yield f"  {word}: {group['class']} in {group['cases']:,} {kinds}: {_plain(group['signature'])}"
        name = display_name(at["case"], at["file"])
        yield f"      {_plain(name)} {_plain(at['path'])}: {_plain(at['old'])} → {_plain(at['new'])}"
        for cause in group["causes"]:
            yield f"      {_plain(cause['says'])}"
    if len(open_) > _GROUPS:
        yield f"  and {len(open_) - _GROUPS:,} more"
    for entry in account["useless"]:
        yield f"  baseline: {_plain(entry['signature'])}: {entry['why']}"
    for line in account.get("not_asked", []):  # absent from older accounts
        yield f"  not compared: {line['engine']} is not asked {line['question']}: {_plain(line['reason'])}"


def uncompared(part: dict[str, Any]) -> str:
    """Return how many files or table cases of an input could not be compared, and why; "" if none."""
    count, of = part.get("unread", 0), part["cases"]
    if not count:
        return ""
    why = "; ".join(map(_plain, part.get("reasons", []))) or "neither version reads them"
    return f"of {count:,} of {of:,} {unit([part['input']])}s nothing could be compared: {why}"


def uncompared_queries(account: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each query of the user of which no answers could be compared."""
    for query in account.get("queries", []):
        if not query["compared"]:
            yield f"of the query {_plain(query['query'])} no answers could be compared"


def _plain(text: str) -> str:
    line = whole_words(" ".join(text.split()), 200)
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in line)
