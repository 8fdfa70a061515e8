"""`colconf run --profile sample`: some files of every source, to show in minutes what colconf does.

Files that engines write and cases of colconf's own corpora are the same on each day. Generated files are new
each day: their seed is the date, unless `--seed` names another.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from corpora import own_cases
from corpora.build.formats import FORMATS
from corpora.cases import load
from corpora.importers import Imported
from harness.commands.run_options import not_installed
from harness.runs.pipeline.context import Generate
from harness.runs.pipeline.profiles import PROFILES, Mixture

_SOURCES = ("files", "tables", "generate", "write_generated", "time_budget", "case")


class Sample(NamedTuple):
    """The files of a run: imported cases and generated files; one in `tables` tables is written."""

    formats: tuple[str, ...]
    imported: Imported
    generate: Generate | None
    tables: int


def with_seed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with the seed of the day, if the run is a sample and no seed was given."""
    if _mixture(options) is None or options["seed"] is not None:
        return dict(options)
    return {**options, "seed": int(f"{dt.datetime.now().astimezone():%Y%m%d}")}


def sample(options: Mapping[str, Any]) -> Sample | None:
    """Return the files of a sample, None if the options name other files."""
    mixture = _mixture(options)
    if mixture is None:
        return None
    formats = tuple(name for name in FORMATS if not options["format_"] or name in options["format_"])
    cases = tuple(
        load(record) for name in formats for record in _share(own_cases.folder() / name, mixture.cases)
    )
    generate = None if not_installed() else Generate(mixture.generated, options["seed"], formats=formats)
    return Sample(formats, Imported(cases, ()), generate, mixture.tables)


def _mixture(options: Mapping[str, Any]) -> Mixture | None:
    is_free = not any(options[name] for name in _SOURCES)
    return PROFILES[options["profile"]].mixture if is_free else None


def _share(folder: Path, count: int) -> list[Path]:
    """Return so many cases of a corpus, which digests of their names choose: the same on every machine."""

    def digest(file: Path) -> bytes:
        return hashlib.sha256(file.relative_to(folder).as_posix().encode()).digest()

    return sorted(sorted(folder.rglob("*.json"), key=digest)[:count])
