"""Whose Python code raised an exception: by its class, and by the innermost frame."""

import json
from functools import partial

import pytest

from harness.children import protocol
from harness.engines.base import Engine
from harness.engines.origins import EngineCall, origin
from harness.engines.scripts.literals import evaluate

PLACES = {
    "adapter": ("/work/harness/engines/x/adapter.py", "harness.engines.x.adapter"),
    "binding": ("/venv/lib/python3.11/site-packages/x/frame.py", "x.frame"),
    "other": ("/venv/lib/python3.11/site-packages/pandas/core.py", "pandas.core"),
    "standard": (json.__file__, "json"),
}
TEXT = """
def call(next=None, error=None):
    if next:
        return next()
    raise error
"""


def raised(error, *places):
    """Return an exception that was raised in the last of these places, called from those before."""
    call = None
    for place in reversed(places):
        file, name = PLACES[place]
        names = {"__name__": name}
        exec(compile(TEXT, file, "exec"), names)
        # Not by a lambda, whose frame would be ours.
        call = partial(names["call"], **({"next": call} if call else {"error": error}))
    try:
        call()
    except Exception as caught:  # noqa: BLE001 - it is what the test is about
        return caught
    raise AssertionError(places)


def keys_that_are_lists():
    """Raise what compiled code of an engine raises; the caller's frame is the innermost."""
    with EngineCall():
        dict.fromkeys([[]])


def a_converter():
    """Raise what our code raises that compiled code of an engine calls."""
    with EngineCall():
        sorted([1], key=lambda value: value.nothing)


def no_engine_call():
    """Raise the same as compiled code, which may mean that our arguments are wrong."""
    dict.fromkeys([[]])


def out_of_range():
    """Raise a std::out_of_range of C++ where no frame shows it."""
    raise IndexError("unordered_map::at")


@pytest.mark.parametrize(
    ("call", "expected"),
    [(keys_that_are_lists, ""), (a_converter, "adapter"), (no_engine_call, "adapter"), (out_of_range, "")],
)
def test_an_engines_compiled_code_has_no_frames(call, expected):
    """In a marked block its exceptions are the engine's; those of our code below it stay ours."""
    with pytest.raises((TypeError, AttributeError, IndexError)) as caught:
        call()
    assert origin(caught.value, in_python=False) == expected


def method():
    """Raise what compiled code says in a frame of its own of arguments that it does not take."""
    raise TypeError("Class.method() got an unexpected keyword argument 'new'")


def converter():
    """Raise what a function says of the arguments of another, which it calls itself."""
    raise TypeError("method() takes exactly 1 positional argument (0 given)")


@pytest.mark.parametrize(("call", "expected"), [(method, "adapter"), (converter, "binding")])
def test_arguments_that_a_release_does_not_take_are_ours(call, expected):
    """A compiled call that refuses what an adapter passes shows the adapter's mistake, not the binding's."""
    code = call.__code__.replace(co_filename="x.pyx", co_name=f"x.Class.{call.__name__}")
    compiled = type(call)(code, {"__name__": "x", "TypeError": TypeError})
    with pytest.raises(TypeError) as caught:
        evaluate("compiled()", {"compiled": compiled})
    assert origin(caught.value, in_python=False) == expected
    with pytest.raises(TypeError) as caught:  # of the binding's own code, which no adapter wrote
        exec("call()", {"__name__": "x", "call": compiled})
    assert origin(caught.value, in_python=False) == "binding"


class OwnTypeError(TypeError):
    """An error of a library's own."""


@pytest.mark.parametrize(
    ("error", "places", "expected"),
    [
        (TypeError("glob"), ["adapter"], "adapter"),
        (AttributeError("to_reader"), ["binding", "adapter"], "adapter"),
        (ImportError("x"), ["adapter", "standard"], "adapter"),
        (OverflowError("days"), ["adapter", "binding"], "binding"),
        (OverflowError("days"), ["adapter", "binding", "standard"], "binding"),
        (TypeError("of a helper"), ["adapter", "other"], "binding"),
        (KeyError("x"), ["binding"], "binding"),
        (ValueError("not a Parquet file"), ["adapter"], ""),
        (ValueError("not a Parquet file"), ["adapter", "binding"], ""),
        (OwnTypeError("of a column"), ["adapter", "binding"], ""),
        (MemoryError(), ["adapter"], ""),
    ],
)
def test_origins(error, places, expected):
    """The innermost frame that is not of the standard library decides, for Python's own mistakes alone."""
    assert origin(raised(error, *places), in_python=False) == expected


def test_an_engine_in_python_has_no_binding():
    """A mistake in the library of such an engine is the engine's; in its adapter it is ours all the same."""
    assert not origin(raised(TypeError("x"), "adapter", "binding"), in_python=True)
    assert origin(raised(TypeError("x"), "binding", "adapter"), in_python=True) == "adapter"


def test_text_of_a_query_is_ours():
    """What an adapter evaluates is its own, whatever that calls in compiled code."""
    with pytest.raises(AttributeError) as caught:
        evaluate("pl.len()", {"pl": object()})
    assert origin(caught.value, in_python=False) == "adapter"
    assert Engine().origin(caught.value) == "adapter"


def test_an_exception_without_frames():
    """Nothing is known of what was never raised."""
    assert not origin(TypeError("x"), in_python=False)


@pytest.mark.parametrize(
    ("more", "fits"), [({}, True), ({"origin": "adapter"}, True), ({"origin": "x"}, False)]
)
def test_the_protocol_knows_origins(more, fits):
    """An error may leave its origin out; another word is none."""
    error = {"kind": "misspoke", "class": "TypeError", "message": "", "phase": "read", **more}
    line = protocol.encode({"id": 1, "error": error})
    if fits:
        assert protocol.decode_reply(line, "read", 1)["error"] == error
    else:
        with pytest.raises(protocol.ProtocolError, match="origin"):
            protocol.decode_reply(line, "read", 1)
