"""The schemas with which a table is read: those of its own history, and others that users request."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import takewhile

from corpora import tagged
from corpora.build.evolution.history import History
from corpora.build.evolution.members import Member, Schema, fields_of, ids_of
from corpora.build.evolution.steps import MOMENTS, can_widen, wider
from corpora.formats import ORC, PARQUET
from corpora.table_reads import BY_ID, BY_POSITION, CASELESS, CHAR, TableRead
from corpora.tagged import Field, Value

_NEVER = 9_999  # the id of a field that no file has
# The reads of which queries are asked, beside that of all columns, and how many of them of a table.
_QUERIED = {"schema-0", "missing", "missing-inside", "widened", "ids", "ids-renamed", "caseless"}
_QUERIED |= {"position", "file-name", "row-index"}
_OTHERS = 2
# Default values of columns by kind of type, and a length that no generated text exceeds.
_DEFAULTS: dict[str, Value] = {"int": "7", "string": "d\u00e9", "bool": True, "date": "18262", "decimal": "1"}
_LENGTH = 6


def reads(format_: str, history: History, rng: random.Random) -> Iterator[tuple[str, TableRead]]:
    """Yield reads by name; files of Parquet have field ids."""
    last = history.schemas[-1]
    read = partial(TableRead, partitions=history.partitions)
    for number, schema in enumerate(history.schemas):
        yield f"schema-{number}", read(fields_of(schema))
    yield "all", read(fields_of(_united(history)))
    some = rng.sample(last, rng.randrange(1, len(last) + 1))
    yield "some", read(fields_of(tuple(some)))
    yield "missing", read((*fields_of(last), Field("never", tagged.STRING)))
    yield "only-missing", read((Field("never", tagged.integer(32)),))
    yield "nothing", read(())
    if any(member.shape != "scalar" for member in last):
        yield "pruned", read(fields_of(tuple(_pruned(member, rng) for member in last)))
        yield "missing-inside", read(fields_of(tuple(map(_lacking, last))))
    widened = tuple(_widened(member, MOMENTS[format_], rng) for member in last)
    if widened != last:
        yield "widened", read(fields_of(widened))
    swapped = tuple(replace(member, name=member.name.swapcase()) for member in last)
    yield "caseless", read(fields_of(swapped), matching=CASELESS)
    if format_ == PARQUET:
        named = tuple(replace(member, name=f"new_{member.name}") for member in last)
        for name, schema in (("ids", last), ("ids-renamed", named)):
            ids = tuple(ids_of(schema).items())
            yield name, read(fields_of(schema), matching=BY_ID, ids=ids)
    for split in _splits(rng):
        yield f"split-{split}", read(fields_of(last), split_bytes=split)
    yield from _with_metadata(partial(read, fields_of(last)), split)
    if format_ == ORC:
        same = takewhile(_have_one_type, zip(*history.schemas, strict=False))
        if first := tuple(replace(members[-1], name=f"new_{members[-1].name}") for members in same):
            yield "position", read(fields_of(first), matching=BY_POSITION)
    yield from _declared(history, partial(read, fields_of(last)))
    yield from _listed(history)


def _declared(history: History, read: Callable[..., TableRead]) -> Iterator[tuple[str, TableRead]]:
    """Yield reads of columns with defaults, if all files have another column, and of padded text."""
    last = history.schemas[-1]
    there = [{member.name for member in schema} for schema in history.schemas]
    everywhere = set.intersection(*there)
    defaults = {member.name: _default(member) for member in last if member.name not in everywhere}
    listed = tuple((name, value) for name, value in defaults.items() if value is not None)
    if listed and everywhere:
        yield "defaults", read(defaults=listed)
    texts = [member.name for member in last if member.tagged() == tagged.STRING]
    if texts:
        yield "char", read(lengths=tuple((name, CHAR, _LENGTH) for name in texts))


def _listed(history: History) -> Iterator[tuple[str, TableRead]]:
    """Yield reads whose schema is that of all files, or whose files are chosen by more than their folder."""
    united, last = fields_of(_united(history)), fields_of(history.schemas[-1])
    yield "unified", TableRead(united, history.partitions, unified=True)
    if history.partitions:
        texts = tuple(Field(field.name, tagged.STRING) for field in history.partitions)
        yield "unified-text", TableRead(united, texts, unified=True)
        yield "recursive", TableRead(last, recursive=True)
    if common := _common(history):
        yield "common", TableRead(common[::-1], recursive=bool(history.partitions))
    yield "named", TableRead(last, history.partitions, name_pattern="part-?-0.*")


def _common(history: History) -> tuple[Field, ...]:
    """Return the columns that all files have with one type."""
    schemas = [fields_of(schema) for schema in history.schemas]
    return tuple(field for field in schemas[-1] if all(field in schema for schema in schemas))


def _default(member: Member) -> Value:
    """Return the default of a column; None for types that have none here."""
    if member.shape != "scalar" or (member.type.kind == "int" and not member.type.signed):
        return None
    return _DEFAULTS.get(member.type.kind)


def _with_metadata(read: Callable[..., TableRead], split: int) -> Iterator[tuple[str, TableRead]]:
    """Yield reads of columns that say where rows come from."""
    yield "file-name", read(metadata=("file_name",))
    yield "file-size", read(metadata=("file_name", "file_size", "block_start", "block_length"))
    yield "row-index", read(metadata=("file_name", "row_index"))
    yield "row-index-split", read(metadata=("row_index", "file_name"), split_bytes=split)


def _have_one_type(members: tuple[Member, ...]) -> bool:
    return len({member.tagged() for member in members}) == 1


def _splits(rng: random.Random) -> tuple[int, int]:
    """Return sizes of splits, in bytes: some that end within pages, and some of about a row group or stripe.

    Each is a task: smaller ones would make thousands of them, which read nothing.
    """
    return rng.randrange(40, 120), rng.randrange(120, 600)


def queried(
    named_reads: Iterable[tuple[str, TableRead]], rng: random.Random
) -> Iterator[tuple[str, TableRead]]:
    """Yield the reads of which queries are asked, a few of a table's: that of all columns, and others."""
    listed = dict(named_reads)
    others = sorted(_QUERIED & listed.keys())
    for name in ("all", *rng.sample(others, min(_OTHERS, len(others)))):
        yield f"queries-{name}", listed[name]


def _united(history: History) -> Schema:
    """Return the fields of all schemas by name, each as the latest schema has it."""
    united: dict[str, Member] = {}
    for schema in history.schemas:
        united |= {member.name: member for member in schema}
    return tuple(united.values())


def _pruned(member: Member, rng: random.Random) -> Member:
    """Return a field of which each struct has but one field."""
    if member.shape == "struct":
        return member.with_members([_pruned(rng.choice(member.members), rng)])
    return member.with_members(
        [_pruned(each, rng) if each.name != "key" else each for each in member.members]
    )


def _lacking(member: Member) -> Member:
    """Return a field of which each struct has but a field that no file has."""
    if member.shape == "struct":
        return member.with_members([Member(_NEVER, "never", tagged.integer(32))])
    return member.with_members([_lacking(each) if each.name != "key" else each for each in member.members])


def _widened(member: Member, unit: str, rng: random.Random) -> Member:
    if can_widen(member, unit):
        return replace(member, type=rng.choice(wider(member.type, unit)))
    return member.with_members([_widened(each, unit, rng) for each in member.members])
