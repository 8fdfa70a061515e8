"""A process that hangs."""

NAME = __name__


def seeds():
    """Return inputs without the byte that does it."""
    return [b"seed", b"other"]


def check(data):
    """Do it."""
    while b"!" in data:
        pass
