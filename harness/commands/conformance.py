"""`colconf engines check`: whether a reader speaks the protocol."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import click

from harness.children.connection import Limits
from harness.commands.parameters import Seconds, Size, problems
from harness.engines.naming import parse
from harness.investigate.conformance.report import Result, results
from harness.listings.text import show_line
from harness.problem import Problem

_SECONDS = 30.0


@click.command()
@click.argument("manifest", metavar="FILE.toml")
@click.option(
    "--seconds",
    type=Seconds(),
    default=_SECONDS,
    show_default=True,
    help="Time limit of a request, in seconds.",
)
@click.option(
    "--memory-limit", type=Size(), default=2 << 30, metavar="SIZE", help="Memory limit; default: 2G."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check(ctx: click.Context, /, *, manifest: str, seconds: float, memory_limit: int, as_json: bool) -> None:
    """Check that the reader of a manifest speaks the protocol (docs/protocol.md).

    The reader is started some fifteen times per format. Each failure is printed with a line on how to fix it.

    Exit status: 0 all checks pass; 1 a check fails; 2 the manifest cannot be used.
    """
    limits = Limits(start_seconds=max(seconds, 60.0), seconds=seconds, memory_bytes=memory_limit)
    with problems(manifest), tempfile.TemporaryDirectory(prefix="colconf-check-") as folder:
        engine = parse(manifest)
        if engine.entry.foreign is None:
            raise Problem(f"{engine.name} is an engine of colconf; give the manifest of a reader")
        done = []
        for result in results(engine.entry, limits, Path(folder)):
            done.append(result)
            if not as_json:
                _show(result)
    failed = [result for result in done if result.mend]
    if as_json:
        checks = [{**result._asdict(), "ok": not result.mend} for result in done]
        click.echo(json.dumps({"engine": engine.name, "passes": not failed, "checks": checks}, indent=2))
    elif failed:
        click.echo(f"{engine.name}: {len(failed)} of {len(done)} checks fail")
    else:
        click.echo(f"{engine.name}: all {len(done)} checks pass")
    ctx.exit(1 if failed else 0)


def _show(result: Result) -> None:
    show_line(f"{'fails' if result.mend else 'ok   '}  {result.format:<7}  {result.name:<12}  {result.text}")
    if result.mend:
        show_line(f"{'':16}{'':14}→ {result.mend}")
