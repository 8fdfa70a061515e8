"""The command `colconf`: its subcommands are the entry points of the group `colconf.commands`.

Exit status: 0 no findings; 1 findings; 2 an error in arguments, configuration or environment, or a run in
which nothing ran; 130 interrupted; 143 and 129 ended by SIGTERM and SIGHUP. An error is one line on standard
error.
"""

from __future__ import annotations

import io
import re
import signal
import sys
import threading
import tomllib
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from types import FrameType
from typing import Any

import click

from harness.children.garbage import collect_seldom
from harness.engines.installed import entry_points
from harness.engines.registry import ManifestError, discover
from harness.listings.examples import EXAMPLES, FIRST
from harness.listings.text import block, show_line
from harness.problem import INTERRUPTED, USAGE, Problem
from harness.version import __version__

GROUP = "colconf.commands"
CHECKOUT = Path(__file__).resolve().parents[1] / "pyproject.toml"
# A group without a command; since click 8.2.
_NO_ARGUMENTS: tuple[type[click.UsageError], ...] = tuple(
    filter(None, [getattr(click.exceptions, "NoArgsIsHelpError", None)])
)


# Commands of one's own project. Others read what somebody may have sent, perhaps in the current folder.
OF_PROJECT = frozenset({"doctor", "engines", "fuzz", "list", "run", "upgrade"})
_ARGUMENTS = "colconf.arguments"


class ClosedPipeError(Exception):
    """Who read standard output has closed it."""


class Commands(click.Group):
    """The installed commands; a command that cannot be loaded does not affect the others."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; raises ClosedPipeError, where click would exit with the status of findings."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ClosedPipeError from error

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments of the command for `_named`."""
        ctx.meta[_ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the interface
        """Return the names of the commands."""
        return sorted({*self.commands, *(point.name for point in _points())})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or a stand-in with the reason why it cannot be loaded; None if it is unknown."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        for point in _points():
            if point.name == cmd_name:
                return _with_examples(_load(point), cmd_name)
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name; raises UsageError, which says what is like it.

        While a shell completes a line (`resilient_parsing`), an unknown command is none.
        """
        if not ctx.resilient_parsing and _has_empty_argument(args):
            raise click.UsageError("an empty argument; is a shell variable unset?", ctx)
        name = args[0]
        is_option = ctx.resilient_parsing or name.startswith("-")
        if not is_option and self.get_command(ctx, name) is None:
            near = get_close_matches(name, self.list_commands(ctx), n=3, cutoff=0.5)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            if Path(name).exists():
                hint = f"; to have engines read it: colconf run --files {name}"
            raise click.UsageError(f"no such command: {name!r:.80}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, first those that newcomers need."""
        names = self.list_commands(ctx)
        begin = [name for name in FIRST if name in names]
        for title, some in (
            ("Begin with", begin),
            ("Further commands", [n for n in names if n not in begin]),
        ):
            commands = [(name, self.get_command(ctx, name)) for name in some]
            lines = [(name, command.get_short_help_str(60)) for name, command in commands if command]
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)


def _has_empty_argument(args: list[str]) -> bool:
    """Return whether an argument that is no option's value is empty: as a path, it would be this folder."""
    before = ["--", *args]
    return any(
        not arg and (previous == "--" or not previous.startswith("-"))
        for previous, arg in zip(before, args, strict=False)
    )


def _points() -> list[EntryPoint]:
    """Return the entry points of commands, those of a checkout even if it was installed without them."""
    installed = list(entry_points(group=GROUP))
    names = {point.name for point in installed}
    return installed + [point for point in _of_checkout(CHECKOUT) if point.name not in names]


@cache
def _of_checkout(project: Path) -> list[EntryPoint]:
    """Return the commands that a checkout's `pyproject.toml` declares, none of an installed wheel."""
    try:
        declared = tomllib.loads(project.read_text("utf-8"))["project"]["entry-points"][GROUP]
    except (OSError, ValueError, KeyError):
        return []
    return [EntryPoint(name, value, GROUP) for name, value in declared.items()]


def _with_examples(command: click.Command, name: str) -> click.Command:
    """Return a command whose help, and that of its subcommands, ends with examples."""
    if name in EXAMPLES and not command.epilog:
        lines = "\n".join(f"  {example}" for example in EXAMPLES[name])
        command.epilog = f"\b\nExamples:\n{lines}"
    for below, of_group in command.commands.items() if isinstance(command, click.Group) else ():
        _with_examples(of_group, f"{name} {below}")
    return command


def _load(point: EntryPoint) -> click.Command:
    try:
        command = point.load()
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything on import
        return _broken(point, f"{type(error).__name__}: {_first_line(error)}")
    return command if isinstance(command, click.Command) else _broken(point, "not a click command")


def _broken(point: EntryPoint, why: str) -> click.Command:
    message = f"the command {point.name} ({point.value}) cannot be loaded: {why}"

    def refuse() -> None:
        raise Problem(message)

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(
        point.name,
        callback=refuse,
        short_help="(cannot be loaded)",
        context_settings=anything,
        add_help_option=False,
    )


@click.group(
    cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, "--version", prog_name="colconf", message="%(prog)s %(version)s")
@click.pass_context
def colconf(ctx: click.Context) -> None:
    """Test whether Parquet and ORC readers conform to the specification."""
    try:
        discover(Path.cwd(), None if ctx.invoked_subcommand in OF_PROJECT else _named(ctx.meta[_ARGUMENTS]))
    except ManifestError as error:
        raise Problem(str(error)) from error
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(USAGE)


def _named(arguments: Sequence[str]) -> set[str]:
    """Return the names of engines that the options of a command name."""
    pairs = zip(("", *arguments), arguments, strict=False)
    given = [now for before, now in pairs if before == "--engine"]
    given += [text.partition("=")[2] for text in arguments if text.startswith("--engine=")]
    return {re.split("[@:]", text, maxsplit=1)[0] for text in given}


class Signalled(KeyboardInterrupt):
    """A signal that asks this process to end; commands clean up as when they are interrupted."""


@contextmanager
def _handled() -> Iterator[list[int]]:
    """Have SIGTERM and SIGHUP end commands as SIGINT does; yield the list that gets the signal's number.

    A signal that is ignored (`nohup`) stays so; a second one ends the process at once.
    """
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received  # only the main thread gets signals
        return

    def end(number: int, _: FrameType | None) -> None:
        received.append(number)
        signal.signal(number, signal.SIG_DFL)
        raise Signalled

    ours = [
        number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL
    ]
    for number in ours:
        signal.signal(number, end)
    try:
        yield received
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    collect_seldom()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # values of files, where the encoding is ASCII
    with _handled() as received:
        status = _main(arguments)
    return 128 + received[0] if received else status


def _main(arguments: Sequence[str] | None) -> int:
    try:
        status = colconf.main(
            args=None if arguments is None else list(arguments), prog_name="colconf", standalone_mode=False
        )
    except _NO_ARGUMENTS as error:
        click.echo(error.ctx.get_help() if error.ctx else error.format_message(), err=True)
        return USAGE
    except click.ClickException as error:
        show_line(f"colconf: {_first_line(error.format_message())}{_hint(error)}", err=True)
        return error.exit_code if error.exit_code == INTERRUPTED else USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("colconf: interrupted", err=True)
        return INTERRUPTED
    except ClosedPipeError:
        sys.stderr.close()  # or Python prints a message about standard output at exit
        return USAGE
    except Exception:  # noqa: BLE001 - a bug of colconf is no finding: its status is not 1
        click.echo(block(traceback.format_exc(), None), nl=False, err=True)
        click.echo("colconf: this is a bug in colconf, please report it", err=True)
        return USAGE
    return status if isinstance(status, int) else 0


def _first_line(error: object) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "")


def _hint(error: click.ClickException) -> str:
    if isinstance(error, click.UsageError) and error.ctx is not None:
        options = {name for parameter in error.ctx.command.params for name in parameter.opts}
        if "unexpected extra argument" in error.message and "--files" in options:
            return f"; files are named by --files (see {error.ctx.command_path} --help)"
        return f" (see {error.ctx.command_path} --help)"
    return ""


if __name__ == "__main__":
    sys.exit(main())
