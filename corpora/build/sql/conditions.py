"""The parser of conditions in SQL.

| condition                                                  | of                                         |
|------------------------------------------------------------|--------------------------------------------|
| `=`, `<>`, `!=`, `<`, `<=`, `>`, `>=`, [NOT] BETWEEN … AND  | a column or function, constants            |
| [NOT] IN (…)                                               | a column or function, constants            |
| IS [NOT] NULL, IS [NOT] DISTINCT FROM, [NOT] LIKE          | a column                                   |
| a column alone                                             | a boolean column                           |
| IS [NOT] TRUE, FALSE, UNKNOWN                              | a boolean column, another condition        |
| NOT, AND, OR, parentheses                                  | conditions                                 |

Functions are YEAR(column), LOWER(column) and CAST(column AS DATE). Constants are numbers, 'text', X'00ff',
TRUE, FALSE, DATE '…', TIME '…', TIMESTAMP '…' and, in IN and DISTINCT, NULL. Columns are names, "names" or
`names`, with dots before fields of structs.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import ClassVar

from corpora.build.sql.syntax import (
    Call,
    Comparison,
    Condition,
    Flag,
    Inverse,
    Joined,
    Literal,
    Name,
    Null,
    OneOf,
    Pattern,
    Same,
    Term,
    Truth,
)
from corpora.build.sql.tokens import END, SqlError, Token

_RESERVED = (
    "SELECT FROM WHERE AND OR NOT IN IS NULL LIKE BETWEEN GROUP ORDER BY LIMIT OFFSET DISTINCT TRUE FALSE AS "
    "ON JOIN INNER LEFT RIGHT FULL CROSS HAVING UNION EXCEPT INTERSECT CASE EXISTS"
)
_OPERATORS = {"=": "=", "==": "=", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TRUTHS = ("TRUE", "FALSE", "UNKNOWN")
_TYPED = ("DATE", "TIME", "TIMESTAMP")
_FUNCTIONS = {"YEAR": "year", "LOWER": "lower"}
MAX_DEPTH = 30  # of parentheses and NOT


@dataclass
class ConditionParser:
    """The tokens of a query, which end with the end, and the place of the next one."""

    tokens: list[Token]
    next: int = 0
    depth: int = 0
    reserved: ClassVar[frozenset[str]] = frozenset(_RESERVED.split())

    @property
    def token(self) -> Token:
        """Return the next token."""
        return self.tokens[self.next]

    @property
    def following(self) -> Token:
        """Return the token behind the next one."""
        return self.tokens[min(self.next + 1, len(self.tokens) - 1)]

    def take(self) -> Token:
        """Return the next token, and pass over it, unless it is the end."""
        token = self.token
        self.next += token.kind != END
        return token

    def accept(self, word: str) -> bool:
        """Return whether the next token is a word or symbol, and pass over it if so."""
        is_there = self.token.word == word
        self.next += is_there
        return is_there

    def expect(self, word: str) -> None:
        """Pass over a word or symbol; raises SqlError for anything else."""
        if not self.accept(word):
            raise self.unexpected(word)

    def unexpected(self, wanted: str, mend: str = "") -> SqlError:
        """Return the error of a next token that is another one than wanted."""
        return SqlError(f"{wanted} is expected here, not {self.token}{mend}", self.token.at)

    def name(self) -> Name:
        """Return the path of a column; raises SqlError."""
        name = self.dotted("a column")
        if self.token.word == "(":
            known = ", ".join((*_FUNCTIONS, "CAST(… AS DATE)"))
            raise SqlError(f"{self.tokens[self.next - 1]} is not one of the functions here: {known}", name.at)
        return name

    def dotted(self, wanted: str) -> Name:
        """Return a name; raises SqlError."""
        at, parts = self.token.at, [self._part(wanted, self.reserved)]
        while self.token.word == "." and self.following.word != "*":
            self.next += 1
            parts.append(self._part(wanted))
        return Name(tuple(part.value for part in parts), tuple(part.kind == "quoted" for part in parts), at)

    def simple(self, wanted: str) -> Name:
        """Return a name without dots; raises SqlError."""
        at, part = self.token.at, self._part(wanted, self.reserved)
        return Name((part.value,), (part.kind == "quoted",), at)

    def _part(self, wanted: str, reserved: Container[str] = ()) -> Token:
        if self.token.word in reserved:
            raise self.unexpected(wanted, '; as a name it stands in "…"')
        if self.token.kind not in {"word", "quoted"}:
            raise self.unexpected(wanted)
        return self.take()

    def condition(self) -> Condition:
        """Return the conditions that OR joins; raises SqlError."""
        parts = [self._conjunction()]
        while self.accept("OR"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else Joined("or", tuple(parts))

    def _conjunction(self) -> Condition:
        parts = [self._negation()]
        while self.accept("AND"):
            parts.append(self._negation())
        return parts[0] if len(parts) == 1 else Joined("and", tuple(parts))

    def _negation(self) -> Condition:
        if self.depth == MAX_DEPTH:
            raise SqlError(f"conditions are nested deeper than {MAX_DEPTH}", self.token.at)
        self.depth += 1
        if self.accept("NOT"):
            condition: Condition = Inverse(self._negation())
        elif self.accept("("):
            condition = self.condition()
            self.expect(")")
            condition = self._truth(self._of(condition.name) if isinstance(condition, Flag) else condition)
        else:
            condition = self._truth(self._test())
        self.depth -= 1
        return condition

    def _truth(self, condition: Condition) -> Condition:
        """Return a condition or, with IS behind it, whether it is TRUE, FALSE or UNKNOWN."""
        at = self.token.at
        if not self.accept("IS"):
            return condition
        is_not = self.accept("NOT")
        if self.token.word not in {*_TRUTHS, "NULL"}:
            raise self.unexpected("TRUE, FALSE, UNKNOWN or NULL")
        return Truth(condition, self.take().word.replace("NULL", "UNKNOWN"), is_not, at)

    def _test(self) -> Condition:
        if self._is_literal():
            literal = self._literal()
            op = self._operator("a comparison")
            return Comparison(self._term(), _TURNED[op], literal)
        return self._of(self._term())

    def _of(self, term: Term) -> Condition:
        """Return a condition of a column or function, or a column as a condition."""
        if self.token.word in _OPERATORS:
            return Comparison(term, self._operator("a comparison"), self._literal())
        if self.accept("IS"):
            return self._is(term)
        is_not = self.accept("NOT")
        test = self._range(term, is_not=is_not)
        return Inverse(test) if is_not else test

    def _is(self, term: Term) -> Condition:
        at = self.token.at
        is_not = self.accept("NOT")
        if self.accept("NULL"):
            test: Condition = Null(self._column(term, "IS NULL"))
        elif self.accept("DISTINCT"):
            self.expect("FROM")
            test, is_not = Same(self._column(term, "IS DISTINCT FROM"), self._literal(null=True)), not is_not
        elif self.token.word in _TRUTHS:
            flag = Flag(self._column(term, f"IS {self.token.word}"))
            return Truth(flag, self.take().word, is_not, at)
        else:
            raise self.unexpected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM")
        return Inverse(test) if is_not else test

    def _range(self, term: Term, *, is_not: bool) -> Condition:
        """Return what may stand behind NOT, or a column as a condition."""
        if self.accept("BETWEEN"):
            low = Comparison(term, ">=", self._literal())
            self.expect("AND")
            return Joined("and", (low, Comparison(term, "<=", self._literal())))
        if self.accept("IN"):
            return OneOf(term, self._list())
        if self.accept("LIKE"):
            name, literal = self._column(term, "LIKE"), self._literal()
            if literal.kind != "text":
                raise SqlError(f"a pattern in '…' is expected here, not {literal}", literal.at)
            if self.token.word == "ESCAPE":
                raise SqlError("ESCAPE cannot be expressed", self.token.at)
            return Pattern(name, literal)
        if is_not or isinstance(term, Call):
            raise self.unexpected("a comparison")
        return Flag(term)

    def _list(self) -> tuple[Literal, ...]:
        self.expect("(")
        literals = [self._literal(null=True)]
        while self.accept(","):
            literals.append(self._literal(null=True))
        self.expect(")")
        return tuple(literals)

    def _operator(self, wanted: str) -> str:
        if self.token.word not in _OPERATORS:
            raise self.unexpected(wanted)
        return _OPERATORS[self.take().word]

    def _column(self, term: Term, what: str) -> Name:
        if isinstance(term, Call):
            raise SqlError(f"{what} is of a column, not of a function", term.at)
        return term

    def _term(self) -> Term:
        word = self.token.word
        if self.following.word == "(" and word in {*_FUNCTIONS, "CAST"}:
            self.next += 2
            name = self.name()
            if word == "CAST":
                self.expect("AS")
                self.expect("DATE")
            self.expect(")")
            return Call("cast", "date", name) if word == "CAST" else Call(_FUNCTIONS[word], None, name)
        return self.name()

    def _is_literal(self) -> bool:
        token = self.token
        if token.word in _TYPED:
            return self.following.kind == "text"
        return token.kind in {"number", "text", "bytes"} or token.word in {"TRUE", "FALSE", "NULL", "-", "+"}

    def _literal(self, *, null: bool = False) -> Literal:
        """Return a constant; `null`: it may be NULL. Raises SqlError."""
        if not self._is_literal():
            mend = "; text stands in '…'" if self.token.kind == "quoted" else ""
            raise self.unexpected("a constant", mend)
        token = self.take()
        if token.word == "NULL":
            if not null:
                raise SqlError("a comparison with NULL is never TRUE: IS NULL tests for it", token.at)
            return Literal("null", "NULL", token.at)
        if token.word in {"TRUE", "FALSE"}:
            return Literal("bool", token.word, token.at)
        if token.word in _TYPED:
            return Literal(token.word.lower(), self.take().value, token.at)
        if token.word in {"-", "+"}:
            if self.token.kind != "number":
                raise self.unexpected("a number")
            return Literal("number", token.text.replace("+", "") + self.take().text, token.at)
        return Literal(token.kind, token.text[2:-1] if token.kind == "bytes" else token.value, token.at)
