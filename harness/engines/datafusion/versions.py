"""Calls that differ between releases of DataFusion, as source text of adapter and script."""

from __future__ import annotations

from harness.engines.scripts.literals import TYPE_OF, asks_types
from harness.engines.scripts.request import is_before

_ONE_ARGUMENT = 44  # before, a session with a configuration requires a runtime, too
# A later release may run the same script: it has no such class.
_RUNTIME = '([datafusion.RuntimeConfig()] if hasattr(datafusion, "RuntimeConfig") else [])'
_COUNTS = 51  # before, `lit` takes nanoseconds for a datetime of Python
LITERAL = '''
def literal(value):
    """A constant; this release has nanoseconds only as a count that is cast to them."""
    try:
        return datafusion.lit(value)
    except ValueError:
        if "[ns" not in str(getattr(value, "type", "")):
            raise
        return datafusion.lit(value.value).cast(value.type)
'''
_FUNCTIONS = 43  # before, `import datafusion` does not import its functions


def imported(version: str) -> str:
    """Return the statement that imports DataFusion."""
    return "import datafusion.functions" if is_before(version, _FUNCTIONS) else "import datafusion"


def session(config: str, version: str) -> str:
    """Return the expression of a session; `config` is the expression of its configuration."""
    if is_before(version, _ONE_ARGUMENT):
        return session_of_any(config)
    return f"datafusion.SessionContext({config})"


def session_of_any(config: str) -> str:
    """Return the expression of a session of a release that is not known."""
    return f"datafusion.SessionContext({config}, *{_RUNTIME})"


def literal(version: str) -> str:
    """Return the function of constants: `literal` of LITERAL, or that of DataFusion."""
    return "literal" if is_before(version, _COUNTS) else "datafusion.lit"


def helpers_of(body: list[str], version: str) -> str:
    """Return the functions that the statements of a script call."""
    has_own = is_before(version, _COUNTS) and any("literal(" in line for line in body)
    return (TYPE_OF if asks_types(body) else "") + (f"\n{LITERAL}" if has_own else "")
