"""`colconf engines control`: what each version of an engine can be asked, by the control set."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from corpora.build.control.controls import READ
from corpora.files import write_whole
from corpora.formats import ORC, PARQUET
from harness.children.connection import Limits
from harness.commands.parameters import problems
from harness.engines.naming import parse
from harness.engines.registry import ENGINES
from harness.environments import store
from harness.environments.availability import status, status_of
from harness.judging import control as judging
from harness.judging.control_answers import (
    ANSWERED,
    FAILED,
    LACKED,
    NOT_ASKED,
    STATES,
    Answer,
    Answers,
    described,
)
from harness.listings.text import say
from harness.problem import Problem
from harness.runs.pipeline.selection import select

BEGIN, END = "<!-- control: begin -->\n", "<!-- control: end -->\n"
_ROW = re.compile(r"\| `(?P<engine>[^@`]+)@(?P<version>[^`]+)` \| (?P<format>\w+) \|")
_SECONDS = 60.0
_NOTHING_WRONG, _SOMETHING = 0, 1
_MANY = 6  # types: of more, their number stands in the table


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME[@VERSION]...]")
@click.option("--anew", is_flag=True, help="Run all tests again, including those with a cached result.")
@click.option("--write", metavar="FILE", help="Write the rows into the table of this Markdown file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def control(
    ctx: click.Context, /, *, names: tuple[str, ...], anew: bool, write: str | None, as_json: bool
) -> None:
    """Test engines with trivial files (the control set), and list what cannot be tested with each version.

    Without names, all installed engines and versions are tested. With --write, rows of other versions stay
    in the table of the file.

    Exit status: 0 each result is right, or the engine lacks the feature; 1 the engine failed, or colconf
    cannot run a test with it; 2 error.
    """
    head, old, tail = _page(Path(write)) if write else ("", "", "")
    answers: list[Answers] = []
    for name in names or _installed():
        answers += answers_of(name, anew=anew)
    if write:
        with problems():
            write_whole(Path(write), f"{head}{BEGIN}\n{table(answers, old)}\n{END}{tail}")
    if as_json:
        click.echo(json.dumps([each.to_json() for each in answers], indent=2))
    elif not write:
        click.echo(table(answers), nl=False)
    states = {answer.state for each in answers for answer in each.answers}
    ctx.exit(_SOMETHING if states & {FAILED, NOT_ASKED} else _NOTHING_WRONG)


def answers_of(name: str, *, anew: bool = False) -> list[Answers]:
    """Return the answers of an engine to the control set, by format and configuration; raises Problem."""
    with problems():
        process = select([name], (PARQUET, ORC), every_switch=False, probed=True).processes[0]
    answers = [
        each
        for format_ in process.formats
        for each in judging.ask(process, format_, Limits(seconds=_SECONDS), say, anew=anew)
    ]
    if not answers and ENGINES[process.name].packages:
        raise Problem(f"{process.key} does not start; see `colconf doctor`")
    return answers


def sentence(answers: Sequence[Answers]) -> str:
    """Return one line about the results of a version: counts, and the tests that it does not support."""
    counts = Counter(answer.state for each in answers for answer in each.answers)
    text = ", ".join(f"{counts[state]:,} {state.replace('_', ' ')}" for state in STATES if counts[state])
    missing = list(dict.fromkeys(described(barred) for each in answers for barred in each.barred()))
    return f"trivial files and queries: {text}" + (f" ({'; '.join(missing)})" if missing else "")


def table(answers: Iterable[Answers], old: str = "") -> str:
    """Return a table of engines' versions and their answers, as Markdown; only of default configurations.

    Rows of `old`, such a table, stay if they are of other versions or formats.
    """
    rows = {_place(line): line for line in old.splitlines() if _ROW.match(line)}
    new = (f"| {' | '.join(_cells(each))} |" for each in answers if not each.config)
    rows |= {_place(line): line for line in new}
    head = ["| engine | format | answered | lacks | fails | cannot be asked |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *(rows[place] for place in sorted(rows))]) + "\n"


def _place(row: str) -> tuple[int, str, tuple[int, ...], str]:
    """Return what rows are sorted by: the engine, as the registry lists them, its version, and the format."""
    match = _ROW.match(row)
    assert match is not None
    engine, version, format_ = match.groups()
    numbers = tuple(map(int, re.findall(r"\d+", version)))
    engines = list(ENGINES)
    return engines.index(engine) if engine in engines else len(engines), engine, numbers, format_


def _cells(each: Answers) -> Iterator[str]:
    count = sum(answer.state == ANSWERED for answer in each.answers)
    yield f"`{each.engine}@{each.version}`"
    yield each.format
    yield f"{count:,} of {len(each.answers):,}"
    for state in (LACKED, FAILED, NOT_ASKED):
        yield _listed(each.answers, state)


def _listed(answers: Sequence[Answer], state: str) -> str:
    """Return the questions with a state: files that cannot be read, and types by the kind of query."""
    files = [answer.control for answer in answers if answer.state == state and answer.question == READ]
    unread = {answer.control for answer in answers if answer.question == READ and answer.state != ANSWERED}
    by_question: dict[str, dict[str, None]] = {}
    for answer in answers:
        if answer.state == state and answer.question != READ and answer.control not in unread:
            by_question.setdefault(answer.question, {})[answer.subject] = None
    every = sum(answer.question == READ for answer in answers)
    texts = [f"reading {'any file' if len(files) == every else ', '.join(files)}"] if files else []
    for question, subjects in by_question.items():
        of_types = list(filter(None, subjects))
        text = f"{len(of_types)} types" if len(of_types) > _MANY else ", ".join(of_types)
        texts.append(f"{question} of {text}" if text else question)
    return "; ".join(texts)


def _installed() -> list[str]:
    """Return the names of all engines and versions that can be asked, by the registry's order."""
    names = []
    for entry in ENGINES.values():
        if not entry.packages:
            continue
        home = store.home(entry).name
        others = [f"{entry.name}@{each.version}" for each in store.environments() if each.name == home]
        names += [name for name in others if status_of(parse(name)).available]
        if status(entry).available:
            names.append(entry.name)
    return names


def _page(file: Path) -> tuple[str, str, str]:
    """Return the text of a page before its table, the table, and the text after it.

    Raises Problem if the page has no place for one.
    """
    with problems(file):
        text = file.read_text("utf-8")
    head, begin, rest = text.partition(BEGIN)
    old, end, tail = rest.partition(END)
    if not begin or not end:
        marks = f"{BEGIN.strip()} and {END.strip()}"
        raise Problem(f"{file}: lacks the marker lines {marks}, between which the table goes")
    return head, old, tail
