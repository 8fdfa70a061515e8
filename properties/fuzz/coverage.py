"""Which branches of instrumented code an input reaches, as atheris counts them for libFuzzer.

Code that atheris instruments calls it at each branch. That takes 150 ns, and decoding a footer takes 1,000
branches: most of the time. Here a branch sets a byte instead, and after the input atheris is called once for
each branch that the input reached. So libFuzzer knows which branches these are, and not how often.

Where many inputs have reached a branch, a jump over the instructions replaces them: libFuzzer counts only
rare branches when it chooses what to mutate, and inputs that it kept have this one.
"""

from __future__ import annotations

import gc
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from opcode import opmap
from types import CodeType, FunctionType
from typing import Any
from unittest import mock

_COMMON = 256  # inputs; for libFuzzer, too, a branch that more inputs reached is not rare
_FIRST = 512  # inputs, after which common branches are removed; then after twice as many, and so on
_LOAD, _STORE, _JUMP = opmap["LOAD_CONST"], opmap["STORE_SUBSCR"], opmap["JUMP_FORWARD"]
_EXTENDED, _CACHE = opmap["EXTENDED_ARG"], opmap["CACHE"]


class Branches:
    """The branches of instrumented code. All of it is instrumented before the first call of `report`."""

    def __init__(self) -> None:
        """Begin without code."""
        self._bytes = bytearray()  # one of each branch; it is among the constants of all instrumented code
        self._inputs: Counter[int] = Counter()  # that reached each branch
        self._calls, self._removed_at = 0, _FIRST
        self._functions: dict[int, list[FunctionType]] = {}

    def instructions(self, code: Any, place: Any) -> list[Any]:
        """Return the instructions that set the byte of a new branch, for atheris to put before `place`."""
        import atheris  # noqa: PLC0415 - optional
        from atheris.instrument_bytecode import _generate_instruction  # noqa: PLC0415 - as above

        branch = atheris._reserve_counter()
        self._bytes.extend(bytes(branch + 1 - len(self._bytes)))
        if not any(constant is self._bytes for constant in code.consts):
            code.consts.append(self._bytes)
        index = next(number for number, constant in enumerate(code.consts) if constant is self._bytes)
        stored = [("LOAD_CONST", each) for each in (code._get_const(1), index, code._get_const(branch))]
        return [_generate_instruction(*each, place) for each in (*stored, ("STORE_SUBSCR", None))]

    def report(self) -> None:
        """Report to libFuzzer the branches that are reached since the last report."""
        import atheris  # noqa: PLC0415 - as above

        count, reached, inputs = (
            atheris._trace_branch,
            self._bytes,
            self._inputs,
        )  # `Setup` replaces the first
        branch = reached.find(1)
        while branch >= 0:
            reached[branch] = 0
            inputs[branch] += 1
            count(branch)
            branch = reached.find(1, branch + 1)
        self._calls += 1
        if self._calls == self._removed_at:
            self._removed_at *= 2
            self._remove({branch for branch, number in inputs.items() if number >= _COMMON})

    def _remove(self, branches: set[int]) -> None:
        """Remove branches from the code of all functions, and forget how many inputs reached them."""
        self._functions = self._functions or _functions(self._bytes)
        changed = {id(each): each for branch in branches for each in self._functions.get(branch, ())}
        for function in changed.values():
            function.__code__ = _without(function.__code__, self._bytes, branches)
        for branch in branches:
            del self._inputs[branch]


def _functions(array: bytearray) -> dict[int, list[FunctionType]]:
    """Return the instrumented functions that may have each branch: its number is one of their constants."""
    functions = defaultdict(list)
    for each in gc.get_objects():
        if type(each) is FunctionType:
            for constant in _constants(each.__code__, array):
                functions[constant].append(each)
    return dict(functions)


def _constants(code: CodeType, array: bytearray) -> Iterator[int]:
    """Yield the integers among the constants of instrumented code, and of the code in it."""
    instrumented = any(each is array for each in code.co_consts)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _constants(each, array)
        elif instrumented and type(each) is int:
            yield each


def _without(code: CodeType, array: bytearray, branches: set[int]) -> CodeType:
    """Return code that jumps over the instructions of these branches, and so does the code in it."""
    raw = bytearray(code.co_code)
    for branch, start, end in _places(code, array):
        if branch in branches:
            raw[start : start + 2] = _JUMP, (end - start) // 2 - 1
    constants = (
        _without(each, array, branches) if isinstance(each, CodeType) else each for each in code.co_consts
    )
    return code.replace(co_code=bytes(raw), co_consts=tuple(constants))


def _places(code: CodeType, array: bytearray) -> Iterator[tuple[int, int, int]]:
    """Yield each branch with the range of its instructions: three constants are loaded, one is stored."""
    raw, constants = code.co_code, code.co_consts
    loaded: list[tuple[int, Any]] = []  # where each instruction begins, and its constant
    start, argument = 0, 0
    for at in range(0, len(raw), 2):
        operation, argument = raw[at], argument << 8 | raw[at + 1]
        if operation == _EXTENDED:
            continue
        if operation == _LOAD:
            loaded.append((start, constants[argument]))
        elif operation != _CACHE:
            if operation == _STORE and len(loaded) > 2 and loaded[-2][1] is array:
                end = at + 2
                while raw[end] == _CACHE:
                    end += 2
                yield loaded[-1][1], loaded[-3][0], end
            loaded.clear()
        start, argument = at + 2, 0


@contextmanager
def instrumenting(packages: set[str], excluded: set[str]) -> Iterator[Branches]:
    """Instrument the modules of packages that are imported in this context, some excluded.

    `atheris.instrument_imports` traces comparisons too, from which libFuzzer guesses inputs. Seeds and
    mutators know the formats: without that tracing as many inputs reach as many branches, in two thirds of
    the time.
    """
    from atheris.import_hook import HookManager  # noqa: PLC0415 - as above
    from atheris.instrument_bytecode import Instrumentor  # noqa: PLC0415 - as above

    branches = Branches()
    assemble = Instrumentor.to_code

    def instructions(code: Any, place: Any) -> list[Any]:
        return branches.instructions(code, place)

    def assembled(code: Any) -> CodeType:
        # Atheris adds up the stack of all branches: frames so large that Python maps memory for calls, again
        # and again. What is needed is that of the original code, and our three constants.
        instrumented: CodeType = assemble(code)
        return instrumented.replace(co_stacksize=code._code.co_stacksize + 3)

    hook = HookManager(
        include_packages=packages, exclude_modules=excluded, enable_loader_override=True, trace_dataflow=False
    )
    ours = mock.patch.multiple(
        Instrumentor, _generate_trace_branch_invocation=instructions, to_code=assembled
    )
    with ours, hook:
        yield branches
