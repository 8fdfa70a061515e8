"""The state of a pipe to a child."""

from __future__ import annotations

import fcntl
import select
import struct
import termios


def is_closed(pipe: int) -> bool:
    """Return whether the reading end of a pipe is closed."""
    poll = select.poll()
    poll.register(pipe, 0)  # errors are reported whatever is asked for
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def unread(pipe: int) -> int:
    """Return how many bytes written to a pipe are unread; 0 where the platform does not tell."""
    try:
        (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0"))
    except OSError:
        return 0
    return int(count)
