"""`python -m harness.tests.chaos.struck FAULT AT COUNT ARGUMENTS…`: colconf on a disk with a fault.

A kill ends this process at once, as SIGKILL does. The file COUNT then has the number of the operation of the
disk that was struck, at the end the number of all operations.
"""

import atexit
import os
import sys
from pathlib import Path

from corpora.files import HOOKS
from harness import cli
from harness.tests.faulty_disk import FaultyDisk, Killed


class Striking(FaultyDisk):
    """A faulty disk of a process of its own."""

    counts = Path()

    def _strike(self):
        try:
            super()._strike()
        except Killed:
            self.note()
            os._exit(137)

    def note(self):
        """Write the number of operations down."""
        self.counts.write_text(str(self.count))


if __name__ == "__main__":
    fault, at, counts, *arguments = sys.argv[1:]
    HOOKS.disk = Striking(fault, int(at))
    HOOKS.disk.counts = Path(counts)
    atexit.register(HOOKS.disk.note)
    sys.argv = ["colconf", *arguments]
    sys.exit(cli.main())
