"""`colconf explain`: print a rule, and where the specification states it."""

from __future__ import annotations

import difflib
import re
import textwrap

import click

from corpora import rules
from corpora.rules import Rule
from harness.problem import Problem

_WIDTH = 100
_FILE = re.compile(r"[\w-]+\.(?:md|thrift|proto)")
_ORC = "https://github.com/apache/orc-format/blob/main/"
_SOURCE = "https://github.com/apache/parquet-format/blob/master/"
_PLACES = {
    "ORCv1.md": _ORC + "specification/ORCv1.md",
    "orc_proto.proto": _ORC + "src/main/proto/orc/proto/orc_proto.proto",
    "protobuf-encoding.md": "https://protobuf.dev/programming-guides/encoding/",
    "parquet.thrift": _SOURCE + "src/main/thrift/parquet.thrift",
    "thrift-compact-protocol.md": (
        "https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md"
    ),
}


@click.command()
@click.argument("rule", required=False)
def explain(rule: str | None) -> None:
    """Print a rule of the specification: its level, clause and text. Without RULE, list all rules."""
    known = rules.load()
    if rule is None:
        for entry in known.values():
            click.echo(f"{entry.id}  {entry.level:<6}  {entry.text}")
        return
    match = known.get(rule.upper())
    if match is None:
        near = difflib.get_close_matches(rule.upper(), known, n=3, cutoff=0.5)
        hint = f"; did you mean {', '.join(near)}?" if near else "; `colconf explain` lists all rules"
        raise Problem(f"unknown rule {rule!r:.80}{hint}")
    _print(match)


def _print(rule: Rule) -> None:
    click.echo(f"{rule.id}  {rule.level}\n")
    click.echo(textwrap.fill(rule.text, _WIDTH))
    if rule.about_age:
        click.echo(rule.about_age)
    click.echo(f"\nclause: {rule.clause}")
    for name in dict.fromkeys(_FILE.findall(rule.clause)):
        click.echo(f"        {_PLACES.get(name, _SOURCE + name)}")
