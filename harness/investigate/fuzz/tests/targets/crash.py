"""A target with a planted bug: one unchecked byte raises an undocumented exception."""

NAME = __name__


def seeds():
    """Return inputs without the byte that triggers the bug."""
    return [b"seed", b"other"]


def check(data):
    """Raise the exception if the input has the byte."""
    if b"!" in data:
        raise IndexError(len(data))
