"""`colconf corpus written`: the files that releases of engines wrote, as a corpus."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from corpora.cases import FORMATS
from harness.children.limits import Limits
from harness.commands.parameters import Seconds, formats_option, problems
from harness.investigate import written as written_corpus
from harness.judging.bench import BenchError
from harness.runs.pipeline.context import WriteDrawn


@click.command()
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="NAME[@VERSION]",
    help="Engine that writes, of the installed or of another version; repeatable.",
)
@click.option(
    "--releases",
    is_flag=True,
    help="Have a list of releases write (since 2021; none of Spark), and compare with checked-in digests; "
    "instead of --engine, --tables, --seed and --digests.",
)
@formats_option("Write this format only; repeatable.")
@click.option(
    "--tables",
    type=click.IntRange(1),
    default=40,
    show_default=True,
    help="Tables of each engine and format.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Random seed of the tables."
)
@click.option(
    "--time-limit",
    type=Seconds(1),
    default=60.0,
    show_default=True,
    help="Seconds to write one table.",
)
@click.option(
    "--digests",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="digests.json of an earlier build, to compare the files with.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="Output folder.",
)
def written(  # noqa: PLR0917 - click names them all
    engines: tuple[str, ...],
    releases: bool,
    formats: tuple[str, ...],
    tables: int,
    seed: int,
    time_limit: float,
    digests: Path | None,
    out: Path,
) -> None:
    """Have releases of engines write generated tables, as a corpus that `colconf run --files DIR` reads.

    All releases of an engine write the same tables, under the options that they have. The same command
    continues an interrupted build, and adds further engines; `digests.json` has the digest of each file.

    Exit status 1 if a writer failed other than by a refusal, or if a file differs from `--digests`; with
    `--releases` if anything differs from the checked-in build. Encrypted files have other bytes each time.
    """
    if bool(engines) == releases:
        raise click.UsageError("one of --engine and --releases is required")
    with problems("", BenchError):
        drawn, digests = WriteDrawn(tables, seed), written_corpus.RELEASES if releases else digests
        wanted = None if digests is None else written_corpus.read_digests(digests)
        if releases and wanted is not None:
            wanted = {
                name: entry for name, entry in wanted.items() if name.split("/")[0] in (formats or FORMATS)
            }
            engines, drawn = written_corpus.engines_of(wanted), written_corpus.RELEASES_OF
        request = written_corpus.Request(out, engines, formats or FORMATS, drawn, Limits(seconds=time_limit))
        failed = 0
        for counted in written_corpus.build(request):
            failed += counted.failed
            there = f"{counted.written} written, {counted.there} there already"
            rest = f"{counted.refused} refused, {counted.failed} failed"
            click.echo(f"{counted.writer} {counted.format}: {there}, {rest}")
        entries = written_corpus.read_digests(out / written_corpus.DIGESTS)
        for name, entry in sorted(entries.items()):
            if "failed" in entry:
                click.echo(f"{name}: {entry['failed']}", err=True)
        lines = [] if wanted is None else list(written_corpus.differences(entries, wanted))
        for line in lines:
            click.echo(line, err=True)
    if lines or (failed and not releases):  # what fails as it did is no difference
        sys.exit(1)
