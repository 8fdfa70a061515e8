"""Types and helpers for parameters of several commands."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import click

from corpora.build.questions.budget import ALL
from corpora.cases import FORMATS
from corpora.keys import KeysError
from corpora.problem import UserError
from harness.engines.naming import NamingError
from harness.problem import Problem
from harness.runs.pipeline.errors import explained

Command = Callable[..., Any]
ALLOW_OUTSIDE = "Let a case's JSON name a file anywhere, not only below the folder of the JSON."
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Seconds(click.FloatRange):
    """A number of seconds: more than 0, or as many as `least`."""

    def __init__(self, least: float | None = None) -> None:
        super().__init__(least or 0, min_open=least is None)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):  # it is in each range
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return seconds


class Size(click.ParamType[int]):
    """A number of bytes, such as 800M or 4GiB; K, M, G and T are powers of 1024."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return bytes."""
        text = str(value).strip().upper().removesuffix("B").removesuffix("I")
        number, unit = (text[:-1], text[-1:]) if text[-1:] in _UNITS else (text, "")
        try:
            size = int(float(number) * _UNITS[unit])
        except (ValueError, OverflowError):
            size = 0
        if size <= 0:
            self.fail(f"{value!r} is not a size such as 800M or 4G", param, ctx)
        return size


class Queries(click.ParamType[int]):
    """A number of queries, or `none` or `all`."""

    name = "N|none|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of queries, at most ALL."""
        text = str(value)
        if text in {"none", "all"}:
            return ALL if text == "all" else 0
        if not text.isascii() or not text.isdigit():
            mend = "--query takes SQL, and --query-file a file of it"
            self.fail(f"{value!r} is not a number of queries, none or all; {mend}", param, ctx)
        return min(int(text), ALL)


@contextmanager
def problems(about: object = "", *also: type[Exception]) -> Iterator[None]:
    """Raise a Problem in place of an error that the user can mend, one of `also`, and OSError.

    The message of an OSError begins with `about` or, without it, with the name of its file. BrokenPipeError
    passes.
    """
    mistakes: tuple[type[Exception], ...] = (UserError, NamingError, KeysError, *also)
    try:
        yield
    except mistakes as error:
        raise Problem(str(error)) from error
    except BrokenPipeError:
        raise  # of standard output, such as to `head`: no message
    except OSError as error:
        reason = f"{about}: {error.strerror or error}" if about else explained(error)
        raise Problem(reason) from error


def check_paths(files: Sequence[str], option: str = "--files") -> None:
    """Raise Problem if a path is empty, such as the value of an unset variable."""
    if not all(files):
        raise Problem(f"{option} with an empty path; is a shell variable unset?")


def spread(args: Sequence[str], option: str) -> list[str]:
    """Return `--files a b` as `--files a --files b`."""
    out: list[str] = []
    inside = False
    for arg in args:
        if arg.startswith("-"):
            inside = arg == option
        elif inside and out[-1] != option:
            out.append(option)
        out.append(arg)
    return out


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return the decorator that adds options to a command, in this order."""
    return lambda command: reduce(lambda added, option: option(added), reversed(options), command)


def time_limit_option(seconds: float, text: str) -> Callable[[Command], Command]:
    """Return the option `--time-limit` of a command; `text` is its help."""
    return click.option(
        "--time-limit", type=Seconds(), default=seconds, show_default=True, metavar="SECONDS", help=text
    )


def formats_option(text: str) -> Callable[[Command], Command]:
    """Return the option `--format`, which can be repeated, of a command; `text` is its help."""
    return click.option("--format", "formats", multiple=True, type=click.Choice(FORMATS), help=text)


def known_option(command: Command) -> Command:
    """Add the option of the folder of known failures to a command."""
    folder = click.Path(path_type=Path, file_okay=False)
    text = "Folder of known failures; default: corpora/known."
    return click.option("--known", "folder", type=folder, help=text)(command)
