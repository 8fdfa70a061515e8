"""`colconf engines new`: write a skeleton of a program that implements the protocol."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import click

from harness.commands.parameters import problems
from harness.engines.manifest import NAME
from harness.engines.registry import ENGINES
from harness.problem import Problem

TEMPLATES = Path(__file__).parents[1] / "engines" / "skeletons"
_PYTHON = ".in"  # what Python files of a skeleton end with: they are no modules of ours
_README = "README.md"
_NO_QUERIES = """\
The program answers no queries: its description has no `ops`, and it says `unsupported` of the op `query`. The
skeleton in Python (`colconf engines new --language python`) shows how to answer filters."""
_FILTERS = """\
`query` of `reader.py` answers filters that compare columns with constants, joined with AND, OR and NOT, and
says `unsupported` of others; `filters.py` evaluates them."""


class Skeleton(NamedTuple):
    """The README's text about a language, and the command that builds the program; "" for none."""

    title: str
    build: str
    reader: str
    library: str
    queries: str = _NO_QUERIES


SKELETONS = {
    "rust": Skeleton("Rust", "cargo build --release", "src/main.rs", "src/colconf.rs"),
    "go": Skeleton("Go", "go build -o my_reader .", "main.go", "colconf.go"),
    "java": Skeleton("Java", "make", "Reader.java", "Colconf.java"),
    "js": Skeleton("JavaScript", "", "reader.mjs", "colconf.mjs"),
    "python": Skeleton("Python", "", "reader.py", "colconf.py", _FILTERS),
    "r": Skeleton("R", "", "reader.R", "colconf.R"),
}


@click.command("new")
@click.option(
    "--language", required=True, type=click.Choice(tuple(SKELETONS)), help="Language of the program."
)
@click.option("--name", help="Name of the engine; default: the name of DIR.")
@click.argument("folder", metavar="DIR")
def new(*, language: str, name: str | None, folder: str) -> None:
    """Write a small reader that implements colconf's protocol to DIR, as a skeleton for your own reader.

    DIR must be empty, or not exist yet.

    Exit status: 0 the program is written; 2 error.
    """
    target = Path(folder)
    engine = _checked(name) if name is not None else _name_of(target)
    with problems(folder):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise Problem(f"{folder}: not an empty folder")
        for path, text in rendered(language, engine).items():
            file = target / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    manifest = f"./{_dashed(engine)}.toml"
    build = SKELETONS[language].build.replace("my_reader", engine)
    click.echo(f"{engine}: written to {folder}. Next:")
    click.echo(f"  cd {shlex.quote(folder)}" + (f" && {build}" if build else ""))
    click.echo(f"  colconf engines check {manifest}")
    click.echo(f"  colconf run --engine {manifest} --engine reference --generate 200")


def rendered(language: str, engine: str) -> dict[str, str]:
    """Return the files of a skeleton by their paths in its folder, for an engine of a name."""
    skeleton, root = SKELETONS[language], TEMPLATES / language
    files = {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
    readme = (TEMPLATES / _README).read_text("utf-8")
    replaced = {
        "LANGUAGE": skeleton.title,
        "BUILD\n": f"{skeleton.build}\n" if skeleton.build else "",
        "`READER`": f"`{skeleton.reader}`",
        "`LIBRARY`": f"`{skeleton.library}`",
        "QUERIES\n": f"{skeleton.queries}\n",
    }
    for token, text in replaced.items():
        readme = readme.replace(token, text)
    files[_README] = readme
    return {_named(path.removesuffix(_PYTHON), engine): _named(text, engine) for path, text in files.items()}


def _named(text: str, engine: str) -> str:
    """Return a text with the name of the engine in place of the templates'."""
    dashed = _dashed(engine)
    dotted = dashed.replace("-", ".")
    return text.replace("my_reader", engine).replace("my-reader", dashed).replace("my.reader", dotted)


def _dashed(engine: str) -> str:
    return engine.replace("_", "-")


def _name_of(folder: Path) -> str:
    """Return a name that is like a folder's; raises Problem."""
    name = re.sub(r"[^a-z0-9]+", "_", folder.resolve().name.lower()).strip("_")
    if not NAME.fullmatch(name):
        raise Problem(f"{folder}: cannot be turned into a name of an engine; give --name")
    return _checked(name)


def _checked(name: str) -> str:
    """Return the name; raises Problem if a manifest cannot have it."""
    if not NAME.fullmatch(name):
        raise Problem(f"{name}: not a name such as my_reader, of at most 40 small letters, digits and _")
    if name in ENGINES and ENGINES[name].foreign is None:
        raise Problem(f"{name}: is the name of one of colconf's own engines")
    return name
