"""A process that eats memory."""

NAME = __name__
_KEPT: list[bytes] = []


def seeds():
    """Return inputs without the byte that does it."""
    return [b"seed", b"other"]


def check(data):
    """Do it."""
    if b"!" in data:
        _KEPT.append(bytes([1]) * (1 << 36))
