"""Which branches of instrumented code an input reaches, as atheris counts them for libFuzzer.

Code that atheris instruments calls it at each branch. That takes 150 ns, and decoding a footer takes 1,000
branches: most of the time. Here a branch sets a byte instead, and after the input atheris is called once for
each branch that the input reached. So libFuzzer knows which branches these are, and not how often.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

_COMMON = 1000


class Branches:
    """The branches of instrumented code. All of it is instrumented before the first call of `report`.

    A branch that `_COMMON` inputs have reached is reported no more: libFuzzer counts only rare branches when
    it chooses what to mutate, and inputs that it kept have this one.
    """

    def __init__(self) -> None:
        """Begin without code."""
        self._bytes = bytearray()  # one of each branch; it is among the constants of all instrumented code
        self._arrays: tuple[Any, Any, Any] | None = None

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

        reached, rare, inputs = self._arrays = self._arrays or self._views()
        branches = (reached & rare).nonzero()[0]
        reached.fill(False)
        if not len(branches):
            return
        inputs[branches] += 1
        rare[branches] = inputs[branches] < _COMMON
        count = atheris._trace_branch  # looked up late: `Setup` replaces it
        for branch in branches.tolist():
            count(branch)

    def _views(self) -> tuple[Any, Any, Any]:
        """Return which branches are reached, which of them are rare, and how many inputs reached each."""
        import numpy as np  # noqa: PLC0415 - the modules that are instrumented import it

        reached = np.frombuffer(self._bytes, np.bool_)
        return reached, np.ones_like(reached), np.zeros(len(reached), np.int32)


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

    def instructions(code: Any, place: Any) -> list[Any]:
        return branches.instructions(code, place)

    hook = HookManager(
        include_packages=packages, exclude_modules=excluded, enable_loader_override=True, trace_dataflow=False
    )
    with mock.patch.object(Instrumentor, "_generate_trace_branch_invocation", instructions), hook:
        yield branches
