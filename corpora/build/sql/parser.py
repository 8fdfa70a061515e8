"""The parser of queries in SQL: what `corpora.queries` can express, and an error with its place for the rest.

    SELECT * | column, … | DISTINCT column | aggregate, … | column, COUNT(*)
    [FROM name [AS name]] [WHERE condition] [GROUP BY column]
    [ORDER BY column [ASC | DESC] [NULLS FIRST | LAST]] [LIMIT n [OFFSET n]]

An aggregate is COUNT(*), or COUNT, MIN or MAX of a column. `SELECT *` may be left out before WHERE. A query
is of each file: the name behind FROM only qualifies columns. Columns and aggregates may have other names,
which GROUP BY and ORDER BY know.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from corpora.build.sql.conditions import ConditionParser
from corpora.build.sql.syntax import GROUPS, Name, Order, Statement
from corpora.build.sql.tokens import SqlError, statements, text_of

_AGGREGATES = ("COUNT", "MIN", "MAX")
_MOST_ROWS = 10**9  # of LIMIT and of OFFSET: their sum has 31 bits, and no file that is read has as many


def parse(text: str) -> list[Statement]:
    """Return the queries of a text, which `;` separates; raises SqlError."""
    return [_Parser(part).statement() for part in statements(text)]


@dataclass
class _Parser(ConditionParser):
    """The parser of one query: the columns with another name, by this name, and the name of `table.*`."""

    results: dict[str, Name] = field(default_factory=dict)
    all_of: Name | None = None

    def statement(self) -> Statement:
        """Return the query; raises SqlError."""
        start = self.token
        columns: tuple[Name, ...] | None = None
        aggregates: tuple[tuple[str, Name | None], ...] = ()
        is_distinct, table = False, None
        if self.accept("SELECT"):
            is_distinct = self.accept("DISTINCT")
            columns, aggregates = self._selected()
            table = self._table() if self.accept("FROM") else None
            if self.all_of is not None and not (table and self.all_of.is_of(table)):
                raise SqlError(f"no table {self.all_of}, whose columns are selected", self.all_of.at)
        elif self.token.word != "WHERE":
            raise self.unexpected("SELECT or WHERE")
        where = self.condition() if self.accept("WHERE") else None
        group = self.name() if self._begins("GROUP") else None
        self._check_single("GROUP", group)
        order = self._order() if self._begins("ORDER") else None
        self._check_single("ORDER", order)
        limit, offset = self._limit()
        if self.token.kind != "end":
            raise self.unexpected("the end")
        text = text_of(self.tokens)
        statement = Statement(
            text=text,
            at=start.at,
            columns=columns,
            aggregates=aggregates,
            is_distinct=is_distinct,
            where=where,
            group=group,
            order=order,
            limit=limit,
            offset=offset,
            results=self.results,
            table=table,
        )
        _check(statement)
        return statement

    def _selected(self) -> tuple[tuple[Name, ...] | None, tuple[tuple[str, Name | None], ...]]:
        """Return the columns, None for all, and the aggregates of a SELECT."""
        if self.accept("*"):
            return None, ()
        columns: list[Name] = []
        aggregates: list[tuple[str, Name | None]] = []
        while True:
            if self.token.word in _AGGREGATES and self.following.word == "(":
                aggregates.append(self._aggregate())
                self._other_name("a name")
            elif self.following.word == "(":
                known = ", ".join(_AGGREGATES)
                raise SqlError(f"{self.token} is not one of the functions of SELECT: {known}", self.token.at)
            else:
                columns.append(self.name())
                if len(columns) == 1 and not aggregates and self.accept("."):
                    self.expect("*")
                    self.all_of = columns[0]
                    return None, ()
                result = self._other_name("a name")
                if result is not None:
                    self.results[result.parts[0].lower()] = columns[-1]
            if not self.accept(","):
                return tuple(columns), tuple(aggregates)

    def _aggregate(self) -> tuple[str, Name | None]:
        function = self.take().word
        self.expect("(")
        name = None if function == "COUNT" and self.accept("*") else self.name()
        self.expect(")")
        return function, name

    def _table(self) -> Name | None:
        """Return the name of the table, None for that of a file, which qualifies no column."""
        is_file = self.token.kind == "text"
        name = None if is_file else self.dotted("a table")
        if is_file:
            self.take()
        if self.token.word == "(":
            raise SqlError("a table is a name here, not a function", self.token.at)
        name = self._other_name("a table") or name
        if self.token.word == ",":
            raise SqlError("a query is of one table", self.token.at)
        return name

    def _other_name(self, wanted: str) -> Name | None:
        """Return the name that a column or table gets, with or without AS; None if it gets none."""
        is_word = self.token.kind == "word" and self.token.word not in self.reserved
        if self.accept("AS") or is_word or self.token.kind == "quoted":
            return self.simple(wanted)
        return None

    def _begins(self, word: str) -> bool:
        """Return whether GROUP BY or ORDER BY stands here, and pass over it if so."""
        if not self.accept(word):
            return False
        self.expect("BY")
        return True

    def _check_single(self, word: str, parsed: object) -> None:
        if parsed is not None and self.token.word == ",":
            raise SqlError(f"{word} BY more than one column cannot be expressed", self.token.at)

    def _order(self) -> Order:
        name = self.name()
        descending = self.accept("DESC")
        if not descending:
            self.accept("ASC")
        nulls_first = False
        if self.accept("NULLS"):
            nulls_first = self.accept("FIRST")
            if not nulls_first:
                self.expect("LAST")
        return Order(name, descending, nulls_first)

    def _limit(self) -> tuple[int | None, int]:
        at = self.token.at
        offset = self._count() if self.accept("OFFSET") else 0
        limit = self._count() if self.accept("LIMIT") else None
        if limit is not None and not offset:
            offset = self._count() if self.accept("OFFSET") else 0
        if limit is None and offset:
            raise SqlError("OFFSET requires LIMIT", at)
        return limit, offset

    def _count(self) -> int:
        token = self.take()
        is_count = token.text.isascii() and token.text.isdigit() and len(token.text) <= len(str(_MOST_ROWS))
        if not is_count or int(token.text) > _MOST_ROWS:
            raise SqlError(f"{token} is not a number of rows, at most {_MOST_ROWS:,}", token.at)
        return int(token.text)


def _check(statement: Statement) -> None:
    """Raise SqlError for a query whose parts cannot be expressed together."""
    wrong = _wrong(statement)
    if wrong:
        raise SqlError(wrong, statement.at)


def _wrong(statement: Statement) -> str:
    has_limit, has_where = statement.limit is not None, statement.where is not None
    if statement.group is not None:
        is_count = statement.aggregates == (("COUNT", None),)
        is_simple = not (has_where or has_limit or statement.order or statement.is_distinct)
        is_single = len(statement.columns or ()) <= 1
        return "" if is_count and is_simple and is_single else GROUPS
    if statement.aggregates:
        if statement.columns or has_limit or statement.order or statement.is_distinct:
            return "aggregates stand alone: no other column, DISTINCT, ORDER BY or LIMIT"
        return ""
    if statement.is_distinct:
        is_simple = not (has_where or has_limit or statement.order)
        is_single = len(statement.columns or ()) == 1
        return (
            "" if is_simple and is_single else "DISTINCT is of one column, without WHERE, ORDER BY and LIMIT"
        )
    if statement.order is not None:
        return "" if statement.limit else "ORDER BY requires LIMIT, of at least one row"
    if statement.columns is None and not has_where and not has_limit:
        return "SELECT * without WHERE or LIMIT reads the whole file, which every run does"
    return ""
