"""Conditions of SQL as predicates of a file: its columns give paths and constants their names and types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from corpora import expressions
from corpora.build.sql.comparisons import never, of_each_value, with_value
from corpora.build.sql.constants import constant, number
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
    Term,
    Truth,
)
from corpora.build.sql.tokens import SqlError
from corpora.constants import QueryError
from corpora.queries import And, Compare, Computed, In, IsNull, Not, NotTrue, NullSafe, Or, Predicate
from corpora.tagged import BOOL, Field, Type, Value


class _Tested(NamedTuple):
    """A column, or a function of one: its type, and what makes a comparison of it."""

    term: Term
    path: tuple[str, ...]
    type: Type
    test: Callable[[str, Value], Predicate]

    @property
    def label(self) -> str:
        """Return the name of the column."""
        return str(self.term.name if isinstance(self.term, Call) else self.term)


@dataclass
class ConditionBinding:
    """The columns of a file, and the notes about constants that their types lack."""

    columns: Sequence[Field]
    notes: list[str]
    table: Name | None = None
    is_in_unknown: bool = False

    def predicate(self, condition: Condition, *, is_negated: bool = False) -> Predicate:
        """Return a condition; `is_negated`: it is below an odd number of NOTs."""
        if isinstance(condition, Inverse):
            return Not(self.predicate(condition.of, is_negated=not is_negated))
        if isinstance(condition, Joined):
            parts = tuple(self.predicate(part, is_negated=is_negated) for part in condition.of)
            return And(parts) if condition.op == "and" else Or(parts)
        if isinstance(condition, Truth):
            return self._truth(condition)
        if isinstance(condition, Comparison):
            tested = self._tested(condition.term)
            return self._comparison(tested, condition.op, condition.literal, is_negated=is_negated)
        if isinstance(condition, OneOf):
            return self._one_of(condition, is_negated=is_negated)
        path, type_ = self.column(condition.name)
        if isinstance(condition, Null):
            return IsNull(path)
        if isinstance(condition, Flag):
            return self._condition(Call("itself", None, condition.name))
        if isinstance(condition, Pattern):
            argument = condition.literal.text
            if "\\" in argument:
                raise SqlError("engines differ in what a \\ of a pattern means", condition.literal.at)
            return self._condition(Call("like", argument, condition.name))
        return self._same(condition.name, condition.literal, path, type_)

    def _truth(self, condition: Truth) -> Predicate:
        """Return whether a condition is TRUE, FALSE or UNKNOWN, by IS NOT TRUE of it or of its opposite."""
        if condition.value == "UNKNOWN":
            if self.is_in_unknown:  # each would double the condition
                raise SqlError("IS UNKNOWN of a condition with IS UNKNOWN cannot be expressed", condition.at)
            self.is_in_unknown = True
            both = (condition.of, Inverse(condition.of))
            unknown = And(tuple(NotTrue(self.predicate(of)) for of in both))
            self.is_in_unknown = False
            return Not(unknown) if condition.is_not else unknown
        of = condition.of if condition.value == "TRUE" else Inverse(condition.of)
        is_not = NotTrue(self.predicate(of))
        return is_not if condition.is_not else Not(is_not)

    def _comparison(self, tested: _Tested, op: str, literal: Literal, *, is_negated: bool) -> Predicate:
        """Return a comparison, of a constant that the type lacks an equal one."""
        units = number(literal, tested.type, tested.label)
        if units is None:
            return tested.test(op, constant(literal, tested.type, tested.label))
        equal = with_value(op, units, tested.type)
        if isinstance(equal, bool):
            predicate = of_each_value(tested.path, truth=equal, is_negated=is_negated)
            self._note(tested, f"{op} {literal}", predicate, is_negated=is_negated)
            return predicate
        predicate = tested.test(*equal)
        if Fraction(equal[1]) != units:
            self._note(tested, f"{op} {literal}", predicate)
        return predicate

    def _one_of(self, condition: OneOf, *, is_negated: bool) -> Predicate:
        tested = self._tested(condition.term)
        literals, path = condition.literals, tested.path
        if all(literal.kind == "null" for literal in literals):
            raise SqlError("IN of NULL alone is never TRUE: IS NULL tests for it", literals[0].at)
        if isinstance(condition.term, Call):
            tests = tuple(self._comparison(tested, "=", each, is_negated=is_negated) for each in literals)
            return tests[0] if len(tests) == 1 else Or(tests)
        values: list[Value] = []
        for literal in literals:
            value = None if literal.kind == "null" else _value(tested, literal)
            values += [value] if value is not None or literal.kind == "null" else []
        if len(values) == len(literals):
            return In(path, tested.type, tuple(values))
        text = f"IN ({', '.join(map(str, literals))})"
        if any(value is not None for value in values):
            some = In(path, tested.type, tuple(values))
            self._note(tested, text, some)
            return some
        is_unknown = bool(values)  # for each row; without NULL, the list is FALSE for each value
        predicate = of_each_value(path, truth=is_unknown and is_negated, is_negated=is_negated)
        self._note(tested, text, predicate, is_negated=is_negated)
        return predicate

    def _same(self, name: Name, literal: Literal, path: tuple[str, ...], type_: Type) -> Predicate:
        """Return null-safe equality, which is FALSE for each row if the type lacks the constant."""
        if literal.kind == "null":
            return NullSafe(path, type_, None)
        tested = self._tested(name)
        value = _value(tested, literal)
        if value is not None:
            return NullSafe(path, type_, value)
        self._note(tested, f"IS NOT DISTINCT FROM {literal}", never(path))
        return never(path)

    def _note(self, tested: _Tested, test: str, predicate: Predicate, *, is_negated: bool = False) -> None:
        """Note what is asked; `is_negated`: it stands for the comparison only below NOT."""
        what = f"{'below NOT, ' * is_negated}{tested.term} {test} is asked as {predicate}"
        self.notes.append(f"{what}, since {tested.term} is of type {tested.type}")

    def _tested(self, term: Term) -> _Tested:
        """Return what a comparison is of; raises SqlError where a function is not defined."""
        if isinstance(term, Call):
            path, result = self._called(term)
            call = partial(Computed, path, term.function, term.argument)
            return _Tested(term, path, result, lambda op, value: call(op, result, value))
        path, type_ = self.column(term)
        return _Tested(term, path, type_, lambda op, value: Compare(path, op, type_, value))

    def _condition(self, term: Call) -> Predicate:
        """Return a function whose result is a condition."""
        path, _ = self._called(term)
        return Computed(path, term.function, term.argument, "=", BOOL, value=True)

    def _called(self, term: Call) -> tuple[tuple[str, ...], Type]:
        """Return the path of a function's column, and the type of its result; raises SqlError."""
        path, type_ = self.column(term.name)
        try:
            return path, expressions.result_type(term.function, term.argument, type_)
        except QueryError as error:
            what = "a condition" if term.function == "itself" else f"{term.function.upper()} of it"
            raise SqlError(
                f"{term.name} is of type {type_}, so that {what} is not defined", term.at
            ) from error

    def column(self, name: Name) -> tuple[tuple[str, ...], Type]:
        """Return the path and type of a column or field; raises SqlError without a single one."""
        name = self._without_table(name)
        fields: Sequence[Field] = self.columns
        path: list[str] = []
        type_: Type | None = None
        for part, is_quoted in zip(name.parts, name.quoted, strict=True):
            if type_ is not None and type_.kind != "struct":
                raise SqlError(f"{'.'.join(path)} is of type {type_}, which has no field {part}", name.at)
            field = _field(fields, part, is_quoted=is_quoted, name=name)
            path.append(field.name)
            type_, fields = field.type, field.type.children
        assert type_ is not None
        return tuple(path), type_

    def _without_table(self, name: Name) -> Name:
        """Return the name of a column; raises SqlError for one behind another name than the table's."""
        rest = name.behind(self.table) if self.table is not None else None
        if rest is not None and self.has(rest):
            return rest
        if rest is None and self.table is not None and len(name.parts) > 1 and not self.has(name):
            what = f"{name.parts[0]} is no column, and the table is called {self.table}"
            raise SqlError(f"no column {name}: {what}", name.at)
        return name

    def has(self, name: Name) -> bool:
        """Return whether a name begins with that of a column."""
        return any(field.name.lower() == name.parts[0].lower() for field in self.columns)


def _value(tested: _Tested, literal: Literal) -> Value:
    """Return the value that is equal to a constant, None if the type lacks it; raises SqlError."""
    units = number(literal, tested.type, tested.label)
    if units is None:
        return constant(literal, tested.type, tested.label)
    equal = with_value("=", units, tested.type)
    return None if isinstance(equal, bool) else equal[1]


def _field(fields: Sequence[Field], part: str, *, is_quoted: bool, name: Name) -> Field:
    """Return the field of exactly this name or, of a name without quotes, the only one but for case."""
    same = [field for field in fields if field.name == part]
    if not same and not is_quoted:
        same = [field for field in fields if field.name.lower() == part.lower()]
    if len(same) != 1:
        raise SqlError(f"{'more than one' if same else 'no'} column {name}", name.at)
    return same[0]
