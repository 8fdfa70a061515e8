"""A planted bug: a byte that is not looked for raises an undocumented error."""

NAME = __name__


def seeds():
    """Return inputs without the byte that does it."""
    return [b"seed", b"other"]


def check(data):
    """Do it."""
    if b"!" in data:
        raise IndexError(len(data))
