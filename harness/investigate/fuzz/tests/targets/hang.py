"""A target that hangs on one byte."""

NAME = __name__


def seeds():
    """Return inputs without the byte that triggers the bug."""
    return [b"seed", b"other"]


def check(data):
    """Sleep for ever if the input has the byte."""
    while b"!" in data:
        pass
