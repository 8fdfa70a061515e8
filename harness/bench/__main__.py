"""`python -m harness.bench [PART]…`: ratios of one run (`tox -e bench`)."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click

from harness.bench import decode, folders, fuzzing, growth, java, overhead, page, sheets
from harness.bench.ratio import Ratio


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(tuple(page.TEXTS)))
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option(
    "--cases",
    multiple=True,
    type=int,
    default=growth.CASES,
    show_default=True,
    help="Cases of growth; repeatable.",
)
@click.option(
    "--files",
    type=click.IntRange(min=1),
    default=java.FILES,
    show_default=True,
    help="Generated files of each format for java.",
)
@click.option("--master", default="", help="Spark master of growth; default: no Spark.")
@click.option(
    "--scale",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Markdown file to write the figures of growth to, with a chart beside it.",
)
@click.option(
    "--page",
    "page_",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Markdown file to write the figures to after each part, beside printing them.",
)
def main(
    parts: tuple[str, ...],
    *,
    as_json: bool,
    cases: tuple[int, ...],
    files: int,
    master: str,
    scale: Path | None,
    page_: Path | None,
) -> None:
    """Time PARTS (default: all) and print each ratio beside its target."""
    measured: dict[str, tuple[list[Ratio], float]] = {}
    before = page_.read_text("utf-8") if page_ and page_.is_file() else ""
    with tempfile.TemporaryDirectory(prefix="colconf-bench-") as name:
        folder = Path(name)
        for part in parts or page.TEXTS:
            click.echo(f"timing {part} …", err=True)
            begin = time.monotonic()
            ratios = list(_ratios(part, folder, cases, files, master, scale))
            measured[part] = ratios, time.monotonic() - begin
            if page_:  # after each part: what is measured stays, whatever ends the process
                page_.write_text(page.render(measured, before), "utf-8")
    every = [ratio for ratios, _ in measured.values() for ratio in ratios]
    if as_json:
        keys = [{**vars(ratio), "ratio": ratio.value} for ratio in every]
        click.echo(json.dumps(keys, indent=2, ensure_ascii=False))
    else:
        for ratio in every:
            click.echo(ratio.line())


def _ratios(  # noqa: PLR0917 - a part, and the options of all parts
    part: str, folder: Path, cases: tuple[int, ...], files: int, master: str, scale: Path | None
) -> Iterator[Ratio]:
    """Yield the ratios of a part."""
    if part == "decode":
        yield from decode.ratios(folder)
    elif part == "sheets":
        yield from sheets.ratios(folder)
    elif part == "java":
        yield from java.ratios(folder, files)
    elif part == "tables":
        yield from folders.ratios(folder)
    elif part == "fuzz":
        yield from fuzzing.ratios(folder)
    elif part == "growth":
        yield from growth.ratios(folder, cases, master, scale)
    else:
        for format_, small in _files().items():
            yield from overhead.ratios(folder, small, format_)


def _files() -> dict[str, list[Path]]:
    """Return the small files of apache/parquet-testing and of apache/orc; exit status 2 without any."""
    by_format = {}
    if root := os.environ.get("PARQUET_TEST_DATA"):
        some = [*Path(root, "data").glob("*.parquet"), *Path(root, "shredded_variant").glob("*.parquet")]
        # Two strings of 1 GiB each would dominate the time.
        by_format["parquet"] = sorted(path for path in some if not path.name.startswith("large_string_map"))
    if root := os.environ.get("ORC_TEST_DATA"):
        # Two million rows of few words would dominate the time; an empty file has no format.
        wanted = [path for path in Path(root).glob("*.orc") if path.stat().st_size]
        by_format["orc"] = sorted(path for path in wanted if not path.name.startswith("demo-"))
    if not by_format:
        message = (
            "set PARQUET_TEST_DATA to a checkout of apache/parquet-testing, ORC_TEST_DATA to apache/orc's"
        )
        click.echo(f"bench: {message} examples", err=True)
        sys.exit(2)
    return by_format


if __name__ == "__main__":
    main()
