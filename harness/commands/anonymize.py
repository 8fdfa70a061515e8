"""`colconf anonymize`: write a file with other names and values that shows the same finding."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path
from random import Random

import click

from corpora.build.evolution.importing import import_tables
from corpora.cases import Case, dump
from corpora.folders import digest_of, files_of, hidden_in, size_of
from harness.children.connection import Limits
from harness.children.scratch import scratch_folder
from harness.commands.parameters import problems
from harness.investigate.anonymize.cases import anonymized, prove
from harness.investigate.findings.folders import REPLIES
from harness.investigate.findings.rejudge import queried
from harness.investigate.findings.replay import Again, named
from harness.listings.text import show_line
from harness.problem import Problem
from reference_impl.errors import ReferenceError_

_SECONDS = 120.0


@click.command()
@click.argument("file", metavar="[FILE|FOLDER|ID|CASE]", required=False)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Output file.")
@click.option(
    "--engine",
    multiple=True,
    metavar="NAME[@VERSION][:SWITCHES]",
    help="Check that this engine still fails; repeatable.",
)
@click.option("--finding", metavar="FOLDER|ID", help="Check that this finding still shows.")
@click.option(
    "--seed",
    type=int,
    help="Random seed: the same seed gives the same output. Whoever knows the seed can guess values.",
)
def anonymize(
    *, file: str | None, out: Path, engine: tuple[str, ...], finding: str | None, seed: int | None
) -> None:
    """Rewrite a Parquet or ORC file, or a folder that is a table, with other names and values.

    The properties that make readers fail stay: encodings, pages, levels, dictionary indices, streams and
    runs, the order of values and bounds, zeros, NaN, empty values, lengths, and the name of the writer.
    Values of key-value metadata are removed. harness/investigate/anonymize/README.md lists what remains of
    values. The case of the new file, or of a folder that is read in one way, is written to OUT.json. In a
    folder, equal values of a column stay equal in all files and in the names of partition folders; files stay
    in their folders, under other names.

    With --finding or --engine, both files are judged and the output lists which findings still show. FILE
    defaults to the file of the finding.

    Exit status: 0 written, and every checked finding still shows; 1 written, but a finding is lost; 2 error.
    """
    temporary = scratch_folder()
    with problems("", ReferenceError_), temporary as scratch:
        subjects = _subjects(file, finding, engine, scratch)
        again = subjects[0]
        random = Random(secrets.randbits(128) if seed is None else seed)  # noqa: S311 - seeded by the system
        new = anonymized([each.case for each in subjects], out, random)
        if len(new) == 1:  # other reads of a folder follow from its files
            dump(new[0], out.with_name(f"{out.name}.json"))
        show_line(f"{out}: {size_of(out):,} bytes, from {size_of(again.case.file):,}")
        if left_out := _files(again.case.file) - _files(out):
            show_line(f"left out: {left_out:,} files of other formats")
        if again.case.file.is_dir() and (hidden := hidden_in(again.case.file)):
            show_line(f"left out: {len(hidden):,} hidden files, such as {hidden[0].name}")
        if not again.engines:
            return
        signature = again.entry.signature if again.entry else ""
        pairs = [(each.case, after) for each, after in zip(subjects, new, strict=True)]
        proof = prove(pairs, again.engines, Limits(seconds=_SECONDS), signature)
    for signature in sorted(proof.remaining):
        show_line(f"still shows: {signature}")
    for signature in sorted(proof.lost):
        show_line(f"no longer shows: {signature}")
    if not proof.remaining and not proof.lost:
        click.echo(
            "these engines read the old file without a finding: nothing to check; if they disagree about it, "
            "name more of them, as it takes two lineages or a clause to blame one"
        )
    click.get_current_context().exit(0 if proof.holds else 1)


def _reads(folder: str) -> tuple[Case, ...]:
    """Return the reads of a folder; raises Problem if no specification says what any of them returns."""
    imported = import_tables([folder])
    if not imported.cases:
        skipped = next(iter(imported.skipped), None)
        raise Problem(f"{folder}: {skipped.reason if skipped else 'there is no table'}")
    if len({case.file for case in imported.cases}) > 1:
        raise Problem(f"{folder}: cases of several tables; name one of them")
    return imported.cases


def _files(path: Path) -> int:
    return sum(1 for _ in files_of(path)) if path.is_dir() else 1


def _subjects(file: str | None, finding: str | None, engine: tuple[str, ...], scratch: Path) -> list[Again]:
    """Return the cases to anonymize: one, or the reads of a folder.

    Raises Problem if the file does not belong to the finding.
    """
    if not finding:
        if not file:
            raise Problem("a file or --finding is required")
        if Path(file).is_dir() and not (Path(file) / REPLIES).is_file():
            subjects = [Again(case, engine) for case in _reads(file)]
        else:
            subjects = [named(file, engine, "parquet", scratch)]
        limits = Limits(seconds=_SECONDS)
        return [replace(each, case=queried(each.case, limits)) for each in subjects] if engine else subjects
    again = named(finding, engine, "parquet", scratch)
    if file and digest_of(Path(file)) != again.case.sha256:
        raise Problem(
            f"{file} is not the file of {finding}; run `colconf run --files` for a finding of its own"
        )
    return [again]
