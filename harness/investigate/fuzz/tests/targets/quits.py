"""A target that raises a BaseException: the process ends, and libFuzzer itself stores the input."""

NAME = __name__


class Quits(BaseException):
    """A BaseException that nobody catches."""


def seeds():
    """Return an input."""
    return [b"seed"]


def check(data):
    """Raise the exception."""
    raise Quits(len(data))
