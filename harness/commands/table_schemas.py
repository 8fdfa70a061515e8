"""`--schema`: the schema that a user declares for a folder of `--tables`, as the columns of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from corpora.build.evolution.own import columns_of
from corpora.build.reading import open_file
from corpora.files import check_regular
from corpora.tagged import Field
from harness.formats import format_of
from harness.problem import Problem
from reference_impl.errors import ReferenceError_

schema_option = click.option(
    "--schema",
    multiple=True,
    metavar="[DIR=]FILE",
    help="Parquet or ORC file whose columns are the declared schema of the folder DIR of --tables, which is "
    "read with it, too; repeatable. DIR may be left out if --tables has one folder.",
)


def by_folder(given: Sequence[str], folders: Sequence[str]) -> dict[str, str]:
    """Return the files of `--schema` by the folders of `--tables`; raises Problem."""
    files: dict[str, str] = {}
    for text in given:
        folder = next((each for each in folders if text.startswith(f"{each}=")), None)
        if folder is None and len(folders) != 1:
            wanted = "DIR=FILE, where DIR is one of them as given" if folders else "a folder"
            raise Problem(f"--schema {text}: --tables has {len(folders):,} folders; give {wanted}")
        file = text if folder is None else text.removeprefix(f"{folder}=")
        folder = folders[0] if folder is None else folder
        if folder in files:
            raise Problem(f"--schema {text}: {folder} has two schemas")
        files[folder] = file
    return files


def declared(given: Sequence[str], folders: Sequence[str]) -> dict[str, tuple[Field, ...]]:
    """Return the declared columns of folders; raises Problem."""
    return {folder: _columns(file) for folder, file in by_folder(given, folders).items()}


def _columns(file: str) -> tuple[Field, ...]:
    path = Path(file)
    try:
        check_regular(path)
        with path.open("rb") as opened:
            format_ = format_of(file, opened.read(4))
        columns = columns_of(open_file(file, format_.name))
    except OSError as error:
        raise Problem(f"--schema {file}: {error.strerror or error}") from error
    except ReferenceError_ as error:
        raise Problem(f"--schema {file}: the schema cannot be read: {error.message}") from error
    if not columns:
        raise Problem(f"--schema {file}: the file has no columns")
    return columns
