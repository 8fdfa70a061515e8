"""What is raised is no Exception: the process ends, and libFuzzer writes the input down itself."""

NAME = __name__


class Quits(BaseException):
    """Nobody catches it."""


def seeds():
    """Return an input."""
    return [b"seed"]


def check(data):
    """Do it."""
    raise Quits(len(data))
