"""`colconf corpus release` and `corpus fetch`: the corpora as one archive, for projects without Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from corpora import released
from corpora.files import digest as digest_of_file
from harness.commands.parameters import problems
from harness.commands.web import SCHEMES, copy
from harness.problem import Problem
from harness.version import __version__

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = {"README.md": "docs/cases.md", "LICENSE": "LICENSE"}  # as in a checkout
_PATH = click.Path(path_type=Path)
_MOST_BYTES = 1 << 28  # of an archive


@click.command()
@click.option("--out", type=_PATH, required=True, metavar="DIR", help="Output folder.")
@click.option("--version", "version", default=__version__, show_default=True, help="Version of the archive.")
@click.option(
    "--since",
    type=_PATH,
    metavar="ARCHIVE",
    help="Archive of an earlier version, whose differences CHANGES.md lists.",
)
def release(out: Path, version: str, since: Path | None) -> None:
    """Write the corpora as one archive, whose bytes are reproducible.

    It holds all cases with their files, rules and features as JSON, a JSON Schema of a case, readers in
    JavaScript and Java, a changelog by case, and a manifest with the digest of each file (docs/cases.md).
    """
    pages = {name: _ROOT / path for name, path in _PAGES.items()}
    if missing := [path for path in pages.values() if not path.exists()]:
        raise Problem(f"{missing[0]}: not there; make the archive in a checkout of colconf")
    with problems():
        texts = {name: path.read_text("utf-8") for name, path in pages.items()}
        archive = released.release(out, version, texts, since=since)
        click.echo(f"{digest_of_file(archive)}  {archive}")


@click.command()
@click.argument("version")
@click.option(
    "--from",
    "source",
    required=True,
    metavar="PATH|URL",
    help="Folder or URL that holds the archives, or an archive.",
)
@click.option("--out", type=_PATH, required=True, metavar="DIR", help="New folder for the corpora.")
@click.option("--sha256", metavar="HEX", help="Digest of the archive, which is checked first.")
def fetch(version: str, source: str, out: Path, sha256: str | None) -> None:
    """Unpack the archive of a VERSION of the corpora, and check every file against its manifest."""
    name = f"{released.name_of(version)}.tar.gz"
    with problems(), _local(source, name) as archive:
        if sha256 and (digest := digest_of_file(archive)) != sha256.lower():
            raise Problem(f"{archive.name}: its SHA-256 is {digest}, not {sha256:.64}")
        count = released.fetch(archive, out)
    click.echo(f"{count:,} cases in {out}", err=True)


@contextmanager
def _local(source: str, name: str) -> Iterator[Path]:
    """Yield the archive of this name as a local file; raises OSError."""
    if not source.startswith(SCHEMES):
        path = Path(source)
        yield path / name if path.is_dir() else path
        return
    url = source if source.endswith(".tar.gz") else f"{source.rstrip('/')}/{name}"
    with TemporaryDirectory(prefix="colconf-fetch-") as folder:
        local = Path(folder, name)
        with local.open("wb") as out:
            copy(url, out, _MOST_BYTES)
        yield local
