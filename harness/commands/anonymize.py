"""`colconf anonymize`: a file with other names and values that shows the same finding."""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path
from random import Random

import click

from corpora.cases import dump
from corpora.importers.files import digest
from harness.children.connection import Limits
from harness.commands.findings import MISTAKES
from harness.engines.naming import NamingError
from harness.investigate.anonymize.cases import anonymized, prove
from harness.investigate.findings.replay import Again, named
from harness.listings.text import show_line
from harness.problem import Problem
from reference_impl.errors import ReferenceError_

_SECONDS = 120.0


@click.command()
@click.argument("file", metavar="[FILE|FOLDER|ID|CASE]", required=False)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The new file.")
@click.option("--engine", multiple=True, metavar="NAME", help="Prove with this engine; repeatable.")
@click.option("--finding", metavar="FOLDER|ID", help="What must still show, with its engine and query.")
@click.option("--seed", type=int, help="The same file for the same seed; whoever knows it may guess values.")
def anonymize(
    *, file: str | None, out: Path, engine: tuple[str, ...], finding: str | None, seed: int | None
) -> None:
    """Write a Parquet or ORC file anew with other names and values.

    What makes a reader fail stays: encodings, pages, levels, indices of dictionaries, streams and runs, the
    order of values and bounds, zeros, NaN, empty values, lengths, who wrote it. Values of key-value metadata
    go. What stays of values is said in harness/investigate/anonymize/README.md.
    Beside the new file goes its case, OUT.json.

    With --finding or --engine both files are judged, and it is said whether the new one fails alike. A
    finding has its own file: FILE may then be left out.

    Exit status: 0 written, and it fails alike if that was asked; 1 written, but it does not; 2 not written.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="colconf-anonymize-") as scratch:
            again = _subject(file, finding, engine, Path(scratch))
            case = again.case
            random = Random(secrets.randbits(128) if seed is None else seed)  # noqa: S311 - seeded by the system
            new = anonymized(case, out, random)
            dump(new, out.with_name(f"{out.name}.json"))
            show_line(f"{out}: {out.stat().st_size:,} bytes, from {case.file.stat().st_size:,}")
            if not again.engines:
                return
            signature = again.entry.signature if again.entry else ""
            proof = prove(case, new, again.engines, Limits(seconds=_SECONDS), signature)
    except (*MISTAKES, NamingError, ReferenceError_) as error:
        raise Problem(str(error)) from error
    except OSError as error:
        raise Problem(f"{error.filename or out}: {error.strerror}") from error
    for signature in sorted(proof.kept):
        show_line(f"still shows: {signature}")
    for signature in sorted(proof.lost):
        show_line(f"shows no more: {signature}")
    if not proof.kept and not proof.lost:
        click.echo("the old file shows no problem with these engines: there is nothing to prove")
    click.get_current_context().exit(0 if proof.holds else 1)


def _subject(file: str | None, finding: str | None, engine: tuple[str, ...], scratch: Path) -> Again:
    """Return what is anonymized; raises Problem where a file is not that of the finding."""
    if not finding:
        if not file:
            raise Problem("give a file, or --finding")
        return named(file, engine, "parquet", scratch)
    again = named(finding, engine, "parquet", scratch)
    if file and digest(Path(file)) != again.case.sha256:
        raise Problem(
            f"{file} is not the file of {finding}: make its own finding first (`colconf run --files`)"
        )
    return again
