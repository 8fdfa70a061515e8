"""A target whose process allocates without limit on one byte."""

NAME = __name__
_KEPT: list[bytes] = []


def seeds():
    """Return inputs without the byte that triggers the bug."""
    return [b"seed", b"other"]


def check(data):
    """Allocate memory if the input has the byte."""
    if b"!" in data:
        _KEPT.append(bytes([1]) * (1 << 36))
