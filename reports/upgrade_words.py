"""Words of an upgrade report for what readers of it cannot know: table cases, names of reads, fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_EVOLVED = "evolved/"
_NEVER = re.compile(r"\bnever\b")
# The names of reads (`corpora/build/evolution/reads.py`), which end the ids of table cases.
_READS = {
    "all": "reads every column that any file has",
    "caseless": "reads columns under names of the other case",
    "char": "reads texts as CHAR, which is padded",
    "common": "reads the columns that all files have",
    "defaults": "reads columns with default values, which files lack",
    "ids": "finds columns by their field ids",
    "ids-renamed": "finds columns by their field ids, under other names",
    "missing": "reads a column more, which no file has",
    "missing-inside": "reads of each struct only a field that no file has",
    "nothing": "reads no column, but counts rows",
    "only-missing": "reads only a column that no file has",
    "position": "finds columns by their position",
    "pruned": "reads one field of each struct",
    "some": "reads some of the columns",
    "unified": "reads with the schema of all files",
    "unified-text": "reads with the schema of all files, and partitions as text",
    "widened": "reads columns as wider types than files have",
}


def notes(case: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield names in a case of `corpora/evolved` and in texts about it, with their meaning."""
    if not case.startswith(_EVOLVED):
        return
    name = case.rpartition("/")[2]
    if meaning := _READS.get(name):
        yield name, f"{meaning} (the last part of a table case's name is how it is read)"
    if any(_NEVER.search(text) for text in texts):
        yield "never", "a field that no file has"
