"""Names that break out: of columns and of files, and the files that carry them.

`CANARY` is the file that a name creates when it is run as Python, by a shell, or by an SQL.
"""

import os

from corpora.predicates import Compare, In, IsNull, Not
from corpora.queries import Aggregate, Batches, Filter, Project, RowGroup
from corpora.tagged import integer
from reference_impl.orc.plan import FilePlan as OrcPlan
from reference_impl.orc.writer import write as write_orc
from reference_impl.parquet.plan import FilePlan
from reference_impl.parquet.schema import FieldRepetitionType, SchemaElement, Type
from reference_impl.parquet.writer import write as write_parquet
from reference_impl.tests.orc_plans import PRIMITIVES, flat

CANARY = "colconf_canary"
# As Python that stands in a comment, in a literal of each quote, in a docstring, in an f-string.
_RUN = f"open('{CANARY}','w')"
_RUN_2 = f'open("{CANARY}","w")'
NAMES = {
    "single": "it's",
    "double": 'say "x"',
    "triple": "\"\"\"'''",
    "backtick": "`a`",
    "backticks": "``` a ````",
    "newline": "a\nb",
    "return": "a\rb",
    "nul": "a\x00b",
    "escape": "\x1b[31mred\x1b]0;title\x07",
    "bidi": "a\u202eb\u2066",
    "lines": "a\u2028b\x85c",
    "plain": "grüße 日本",
    "home": "${HOME}",
    "spark": "${env:HOME}${system:user.name}",
    "shell": f"$(touch {CANARY})`touch {CANARY}`",
    "braces": "{{}}",
    "brace": "{0}",
    "f-string": "{" + _RUN_2 + "}",
    "percent": "%s%(a)d%%",
    "semicolon": f"; touch {CANARY} ;",
    "sql": f"\"; COPY (SELECT 1) TO '{CANARY}'; --",
    "sql-single": f"'; COPY (SELECT 1) TO '{CANARY}'; --",
    "sql-comment": "/*a*/ -- b",
    "backslash": "a\\",
    "backslashes": "\\\\'\\\"",
    "unicode-escape": f"\\u000aimport os;{_RUN}#",
    "escape-end": f"\\u0022+{_RUN}#",
    "python-line": f"\n{_RUN}\n",
    "python-return": f"\r{_RUN}\r",
    "python-feed": f"\f\n{_RUN_2}\n",
    "end-of-literal": f"'+{_RUN_2}+'",
    "end-of-double": f'"+{_RUN}+"',
    "end-of-triple": f'"""\n{_RUN}\n"""',
    "coding": "x coding=raw_unicode_escape ",
    "coding-2": "-*- coding: utf-7 -*-",
    "star": "*",
    "pattern": "^.*$",
    "pattern-2": "^a.*$",
    "glob": "a*[b]?{c,d}",
    "dots": "a.b",
    "dot": ".a",
    "dotted-end": "a.*",
    "option": "--help",
    "option-2": "-rf",
    "url": "http://localhost/a::zip",
    "space": " a ",
    "html": f"<script>{_RUN}</script><!--",
    "markdown": "](x) | **a** [b](javascript:c)",
    "pipe": "a | b",
    "long": "n" * (64 << 10),
}
SHORT = {name: text for name, text in NAMES.items() if len(text) < 1000}
# What Linux has no name for: a slash, a NUL, more than 255 bytes. Hidden files are passed over.
FILE_NAMES = {
    **{key: name for key, name in SHORT.items() if not {"/", "\x00"} & set(name) and name[0] != "."},
    "not-utf-8": os.fsdecode(b"\xff\xfe"),
}
DECOYS = ("a", "ab", "b")


def columns_of(name):
    """Return the columns of a file: one of this name, and those that it is not to be taken for."""
    return (name, *(decoy for decoy in DECOYS if decoy.lower() != name.lower()))


def rows_of(name):
    """Return the rows of a file, by column: 0, 1, null, 3 in the first, other numbers in each decoy."""
    others = range(1, len(columns_of(name)))
    return [(number, *(100 * at + row for at in others)) for row, number in enumerate((0, 1, None, 3))]


def parquet(name):
    """Return a Parquet file with a column of this name."""
    names = columns_of(name)
    optional = FieldRepetitionType.OPTIONAL
    schema = [SchemaElement(name="schema", num_children=len(names))]
    schema += [SchemaElement(name=column, type=Type.INT64, repetition_type=optional) for column in names]
    rows = tuple(dict(zip(names, row, strict=True)) for row in rows_of(name))
    return write_parquet(FilePlan(tuple(schema), rows))


def orc(name):
    """Return an ORC file with a column of this name."""
    types = flat(*((column, PRIMITIVES["long"][0]) for column in columns_of(name)))
    return write_orc(OrcPlan(types, tuple(rows_of(name))))


WRITE = {"parquet": parquet, "orc": orc}


def queries_of(name):
    """Return a query of each kind, and a predicate of each form, about the column of this name."""
    path, type_ = (name,), integer(64)
    return [
        None,
        Project((columns_of(name)[1], name)),
        Filter(Compare(path, ">=", type_, "1")),
        Filter(In(path, type_, ("0", "3")), path),
        Filter(Not(Compare(path, "=", type_, "1")), (columns_of(name)[1],)),
        Filter(IsNull(path)),
        Aggregate(path),
        RowGroup(0),
        Batches(3),
    ]
